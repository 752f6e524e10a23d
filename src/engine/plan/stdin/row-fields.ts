/** Implements `--row-fields`: columns of standard input set attributes of the object in the same row. */

import { formatNumber, isNumber } from '../../../base/json/json.js'
import { isObject, type JsonValue, type JsonValues } from '../../../base/objects.js'
import { isSecret as holdsSecret } from '../../../base/secrets/mask.js'
import { isSecretName } from '../../../base/secrets/names.js'
import { suggestSimilar } from '../../../base/suggest.js'
import { isListParam, isText } from '../../../catalogue/params.js'
import { isJoined } from '../../../catalogue/values.js'
import { createInputFailure, type Failure, usage } from '../../../errors.js'
import { getCommandName, getRowFlags, listRowAttributes } from '../../command/derive.js'
import type { Command, Flag, Given } from '../../command/types.js'
import type { GivenObject } from '../../work/report.js'
import { formatFlagLabel, type Raw } from '../line.js'
import type { PlanContext } from '../objects.js'
import { parseValue, resolveText, type Sources } from '../parse-values.js'
import { createRowFailure, type RowTap } from './rows.js'

/** The attributes of one object by the API's names. A secret is stored as its reference, such as `env:NAME`. */
type RowValues = JsonValues

const getColumnNames = ({ name, own = [], parameter = '' }: Flag): readonly string[] => [
  ...new Set([parameter, ...[name, ...own].flatMap((one) => [one, one.replaceAll('-', '_')])]),
]

const isSecret = ({ param, parameter = '' }: Flag): boolean =>
  param.secret === true || isSecretName(parameter)

/** Returns the content of a cell as texts for a flag; none if the cell is empty. */
const toCellTexts = (value: unknown): readonly string[] => {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value.flatMap(toCellTexts)
  if (isNumber(value)) return [formatNumber(value)]
  if (isObject(value)) return [JSON.stringify(value)]
  return [String(value)]
}

/**
 * Returns the content of a cell as texts for a flag. The items of a list stay whole, although a text is split at commas.
 * @throws Failure `usage` for a list where the attribute has one value
 */
const toFlagTexts = ({ param }: Flag, value: unknown, label: string): readonly string[] => {
  const texts = toCellTexts(value)
  if (!Array.isArray(value) || texts.length === 0 || isJoined(param)) return texts
  if (!isListParam(param)) throw usage(`${label} must be one value, not a list`)
  return param.whole ? texts : [JSON.stringify(texts)]
}

/** True for an empty text or list of a JSON record, which clears the attribute. An empty cell of a table has no value. */
const isCleared = ({ param }: Flag, value: unknown): boolean =>
  (isText(param) && value === '') ||
  (isListParam(param) && Array.isArray(value) && value.length === 0)

const findColumnFlag = (command: Command, column: string): Flag => {
  const flags = getRowFlags(command)
  const flag = flags.find((one) => getColumnNames(one).includes(column))
  if (flag !== undefined) return flag
  const known = listRowAttributes(command)
  throw usage(
    `--row-fields: ${getCommandName(command)} has no attribute "${column}"`,
    suggestSimilar(column, known) ?? `Available: ${known.join(', ')}.`,
  )
}

const createMissingColumnFailure = (missing: string, columns: readonly string[]): Failure =>
  createInputFailure(
    `standard input has no column ${missing} for --row-fields`,
    suggestSimilar(missing, columns) ?? `Columns: ${columns.join(', ')}.`,
  )

/** Reads the attributes of each object from the rows of standard input. */
export class RowFields implements RowTap {
  readonly sheet = true
  readonly #columns: ReadonlyMap<string, Flag>
  /** The columns that at least one record has. */
  readonly #met = new Set<string>()
  readonly #seen = new Set<string>()
  #rows: RowValues[] = []
  /** True if the rows are those of a table, and not JSON records. */
  #isTable = false

