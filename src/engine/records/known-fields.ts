/** Checks the names that `--fields` may have: those of the documents are known, and any other gets a hint. */

import { isObject } from '../../base/objects.js'
import { findNearest } from '../../base/suggest.js'
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getOwnField } from '../../catalogue/pick.js'
import type { Inspection } from '../../catalogue/views.js'
import {
  addOwnNames,
  describeName,
  findKey,
  mapDottedName,
  neutralWords,
  type Words,
} from '../../catalogue/words.js'
import { type Failure, usage } from '../../errors.js'
import { findSingleCommand, getFirstSegment, objectColumn } from '../command/derive.js'
import { returnsFile } from '../command/flags.js'
import type { Command } from '../command/types.js'
import type { RecordView } from '../rows.js'
import { toSortForm } from '../where/index.js'
import { canHaveField, findFieldKind, getShapeFields } from '../where/shape.js'

// Looks for the catalogue's columns in the records of an answer: what none has may be called otherwise there.

const getSourceField = (column: string): string =>
  Object.entries<string>(shownFields).find(([name]) => name === column)?.[1] ?? column

/** Explains why a column may be empty; what the documents call by a neutral word has another name on most instances. */
const explainEmptyColumn = (column: string, words: Words | undefined): string => {
  const renamed = column.split(/[_.]/).some((word) => neutralWords.some((one) => one === word))
  return words === undefined && renamed
    ? 'this instance may have another name for it: run "svcctl vocabulary learn"'
    : 'another version or edition?'
}

/**
 * Creates the inspection that notes each column that no record has.
 * @param note takes a column and the sentence about it
 */
export const createColumnInspection = (
  emit: RecordView,
  words: Words | undefined,
  note: (column: string, text: string) => void,
): Inspection | undefined => {
  const { endpoint } = emit
  const columns = emit.columns ?? endpoint?.columns ?? []
  const missing = new Set(
    columns.filter(
      (column) => findFieldKind(endpoint?.returns.shape, getSourceField(column)) !== undefined,
    ),
  )
  if (missing.size === 0) return undefined
  let records = 0
  return {
    holds: false,
    see: (rows) => {
      for (const row of rows) {
        const record = unwrapRow(row, { emit })
        if (record === undefined) continue
        records += 1
        for (const column of missing)
          if (canHaveField(record, getSourceField(column).split('.'), words)) missing.delete(column)
      }
      return missing.size === 0
    },
    end: async () => {
      if (records === 0) return
      for (const column of missing)
        note(
          column,
          `no record has the field ${describeName(column, words)}, so its column is empty (${explainEmptyColumn(column, words)})`,
        )
    },
  }
}

// Looks at the records of an answer: whether they have the fields that the catalogue does not know, and its columns.

/** Returns the record of a row; undefined if the row says what became of an object. */
export const unwrapRow = (row: unknown, { emit }: Pick<AnswerContext, 'emit'>): unknown => {
  if (emit.parent === undefined && emit.within === undefined) return row
  return isObject(row) && 'record' in row ? row.record : undefined
}

/**
 * Looks for fields that were asked for and that the documents do not know: an instance may be newer than
 * these. Undefined where they know all.
 * @param note says what is wrong with a name, where it is too late to refuse it: something was written
 */
export const createFieldInspection = (
  answering: AnswerContext,
  fields: readonly string[],
  note?: (text: string) => void,
): Inspection | undefined => {
  const { words } = answering
  const beside = getTargetColumns(answering)
  const known = new KnownFields(answering)
  const missing = new Set(fields.filter((field) => !known.has(field)))
  if (missing.size === 0) return undefined
  const names = new Set(known.names)
  const state = { rows: 0, records: 0 }
  const look = (record: unknown): void => {
    state.records += 1
    for (const field of missing) {
      const own = getOwnField(field, beside)
      const whole = isObject(record) && findKey(record, own, words) !== undefined
      if (whole || canHaveField(record, own.split('.'), words)) missing.delete(field)
    }
    if (state.records === 1 && isObject(record))
      for (const name of Object.keys(record)) names.add(name)
  }
  return {
    holds: note === undefined,
    see: (rows) => {
      state.rows += rows.length
      for (const row of rows) {
        const record = unwrapRow(row, answering)
        if (record !== undefined) look(record)
      }
      return missing.size === 0
    },
    end: async () => {
      // What is said of objects that could not be read is the failure; of an empty answer the documents tell.
      const conclusive = state.records > 0 || (state.rows === 0 && known.documented)
      if (missing.size === 0 || !conclusive) return
      const failure = await createUnknownFields(answering, [...missing], names)
      if (note === undefined) throw failure
      note(`${failure.message}. ${failure.details.hint}`)
    },
  }
}

