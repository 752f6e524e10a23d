/**
 * Parses texts of the command line to values of the API, before anything is sent, and creates the failures of rejected values. The
 * catalogue declares what a parameter accepts, and `catalogue/coerce.ts` converts the text.
 */

import { addToGroup } from '../../base/collections.js'
import { parseSpan } from '../../base/dates.js'
import { type JsonValue, tryParseJson } from '../../base/objects.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/redact.js'
import { quoteWord } from '../../base/shell-words.js'
import { describeSize } from '../../base/text.js'
import { decodeStrictly } from '../../base/utf8.js'
import {
  type Coercion,
  coerceTexts,
  describeError,
  type ValueError,
} from '../../catalogue/coerce.js'
import {
  getNumberNames,
  getParamFormat,
  getParamValues,
  getScopeType,
  isText,
  type Param,
} from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import type { Flag, ObjectStream } from '../command/types.js'
import type { Raw } from './line.js'
import { formatFlagLabel } from './line.js'

/** Receives notes about deprecated values while texts are parsed, and warnings about secrets on the command line. */
export type NoteListener = (text: string) => void

/** The options for parsing values. */
export interface ValueOptions {
  readonly note?: NoteListener | undefined
  /** The time that texts such as `30d` count from: that of the snapshot, or now. */
  readonly now: Date
  /** The API's name of the parameter, for a hint at --param; undefined if --param cannot send it. */
  readonly parameter?: string | undefined
}

/** Creates a hint to send with --param a value that only newer instances accept. */
const createNewerValuesHint = (parameter: string, { param }: ValueError, text: string): string => {
  const value = getNumberNames(param).length === 0 || /^-?\d+$/.test(text) ? text : '<number>'
  return `Newer instances may support more values. Send one with --param ${quoteWord(`${parameter}=${value}`)}.`
}

const createHint = (error: ValueError, text: string, parameter?: string): string | undefined => {
  const { param, problem, path } = error
  if (problem === 'several values') return `Run the command once for each ${getScopeType(param)}.`
  if (problem === 'wrong format' && getParamFormat(param) === 'duration')
    return 'Units are mo, w, d, h, m and s. Put a negative duration after "--".'
  const isChoice = getParamValues(param).length + getNumberNames(param).length > 0
  const isUnknown = problem === 'unknown value' || problem === 'wrong type'
  const isWholeValue = !path.some((key) => typeof key === 'string')
  const acceptsNewer = parameter !== undefined && isChoice && isUnknown && isWholeValue
  const sentences = [
    ...(error.nearest === undefined ? [] : [`Did you mean ${error.nearest}?`]),
    ...(acceptsNewer ? [createNewerValuesHint(parameter, error, text)] : []),
  ]
  return sentences.join(' ') || undefined
}

/** Formats the rejected value for a message. JSON is not shown, because it may come from a file and contain a secret. */
const formatGivenValue = ({ node, param, problem, expected, path }: ValueError): string => {
  if (problem === 'unknown key') return `"${path.at(-1)}"`
  if (node === null) return 'null'
  if (typeof node === 'object') return Array.isArray(node) ? 'a list' : 'an object'
  const text = String(node)
  if (param.secret === true || expected === 'JSON') return describeSize(text)
  return problem !== 'wrong format' && /^-?\d+$/.test(text) ? text : `"${text}"`
}

const createValueFailure = (error: ValueError, label: string, parameter?: string): Failure => {
  const keys = error.path.filter((key) => typeof key === 'string')
  const names = [label, ...(error.problem === 'unknown key' ? keys.slice(0, -1) : keys)]
  const hint = createHint(error, String(error.node), parameter)
  return usage(describeError(names.join(' '), error, formatGivenValue(error)), hint)
}

/**
 * Returns the value that was parsed.
 * @throws Failure `usage` with the parameter, the accepted values and the rejected one
 */
export const checkCoercedValue = (
  { value, errors: [error], deprecated }: Coercion,
  label: string,
  { note = () => {}, parameter }: Omit<ValueOptions, 'now'> = {},
): JsonValue => {
  for (const { value: old, successor } of deprecated)
    note(`${label} ${old} is deprecated: use ${successor}`)
  if (value !== undefined) return value
  throw error === undefined
    ? usage(`${label} has no value`)
    : createValueFailure(error, label, parameter)
}

/** True for a value that filters nothing: the instance ignores an empty parameter, so that every record would match. */
export const isEmptyValue = (value: JsonValue | undefined): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Checks that a date which has to lie ahead is not given as a time ago, which `7d` is elsewhere.
 * @throws Failure `usage`
 */
const checkAhead = (param: Param, text: string, label: string): void => {
  if (!isText(param) || param.ahead !== true || parseSpan(text) === undefined) return
  throw usage(`${label} must be a day ahead, and ${text} is in the past`, `Write +${text}.`)
}

/**
 * Parses the value of a parameter from its texts, in order.
 * @throws Failure `usage` with the flag, the accepted values and the rejected one
 */
export const parseValue = (
  param: Param,
  texts: readonly string[],
  label: string,
  options: ValueOptions,
): JsonValue => {
  const path = /^(?:file|folder)\b/.exec(param.placeholder ?? '')?.[0]
  // An empty path would mean the current folder.
  if (path !== undefined && texts.at(-1) === '')
    throw usage(`${label} requires the name of a ${path}`)
  checkAhead(param, texts.at(-1) ?? '', label)
  return checkCoercedValue(coerceTexts(param, texts, options.now), label, options)
}

