/** The objects, parents and rows that a line reads from standard input; of a run that is gone on with, those of its journal. */

import type { CutValue } from '../../base/json/cutter.js'
import { type Fields, isObject } from '../../base/objects.js'
import { usage } from '../../errors.js'
import { hasForm } from '../command/derive.js'
import type { Command, NamedObject, ObjectStream, Parent } from '../command/types.js'
import { isFromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { readObjects } from '../plan/objects.js'
import {
  createNamedParents,
  type ParentTarget,
  parseParentTarget,
  TargetsWithObjects,
} from '../plan/parents.js'
import {
  type Cutter,
  createCommaCutter,
  createTabCutter,
  createValueCutter,
  describePosition,
  readInputObjects,
} from '../plan/stdin/reader.js'
import { checkStreamedRows, getRowFlagNames, RowFields } from '../plan/stdin/row-fields.js'
import {
  type Cells,
  createRowFailure,
  isJsonStart,
  parseObjectAt,
  plainObjects,
} from '../plan/stdin/rows.js'
import type { TakeNote } from '../plan/values.js'
import { canStreamObjects, createIdConflict, type LineInput, type ObjectsLine } from './objects.js'

/**
 * Opens what a line reads from standard input: objects that are taken as they come, or parents that come with theirs,
 * and the reader of the attributes of rows.
 * @throws Failure `usage` for an input that names no objects
 */
export const readInput = async (line: ObjectsLine): Promise<LineInput> => {
  const rowFields = getRowFields(line)
  const stream = await openObjectStream(line, rowFields)
  const parents = stream === undefined ? await readPipedParents(line, rowFields) : undefined
  return { stream, rowFields, ...parents }
}

/**
 * Yields the objects of standard input as they come.
 * @throws Failure `usage` where nothing is named
 */
async function* yieldNamedObjects(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
  { note, rowFields }: { readonly note: TakeNote; readonly rowFields: RowFields | undefined },
): AsyncGenerator<NamedObject> {
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  for await (const some of readInputObjects(chunks, command, { note, project, rowFields })) {
    any = true
    const rows = rowFields?.takeRows()
    for (const [i, { text, place }] of some.entries()) yield { text, place, row: rows?.[i] }
  }
  if (!any) throw usage('standard input contains no objects')
}

const isStreamed = (line: ObjectsLine): boolean => {
  const { globals, raw, streamed } = line
  if (streamed === true) return true
  const alone = raw.args.length === 1 && raw.args[0] === '-'
  return alone && globals.select === undefined && canStreamObjects(line)
}

async function* yieldNothing(): AsyncGenerator<NamedObject> {}

/** Opens the objects of standard input, each with its parent if it brings one along. */
const openPipedStream = async (
  { command, raw, input, running, journaling }: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream> => {
  const owning = readsParents(command, raw) && mayOwn(await input.head())
  const found = owning ? await readOwnedObjects(command, input.chunks(), rowFields) : input.chunks()
  if ('below' in found) journaling.parents = found.below
  const { note } = running.context.ui
  const objects =
    'below' in found ? found.objects : yieldNamedObjects(command, raw, found, { note, rowFields })
  return {
    ...('below' in found ? { below: found.below } : {}),
    objects: rowFields === undefined ? objects : checkStreamedRows(objects, rowFields),
    whole: await input.endsSoon(),
  }
}

/** Opens the objects that are taken as they come; undefined if all are read first. */
const openObjectStream = async (
  line: ObjectsLine,
  rowFields: RowFields | undefined,
): Promise<ObjectStream | undefined> => {
  if (!isStreamed(line)) return undefined
  const { command, raw, streamed, journaling } = line
  const rowFlags = getRowFlagNames(command, raw)
  if (streamed !== true || raw.args.includes('-'))
    return { ...(await openPipedStream(line, rowFields)), rowFlags }
  return { objects: yieldNothing(), below: journaling.parents, rowFlags }
}

/** Returns the reader of the attributes of rows. The rows of a resumed run stand in its journal, unless its input is given again. */
const getRowFields = ({ command, raw, journaling }: ObjectsLine): RowFields | undefined => {
  const again = journaling.resumed?.again
  if (!raw.flags.has('row-fields') || again === false) return undefined
  const rowFields = new RowFields(command, raw)
  journaling.rowFields = rowFields.names
  return rowFields
}

/** Parents that come with their objects from standard input. */
const readPipedParents = async (
  { command, raw, input, parents, globals }: ObjectsLine,
  rowFields: RowFields | undefined,
) => {
  if (parents !== undefined || !isFromStdin(raw)) return undefined
  if (globals.select !== undefined) throw createIdConflict()
  if (!readsParents(command, raw) || !mayOwn(await input.head())) return undefined
  const targets = await readOwnedTargets(command, raw, input.text, rowFields)
  const [first] = targets ?? []
  if (targets === undefined || first === undefined) return undefined
  return { targets, raw: { ...raw, args: [] }, parents: createNamedParents(first.kind) }
}

// What a list of several parents printed, as the objects of a verb: each record in its own project or group,
// which is a column of its own, or a field beside it. It is read as it comes.

type Column = Parent['column']

/** A record with its parent. */
interface ChildRecord {
  /** The place where it stands, for messages: `line 3`. */
  readonly place: string
  readonly column: Column
  readonly parent: string
  readonly record: Fields
}

/** A piece of the input: a record with its parent, something else, or undefined for a parent that failed. */
type InputItem = ChildRecord | Pick<ChildRecord, 'place'> | undefined

const isChild = (item: InputItem): item is ChildRecord => item !== undefined && 'record' in item

const columns: readonly Column[] = ['project', 'group', 'of']

const isColumn = (name: string | undefined): name is Column => columns.some((one) => one === name)

const parseInputItem = (place: string, item: unknown): InputItem => {
  if (!isObject(item)) return { place }
  const column = columns.find((one) => typeof item[one] === 'string')
  if (column === undefined) return { place }
  const { [column]: name, record, outcome, ...fields } = item
  const parent = String(name)
  if (isObject(record)) return { place, column, parent, record }
  if (record !== undefined) return { place }
  // With chosen fields a record and its parent are one object.
  return outcome === 'failed' ? undefined : { place, column, parent, record: fields }
}

const createJsonCutter =
  (cut: Cutter<CutValue>): Cutter<InputItem> =>
  (text, last) =>
    cut(text, last).map((one) => parseInputItem(describePosition(one), one.value))

/** Creates the cutter for the rows of a table whose first one is its heading. */
const createTableCutter = (cut: Cutter<Cells>): Cutter<InputItem> => {
  let heading: readonly string[] | undefined
  const read = ({ place, cells }: Cells): readonly InputItem[] => {
    // Lists after each other bring their headings along.
    if (cells.every((cell, i) => cell === heading?.[i])) return []
    const entries = (heading ?? []).map((name, i) => [name, cells[i] ?? ''] as const)
    const [column, parent = ''] = entries.find(([name]) => isColumn(name)) ?? []
    // A field of that name has an object of its own in it.
    if (!isColumn(column) || parent === '' || parent.startsWith('{')) return [{ place }]
    const record = Object.fromEntries(entries.filter(([name]) => name !== column))
    return [{ place, column, parent, record }]
  }
  return (text, last) =>
    cut(text, last).flatMap((row) => {
      if (heading !== undefined) return read(row)
      heading = row.cells
      return []
    })
}

const createItemCutter = async (head: string): Promise<Cutter<InputItem>> => {
  if (isJsonStart(head)) return createJsonCutter(createValueCutter())
  return createTableCutter(/^\w+\t/.test(head) ? createTabCutter() : await createCommaCutter())
}

/** True if an input that begins so may bring parents along. */
const mayOwn = (head: string): boolean =>
  /^\ufeff?(?:(?:project|group|of)[\t,]|(?:[^\s,]+[\t,])+(?:project|group|of)(?:[\t,\r\n]|$)|\s*(?:\[\s*)?\{[^{}]*"(?:project|group|of)"\s*:)/.test(
    head,
  )

/** True if a verb takes objects from standard input, and nothing else says whose they are. */
const readsParents = (command: Command, { args, flags }: Raw): boolean =>
  args.length === 1 &&
  args[0] === '-' &&
  command.args[0]?.variadic === true &&
  command.args[0].file !== true &&
  (hasForm(command, 'project') || hasForm(command, 'group')) &&
  !['project', 'group', 'all-projects', 'all-groups', 'input'].some((name) => flags.has(name))

/** Reads the start of an input, until it is known whether its records name their parents. */
class InputProbe {
  readonly #chunks: AsyncIterator<string>
  /** The texts that were read of it. */
  readonly #texts: string[] = []
  readonly found: InputItem[] = []

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns its first record; undefined if it is something else. */
  async first(): Promise<
    { readonly first: ChildRecord; readonly read: Cutter<InputItem> } | undefined
  > {
    let read: Cutter<InputItem> | undefined
    for (;;) {
      const text = await this.next()
      const plainText = this.#texts.length === 0 ? text?.replace(/^\ufeff/, '') : text
      if (text !== undefined) this.#texts.push(text)
      read ??= await createItemCutter(plainText ?? '')
      this.found.push(...read(plainText ?? '', text === undefined))
      const first = this.found.find((one) => one !== undefined)
      if (isChild(first)) return { first, read }
      if (first !== undefined || text === undefined) return undefined
    }
  }

  async next(): Promise<string | undefined> {
    const step = await this.#chunks.next()
    return step.done === true ? undefined : step.value
  }

  /** All of it, as if nothing had been read. */
  async *again(): AsyncGenerator<string> {
    yield* this.#texts.splice(0)
    for (let text = await this.next(); text !== undefined; text = await this.next()) yield text
  }
}

/** Creates the function that names an object of the verb, whatever parent it is in. */
const createObjectNaming = async (command: Command, rowFields: RowFields | undefined) => {
  const objects = (await readObjects(command.args[0], command.naming)) ?? plainObjects
  const elsewhere = await objects.elsewhere()
  return ({ place, column, parent, record }: ChildRecord): NamedObject => {
    const reading = {
      objects,
      elsewhere,
      project: parseParentTarget(column, parent).value,
      tap: rowFields,
    }
    const text = parseObjectAt(place, record, reading)
    const row = rowFields?.takeRows().at(-1)
    return { text, place, parent, row }
  }
}

const createStrayFailure = (place: string, column: Column): Error =>
  createRowFailure(
    place,
    `it does not name its ${column}, unlike the lines before`,
    'Pipe in the output of a single command.',
  )

/**
 * Reads the objects that a verb's input names, each with its parent; returns the input itself if it brings none along.
 * @throws Failure `usage` for a record that names no object of the verb
 */
const readOwnedObjects = async (
  command: Command,
  chunks: AsyncIterable<string>,
  rowFields?: RowFields,
): Promise<Required<Pick<ObjectStream, 'objects' | 'below'>> | AsyncIterable<string>> => {
  const beginning = new InputProbe(chunks)
  const known = await beginning.first()
  if (known === undefined) return beginning.again()
  const { column } = known.first
  const nameOf = await createObjectNaming(command, rowFields)
  const namedIn = (found: readonly InputItem[]): readonly NamedObject[] =>
    found.flatMap((one) => {
      if (one === undefined) return []
      if (!isChild(one) || one.column !== column) throw createStrayFailure(one.place, column)
      return [nameOf(one)]
    })
  const objects = async function* (): AsyncGenerator<NamedObject> {
    yield* namedIn(beginning.found)
    for (let text = await beginning.next(); text !== undefined; text = await beginning.next())
      yield* namedIn(known.read(text, false))
    yield* namedIn(known.read('', true))
  }
  return { below: column, objects: objects() }
}

/**
 * Reads the parents that a verb's input brings along, with their objects; those that follow each other are one. Returns
 * undefined if it brings none.
 * @throws Failure as `readOwnedObjects`
 */
const readOwnedTargets = async (
  command: Command,
  raw: Raw,
  stdin: () => Promise<string>,
  rowFields?: RowFields,
): Promise<readonly ParentTarget[] | undefined> => {
  if (!readsParents(command, raw)) return undefined
  const whole = async function* (): AsyncGenerator<string> {
    yield await stdin()
  }
  const owned = await readOwnedObjects(command, whole(), rowFields)
  if (!('below' in owned)) return undefined
  const found = new TargetsWithObjects()
  for await (const { text, parent = '', row } of owned.objects)
    found.add(parseParentTarget(owned.below, parent), text, row)
  return found.targets
}
