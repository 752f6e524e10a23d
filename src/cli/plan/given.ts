/** Raw texts → what was asked: parsed flags, `--param`, `--input`, lines of standard input. */
import { type JsonValue, type JsonValues, jsonFields } from '../../base/json/value.js'
import { readHeld } from '../../base/json/yaml.js'
import { isObject } from '../../base/objects.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/held.js'
import { shelve } from '../../base/shelves.js'
import type { Param } from '../../catalogue/params.js'
import type { Note } from '../../catalogue/scalars.js'
import { flagsOfCommand, named } from '../../commands/derive/index.js'
import { type Globals, globalFlags, readGlobals } from '../../commands/globals.js'
import type { Coming, Command, Flag, Given } from '../../commands/types.js'
import { Failure, reasonOf, usage } from '../../errors.js'
import type { Raw } from '../words/line.js'
import { spelled } from '../words/spellings.js'
import { keyValue, parseValue } from './values.js'

export interface Sources {
  readonly env: NodeJS.ProcessEnv
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<string>
  readonly note: Note
  readonly warn: Note
  /** The objects as they come, which are not read here. */
  readonly coming?: Coming
  /** The project of numbers that are piped, where no flag says it; '' for each of several. */
  readonly project?: string
  /** Ends the wait for a pipe. */
  readonly signal?: AbortSignal
  /** Is told what was read of a file. */
  readonly read?: (path: string, bytes: Uint8Array) => void | Promise<void>
}

const globalNames = new Set(globalFlags.map((f) => f.name))

/** A file's text, which may be a secret, or a usage error that names it. */
const readText = async (path: string, label: string, sources: Sources): Promise<HeldText> => {
  const { read, signal } = sources
  try {
    const { readReadable } = await import('../../base/files/readable.js')
    const bytes = await readReadable(path, signal)
    await read?.(path, bytes)
    return holdText(bytes.toString())
  } catch (cause) {
    throw new Failure('usage', `${label}: cannot read ${path}: ${reasonOf(cause)}`, { cause })
  }
}

/** `env:NAME` and `@file` stand for what they name; a literal secret gets a warning. */
const secretText = async (text: string, flag: Flag, sources: Sources): Promise<string> => {
  if (text.startsWith('env:')) {
    const value = sources.env[text.slice(4)]
    if (value === undefined || value === '')
      throw usage(`${spelled(flag)}: the environment has no ${text.slice(4)}`)
    return value
  }
  if (text.startsWith('@'))
    return openHeld(await readText(text.slice(1), spelled(flag), sources)).trimEnd()
  if (flag.param.secret === true && text !== '')
    sources.warn(
      `other users of this machine can see ${spelled(flag)} while the command runs: use env:NAME or @file`,
    )
  return text
}

/** Parameters whose text may stand in a file; a PEM parameter names its file anyway. */
export const fromFile = (param: Param): boolean => {
  if (param.type === 'string' && param.format === 'pem') return false
  const isKey = param.type === 'string' && param.format === 'public-key'
  return param.secret === true || param.type === 'json' || isKey
}

const flagValue = async (
  flag: Flag,
  texts: readonly string[],
  sources: Sources,
): Promise<JsonValue> => {
  const label = spelled(flag)
  if (flag.param.deprecated !== undefined)
    sources.note(`${label} is deprecated: use ${flag.param.deprecated}`)
  const read = fromFile(flag.param)
    ? await Promise.all(texts.map((text) => secretText(text, flag, sources)))
    : texts
  if (flag.optionalValue === true && read.at(-1) === '') return flag.param.default ?? true
  const parameter = flag.path === true ? undefined : flag.parameter
  return parseValue(flag.param, read, label, { note: sources.note, parameter })
}

/** Reads JSON or YAML attributes. */
const attributesOf = async (text: HeldText, label: string): Promise<JsonValues> => {
  const read = await readHeld(text)
  if ('wrong' in read) throw usage(`${label}: neither JSON nor YAML`, `The text: ${read.wrong}.`)
  const { value } = read
  if (!isObject(value)) throw usage(`${label} must hold an object of attributes`)
  return jsonFields(value)
}

/** `--param` values as they were given; typed later, by where they travel. */
const extraOf = (texts: readonly string[]): Record<string, string | readonly string[]> => {
  const extra = new Map<string, string[]>()
  for (const text of texts) {
    const [key, value] = keyValue(text, '--param')
    shelve(extra, key, value)
  }
  const entries = [...extra].map(([key, values]) => {
    const [only = '', ...more] = values
    return [key, more.length === 0 ? only : values] as const
  })
  return Object.fromEntries(entries)
}

const argsOf = async (
  command: Command,
  raw: Raw,
  { stdin, project = raw.flags.get('project')?.at(-1) }: Pick<Sources, 'stdin' | 'project'>,
): Promise<readonly string[]> => {
  const [first] = command.args
  if (first?.file === true || !raw.args.includes('-')) return raw.args
  if (first?.variadic !== true) {
    if (raw.args[0] !== '-' || first?.parameter === undefined) return raw.args
    throw usage(`${named(command)} takes one <${first.name}>, and reads none from standard input`)
  }
  const { pipedObjects } = await import('./piped-reader.js')
  const { objectsOf } = await import('./objects.js')
  const objects = await pipedObjects(await stdin(), await objectsOf(first, command.naming), project)
  if (objects.length === 0 && raw.args.length === 1)
    throw usage('standard input names nothing to work on')
  return raw.args.flatMap((arg) => (arg === '-' ? objects : [arg]))
}

/** True when the objects came from standard input: the answer is a list then. */
export const fromStdin = (raw: Raw): boolean => raw.args.includes('-')

/**
 * What was asked of a command.
 * @throws Failure `usage` for a value that its parameter does not take
 */
export const givenOf = async (command: Command, raw: Raw, sources: Sources): Promise<Given> => {
  const inputs = raw.flags.get('input')
  if (inputs?.at(-1) === '-' && raw.args.includes('-'))
    throw usage(
      '--input - and ids from - both read standard input: give one of them in another way',
    )
  const { coming } = sources
  const args = coming === undefined ? await argsOf(command, raw, sources) : []
  const flags: Record<string, JsonValue> = {}
  for (const flag of flagsOfCommand(command)) {
    const texts = raw.flags.get(flag.name)
    if (texts === undefined || globalNames.has(flag.name) || flag.beyond === true) continue
    flags[flag.name] = await flagValue(flag, texts, sources)
  }
  const path = inputs?.at(-1)
  const own = command.flags.some((f) => f.name === 'input')
  const text =
    path === undefined || own
      ? undefined
      : path === '-'
        ? holdText(await sources.stdin())
        : await readText(path, '--input', sources)
  return {
    args,
    flags,
    ...(coming === undefined ? {} : { coming }),
    extra: extraOf(raw.flags.get('param') ?? []),
    ...(text === undefined ? {} : { input: await attributesOf(text, '--input') }),
  }
}

/** The global flags, parsed; also those that the environment sets. */
export const globalsOf = (raw: Raw, env: NodeJS.ProcessEnv, note: Note): Globals =>
  readGlobals(raw.flags, env, (param, texts, label) => parseValue(param, texts, label, { note }))
