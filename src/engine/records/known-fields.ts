/**
 * Checks the field names of a line: documented names are accepted, others must occur in the records, or the line fails
 * with a hint.
 */

import { isObject } from '../../base/objects.js'
import { findNearest } from '../../base/suggest.js'
import { formatCount, joinFirst } from '../../base/text.js'
import { neutralWords } from '../../catalogue/documented-names.js'
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getOwnField, toRecordFields } from '../../catalogue/pick.js'
import type { Inspection } from '../../catalogue/views.js'
import { type Failure, usage } from '../../errors.js'
import { findGetCommand, getFirstSegment, hasOwnNames, objectColumn } from '../command/derive.js'
import { returnsFile } from '../command/flags.js'
import type { Command } from '../command/types.js'
import type { RecordView } from '../rows.js'
import { toSortSyntax } from '../where/index.js'
import { canHaveField, findFieldKind, getShapeFields } from '../where/shape.js'

// Columns of the catalogue that no record of an answer has.

const getSourceField = (column: string): string =>
  Object.entries<string>(shownFields).find(([name]) => name === column)?.[1] ?? column

/** Explains why a column may be empty. A neutral name of the documentation has another form on most instances. */
const explainEmptyColumn = (column: string, command: Pick<Command, 'naming'>): string => {
  const renamed = column.split(/[_.]/).some((word) => neutralWords.some((one) => one === word))
  return !hasOwnNames(command) && renamed
    ? 'this instance may have another name for it: run "svcctl vocabulary learn"'
    : 'another version or edition?'
}

/**
 * Creates the inspection that notes each column that no record has.
 * @param note receives the column and the text of the note
 */
export const createColumnInspection = (
  { command, emit }: Pick<AnswerContext, 'command' | 'emit'>,
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
        const record = command.naming.makeLegible(unwrapRow(row, { emit }))
        if (record === undefined) continue
        records += 1
        for (const column of missing)
          if (canHaveField(record, getSourceField(column).split('.'))) missing.delete(column)
      }
      return missing.size === 0
    },
    end: async () => {
      if (records === 0) return
      for (const column of missing)
        note(
          column,
          `no record has the field ${command.naming.describeName(column)}, so its column is empty (${explainEmptyColumn(column, command)})`,
        )
    },
  }
}

/** The maximum number of fields that a note names. */
const maxNamed = 10

/**
 * Creates the inspection that notes the fields without a column, if the first record decides which columns there are.
 * @param note receives the text of the note
 */
export const createFirstRecordInspection = (
  answering: Pick<AnswerContext, 'emit'>,
  note: (text: string) => void,
): Inspection => {
  let first: ReadonlySet<string> | undefined
  const others = new Set<string>()
  return {
    holds: false,
    see: (rows) => {
      for (const row of rows) {
        const record = unwrapRow(row, answering)
        if (!isObject(record)) continue
        const names = Object.keys(record)
        first ??= new Set(names)
        for (const name of names) if (!first.has(name)) others.add(name)
      }
      return false
    },
    end: async () => {
      if (others.size === 0) return
      const count = formatCount(others.size, 'field')
      note(
        `the columns are the fields of the first record; later records have ${count} without a column: ${joinFirst([...others], maxNamed)}. --fields chooses the columns`,
      )
    },
  }
}

// Fields of a line that are not documented.

/** Returns the record of a row; undefined if the row is the outcome of an object. */
export const unwrapRow = (row: unknown, { emit }: Pick<AnswerContext, 'emit'>): unknown => {
  if (emit.parent === undefined && emit.within === undefined) return row
  return isObject(row) && 'record' in row ? row.record : undefined
}

/**
 * Creates the inspection of records for undocumented fields that the line names: the instance may be newer than the
 * documentation. Returns undefined if all are documented.
 * @param note reports an unknown field if the line can no longer be refused, because something was written
 */
export const createFieldInspection = (
  answering: AnswerContext,
  fields: readonly string[],
  note?: (text: string) => void,
): Inspection | undefined => {
  const { makeLegible, neutral } = answering.command.naming
  const beside = getTargetColumns(answering)
  const known = new KnownFields(answering)
  const missing = new Set(fields.filter((field) => !known.has(field)))
  if (missing.size === 0) return undefined
  const names = new Set(known.names)
  const state = { rows: 0, records: 0 }
  const look = (record: unknown): void => {
    state.records += 1
    for (const field of missing) {
      const own = neutral(getOwnField(field, beside))
      if (canHaveField(record, own.split('.'))) missing.delete(field)
    }
    if (state.records === 1 && isObject(record))
      for (const name of Object.keys(record)) names.add(name)
  }
  return {
    holds: note === undefined,
    see: (rows) => {
      state.rows += rows.length
      for (const row of rows) {
        const record = toRecordFields(makeLegible(unwrapRow(row, answering)))
        if (record !== undefined) look(record)
      }
      return missing.size === 0
    },
    end: async () => {
      // If only failures came, these are reported. In an empty answer, only the documentation can tell.
      const conclusive = state.records > 0 || (state.rows === 0 && known.documented)
      if (missing.size === 0 || !conclusive) return
      const failure = await createUnknownFieldsFailure(answering, [...missing], names)
      if (note === undefined) throw failure
      note(`${failure.message}. ${failure.details.hint}`)
    },
  }
}

/** The command of an answer, and how its records are shown. */
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
  /** The endpoint that reads single records, if the line names fields of these. */
  readonly single?: Endpoint | undefined
}

