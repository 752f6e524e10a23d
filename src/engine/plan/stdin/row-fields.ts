/** `--row-fields`: columns of the rows of standard input whose values are attributes of the row's own object. */

import { formatNumber, isNumber } from '../../../base/json/json.js'
import { isObject, type JsonValue, type JsonValues } from '../../../base/objects.js'
import { isSecret as holdsSecret } from '../../../base/secrets/mask.js'
import { isSecretName } from '../../../base/secrets/names.js'
import { didYouMean } from '../../../base/suggest.js'
import { type Failure, inputFault, usage } from '../../../errors.js'
import { getCommandName, rowFlags } from '../../command/derive.js'
import type { Command, Flag, Given, NamedObject } from '../../command/types.js'
import { type Raw, spelled } from '../line.js'
import { parseValue, type Sources, secretText } from '../values.js'
import { type RowTap, refuseRow } from './rows.js'

/** The attributes of one object by the API's names; a secret is the text that refers to it. */
type RowValues = JsonValues

const namesOf = ({ name, own = [], parameter = '' }: Flag): readonly string[] => [
  ...new Set([parameter, name, name.replaceAll('-', '_'), ...own]),
]

const isSecret = ({ param, parameter = '' }: Flag): boolean =>
  param.secret === true || isSecretName(parameter)

/** What a cell says, as texts of a flag; none where it is empty. */
const textsIn = (value: unknown, where: string): readonly string[] => {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, where))
  if (isNumber(value)) return [formatNumber(value)]
  if (isObject(value)) return [JSON.stringify(value)]
  return [String(value).trim()]
}

const flagFor = (command: Command, column: string): Flag => {
  const flags = rowFlags(command)
  const flag = flags.find((one) => namesOf(one).includes(column))
  if (flag !== undefined) return flag
  const known = flags.map(({ parameter = '' }) => parameter)
  throw usage(
    `--row-fields: ${getCommandName(command)} has no attribute "${column}"`,
    didYouMean(column, known) ?? `Available: ${known.join(', ')}.`,
  )
}

const noColumn = (missing: string, columns: readonly string[]): Failure =>
  inputFault(
    `standard input has no column ${missing} for --row-fields`,
    didYouMean(missing, columns) ?? `Columns: ${columns.join(', ')}.`,
  )

/** The columns of a line's rows that are attributes, and what each object's are. */
export class RowFields implements RowTap {
  readonly sheet = true
  readonly #columns: ReadonlyMap<string, Flag>
  /** Columns that some record has. */
  readonly #met = new Set<string>()
  readonly #seen = new Set<string>()
  #rows: RowValues[] = []

  /** @throws Failure `usage` for what is no attribute, or is given by the line as well */
  constructor(command: Command, { args, flags }: Raw) {
    if (!args.includes('-'))
      throw usage('--row-fields requires rows on standard input', 'Pass - instead of the objects.')
    this.#columns = new Map(columnsIn(flags).map((column) => [column, flagFor(command, column)]))
    for (const [column, { name, parameter = '' }] of this.#columns) {
      const param = flags.get('param')?.some((text) => text.startsWith(`${parameter}=`))
      if (flags.has(name) || param === true)
        throw usage(
          `--row-fields ${column} and --${flags.has(name) ? name : 'param'} both set ${parameter}`,
        )
    }
  }

