/**
 * Texts of the command line as values of the API, checked before anything is sent. What a parameter accepts is in its
 * catalogue entry, how it is read in `catalogue/coerce.ts`; here are the sentences about what it does not accept.
 */

import { addToGroup } from '../../base/group-by.js'
import type { JsonValue } from '../../base/objects.js'
import { describeSize, type HeldText, holdText, openHeld } from '../../base/secrets/scrub.js'
import { quoteWord } from '../../base/shell-words.js'
import { decodeStrictly } from '../../base/utf8.js'
import {
  type Coercion,
  coerceTexts,
  describeError,
  type ValueError,
} from '../../catalogue/coerce.js'
import {
  formatOf,
  getNumberNames,
  getParamValues,
  getScopeType,
  type Param,
} from '../../catalogue/params.js'
import { Failure, getReason, usage } from '../../errors.js'
import type { Flag, ObjectStream } from '../command/types.js'
import type { Raw } from './line.js'
import { formatFlagLabel } from './line.js'

/** Notes about deprecated values, collected while parsing. */
export type TakeNote = (text: string) => void

/** The options by which texts are read. */
export interface ValueSyntax {
  readonly note?: TakeNote | undefined
  /** The API's name of the parameter, where --param sends what is not known here. */
  readonly parameter?: string | undefined
}

/** Returns a hint that says how to send a value that only a newer instance knows. */
const hintAtNewerValues = (parameter: string, { param }: ValueError, text: string): string => {
  const value = getNumberNames(param).length === 0 || /^-?\d+$/.test(text) ? text : '<number>'
  return `Newer instances may support more values. Send one with --param ${quoteWord(`${parameter}=${value}`)}.`
}

const hintFor = (error: ValueError, text: string, parameter?: string): string | undefined => {
  const { param, problem, path } = error
  if (problem === 'several values') return `Run the command once for each ${getScopeType(param)}.`
  if (problem === 'wrong format' && formatOf(param) === 'duration')
    return 'Units are mo, w, d, h, m and s. Put a negative duration after "--".'
  const isChoice = getParamValues(param).length + getNumberNames(param).length > 0
  const isUnknown = problem === 'unknown value' || problem === 'wrong type'
  const isOwn = !path.some((key) => typeof key === 'string')
  const more = parameter !== undefined && isChoice && isUnknown && isOwn
  const sentences = [
    ...(error.nearest === undefined ? [] : [`Did you mean ${error.nearest}?`]),
    ...(more ? [hintAtNewerValues(parameter, error, text)] : []),
  ]
  return sentences.join(' ') || undefined
}

/** Formats what was given for a message: JSON may come from a file, and hold a secret. */
const formatGivenValue = ({ given, param, problem, expected, path }: ValueError): string => {
  if (problem === 'unknown key') return `"${path.at(-1)}"`
  if (given === null) return 'null'
  if (typeof given === 'object') return Array.isArray(given) ? 'a list' : 'an object'
  const text = String(given)
  if (param.secret === true || expected === 'JSON') return describeSize(text)
  return problem !== 'wrong format' && /^-?\d+$/.test(text) ? text : `"${text}"`
}

const createRefusal = (error: ValueError, label: string, parameter?: string): Failure => {
  const keys = error.path.filter((key) => typeof key === 'string')
  const names = [label, ...(error.problem === 'unknown key' ? keys.slice(0, -1) : keys)]
  const hint = hintFor(error, String(error.given), parameter)
  return usage(describeError(names.join(' '), error, formatGivenValue(error)), hint)
}

/**
 * Returns the value that was read of a parameter.
 * @throws Failure `usage` naming the parameter, what it takes and what was given
 */
export const checkCoercedValue = (
  { value, errors: [error], deprecated }: Coercion,
  label: string,
  { note = () => {}, parameter }: ValueSyntax = {},
): JsonValue => {
  for (const { value: old, successor } of deprecated)
    note(`${label} ${old} is deprecated: use ${successor}`)
  if (value !== undefined) return value
  throw error === undefined
    ? usage(`${label} has no value`)
    : createRefusal(error, label, parameter)
}

/**
 * Parses the value of one parameter from the texts given for it, in order.
 * @throws Failure `usage` naming the flag, what it takes and what was given
 */
export const parseValue = (
  param: Param,
  texts: readonly string[],
  label: string,
  how: ValueSyntax = {},
): JsonValue => {
  const path = /^(?:file|folder)\b/.exec(param.placeholder ?? '')?.[0]
  // An empty text would be the current folder.
  if (path !== undefined && texts.at(-1) === '')
    throw usage(`${label} requires the name of a ${path}`)
  return checkCoercedValue(coerceTexts(param, texts), label, how)
}

