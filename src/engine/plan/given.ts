/** Parses the texts of a line: its flags, `--param`, `--input`, and the objects of standard input. */

import { parseWrittenMoment } from '../../base/dates.js'
import { checkNumbers } from '../../base/json/nesting.js'
import { isObject, type JsonValue, type JsonValues, toJsonFields } from '../../base/objects.js'
import { type HeldText, holdText } from '../../base/secrets/redact.js'
import { parseHeld } from '../../base/yaml/texts.js'
import { formatNames } from '../../catalogue/formats.js'
import { canComeFromFile, getParamValues, type Param } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import { canListRecords, canSendAttributes, getCommandName } from '../command/derive.js'
import { getCommandFlags } from '../command/flags.js'
import { flagSets, globalFlags } from '../command/global-flags.js'
import { type Globals, readGlobals } from '../command/globals.js'
import type { Command, CommandFacts, Flag, Given } from '../command/types.js'
import { checkExclusions } from '../exclusions.js'
import type { Raw } from './line.js'
import { formatFlagLabel } from './line.js'
import {
  checkSingleStdinReader,
  isEmptyValue,
  parseValue,
  readParamValues,
  readText,
  resolveText,
  type Sources,
  type ValueOptions,
} from './parse-values.js'
import type { RowFields } from './stdin/row-fields.js'

// Some commands have a flag with the same name as a global flag. The value decides which of the two is meant.

const orders = new Set(flagSets.sort.map(({ name }) => name))
const named = [...flagSets.since, ...flagSets.repeat].map(({ name }) => name)
const shared = new Set(['output', 'resume', 'to', ...orders, ...named])

/** Returns the own flags of a command that share their name with a global flag. */
const getSharedFlags = ({ flags }: CommandFacts): readonly Flag[] =>
  flags.filter(({ name }) => shared.has(name))

/** True if a text belongs to the command's own flag: a format that only it writes, or a value of the API's parameter. */
const isOwn = (command: CommandFacts, flag: Flag, text: string): boolean => {
  if (flag.name === 'output') return !formatNames.includes(text)
  // Every text but the values of the API's own --sort names fields.
  const isOrder = orders.has(flag.name) && canListRecords(command)
  return !isOrder || getParamValues(flag.param).includes(text)
}

/** Returns the line with only the texts of the command's own flags, or only those of the global flags. */
const filterSharedTexts = (command: CommandFacts, raw: Raw, own: boolean): Raw => {
  const found = getSharedFlags(command).filter(({ name }) => raw.flags.has(name))
  if (found.length === 0) return raw
  const flags = new Map(raw.flags)
  for (const flag of found) {
    const texts = raw.flags.get(flag.name)?.filter((text) => isOwn(command, flag, text) === own)
    if (texts === undefined || texts.length === 0) flags.delete(flag.name)
    else flags.set(flag.name, texts)
  }
  return { ...raw, flags }
}

/** Returns the line with the texts of the command's own flags: `--sort asc` belongs to the API, `-o nagios` to a check. */
export const keepOwnTexts = (command: Command, raw: Raw): Raw =>
  filterSharedTexts(command, raw, true)

/** Returns the format of a line that only its command writes; undefined for any other format. */
export const getOwnFormat = (command: Command, raw: Raw): string | undefined =>
  getSharedFlags(command).some(({ name }) => name === 'output')
    ? keepOwnTexts(command, raw).flags.get('output')?.at(-1)
    : undefined

/** The sources of a line's values. */
interface GivenSources extends Sources {
  /** Reads the attributes of each row for `--row-fields`. */
  readonly rowFields?: RowFields
}

const globalNames = new Set(globalFlags.map((f) => f.name))