/** Returns the columns that stand next to the fields of records. */
export const getColumnsBeside = ({ parent, within }: RecordView): readonly string[] =>
  [within, parent].filter((name) => name !== undefined)

/** Returns the target columns of an answer: those of its records, and those of the line. */
const getTargetColumns = ({ command, emit }: AnswerContext): readonly string[] => [
  ...getColumnsBeside(emit),
  ...(command.targetColumns ?? []),
]

/** Returns the endpoints whose records an answer may contain. */
const getAnswerEndpoints = ({ command, emit, single }: AnswerContext): readonly Endpoint[] => {
  const { endpoint } = emit
  // For several parents or instances, each may use another endpoint of the command.
  const alone = endpoint !== undefined && getColumnsBeside(emit).length === 0
  return [
    ...(endpoint === undefined ? [] : [endpoint]),
    ...(alone ? [] : Object.values(command.endpoints)),
    ...(single === undefined ? [] : [single]),
  ]
}

/** Returns the documented shapes of an answer's records. */
export const getShapes = (answering: AnswerContext): readonly unknown[] =>
  getAnswerEndpoints(answering).map(({ returns }) => returns.shape)

/** Tells which field names an answer's records can have. */
export class KnownFields {
  readonly #shapes: readonly unknown[]
  readonly #beside: ReadonlySet<string>
  readonly #targets: readonly string[]
  readonly #toDocumented: (field: string) => string

  constructor(answering: AnswerContext) {
    const { command, emit } = answering
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
    this.#toDocumented = command.naming.neutral
  }

  /** All names, for suggestions. */
  get names(): readonly string[] {
    return [
      ...this.#targets,
      ...this.#beside,
      ...this.#shapes.flatMap((shape) => getShapeFields(shape)),
    ]
  }

  /** True if the fields of the records are documented. */
  get documented(): boolean {
    return this.#shapes.some((shape) => getShapeFields(shape, 0).length > 0)
  }

  has(field: string): boolean {
    if (this.#targets.includes(field)) return true
    const own = getOwnField(field, this.#targets)
    return [own, this.#toDocumented(own)].some(
      (name) =>
        this.#beside.has(name) ||
        this.#isDocumented(name) ||
        // A field below a column whose contents are not documented.
        (this.#beside.has(getFirstSegment(name)) && !this.#isDocumented(getFirstSegment(name))),
    )
  }

  #isDocumented(field: string): boolean {
    // A number selects an element of a list.
    const path = getSourceField(field)
      .split('.')
      .filter((name) => !/^\d+$/.test(name))
    return this.#shapes.some(
      (shape) =>
        getShapeFields(shape, 0).length > 0 && findFieldKind(shape, path.join('.')) !== undefined,
    )
  }
}

/** Loads the fields of a list's single records, which a line may name as well. */
const loadSingleNames = async (command: AnswerContext['command']): Promise<readonly string[]> => {
  const single = await findGetCommand(command)
  return Object.values(single?.endpoints ?? {}).flatMap(({ returns }) =>
    getShapeFields(returns.shape),
  )
}

/** Returns a hint for a field with syntax of another tool or flag: a direction, a unit of time or an operator. */
const suggestForm = (given: string, names: ReadonlySet<string>): string | undefined => {
  if (/^(?:asc|desc)$/i.test(given)) return 'A dash sorts in descending order: -name.'
  const sorted = toSortSyntax(given)
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

/** Returns a hint for a field that no record has. */
const createHint = ({ command }: AnswerContext, field: string, names: Iterable<string>): string => {
  const form = suggestForm(field, new Set(names))
  if (form !== undefined) return form
  const near = findNearest(field, command.naming.addOwnNames([...new Set(names)]))
  if (near !== undefined) return `Did you mean ${command.naming.describeName(near)}?`
  const documented = Object.keys(command.endpoints).length > 0
  return documented
    ? `svcctl explain ${command.area} shows the fields.`
    : `Available: ${[...new Set(names)].join(', ')}.`
}

/** Creates the failure for unknown fields. */
const createUnknownFieldsFailure = async (
  answering: AnswerContext,
  fields: readonly string[],
  names: Iterable<string>,
): Promise<Failure> => {
  const single = await loadSingleNames(answering.command)
  const all = [...names, ...single]
  const hints = fields.map((field) =>
    single.includes(field)
      ? `Only single records have ${field}. --fields, --sort and --where of a list read them; groups do not.`
      : createHint(answering, field, all),
  )
  const which = fields.map((field) => `"${field}"`).join(', ')
  return usage(
    `unknown field${fields.length > 1 ? 's' : ''} ${which}`,
    [...new Set(hints)].join(' '),
  )
}

/** The fields of an object's outcome, which programs receive next to its record. */
const outcomeFields = ['outcome', 'error']

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
 * Checks `--fields` for the answer to a write. Only the documentation decides: once the answer could, the write is
 * done.
 * @throws Failure `usage` for an unknown field
 */
export const checkFields = async (command: Command, fields: readonly string[]): Promise<void> => {
  if (returnsFile(command)) return checkFileFields(fields)
  if (!Object.values(command.endpoints).some(writes)) return
  const answering = { command, emit: { known: outcomeFields } }
  const known = new KnownFields(answering)
  const strange = fields.filter((field) => !known.has(field))
  if (strange.length > 0 && known.documented)
    throw await createUnknownFieldsFailure(answering, strange, known.names)
}
