/** What was asked of a run, for its journal: texts as they were typed, so that they can be asked again. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isSecret } from '../../../../base/secrets/mask.js'
import { isSecretHeader } from '../../../../base/secrets/names.js'
import { scrub } from '../../../../base/secrets/scrub.js'
import type { Param } from '../../../../catalogue/params.js'
import { flagsOfCommand, named } from '../../../../commands/derive/index.js'
import { declared } from '../../../../commands/globals.js'
import type { Command, Flag } from '../../../../commands/types.js'
import { reasonOf, usage } from '../../../../errors.js'
import type { AskedText, LineAsked } from '../../../../fleet/journal/lines.js'
import { parseShard } from '../../../../fleet/shard.js'
import type { Raw } from '../../../words/line.js'
import type { Replied } from '../../person/ask.js'
import type { JournalWish } from './wish.js'

/** Why a run cannot be asked for again. */
class Final extends Error {}

const digestOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** The file that a text names, behind what says that it names one. */
const fileIn = (text: string, { param }: Pick<Flag, 'param'>): [mark: string, path: string] => {
  const own = param.completes === 'file' || (param.type === 'string' && param.format === 'pem')
  if (own && text !== '-') return ['', text]
  const read = param.secret === true || param.type === 'json' || param.type === 'string'
  return read && text.startsWith('@') && text.length > 1 ? ['@', text.slice(1)] : ['', '']
}

const checkPlain = (text: string, flag: Flag): void => {
  const { name, param } = flag
  if (text === '-') throw new Final(`--${name} came from standard input`)
  const secret = param.secret === true && text !== '' && !text.startsWith('env:')
  if (secret || isSecret('', text) || scrub(text) !== text)
    throw new Final(`--${name} is a secret that was given on the line`)
}

/** `key=value` and `Name: value`: the name says whether the value is a secret. */
const checkNamed = (text: string, name: string): void => {
  const [key = '', value = ''] = text.split(/[=:](.*)/s)
  const secret = name === 'header' ? isSecretHeader(key.trim()) : isSecret(key, value)
  if (secret) throw new Final(`--${name} ${key} is a secret that was given on the line`)
}

const textFor = async (text: string, flag: Flag, cwd: string): Promise<AskedText> => {
  const [mark, given] = fileIn(text, flag)
  if (given !== '') {
    const path = resolve(cwd, given)
    const sha256 = await digestOf(path).catch(() => undefined)
    if (sha256 !== undefined) return { text: `${mark}${path}`, sha256 }
  }
  checkPlain(text, flag)
  if (flag.param.type === 'hash' || flag.name === 'header') checkNamed(text, flag.name)
  return text
}

/** What else the flags of a command are, which no `Flag` says. */
const plainFlag = (name: string): Flag => ({
  name,
  required: false,
  param: { type: 'string', help: name } satisfies Param,
})

/** Flags that say what is done: how it is run may be otherwise the next time. */
const isPart = (name: string, parents: boolean): boolean =>
  !(name in declared) && !(parents && (name === 'project' || name === 'group'))

interface AskedOf {
  readonly command: Command
  readonly wish: JournalWish
  readonly answered: readonly Replied[]
  readonly cwd: string
  readonly undoRecord: boolean
  readonly shard: string | undefined
}

/** The arguments that are no objects, or that every parent has. */
const fixedArgs = ({ command, wish }: AskedOf): readonly string[] => {
  const { args } = wish.raw
  if (command.open === true) return args.filter((arg) => arg !== '-')
  return wish.source === 'parents' ? args : []
}

const flagsOf = async ({ command, wish, answered, cwd }: AskedOf) => {
  const known = new Map(flagsOfCommand(command).map((flag) => [flag.name, flag]))
  const texts = new Map(wish.raw.flags)
  for (const { name, texts: said, secret } of answered) {
    if (secret) throw new Final(`${name} was typed at a question`)
    texts.set(name, said)
  }
  const flags: Record<string, readonly AskedText[]> = {}
  for (const [name, given] of texts) {
    if (!isPart(name, wish.parents !== undefined)) continue
    const flag = known.get(name) ?? plainFlag(name)
    flags[name] = await Promise.all(given.map((text) => textFor(text, flag, cwd)))
  }
  return flags
}

/** `ci` is another part wherever it is asked again. */
const shardText = (text: string): string => {
  const { part, of } = parseShard(text, process.env)
  return `${part}/${of}`
}

/** What was asked, and why it cannot be asked again where it cannot. */
export const askedOf = async (
  of: AskedOf,
): Promise<{ readonly asked?: LineAsked; readonly final?: string }> => {
  const { shard, undoRecord, wish } = of
  const { parents } = wish
  try {
    return {
      asked: {
        args: fixedArgs(of),
        flags: await flagsOf(of),
        ...(parents === undefined ? {} : { parents }),
        ...(shard === undefined ? {} : { shard: shardText(shard) }),
        ...(undoRecord ? { undo_record: true as const } : {}),
      },
    }
  } catch (error) {
    if (error instanceof Final) return { final: error.message }
    throw error
  }
}

const checkFile = async (label: string, text: string, sha256: string): Promise<void> => {
  const path = text.replace(/^@/, '')
  const now = await digestOf(path).catch((error: unknown) => {
    throw usage(`${label}: ${path} cannot be read any more: ${reasonOf(error)}`)
  })
  if (now !== sha256)
    throw usage(
      `${label}: ${path} was changed since the run began`,
      'Bring it back as it was, or begin a new run.',
    )
}

/**
 * The flags of a run as they were typed.
 * @throws Failure `usage` for a file that was changed since
 */
export const flagsAsked = async ({ flags }: LineAsked): Promise<Raw['flags']> => {
  const all = new Map<string, readonly string[]>()
  for (const [name, texts] of Object.entries(flags)) {
    for (const text of texts)
      if (typeof text !== 'string') await checkFile(`--${name}`, text.text, text.sha256)
    all.set(
      name,
      texts.map((text) => (typeof text === 'string' ? text : text.text)),
    )
  }
  return all
}

/** Global flags that the journal answers, too. */
const answeredByJournal = ['journal', 'shard', 'undo-record', 'all-projects', 'recursive']

/** @throws Failure `usage` for what the journal of the run that is gone on with says itself */
export const checkResuming = (command: Command, { flags }: Raw): void => {
  const stray = [...flags.keys()].find(
    (name) => !(name in declared) || answeredByJournal.includes(name),
  )
  if (stray !== undefined)
    throw usage(
      `--resume and --${stray} exclude each other: the journal says what is done`,
      `Leave it out; with other values it is a new run of svcctl ${named(command)}.`,
    )
}
