/** Describes for the journal what was asked of a run: texts as they were typed, so that they can be asked again. */

import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readRegular } from '../../base/files/regular.js'
import { getCurrentIo } from '../../base/io.js'
import type { Fields } from '../../base/objects.js'
import { isSecret, maskAddresses } from '../../base/secrets/mask.js'
import { isSecretHeader, isSecretName, isVariablePath } from '../../base/secrets/names.js'
import { redactSecrets } from '../../base/secrets/scrub.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { canComeFromFile, isFile, type Param, takesPairs } from '../../catalogue/params.js'
import { getReason, usage } from '../../errors.js'
import { getCommandName, getFlagName, getScope } from '../command/derive.js'
import { getCommandFlags } from '../command/flags.js'
import { globalFlagRows } from '../command/global-flags.js'
import type { Command, Flag, Plan } from '../command/types.js'
import type { PromptReply } from '../instance/planning.js'
import type { Header, LineOptions, OptionText } from '../journal/lines.js'
import { createAttributeMask } from '../journal/record.js'
import { createExclusion } from '../pairs.js'
import type { Raw } from '../plan/line.js'
import { parseParamFile } from '../plan/values.js'
import type { JournalOptions } from './runs.js'
import { parseShard } from './shards.js'

/** Why a run cannot be asked for again. */
class UnrepeatableError extends Error {}

/** @throws the system's error, or one in words for what is no regular file: a pipe is not read twice */
const digestOf = (path: string): string =>
  createHash('sha256').update(readRegular(path)).digest('hex')

/** Returns the file that a text names, behind the mark that says that it names one. */
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

/** Parses a text as JSON; returns the text itself if it is none. */
const parseJsonText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** True if a text holds a secret: by what it is called, in an address, or somewhere in its JSON. */
const holdsSecret = (text: string, name = ''): boolean =>
  redactSecrets(text) !== text ||
  maskAddresses(text) !== text ||
  isSecret(name, text) ||
  isSecret('', parseJsonText(text))

const createSecretError = (what: string): UnrepeatableError =>
  new UnrepeatableError(`${what} is a secret from the command line`)

const checkPlain = (text: string, { name, param }: Flag): void => {
  if (text === '-') throw new UnrepeatableError(`--${name} was read from standard input`)
  if (param.secret === true ? text !== '' && !text.startsWith('env:') : holdsSecret(text, name))
    throw createSecretError(`--${name}`)
}

/** `key=value` and `Name: value`: the name says whether the value is a secret; of a variable `value` does. */
const checkNamed = (
  text: string,
  name: string,
  {
    command,
    journaling,
  }: Pick<LineContext, 'command'> & { readonly journaling: Pick<JournalOptions, 'raw'> },
): void => {
  const [key = ''] = text.split(/[=:]/)
  const value = text.slice(key.length + 1).trim()
  const secret =
    name === 'header' ? isSecretHeader(key.trim()) || holdsSecret(value) : holdsSecret(value, key)
  const isVariable =
    key === 'value' && command.open === true && journaling.raw.args.some(isVariablePath)
  if (secret || isVariable) throw createSecretError(`--${name} ${key}`)
}