/** Parses the value of a text; undefined if the parameter takes no such value. */
export const parseFitting = (param: Param, text: string): JsonValue | undefined => {
  try {
    return parseValue(param, [text], param.help)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Splits `key=value` at the first `=`. */
const splitKeyValue = (text: string, label: string): [string, string] => {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${label} must have the form key=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** `--param` of a body: JSON where it parses as JSON, else text. */
export const parseParam = (text: string): JsonValue => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// Texts of the command line that stand for others: `@file`, `env:NAME`, standard input.

export interface Sources {
  readonly env: NodeJS.ProcessEnv
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<string>
  readonly note: TakeNote
  readonly warn: TakeNote
  /** The objects as they come, which are not read here. */
  readonly stream?: ObjectStream
  /** The project of numbers that are piped, where no flag says it; '' for each of several. */
  readonly project?: string
  /** Ends the wait for a pipe. */
  readonly signal?: AbortSignal
  /** Takes what was read of a file. */
  readonly read?: (path: string, bytes: Uint8Array) => void | Promise<void>
}

/** The largest file that a flag may name, in bytes: what is sent of it is in memory several times. */
const maxFile = 100_000_000

/** Reads a file's text, which may be a secret; an error names the file. */
export const readText = async (
  path: string,
  label: string,
  { read, signal }: Pick<Sources, 'read' | 'signal'>,
): Promise<HeldText> => {
  const failed = (cause: unknown): Failure =>
    new Failure('usage', `${label}: cannot read ${path}: ${getReason(cause)}`, { cause })
  try {
    const { readReadable } = await import('../../base/files/files.js')
    const bytes = await readReadable(path, signal, maxFile)
    await read?.(path, bytes)
    return holdText(decodeStrictly(bytes, `${label}: ${path}`))
  } catch (cause) {
    throw cause instanceof Failure && cause.category === 'usage' ? cause : failed(cause)
  }
}

/** Reads the text of a file as a value: without the line break at its end. */
const readFileValue = async (path: string, label: string, sources: Sources): Promise<string> =>
  openHeld(await readText(path, label, sources)).trimEnd()

/** `env:NAME` and `@file` stand for what they name; a literal secret gets a warning. */
export const readSecretText = async (
  text: string,
  flag: Flag,
  sources: Sources,
): Promise<string> => {
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

/** Parses the file that `--param name=@file` names, behind the `name=@` in front of it; `-` is standard input. */
export const parseParamFile = (
  text: string,
): { readonly mark: string; readonly path: string } | undefined => {
  const [mark = ''] = /^[^=]+=@(?!@)/.exec(text) ?? []
  return mark === '' ? undefined : { mark, path: text.slice(mark.length) }
}

/** Reads the value of one `--param`: of a file (`@file`), of standard input (`@-`), or as it stands, `@@x` for `@x`. */
const readParamValue = async (
  text: string,
  key: string,
  value: string,
  sources: Sources,
): Promise<string> => {
  const file = parseParamFile(text)
  if (file === undefined) return value.replace(/^@@/, '@')
  if (file.path === '-') return (await sources.stdin()).trimEnd()
  if (file.path !== '') return readFileValue(file.path, `--param ${key}`, sources)
  throw usage(
    `--param ${key}=@ does not name a file`,
    `To send the text "@", use --param ${key}=@@.`,
  )
}

/** `--param` values as they were given; typed later, by where they travel. */
export const readParamValues = async (
  texts: readonly string[],
  sources: Sources,
): Promise<Record<string, string | readonly string[]>> => {
  const extra = new Map<string, string[]>()
  for (const text of texts) {
    const [key, value] = splitKeyValue(text, '--param')
    addToGroup(extra, key, await readParamValue(text, key, value, sources))
  }
  const entries = [...extra].map(([key, values]) => {
    const [only = '', ...more] = values
    return [key, more.length === 0 ? only : values] as const
  })
  return Object.fromEntries(entries)
}

/** Returns what reads standard input on a line, besides the parents of `-P -`. */
const findStdinReaders = ({ args, flags }: Raw): readonly string[] => [
  ...(args.includes('-') ? ['IDs from -'] : []),
  ...(flags.get('input')?.at(-1) === '-' ? ['--input -'] : []),
  ...(flags.get('param') ?? []).flatMap((text) => {
    const { mark, path } = parseParamFile(text) ?? {}
    return path === '-' ? [`--param ${mark}-`] : []
  }),
]

/** @throws Failure `usage` where two things of a line read standard input, which holds one */
export const checkOneReader = (raw: Raw, parents?: string): void => {
  const [first, second] = [...(parents === undefined ? [] : [parents]), ...findStdinReaders(raw)]
  if (second === undefined) return
  throw usage(`${first} and ${second} cannot both read standard input`)
}
