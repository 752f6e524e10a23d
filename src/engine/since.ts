/** `--since`: compares a list with the same list of a snapshot. */

import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parseMoment, parseSpan } from '../base/dates.js'
import { resolvePath } from '../base/io.js'
import { parseBytes } from '../base/json/records.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { type Fields, isObject, toText } from '../base/objects.js'
import { isSwitch } from '../catalogue/params.js'
import { pick } from '../catalogue/pick.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import { readManifest } from '../client/manifest-schema.js'
import {
  getIdentifier,
  getIdentity,
  isWithin,
  type SnapshotManifest,
  volatileFields,
} from '../client/snapshot-manifest.js'
import { exitCodes, usage } from '../errors.js'
import type { Context } from './command/context.js'
import { getCommandName } from './command/derive.js'
import {
  addInstanceFlags,
  type Globals,
  type InstanceGlobals,
  lineFlags,
} from './command/globals.js'
import type { Command } from './command/types.js'
import type { Raw } from './plan/line.js'
import { createExitRow, createNoteRow, type Rows, yieldRecords } from './rows.js'
import { findFieldKind } from './where/shape.js'

/** One side of the comparison: its records by parent and identity. */
interface Side {
  readonly records: ReadonlyMap<string, ReadonlyMap<string, unknown>>
  /** The names of parents whose lists could not be read. */
  readonly unread: ReadonlySet<string>
  /** The column that names the parent, if there are several. */
  readonly column: string | undefined
}

/** The change of a record, or of one of its fields. */
interface Change {
  readonly change: 'added' | 'removed' | 'changed'
  readonly [column: string]: unknown
}

/** Returns the words of a line without the flags that say how its answer is shown. */
const getLineWords = (command: Command, { args, flags }: Raw): readonly string[] => {
  const own = new Set<string>([...command.flags.map(({ name }) => name), ...lineFlags])
  const given = [...flags].flatMap(([name, texts]) => {
    if (!own.has(name)) return []
    const param = command.flags.find((flag) => flag.name === name)?.param
    const boolean =
      isSwitch(param) || (param === undefined && /^(true|false)$/.test(texts[0] ?? ''))
    if (boolean) return [texts.at(-1) === 'true' ? `--${name}` : `--no-${name}`]
    return texts.map((text) => `--${name}=${text}`)
  })
  return [command.area, ...command.words.split(' '), ...args, ...given]
}

/** Matches the note about a list without records. */
const emptyNote = /^(?:nothing found|no matches)/

/** The groups to which each of the two sides is limited. */
type Limits = readonly SnapshotManifest['groups'][]

/** True if both sides can have a record: it is below the groups to which they are limited. */
const isShared = (record: unknown, parent: string | undefined, limits: Limits): boolean => {
  const path = parent ?? (isObject(record) ? toText(record.path_with_namespace) : undefined)
  return path === undefined || limits.every((groups) => isWithin(path, groups))
}

const readSide = async (
  { naming, place, ui }: Context,
  words: readonly string[],
  from: string | undefined,
  limits: Limits,
): Promise<Side> => {
  const records = new Map<string, Map<string, unknown>>()
  const unread = new Set<string>()
  let column: string | undefined
  const { code, failure, notes } = await place.runs.readLine({
    words,
    allowed: lineFlags,
    from,
    takeRecord: (bytes, parent) => {
      const record = naming.makeLegible(parseBytes(bytes))
      if (!isShared(record, parent?.name, limits)) return
      column ??= parent?.column
      const name = parent?.name ?? ''
      const known = records.get(name) ?? new Map<string, unknown>()
      records.set(name, known.set(getIdentity(record), record))
    },
    parents: {
      choose: (names) => names,
      finishParent: (name, failed) => {
        if (failed !== undefined) unread.add(name)
      },
    },
  })
  // The number of changes says what an empty list means.
  for (const note of notes) if (!emptyNote.test(note)) ui.note(note)
  if (failure !== undefined && (code !== exitCodes.partial || unread.size === 0)) throw failure
  return { records, unread, column }
}