const parseFlagValue = async (
  flag: Flag,
  texts: readonly string[],
  sources: Sources,
): Promise<JsonValue> => {
  const label = formatFlagLabel(flag)
  if (flag.param.deprecated !== undefined)
    sources.note(`${label} is deprecated: use ${flag.param.deprecated}`)
  const read = canComeFromFile(flag.param)
    ? await Promise.all(texts.map((text) => resolveText(text, flag, sources)))
    : texts
  if (flag.optionalValue === true && read.at(-1) === '') return flag.param.default ?? true
  const parameter = flag.path === true ? undefined : flag.parameter
  return parseValue(flag.param, read, label, { ...sources, parameter })
}

/** Parses attributes in JSON or YAML. */
const parseInputAttributes = async (text: HeldText, label: string): Promise<JsonValues> => {
  const value = await parseHeld(text, label)
  if (!isObject(value))
    throw usage(
      `${label} must contain an object of attributes`,
      'For example: {"description": "Linux"}, or as YAML, description: Linux',
    )
  for (const [name, one] of Object.entries(value)) checkNumbers(one, `${label}: ${name}`)
  return toJsonFields(value)
}

const toTypedArguments = ({ args, rows }: Raw): Pick<Given, 'args' | 'rows'> =>
  rows === undefined ? { args } : { args, rows }

const readArguments = async (
  command: Command,
  raw: Raw,
  sources: GivenSources,
): Promise<Pick<Given, 'args' | 'places' | 'rows'>> => {
  const [first] = command.args
  if (first?.file === true || !raw.args.includes('-')) return toTypedArguments(raw)
  if (first?.variadic !== true) {
    if (raw.args[0] !== '-' || first?.parameter === undefined) return toTypedArguments(raw)
    throw usage(
      `${getCommandName(command)} takes one <${first.name}> and cannot read it from standard input`,
    )
  }
  const { readInputArguments } = await import('./stdin/reader.js')
  return readInputArguments(command, raw, sources)
}

/** Returns the name of the flag for the end of a range: `created_before` for `created_after`. Any other name is returned as it is. */
const getRangeEndName = (name: string): string =>
  name.replace(/(^|-)after$/, '$1before').replace(/(^|-)since$/, '$1until')

/** Notes ranges that end before they begin, since no record can match them. */
const noteEmptyRanges = (flags: Given['flags'], { note }: Pick<GivenSources, 'note'>): void => {
  for (const [name, begin] of Object.entries(flags)) {
    const end = getRangeEndName(name) === name ? undefined : flags[getRangeEndName(name)]
    const [first, last] = [begin, end].map((one) =>
      typeof one === 'string' ? parseWrittenMoment(one) : Number(one ?? Number.NaN),
    )
    if (first !== undefined && last !== undefined && first > last)
      note(`--${name} is past --${getRangeEndName(name)}, so nothing can match`)
  }
}

/** Notes filters without a value, such as an unset variable of a script: the list may have every object. */
const noteEmptyFilters = (
  command: CommandFacts,
  { flags, extra }: Pick<Given, 'flags' | 'extra'>,
  { note }: Pick<GivenSources, 'note'>,
): void => {
  if (!canListRecords(command) || canSendAttributes(command)) return
  const sent = command.flags.filter(
    ({ parameter, path }) => parameter !== undefined && path !== true,
  )
  const given = [
    ...sent.map((flag) => [formatFlagLabel(flag), flags[flag.name]] as const),
    ...Object.entries(extra).map(([name, value]) => [`--param ${name}`, value] as const),
  ]
  for (const [label, value] of given) {
    // The value of `--not` has a filter in each field.
    const parts = isObject(value) ? Object.entries(value) : []
    const empty = parts.filter(([, part]) => isEmptyValue(part)).map(([name]) => `${label} ${name}`)
    for (const one of isEmptyValue(value) ? [label] : empty)
      note(`${one} is empty, and the instance may ignore it`)
  }
}

/** Returns whether a parameter is a file or a folder; undefined for any other parameter. */
const getPathWord = ({ completes, placeholder = '' }: Param): 'file' | 'folder' | undefined => {
  if (placeholder.startsWith('folder')) return 'folder'
  return completes === 'file' || placeholder.startsWith('file') ? 'file' : undefined
}

