/**
 * Records the arguments and flags of a run in its journal, so that the run can be resumed or repeated, and checks them
 * when that happens.
 */

import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { readRegular } from '../../base/files/regular.js'
import { resolvePath } from '../../base/io.js'
import { type Fields, tryParseJson } from '../../base/objects.js'
import { isSecret, maskAddresses } from '../../base/secrets/mask.js'
import { isSecretHeader, isVariablePath } from '../../base/secrets/names.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { loadAreaEndpoints } from '../../catalogue/index.js'
import { canComeFromFile, isFile, type Param, takesPairs } from '../../catalogue/params.js'
import { getReason, usage } from '../../errors.js'
import { getCommandName, getFlagName, getOtherArguments, getScope } from '../command/derive.js'
import { getCommandFlags } from '../command/flags.js'
import { globalFlagRows } from '../command/global-flags.js'
import type { Command, Flag, Plan } from '../command/types.js'
import { createExclusion } from '../exclusions.js'
import type { PromptReply } from '../instance/planning.js'
import type { Header, LineOptions, OptionText } from '../journal/lines.js'
import { createAttributeMask } from '../journal/run-record.js'
import type { Raw } from '../plan/line.js'
import { parseParamFile } from '../plan/parse-values.js'
import type { JournalOptions } from './runs.js'
import { parseShard } from './shards.js'

/** The reason why a line cannot be recorded: it contains a secret, or input that cannot be read again. */
class UnrepeatableError extends Error {}

/**
 * Computes the SHA-256 of a regular file.
 * @throws the system's error, or one in words for anything but a regular file
 */
const computeDigest = (path: string): string =>
  createHash('sha256').update(readRegular(path)).digest('hex')

/** Returns the file that a text names, after the prefix that marks it as a file; two empty texts if it names none. */
const getNamedFile = (
  text: string,
  { name, param }: Pick<Flag, 'name' | 'param'>,
): [mark: string, path: string] => {
  if (name === 'param') {
    const { mark, path } = parseParamFile(text) ?? { mark: '', path: '' }
    if (path === '-') throw new UnrepeatableError(`--param ${mark}- was read from standard input`)
    return [mark, path]
  }
  if (isFile(param) && text !== '-') return ['', text]
  return canComeFromFile(param) && text.startsWith('@') && text.length > 1
    ? ['@', text.slice(1)]
    : ['', '']
}

/** True if a text contains a secret: according to its name, in a URL, or inside its JSON. */
const holdsSecret = (text: string, name = ''): boolean =>
  redactSecrets(text) !== text ||
  maskAddresses(text) !== text ||
  isSecret(name, text) ||
  isSecret('', tryParseJson(text) ?? text)

const createSecretError = (what: string): UnrepeatableError =>
  new UnrepeatableError(`${what} is a secret from the command line`)

const checkNoSecret = (text: string, { name, param }: Flag): void => {
  // For all other flags, "-" is a value like any other.
  if (text === '-' && (isFile(param) || canComeFromFile(param)))
    throw new UnrepeatableError(`--${name} was read from standard input`)
  if (param.secret === true ? text !== '' && !text.startsWith('env:') : holdsSecret(text, name))
    throw createSecretError(`--${name}`)
}

/**
 * Checks `key=value` and `Name: value`: the key tells whether the value is a secret. For a variable, its `value` is
 * one.
 */
const checkPair = (
  text: string,
  name: string,
  {
    command,
    journaling,
  }: Pick<RecordedLine, 'command'> & { readonly journaling: Pick<JournalOptions, 'raw'> },
): void => {
  const [key = ''] = text.split(/[=:]/)
  const value = text.slice(key.length + 1).trim()
  const secret =
    name === 'header' ? isSecretHeader(key.trim()) || holdsSecret(value) : holdsSecret(value, key)
  const isVariable =
    key === 'value' && command.open === true && journaling.raw.args.some(isVariablePath)
  if (secret || isVariable) throw createSecretError(`--${name} ${key}`)
}

/** True if a line may contain a secret, so that it must not be shown. */
export const hasSecrets = (command: Command, raw: Raw): boolean => {
  if ((raw.words ?? []).some((word) => holdsSecret(word) || redactSecrets(word) !== word))
    return true
  const known = new Map(getCommandFlags(command).map((flag) => [flag.name, flag]))
  const of = { command, journaling: { raw } }
  const isSecretText = (text: string, flag: Flag): boolean => {
    try {
      if (takesPairs(flag.param) || flag.name === 'header') checkPair(text, flag.name, of)
      else if (text !== '-') checkNoSecret(text, flag)
      return false
    } catch (error) {
      if (error instanceof UnrepeatableError) return true
      throw error
    }
  }
  return [...raw.flags].some(([name, texts]) =>
    texts.some((text) => isSecretText(text, known.get(name) ?? createPlainFlag(name))),
  )
}