/** Finds the field with the name of a record; undefined if it has only an ID. */
const findNameField = (record: unknown): string | undefined =>
  isObject(record)
    ? ['path_with_namespace', 'username', 'name', 'title', 'description', 'domain'].find(
        (field) => toText(record[field]) !== undefined,
      )
    : undefined

/** Returns the columns of a command's list. All forms of a command have the same columns. */
const getColumns = ({ endpoints }: Command): readonly string[] =>
  Object.values(endpoints).find(({ returns }) => returns.kind === 'many')?.columns ?? []

/** Returns the columns of an added or removed record, without its ID and name, which the row has anyway. */
const pickFields = (record: unknown, command: Command): Fields | null => {
  const shown = findNameField(record)
  const fields = getColumns(command).flatMap((column) => {
    const value = pick(record, column)
    const isTold = column === shown || value === getIdentifier(record)
    return isTold || value === undefined || volatileFields.has(column)
      ? []
      : [[command.naming.name(column), value]]
  })
  return fields.length === 0 ? null : Object.fromEntries(fields)
}

/** Converts a value to text for a table. A record becomes its fields with their names. */
const toWords = (field: unknown, value: unknown): unknown => {
  if (isObject(value) && typeof field !== 'string')
    return Object.entries(value)
      .filter(([, one]) => one !== null && one !== '')
      .map(([name, one]) => {
        const text = toWords(name, one)
        return `${name}: ${isScalar(text) ? String(text) : serializeJson(text)}`
      })
      .join(', ')
  return getLevelName(typeof field === 'string' ? field : undefined, value) ?? value
}

/** Converts rows to those of a table, with access levels by name and records as text. */
const toPeopleRows = (rows: readonly unknown[]): readonly unknown[] =>
  rows.filter(isObject).map(({ field, before, after, ...row }) => ({
    ...row,
    field,
    before: toWords(field, before),
    after: toWords(field, after),
  }))

/** Returns a value without the skipped fields of its objects, at any depth. */
const removeFields = (value: unknown, skipped: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => removeFields(one, skipped))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !skipped.has(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, removeFields(one, skipped)]))
}

const isEqual = (a: unknown, b: unknown, skipped: ReadonlySet<string>): boolean =>
  isDeepStrictEqual(a, b) || isDeepStrictEqual(removeFields(a, skipped), removeFields(b, skipped))

const findFieldChanges = (before: Fields, after: Fields, skipped: ReadonlySet<string>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !skipped.has(field) && !isEqual(before[field], after[field], skipped))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))

/** Builds a row of the comparison: the record, and its change. */
type RowFactory = (change: Change['change'], record: unknown, field?: object) => Change

const createRowBuilder =
  (column: string | undefined, parent: string, command: Command): RowFactory =>
  (change, record, field) => ({
    change,
    ...(column === undefined ? {} : { [column]: parent }),
    id: getIdentifier(record) ?? null,
    name: toText(pick(record, findNameField(record) ?? '')) ?? null,
    field: null,
    before: change === 'removed' ? pickFields(record, command) : null,
    after: change === 'added' ? pickFields(record, command) : null,
    ...field,
  })

const none: ReadonlyMap<string, unknown> = new Map()

/** Yields the changes of the records of one parent. */
function* compareRecords(
  old: ReadonlyMap<string, unknown>,
  present: ReadonlyMap<string, unknown>,
  skipped: ReadonlySet<string>,
  row: RowFactory,
): Generator<Change> {
  for (const [id, before] of old) {
    const after = present.get(id)
    if (after === undefined) yield row('removed', before)
    else if (isObject(before) && isObject(after))
      for (const field of findFieldChanges(before, after, skipped))
        yield row('changed', after, field)
  }
  for (const [id, record] of present) if (!old.has(id)) yield row('added', record)
}