/** The command whose answer is shown, and how it is shown. */
export interface AnswerContext {
  readonly command: Pick<
    Command,
    | 'registry'
    | 'area'
    | 'words'
    | 'endpoints'
    | 'args'
    | 'computedFields'
    | 'targetColumns'
    | 'instanceFields'
    | 'shows'
    | 'naming'
  >
  readonly emit: RecordView
  /** The endpoint that reads single records, if fields of theirs were asked for. */
  readonly single?: Endpoint | undefined
  /** The instance's own, which are as good. */
  readonly words?: Words | undefined
}

/** Returns the columns that stand beside the fields of records, and are no fields of theirs. */
export const getColumnsBeside = ({ parent, within }: RecordView): readonly string[] =>
  [within, parent].filter((name) => name !== undefined)

/** Returns the columns of the targets of an answer: those of its records, and those that its line will have. */
const getTargetColumns = ({ command, emit }: AnswerContext): readonly string[] => [
  ...getColumnsBeside(emit),
  ...(command.targetColumns ?? []),
]

/** Returns the endpoints whose records an answer may hold. */
const getAnswerEndpoints = ({ command, emit, single }: AnswerContext): readonly Endpoint[] => {
  const { endpoint } = emit
  // Of several parents or instances each may be asked by another endpoint of the command.
  const alone = endpoint !== undefined && getColumnsBeside(emit).length === 0
  return [
    ...(endpoint === undefined ? [] : [endpoint]),
    ...(alone ? [] : Object.values(command.endpoints)),
    ...(single === undefined ? [] : [single]),
  ]
}

/** Returns the shapes that the documents have of an answer's records. */
export const getShapes = (answering: AnswerContext): readonly unknown[] =>
  getAnswerEndpoints(answering).map(({ returns }) => returns.shape)

/** The names by which an answer's records are known to be shown. */
export class KnownFields {
  readonly #shapes: readonly unknown[]
  readonly #beside: ReadonlySet<string>
  readonly #targets: readonly string[]
  readonly #neutral: (field: string) => string

  constructor(answering: AnswerContext) {
    const { command, emit, words } = answering
    const { columns = [], people, lead } = emit
    const endpoints = getAnswerEndpoints(answering)
    this.#shapes = getShapes(answering)
    this.#targets = getTargetColumns(answering)
    this.#beside = new Set([
      ...columns,
      ...endpoints.flatMap((one) => [...(one.columns ?? []), ...(one.made ?? [])]),
      ...(people?.columns ?? []),
      ...(emit.known ?? []),
      ...(command.shows ?? []),
      ...Object.keys(command.computedFields ?? {}),
      ...(command.instanceFields ?? []),
      ...(lead === undefined ? [] : [lead]),
      ...(command.args[0]?.variadic === true ? [objectColumn] : []),
      ...command.args.flatMap(({ parameter }) => parameter ?? []),
    ])
    this.#neutral = (field) => (words === undefined ? field : mapDottedName(field, words.neutral))
  }

  /** Every name, for guesses at what was meant. */
  get names(): readonly string[] {
    return [
      ...this.#targets,
      ...this.#beside,
      ...this.#shapes.flatMap((shape) => getShapeFields(shape)),
    ]
  }

  /** Returns true if the documents say what the records have. */
  get documented(): boolean {
    return this.#shapes.some((shape) => getShapeFields(shape, 0).length > 0)
  }

  has(field: string): boolean {
    if (this.#targets.includes(field)) return true
    const own = getOwnField(field, this.#targets)
    return [own, this.#neutral(own)].some(
      (name) =>
        this.#beside.has(name) ||
        this.#isDocumented(name) ||
        // What stands below a column of which no document speaks.
        (this.#beside.has(getFirstSegment(name)) && !this.#isDocumented(getFirstSegment(name))),
    )
  }

  #isDocumented(field: string): boolean {
    const source = Object.entries<string>(shownFields).find(([name]) => name === field)?.[1]
    // A number picks an element of a list.
    const path = (source ?? field).split('.').filter((name) => !/^\d+$/.test(name))
    return this.#shapes.some(
      (shape) =>
        getShapeFields(shape, 0).length > 0 && findFieldKind(shape, path.join('.')) !== undefined,
    )
  }
}