/** Returns the file that a text names, with the digest of the contents that were read; undefined if it names none. */
const digestNamedFile = async (
  text: string,
  flag: Flag,
  { cwd, journaling }: RecordedLine,
): Promise<OptionText | undefined> => {
  const [mark, given] = getNamedFile(text, flag)
  const path = resolvePath(given, cwd)
  const stats = given === '' ? undefined : await stat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw new UnrepeatableError(`--${flag.name} was read from ${given}, which cannot be read again`)
  return { $file: `${mark}${path}`, sha256: journaling.digests.get(path) ?? computeDigest(path) }
}

const toOptionText = async (text: string, flag: Flag, of: RecordedLine): Promise<OptionText> => {
  const file = await digestNamedFile(text, flag, of)
  if (file !== undefined) return file
  if (takesPairs(flag.param) || flag.name === 'header') checkPair(text, flag.name, of)
  else checkNoSecret(text, flag)
  return text
}

/** Creates a plain text flag for a name that the command does not have. */
const createPlainFlag = (name: string): Flag => ({
  name,
  required: false,
  param: { type: 'string', help: name } satisfies Param,
})

/** True if a flag is part of what a run does. Flags about how it runs may differ the next time. */
const isPartOfRun = (name: string, parents: boolean): boolean =>
  (!Object.hasOwn(globalFlagRows, name) || name === 'row-fields') &&
  !(parents && (name === 'project' || name === 'group'))