  /** @throws Failure `usage` for a column that is not an attribute, or that a flag of the line also sets */
  constructor(
    command: Command,
    { args, flags }: Raw,
    private readonly now: Date,
  ) {
    if (!args.includes('-'))
      throw usage('--row-fields requires rows on standard input', 'Pass - instead of the objects.')
    this.#columns = new Map(
      parseColumns(flags).map((column) => [column, findColumnFlag(command, column)]),
    )
    for (const [column, { name, parameter = '' }] of this.#columns) {
      const param = flags.get('param')?.some((text) => text.startsWith(`${parameter}=`))
      if (flags.has(name) || param === true)
        throw usage(
          `--row-fields ${column} and --${flags.has(name) ? name : 'param'} both set ${parameter}`,
        )
    }
  }

  /** The names of the attributes in the API. */
  get names(): readonly string[] {
    return [...this.#columns.values()].flatMap(({ parameter = [] }) => parameter)
  }

  /** @throws Failure `usage` for a column that the table does not have */
  readHeading(columns: readonly string[]): void {
    this.#isTable = true
    for (const [column, flag] of this.#columns)
      if (!getColumnNames(flag).some((name) => columns.includes(name)))
        throw createMissingColumnFailure(column, columns)
  }

  /** Returns the attributes of the rows since the last call, in order. */
  takeRows(): RowValues[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  take(place: string, columns: readonly string[], field: (name: string) => unknown): void {
    for (const name of columns) this.#seen.add(name)
    const values: Record<string, JsonValue> = {}
    for (const [column, flag] of this.#columns) {
      const found = getColumnNames(flag).find((name) => columns.includes(name))
      if (found === undefined) continue
      this.#met.add(column)
      const label = `standard input, ${place}, column ${found}`
      const cell = field(found)
      const whole = !this.#isTable && isCleared(flag, cell) ? [''] : toFlagTexts(flag, cell, label)
      // The text of a record is data. Around other values, blanks are slips.
      const texts = isText(flag.param) ? whole : whole.map((text) => text.trim())
      if (texts.length > 0) values[flag.parameter ?? ''] = this.#parseCell(flag, texts, label)
    }
    this.#rows.push(values)
  }

  takeBare(place: string): void {
    throw createRowFailure(
      place,
      'no columns found for --row-fields',
      'Pipe in CSV with a heading (commas, semicolons or tabs between its columns), or JSON records.',
    )
  }

  /** @throws Failure `usage` for an attribute that both the rows and `--input` set */
  checkInput(input: JsonValues | undefined): void {
    const twice = [...this.#columns.values()].find(
      ({ parameter = '' }) => input?.[parameter] !== undefined,
    )
    if (twice !== undefined) throw usage(`--row-fields and --input both set ${twice.parameter}`)
  }

  /** @throws Failure `usage` for a column that no record has */
  end(): void {
    const missing = [...this.#columns.keys()].find((column) => !this.#met.has(column))
    if (missing !== undefined) throw createMissingColumnFailure(missing, [...this.#seen])
  }

  #parseCell(flag: Flag, texts: readonly string[], label: string): JsonValue {
    const [text = ''] = texts
    if (isSecret(flag) && /^(?:env:|@)./.test(text)) return text
    const value = isSecret(flag)
      ? undefined
      : parseValue(flag.param, texts, label, { now: this.now })
    // The journal stores the values of each row, so they must not be secret.
    if (value !== undefined && !holdsSecret(flag.parameter ?? '', value)) return value
    throw usage(
      `${label} is a secret`,
      isSecret(flag)
        ? 'Pass the value as env:NAME or @file.'
        : `A journal must not contain it. Change this object in a run of its own, with --${flag.name}.`,
    )
  }
}

/** A table with this many output-only columns was printed by a command, so its other columns are probably not meant as attributes. */
const maxPrinted = 2

/** Notes once which columns could set attributes, if the line does not have `--row-fields`. */
class UnusedColumns implements RowTap {
  readonly #command: Command
  readonly #note: Sources['note']
  readonly #naming: ReadonlySet<string>
  readonly #answered: ReadonlySet<string>
  #noted = false

  constructor(
    command: Command,
    note: Sources['note'],
    { names, known }: { readonly names: readonly string[]; readonly known: ReadonlySet<string> },
  ) {
    this.#command = command
    this.#note = note
    this.#naming = new Set(names)
    this.#answered = known
  }

  take(_place: string, columns: readonly string[]): void {
    if (this.#noted) return
    this.#noted = true
    const hasFlagFor = (column: string): boolean =>
      getRowFlags(this.#command).some((flag) => getColumnNames(flag).includes(column))
    const others = columns.filter((column) => !this.#naming.has(column))
    const unused = others.filter(hasFlagFor)
    const printed = others.filter((column) => !hasFlagFor(column) && this.#answered.has(column))
    if (unused.length === 0 || printed.length >= maxPrinted) return
    const list = unused.join(',')
    this.#note(
      `ignored column${unused.length === 1 ? '' : 's'} ${unused.join(', ')}; use --row-fields ${list} to set these values per object`,
    )
  }

  takeBare(): void {}
}

/** Creates the tap that notes unused columns; undefined for a command without attributes. */
export const createUnusedColumns = (
  ...[command, note, objects]: ConstructorParameters<typeof UnusedColumns>
): RowTap | undefined =>
  getRowFlags(command).length === 0 ? undefined : new UnusedColumns(command, note, objects)

/** The sources of the values of a row. */
type RowSources = Pick<PlanContext, 'env' | 'note' | 'now'>

/** Returns the parsed line of one object: the flags of the line, and the values of the row. */
export const createRowGiven = async (
  command: Command,
  given: Given,
  row: RowValues,
  sources: RowSources,
): Promise<Given> => {
  const own: Record<string, JsonValue> = {}
  for (const flag of getRowFlags(command)) {
    const value = row[flag.parameter ?? '']
    if (value === undefined) continue
    own[flag.name] = isSecret(flag) ? await parseSecretCell(flag, String(value), sources) : value
  }
  return { ...given, flags: { ...given.flags, ...own } }
}

const parseSecretCell = async (
  flag: Flag,
  text: string,
  sources: RowSources,
): Promise<JsonValue> => {
  const now = sources.now()
  const read = await resolveText(text, flag, {
    ...sources,
    now,
    warn: () => {},
    readStdin: async () => '',
  })
  return parseValue(flag.param, [read], formatFlagLabel(flag), { now })
}

/**
 * Creates a function that checks rows.
 * @returns a function that throws Failure `usage` for an object that an earlier row gave other values
 */
const createRowChecker = async () => {
  const { SeenObjects } = await import('../../work/seen-objects.js')
  const [objects, rows] = [new SeenObjects(), new SeenObjects()]
  return ({ object, row, parent, place }: GivenObject): void => {
    const known = { object: object.toLowerCase(), parent: parent?.toLowerCase() }
    const isNew = objects.add(known)
    const saysMore = rows.add({ ...known, parent: JSON.stringify([known.parent, row ?? {}]) })
    if (saysMore && !isNew)
      throw createInputFailure(
        `standard input${place === undefined ? '' : `, ${place}`}: another row for ${object} has different values`,
      )
  }
}

/** @throws Failure `usage` for an object that two rows give different values */
export const checkRows = async (
  args: readonly string[],
  rows: NonNullable<Given['rows']>,
  places: readonly (string | undefined)[],
): Promise<void> => {
  const check = await createRowChecker()
  for (const [i, object] of args.entries()) check({ object, row: rows[i], place: places[i] })
}

/** Yields objects with the attributes of their rows, and checks them. The caller reads all of them before it sends a request. */
export async function* checkStreamedRows(
  objects: AsyncIterable<GivenObject>,
  rowFields: RowFields,
): AsyncGenerator<GivenObject> {
  const check = await createRowChecker()
  for await (const object of objects) {
    check(object)
    yield object
  }
  rowFields.end()
}

/** Returns the flags that the rows of a line set; undefined without `--row-fields`. */
export const getRowFlagNames = (
  command: Command,
  { flags }: Pick<Raw, 'flags'>,
): readonly string[] | undefined => {
  const columns = parseColumns(flags)
  return columns.length === 0
    ? undefined
    : columns.map((column) => findColumnFlag(command, column).name)
}

/** Parses the columns that `--row-fields` names. */
const parseColumns = (flags: Raw['flags']): readonly string[] =>
  (flags.get('row-fields') ?? [])
    .flatMap((text) => text.split(','))
    .map((column) => column.trim())
    .filter((column) => column !== '')