/** Loads the fields of the single records of a list, which may be asked for as well. */
const loadSingleNames = async (command: AnswerContext['command']): Promise<readonly string[]> => {
  const single = /(^| )list$/.test(command.words) ? await findSingleCommand(command) : undefined
  return Object.values(single?.endpoints ?? {}).flatMap(({ returns }) =>
    getShapeFields(returns.shape),
  )
}

/** Returns a hint for a field that stands with something of another language: a direction, a unit of time, an operator. */
const getRightForm = (given: string, names: ReadonlySet<string>): string | undefined => {
  if (/^(?:asc|desc)$/i.test(given)) return 'A dash sorts in descending order: -name.'
  const sorted = toSortForm(given)
  if (sorted !== undefined && names.has(sorted.replace(/^-/, '')))
    return `To sort, write ${sorted}.`
  const [field = ''] = /^[a-z_]\w*/i.exec(given) ?? []
  const rest = given.slice(field.length + 1).trim()
  if (!names.has(field)) return undefined
  if (/^(?:hour|day|week|month)s?$/i.test(rest))
    return `To group by it, write ${field}:${rest.toLowerCase().replace(/s$/, '')}.`
  return /^\w+ ?[=!<>~]/.test(given)
    ? `Conditions belong to --where: "svcctl help where".`
    : undefined
}

/** Returns what to do about a name that no record has. */
const hintFor = (
  { command, words }: AnswerContext,
  field: string,
  names: Iterable<string>,
): string => {
  const form = getRightForm(field, new Set(names))
  if (form !== undefined) return form
  const near = findNearest(field, addOwnNames([...new Set(names)], words))
  if (near !== undefined) return `Did you mean ${describeName(near, words)}?`
  const documented = Object.keys(command.endpoints).length > 0
  return documented
    ? `svcctl explain ${command.area} shows the fields.`
    : `Available: ${[...new Set(names)].join(', ')}.`
}

/** Creates the failure for fields that neither the documents nor the answer have. */
const createUnknownFields = async (
  answering: AnswerContext,
  fields: readonly string[],
  names: Iterable<string>,
): Promise<Failure> => {
  const all = [...names, ...(await loadSingleNames(answering.command))]
  const hints = fields.map((field) => hintFor(answering, field, all))
  const which = fields.map((field) => `"${field}"`).join(', ')
  return usage(
    `unknown field${fields.length > 1 ? 's' : ''} ${which}`,
    [...new Set(hints)].join(' '),
  )
}

/** The fields of an object's outcome, which programs get beside its record. */
const ofOutcomes = ['outcome', 'error']

/** The fields of a downloaded file. */
const fileFields = ['path', 'size']

const checkFileFields = (fields: readonly string[]): void => {
  const strange = fields.find((field) => !fileFields.includes(field))
  if (strange !== undefined)
    throw usage(
      `unknown field "${strange}"`,
      `A download has the fields ${fileFields.join(' and ')}.`,
    )
}

/**
 * Refuses names of `--fields` that the answer to a write does not have. It is refused by the documents
 * alone: once the answer could tell, the write is done.
 * @throws Failure `usage`
 */
export const checkFields = async (
  command: Command,
  fields: readonly string[],
  words?: Words,
): Promise<void> => {
  if (returnsFile(command)) return checkFileFields(fields)
  if (!Object.values(command.endpoints).some(writes)) return
  const answering = { command, emit: { known: ofOutcomes }, words }
  const known = new KnownFields(answering)
  const strange = fields.filter((field) => !known.has(field))
  if (strange.length > 0 && known.documented)
    throw await createUnknownFields(answering, strange, known.names)
}