/**
 * Checks the names of files and folders. An empty text usually comes from an unset variable, and must never mean the current folder.
 * @throws Failure `usage` for an empty name of a file or folder
 */
export const checkPathNames = (command: CommandFacts, { args, flags }: Raw): void => {
  // In these areas an empty value removes a setting.
  if (command.area === 'profile' || command.area === 'auth') return
  for (const { name, param } of getCommandFlags(command, ({ name }) => flags.has(name))) {
    const word = getPathWord(param)
    if (word !== undefined && flags.get(name)?.includes('') === true)
      throw usage(`--${name} requires the name of a ${word}`)
  }
  const files = command.args.find(({ file }) => file === true)
  if (files !== undefined && args.includes(''))
    throw usage(`<${files.name}> requires the name of a file or folder`)
}

/** True if the objects come from standard input. The output is then a list, even for one object. */
export const isFromStdin = (raw: Raw): boolean => raw.args.includes('-')

/**
 * Parses the arguments and flags of a line.
 * @throws Failure `usage` for a value that a parameter does not accept
 */
export const parseGiven = async (
  command: Command,
  raw: Raw,
  sources: GivenSources,
): Promise<Given> => {
  const inputs = raw.flags.get('input')
  checkSingleStdinReader(raw)
  const { stream } = sources
  const objects = stream === undefined ? await readArguments(command, raw, sources) : { args: [] }
  const flags: Record<string, JsonValue> = {}
  for (const flag of getCommandFlags(command, ({ name }) => raw.flags.has(name))) {
    const texts = raw.flags.get(flag.name)
    const common = globalNames.has(flag.name) && !command.flags.includes(flag)
    if (texts === undefined || common || flag.beyond === true) continue
    flags[flag.name] = await parseFlagValue(flag, texts, sources)
  }
  noteEmptyRanges(flags, sources)
  const path = inputs?.at(-1)
  const own = command.flags.some((f) => f.name === 'input')
  const inputLabel = path === undefined || path === '-' ? '--input' : `--input ${path}`
  const text =
    path === undefined || own
      ? undefined
      : path === '-'
        ? holdText(await sources.readStdin())
        : await readText(path, '--input', sources)
  const input = text === undefined ? undefined : await parseInputAttributes(text, inputLabel)
  sources.rowFields?.checkInput(input)
  if (stream === undefined) sources.rowFields?.end()
  const extra = await readParamValues(raw.flags.get('param') ?? [], sources)
  noteEmptyFilters(command, { flags, extra }, sources)
  return { ...objects, flags, stream, extra, input }
}

/**
 * Returns the fields of a line, where names with a plus are added to the default columns.
 * @throws Failure `usage` if the command has no default columns
 */
const withUsualFields = (
  command: CommandFacts,
  { fields }: Pick<Globals, 'fields'>,
): Pick<Globals, 'fields'> => {
  if (fields?.some((field) => field.startsWith('+')) !== true) return {}
  const usual = Object.values(command.endpoints).find(({ columns }) => columns !== undefined)
  if (usual?.columns === undefined || !canListRecords(command))
    throw usage('--fields +name adds to the columns of a list', 'Write the names without +.')
  return {
    fields: [...new Set([...usual.columns, ...fields.map((one) => one.replace(/^\+/, ''))])],
  }
}

/**
 * Parses the global flags of a line, including those that the environment sets, without the command's own flags.
 * @throws Failure `usage` for a value that a flag does not accept, and for flags that exclude each other
 */
export const parseGlobals = (
  command: CommandFacts,
  raw: Raw,
  env: NodeJS.ProcessEnv,
  { note, now }: Pick<ValueOptions, 'note' | 'now'>,
): Globals => {
  const line = filterSharedTexts(command, raw, false)
  const globals = readGlobals(line.flags, env, (param, texts, label) =>
    parseValue(param, texts, label, { note, now }),
  )
  checkExclusions({ command, raw: line, globals })
  return { ...globals, ...withUsualFields(command, globals) }
}