/** Parses the value of a text; undefined if the parameter does not accept it. */
export const parseIfAccepted = (param: Param, text: string, now: Date): JsonValue | undefined => {
  try {
    return parseValue(param, [text], param.help, { now })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Splits the `key=value` of `--param` at the first `=`. */
const splitKeyValue = (text: string): [string, string] => {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`--param must have the form key=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

// Texts that refer to a value: `@file`, `env:NAME`, and `-` for standard input.

export interface Sources extends Pick<ValueOptions, 'now'> {
  readonly env: NodeJS.ProcessEnv
  /** Reads standard input to its end. */
  readonly readStdin: () => Promise<string>
  readonly note: NoteListener
  readonly warn: NoteListener
  /** The objects that are processed while they arrive. They are not read here. */
  readonly stream?: ObjectStream
  /** The project of piped IDs if no flag names it; '' if each of several projects has its own. */
  readonly project?: string
  /** Aborts reading from a pipe. */
  readonly signal?: AbortSignal
  /** Receives the content of each file that was read. */
  readonly onFileRead?: (path: string, bytes: Uint8Array) => void | Promise<void>
}

/** The largest file that a flag may name, in bytes. Its content is held in memory several times. */
const maxFile = 100_000_000

/** Reads the text of a file. The text may be a secret, so a failure shows only the file's name. */
export const readText = async (
  path: string,
  label: string,
  { onFileRead, signal }: Pick<Sources, 'onFileRead' | 'signal'>,
): Promise<HeldText> => {
  const { readGivenFile } = await import('../../base/files/files.js')
  const bytes = await readGivenFile(label, path, maxFile, signal)
  await onFileRead?.(path, bytes)
  return holdText(decodeStrictly(bytes, `${label}: ${path}`))
}

/** Reads the text of a file as a value, without the line break at its end. */
const readFileValue = async (path: string, label: string, sources: Sources): Promise<string> =>
  openHeld(await readText(path, label, sources)).trimEnd()

/** Resolves `env:NAME` and `@file`. A secret that is written on the line gets a warning. */
export const resolveText = async (text: string, flag: Flag, sources: Sources): Promise<string> => {
  if (text.startsWith('env:')) {
    const value = sources.env[text.slice(4)]
    if (value === undefined || value === '')
      throw usage(`${formatFlagLabel(flag)}: the variable ${text.slice(4)} is not set`)
    return value
  }
  if (text.startsWith('@')) return readFileValue(text.slice(1), formatFlagLabel(flag), sources)
  if (flag.param.secret === true && text !== '')
    sources.warn(
      `other users of this machine can see ${formatFlagLabel(flag)} while the command runs: use env:NAME or @file`,
    )
  return text
}

/** Parses `--param name=@file` into `name=@` and the file, where `-` is standard input; undefined for another value. */
export const parseParamFile = (
  text: string,
): { readonly mark: string; readonly path: string } | undefined => {
  const [mark = ''] = /^[^=]+=@(?!@)/.exec(text) ?? []
  return mark === '' ? undefined : { mark, path: text.slice(mark.length) }
}

/** Reads the value of one `--param`: from a file (`@file`), from standard input (`@-`), or as written. `@@x` means the text `@x`. */
const readParamValue = async (
  text: string,
  key: string,
  value: string,
  sources: Sources,
): Promise<string> => {
  const file = parseParamFile(text)
  if (file === undefined) return value.replace(/^@@/, '@')
  if (file.path === '-') return (await sources.readStdin()).trimEnd()
  if (file.path !== '') return readFileValue(file.path, `--param ${key}`, sources)
  throw usage(
    `--param ${key}=@ does not name a file`,
    `To send the text "@", use --param ${key}=@@.`,
  )
}

/** True for a text in braces that is no JSON object, such as one whose quotes a shell of Windows removed. */
const isBrokenObject = (text: string): boolean =>
  /^\s*\{.*\}\s*$/s.test(text) && tryParseJson(text) === undefined

/** Reads the values of `--param` as texts. Their types depend on where they are sent, so they are parsed later. */
export const readParamValues = async (
  texts: readonly string[],
  sources: Sources,
): Promise<Record<string, string | readonly string[]>> => {
  const extra = new Map<string, string[]>()
  for (const text of texts) {
    const [key, value] = splitKeyValue(text)
    const read = await readParamValue(text, key, value, sources)
    if (isBrokenObject(read)) sources.note(`--param ${key} is not valid JSON and is sent as text`)
    addToGroup(extra, key, read)
  }
  const entries = [...extra].map(([key, values]) => {
    const [only = '', ...more] = values
    return [key, more.length === 0 ? only : values] as const
  })
  return Object.fromEntries(entries)
}

/** Returns the arguments and flags that read standard input, apart from `-P -`. */
const listStdinReaders = ({ args, flags }: Raw): readonly string[] => [
  ...(args.includes('-') ? ['IDs from -'] : []),
  ...(flags.get('input')?.at(-1) === '-' ? ['--input -'] : []),
  ...(flags.get('param') ?? []).flatMap((text) => {
    const { mark, path } = parseParamFile(text) ?? {}
    return path === '-' ? [`--param ${mark}-`] : []
  }),
]

/** @throws Failure `usage` if two arguments or flags of a line read standard input */
export const checkSingleStdinReader = (raw: Raw, parents?: string): void => {
  const [first, second] = [...(parents === undefined ? [] : [parents]), ...listStdinReaders(raw)]
  if (second === undefined) return
  throw usage(`${first} and ${second} cannot both read standard input`)
}