function* compareSides(
  then: Side,
  now: Side,
  command: Command,
  skipped: ReadonlySet<string>,
): Generator<Change> {
  const parents = [...new Set([...then.records.keys(), ...now.records.keys()])].sort()
  for (const parent of parents) {
    if (then.unread.has(parent) || now.unread.has(parent)) continue
    const row = createRowBuilder(now.column ?? then.column, parent, command)
    const [old = none, present = none] = [then.records.get(parent), now.records.get(parent)]
    yield* compareRecords(old, present, skipped, row)
  }
}

interface Line {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Pick<Globals, 'allFields' | 'from' | 'since'> & InstanceGlobals
  readonly running: { readonly context: Context }
}

/** Returns the flag that chooses records from a time on; undefined if the list has none. */
const findTimeFlag = (
  { endpoints }: Command,
  time: string,
  isSpan: boolean,
): string | undefined => {
  const all = Object.values(endpoints)
  const param = ['created_after', 'after', 'updated_after'].find((name) =>
    all.some(({ params }) => Object.hasOwn(params, name)),
  )
  if (param !== undefined) return `--${param.replace('_', '-')} ${time}`
  const hasField = all.some(({ returns }) => findFieldKind(returns.shape, 'created_at') === 'time')
  return hasField ? `--where 'created_at${isSpan ? '<' : '>'}${time}'` : undefined
}

/** @throws Failure `usage` for a time instead of a snapshot */
const checkFolder = (command: Command, globals: Line['globals']): void => {
  const { since: folder = '' } = globals
  const isSpan = parseSpan(folder) !== undefined
  if (!isSpan && parseMoment(folder, 0) === undefined) return
  if (existsSync(resolvePath(folder))) return
  const flag = findTimeFlag(command, folder, isSpan)
  const line = addInstanceFlags('svcctl snapshot --to before', globals)
  throw usage(
    `--since requires the folder of a snapshot, not the time ${folder}`,
    flag === undefined
      ? `Take a snapshot, and compare with it later: ${line}`
      : `For records since that time: ${flag}. --since compares with a snapshot: ${line}`,
  )
}

const changeColumns = ['id', 'name', 'field', 'before', 'after'] as const

/**
 * Yields the records of a list that were added, removed or changed since a snapshot, with one row for each changed field.
 * @throws Failure of the list or of the snapshot, if one of them cannot be read
 */
export async function* yieldChanges({ command, raw, globals, running }: Line): Rows {
  const { context } = running
  checkFolder(command, globals)
  if (raw.args.includes('-'))
    throw usage(`${getCommandName(command)} --since reads no standard input`)
  const words = getLineWords(command, raw)
  const limits = [globals.since, globals.from].map((folder) =>
    folder === undefined ? [] : (readManifest(folder)?.groups ?? []),
  )
  const then = await readSide(context, words, globals.since, limits)
  const now = await readSide(context, words, globals.from, limits)
  const skipped = new Set(globals.allFields ? [] : command.naming.addOwnNames([...volatileFields]))
  const counts = { added: 0, removed: 0, changed: new Set<string>() }
  const yieldChangeRows = function* (): Generator<Change> {
    for (const row of compareSides(then, now, command, skipped)) {
      if (row.change === 'changed')
        counts.changed.add(`${String(row[now.column ?? ''])} ${String(row.id)}`)
      else counts[row.change] += 1
      yield row
    }
  }
  const column = now.column ?? then.column
  yield* yieldRecords(yieldChangeRows(), {
    columns: ['change', ...(column === undefined ? [] : [column]), ...changeColumns],
    people: { rows: toPeopleRows, sheets: true },
  })
  yield createNoteRow(
    `${counts.added} added, ${counts.removed} removed, ${counts.changed.size} changed; changed secrets cannot be seen`,
  )
  const groups = [...new Set(limits.flat())]
  if (groups.length > 0)
    yield createNoteRow(`only projects and groups below ${groups.join(', ')} are compared`)
  const unread = new Set([...then.unread, ...now.unread])
  if (unread.size === 0) return
  yield createNoteRow(
    `not compared, because they could not be read: ${[...unread].sort().join(', ')}`,
  )
  yield createExitRow(exitCodes.partial)
}