interface RecordedLine {
  readonly command: Command
  readonly journaling: JournalOptions
  readonly replies: readonly PromptReply[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly undoRecord: boolean
  readonly shard: string | undefined
  /** A reason why the line cannot be repeated, if the command has one. */
  readonly final?: string | undefined
  /** The column of the parents that the command found itself. */
  readonly parents?: Header['parents']
}

/** Returns the arguments of a line that its journal does not have as objects. */
const selectArguments = (
  command: Command,
  { raw: { args }, source }: JournalOptions,
): readonly string[] => {
  if (command.open === true) return args.filter((arg) => arg !== '-')
  return source === 'parents' ? args : getOtherArguments(command, args)
}

/** Returns the arguments that are no objects, or that apply to every parent. */
const getFixedArguments = ({ command, journaling }: RecordedLine): readonly string[] => {
  const args = selectArguments(command, journaling)
  for (const [i, arg] of args.entries())
    if (holdsSecret(arg)) throw new UnrepeatableError(`the argument ${i + 1} contains a secret`)
  return args
}

const collectFlagTexts = async (of: RecordedLine) => {
  const { command, journaling, replies } = of
  const known = new Map(getCommandFlags(command).map((flag) => [flag.name, flag]))
  const texts = new Map(journaling.raw.flags)
  for (const { name, texts: said, secret } of replies) {
    if (secret) throw new UnrepeatableError(`${name} was entered at a prompt`)
    texts.set(name, said)
  }
  const flags: Record<string, readonly OptionText[]> = {}
  for (const [name, given] of texts) {
    if (!isPartOfRun(name, journaling.parents !== undefined)) continue
    const flag = known.get(name) ?? createPlainFlag(name)
    flags[name] = await Promise.all(given.map((text) => toOptionText(text, flag, of)))
  }
  return flags
}

/** Formats a shard as numbers, because `ci` would mean another shard in another job. */
export const formatShard = (text: string, env: NodeJS.ProcessEnv): string => {
  const { part, of } = parseShard(text, env)
  return `${part}/${of}`
}

/** Describes the arguments and flags of a run, or the reason why it cannot be repeated. */
export const describeRecordedLine = async (
  of: RecordedLine,
): Promise<Pick<Header, 'options' | 'parents' | 'shard' | 'final'>> => {
  const { env, final, shard, undoRecord, journaling } = of
  const { parents } = journaling
  if (final !== undefined) return { final }
  try {
    return {
      options: {
        args: getFixedArguments(of),
        flags: await collectFlagTexts(of),
        undo_record: undoRecord ? true : undefined,
      },
      parents: parents ?? of.parents,
      shard: shard === undefined ? undefined : formatShard(shard, env),
    }
  } catch (error) {
    if (error instanceof UnrepeatableError) return { final: error.message }
    throw error
  }
}

/** Returns the source of a secret, not its value: `env:NAME`, `@file`, or `given` for a literal text. */
const describeSecretOrigin = (name: string, { params }: Endpoint, { flags }: Raw): string => {
  const param = params[name]
  const text = param === undefined ? undefined : flags.get(getFlagName(name, param))?.at(-1)
  if (text !== undefined) return /^(?:env:|@)/.test(text) ? text : 'given'
  const further = flags.get('param')?.findLast((one) => one.startsWith(`${name}=`)) ?? ''
  const file = parseParamFile(further)
  return file === undefined ? 'given' : `@${file.path}`
}

/** Returns the attributes that all objects of a run receive, without the names of the object and its parent. */
export const getJournalInput = (
  { endpoint, values, extra }: Plan,
  raw: Raw,
  rowFields: readonly string[] = [],
): Fields => {
  const own = [...(endpoint.args ?? []), getScope(endpoint)?.placeholder]
  const common = Object.entries({ ...extra, ...values }).filter(
    ([name, value]) => value !== undefined && !own.includes(name) && !rowFields.includes(name),
  )
  const shown = createAttributeMask(endpoint)(Object.fromEntries(common)) ?? {}
  const rows = rowFields.map((name): [string, unknown] => [name, { $row: name }])
  const shared = common.map(([name]): [string, unknown] => {
    const secret = endpoint.params[name]?.secret === true || isSecret(name, '?')
    return [name, secret ? { $secret: describeSecretOrigin(name, endpoint, raw) } : shown[name]]
  })
  return Object.fromEntries([...shared, ...rows])
}

const computeCurrentDigest = (label: string, path: string): string => {
  try {
    return computeDigest(path)
  } catch (error) {
    throw usage(`${label}: cannot read ${path} again: ${getReason(error)}`)
  }
}

const checkFile = (name: string, text: string, sha256: string): void => {
  const label = `--${name}`
  const path = (name === 'param' ? parseParamFile(text)?.path : undefined) ?? text.replace(/^@/, '')
  if (computeCurrentDigest(label, path) !== sha256)
    throw usage(
      `${label}: ${path} changed after the run began`,
      'Restore the file, or start a new run.',
    )
}

/**
 * Reads the flags of a recorded run as they were typed.
 * @throws Failure `usage` if a file that they name has changed
 */
export const readRecordedFlags = async ({ flags }: LineOptions): Promise<Raw['flags']> => {
  const all = new Map<string, readonly string[]>()
  for (const [name, texts] of Object.entries(flags)) {
    for (const text of texts) if (typeof text !== 'string') checkFile(name, text.$file, text.sha256)
    all.set(
      name,
      texts.map((text) => (typeof text === 'string' ? text : text.$file)),
    )
  }
  return all
}

/** Global flags whose values the journal already has. */
const flagsOfJournal = [
  'journal',
  'shard',
  'undo-record',
  'all-projects',
  'all-groups',
  'recursive',
  'row-fields',
]

/**
 * Checks that a line with --resume has no flags that the journal defines.
 * @throws Failure `usage` if it has one
 */
export const checkResumeFlags = (command: Command, raw: Raw): void => {
  const stray = [...raw.flags.keys()].find(
    (name) => !Object.hasOwn(globalFlagRows, name) || flagsOfJournal.includes(name),
  )
  if (stray !== undefined)
    throw createExclusion(
      { command, raw },
      ['resume', stray],
      `The journal defines the run. To use other values, start a new run of "svcctl ${getCommandName(command)}".`,
    )
}

/**
 * Checks that the command of a run still sends the request of the run. The file of an extension may have changed since.
 * @throws Failure `usage` if the command now sends another request
 */
export const checkRunRequest = async ({ id, command, endpoint }: Header): Promise<void> => {
  const [area = '', ...words] = command.split(' ')
  const own = Object.values<Endpoint>(await loadAreaEndpoints(area)).filter(
    (one) => one.command === words.join(' '),
  )
  const [first] = own
  const isOfExtension = first !== undefined && own.every(({ from }) => from !== undefined)
  // A shard without objects has no endpoint in its journal.
  if (!isOfExtension || endpoint === '' || own.some(({ route }) => route === endpoint)) return
  throw usage(
    `the run ${id} is for ${endpoint}, and "svcctl ${command}" now sends ${first.route}`,
    `Go back to the earlier file: svcctl extend update ${first.from} <file>. Or start a new run.`,
  )
}