  /** The attributes, by the API's names. */
  get names(): readonly string[] {
    return [...this.#columns.values()].flatMap(({ parameter = [] }) => parameter)
  }

  /** @throws Failure `usage` for a column that the table does not have */
  heading(columns: readonly string[]): void {
    for (const [column, flag] of this.#columns)
      if (!namesOf(flag).some((name) => columns.includes(name))) throw noColumn(column, columns)
  }

  /** What was read of the rows since this was asked last, in their order. */
  taken(): RowValues[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  take(place: string, columns: readonly string[], field: (name: string) => unknown): void {
    for (const name of columns) this.#seen.add(name)
    const values: Record<string, JsonValue> = {}
    for (const [column, flag] of this.#columns) {
      const found = namesOf(flag).find((name) => columns.includes(name))
      if (found === undefined) continue
      this.#met.add(column)
      const label = `standard input, ${place}, column ${found}`
      const texts = textsIn(field(found), label)
      if (texts.length > 0) values[flag.parameter ?? ''] = this.#value(flag, texts, label)
    }
    this.#rows.push(values)
  }

  bare(place: string): void {
    throw refuseRow(
      place,
      'no columns found for --row-fields',
      'Pipe in CSV with a heading (commas or tabs between its columns), or JSON records.',
    )
  }

  /** @throws Failure `usage` for an attribute that is given by the rows and by `--input` */
  checkInput(input: JsonValues | undefined): void {
    const twice = [...this.#columns.values()].find(
      ({ parameter = '' }) => input?.[parameter] !== undefined,
    )
    if (twice !== undefined) throw usage(`--row-fields and --input both set ${twice.parameter}`)
  }

  /** @throws Failure `usage` for a column that no record has */
  end(): void {
    const missing = [...this.#columns.keys()].find((column) => !this.#met.has(column))
    if (missing !== undefined) throw noColumn(missing, [...this.#seen])
  }

  #value(flag: Flag, texts: readonly string[], label: string): JsonValue {
    const [text = ''] = texts
    if (isSecret(flag) && /^(?:env:|@)./.test(text)) return text
    const value = isSecret(flag) ? undefined : parseValue(flag.param, texts, label)
    // The journal has the values of each row.
    if (value !== undefined && !holdsSecret(flag.parameter ?? '', value)) return value
    throw usage(
      `${label} is a secret`,
      isSecret(flag)
        ? 'Pass the value as env:NAME or @file.'
        : `A journal must not contain it. Change this object in a run of its own, with --${flag.name}.`,
    )
  }
}

/** So many fields that only answers have make a list that a command printed, and no sheet. */
const maxPrinted = 2

/** Notes once which columns could have been attributes, where nobody said so. */
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
    const takes = (column: string): boolean =>
      rowFlags(this.#command).some((flag) => namesOf(flag).includes(column))
    const others = columns.filter((column) => !this.#naming.has(column))
    const unused = others.filter(takes)
    const printed = others.filter((column) => !takes(column) && this.#answered.has(column))
    if (unused.length === 0 || printed.length >= maxPrinted) return
    const list = unused.join(',')
    this.#note(
      `ignored column${unused.length === 1 ? '' : 's'} ${unused.join(', ')}; use --row-fields ${list} to set these values per object`,
    )
  }

  bare(): void {}
}

/** Tells of columns that could have been attributes; undefined for a command without any. */
export const unusedColumns = (
  ...[command, note, objects]: ConstructorParameters<typeof UnusedColumns>
): RowTap | undefined =>
  rowFlags(command).length === 0 ? undefined : new UnusedColumns(command, note, objects)

/** What was asked of one object: the flags of all, and those of its row. */
export const givenInRow = async (
  command: Command,
  given: Given,
  row: RowValues,
  sources: Pick<Sources, 'env' | 'note'>,
): Promise<Given> => {
  const own: Record<string, JsonValue> = {}
  for (const flag of rowFlags(command)) {
    const value = row[flag.parameter ?? '']
    if (value === undefined) continue
    own[flag.name] = isSecret(flag) ? await secretOf(flag, String(value), sources) : value
  }
  return { ...given, flags: { ...given.flags, ...own } }
}

const secretOf = async (
  flag: Flag,
  text: string,
  sources: Pick<Sources, 'env' | 'note'>,
): Promise<JsonValue> => {
  const read = await secretText(text, flag, { ...sources, warn: () => {}, stdin: async () => '' })
  return parseValue(flag.param, [read], spelled(flag))
}

/** @returns what throws Failure `usage` for an object of which an earlier row said something else */
const rowChecker = async () => {
  const { SeenObjects } = await import('../../work/seen-objects.js')
  const [objects, rows] = [new SeenObjects(), new SeenObjects()]
  return (object: string, { row, parent, place }: Omit<NamedObject, 'text'>): void => {
    const known = { object: object.toLowerCase(), parent: parent?.toLowerCase() }
    const isNew = objects.add(known)
    const saysMore = rows.add({ ...known, parent: JSON.stringify([known.parent, row ?? {}]) })
    if (saysMore && !isNew)
      throw inputFault(
        `standard input${place === undefined ? '' : `, ${place}`}: another row for ${object} has different values`,
      )
  }
}

/** @throws Failure `usage` for an object that stands in two rows which say different things */
export const checkRows = async (
  args: readonly string[],
  rows: NonNullable<Given['rows']>,
  places: readonly (string | undefined)[],
): Promise<void> => {
  const check = await rowChecker()
  for (const [i, arg] of args.entries()) check(arg, { row: rows[i], place: places[i] })
}

/** Objects as they come, each with the attributes of its row; they are read to their end before anything is sent. */
export async function* withRows(
  objects: AsyncIterable<NamedObject>,
  rowFields: RowFields,
): AsyncGenerator<NamedObject> {
  const check = await rowChecker()
  for await (const object of objects) {
    check(object.text, object)
    yield object
  }
  rowFields.end()
}

/** The flags of a command that the rows of a line say; undefined where they say none. */
export const rowFlagsIn = (
  command: Command,
  { flags }: Pick<Raw, 'flags'>,
): readonly string[] | undefined => {
  const columns = columnsIn(flags)
  return columns.length === 0 ? undefined : columns.map((column) => flagFor(command, column).name)
}

/** The columns that `--row-fields` names. */
const columnsIn = (flags: Raw['flags']): readonly string[] =>
  (flags.get('row-fields') ?? [])
    .flatMap((text) => text.split(','))
    .map((column) => column.trim())
    .filter((column) => column !== '')