/** Returns true if a text of a line may hold a secret, so that the line is not shown. */
export const hasSecrets = (command: Command, raw: Raw): boolean => {
  if ((raw.words ?? []).some((word) => holdsSecret(word) || redactSecrets(word) !== word))
    return true
  const known = new Map(getCommandFlags(command).map((flag) => [flag.name, flag]))
  const of = { command, journaling: { raw } }
  const isSecretText = (text: string, flag: Flag): boolean => {
    try {
      if (takesPairs(flag.param) || flag.name === 'header') checkNamed(text, flag.name, of)
      else if (text !== '-') checkPlain(text, flag)
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

/** Returns the file that a text names with the digest of what was read of it; undefined if there is none. */
const digestNamedFile = async (
  text: string,
  flag: Flag,
  { cwd, journaling }: LineContext,
): Promise<OptionText | undefined> => {
  const [mark, given] = getNamedFile(text, flag)
  const path = resolve(cwd, given)
  const stats = given === '' ? undefined : await stat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  if (!stats.isFile())
    throw new UnrepeatableError(`--${flag.name} was read from ${given}, which cannot be read again`)
  return { $file: `${mark}${path}`, sha256: journaling.digests.get(path) ?? digestOf(path) }
}

const toOptionText = async (text: string, flag: Flag, of: LineContext): Promise<OptionText> => {
  const file = await digestNamedFile(text, flag, of)
  if (file !== undefined) return file
  if (takesPairs(flag.param) || flag.name === 'header') checkNamed(text, flag.name, of)
  else checkPlain(text, flag)
  return text
}

/** Creates a flag for a name that no `Flag` of the command has. */
const createPlainFlag = (name: string): Flag => ({
  name,
  required: false,
  param: { type: 'string', help: name } satisfies Param,
})

/** Flags that say what is done: how it is run may be otherwise the next time. */
const isPart = (name: string, parents: boolean): boolean =>
  (!Object.hasOwn(globalFlagRows, name) || name === 'row-fields') &&
  !(parents && (name === 'project' || name === 'group'))

interface LineContext {
  readonly command: Command
  readonly journaling: JournalOptions
  readonly answered: readonly PromptReply[]
  readonly cwd: string
  readonly undoRecord: boolean
  readonly shard: string | undefined
  /** Why it cannot be asked again, whatever it is. */
  readonly final?: string | undefined
}

/** Returns the arguments that are no objects, or that every parent has. */
const getFixedArguments = ({ command, journaling }: LineContext): readonly string[] => {
  const { raw, source } = journaling
  const open = command.open === true
  const args = open || source === 'parents' ? raw.args.filter((arg) => !open || arg !== '-') : []
  for (const [i, arg] of args.entries())
    if (holdsSecret(arg)) throw new UnrepeatableError(`the argument ${i + 1} contains a secret`)
  return args
}

const collectFlagTexts = async (of: LineContext) => {
  const { command, journaling, answered } = of
  const known = new Map(getCommandFlags(command).map((flag) => [flag.name, flag]))
  const texts = new Map(journaling.raw.flags)
  for (const { name, texts: said, secret } of answered) {
    if (secret) throw new UnrepeatableError(`${name} was entered at a prompt`)
    texts.set(name, said)
  }
  const flags: Record<string, readonly OptionText[]> = {}
  for (const [name, given] of texts) {
    if (!isPart(name, journaling.parents !== undefined)) continue
    const flag = known.get(name) ?? createPlainFlag(name)
    flags[name] = await Promise.all(given.map((text) => toOptionText(text, flag, of)))
  }
  return flags
}

/** `ci` is another part wherever it is asked again. */
export const formatShard = (text: string): string => {
  const { part, of } = parseShard(text, getCurrentIo().env)
  return `${part}/${of}`
}

/** Describes what was asked, or why it cannot be asked again. */
export const describeLine = async (
  of: LineContext,
): Promise<Pick<Header, 'options' | 'parents' | 'shard' | 'final'>> => {
  const { final, shard, undoRecord, journaling } = of
  const { parents } = journaling
  if (final !== undefined) return { final }
  try {
    return {
      options: {
        args: getFixedArguments(of),
        flags: await collectFlagTexts(of),
        undo_record: undoRecord ? true : undefined,
      },
      parents,
      shard: shard === undefined ? undefined : formatShard(shard),
    }
  } catch (error) {
    if (error instanceof UnrepeatableError) return { final: error.message }
    throw error
  }
}

/** Returns where a secret came from, not what it is: `env:NAME`, `@file`, or `given` for any other text. */
const describeSecretOrigin = (name: string, { params }: Endpoint, { flags }: Raw): string => {
  const param = params[name]
  const text = param === undefined ? undefined : flags.get(getFlagName(name, param))?.at(-1)
  if (text !== undefined) return /^(?:env:|@)/.test(text) ? text : 'given'
  const further = flags.get('param')?.findLast((one) => one.startsWith(`${name}=`)) ?? ''
  const file = parseParamFile(further)
  return file === undefined ? 'given' : `@${file.path}`
}

/** Returns what all objects of a run are sent: neither the object itself nor what it belongs to. */
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
    const secret = endpoint.params[name]?.secret === true || isSecretName(name)
    return [name, secret ? { $secret: describeSecretOrigin(name, endpoint, raw) } : shown[name]]
  })
  return Object.fromEntries([...shared, ...rows])
}

const digestNow = (label: string, path: string): string => {
  try {
    return digestOf(path)
  } catch (error) {
    throw usage(`${label}: cannot read ${path} again: ${getReason(error)}`)
  }
}

const checkFile = (name: string, text: string, sha256: string): void => {
  const label = `--${name}`
  const path = (name === 'param' ? parseParamFile(text)?.path : undefined) ?? text.replace(/^@/, '')
  if (digestNow(label, path) !== sha256)
    throw usage(
      `${label}: ${path} changed after the run began`,
      'Restore the file, or start a new run.',
    )
}

/**
 * Reads the flags of a run as they were typed.
 * @throws Failure `usage` for a file that was changed since
 */
export const readAskedFlags = async ({ flags }: LineOptions): Promise<Raw['flags']> => {
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

/** Global flags that the journal answers, too. */
const answeredByJournal = [
  'journal',
  'shard',
  'undo-record',
  'all-projects',
  'all-groups',
  'recursive',
  'row-fields',
]

/** @throws Failure `usage` for what the journal of the run that is gone on with says itself */
export const checkResuming = (command: Command, raw: Raw): void => {
  const stray = [...raw.flags.keys()].find(
    (name) => !Object.hasOwn(globalFlagRows, name) || answeredByJournal.includes(name),
  )
  if (stray !== undefined)
    throw createExclusion(
      { command, raw },
      ['resume', stray],
      `The journal defines the run. To use other values, start a new run of "svcctl ${getCommandName(command)}".`,
    )
}
