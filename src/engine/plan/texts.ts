/** Texts of the command line that stand for others: `@file`, `env:NAME`, standard input. */

import { addToGroup } from '../../base/group-by.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/held.js'
import { Failure, getReason, usage } from '../../errors.js'
import type { Flag, ObjectStream } from '../command/types.js'
import type { Raw } from './line.js'
import { spelled } from './spellings.js'
import { keyValue, type TakeNote } from './values.js'

export interface Sources {
  readonly env: NodeJS.ProcessEnv
  /** Reads standard input to its end. */
  readonly stdin: () => Promise<string>
  readonly note: TakeNote
  readonly warn: TakeNote
  /** The objects as they come, which are not read here. */
  readonly coming?: ObjectStream
  /** The project of numbers that are piped, where no flag says it; '' for each of several. */
  readonly project?: string
  /** Ends the wait for a pipe. */
  readonly signal?: AbortSignal
  /** Is told what was read of a file. */
  readonly read?: (path: string, bytes: Uint8Array) => void | Promise<void>
}

/** The largest file that a flag may name, in bytes: what is sent of it is in memory several times. */
const maxFile = 100_000_000

/** A file's text, which may be a secret, or a usage error that names it. */
export const readText = async (
  path: string,
  label: string,
  { read, signal }: Pick<Sources, 'read' | 'signal'>,
): Promise<HeldText> => {
  try {
    const { readReadable } = await import('../../base/files/readable.js')
    const bytes = await readReadable(path, signal, maxFile)
    await read?.(path, bytes)
    return holdText(bytes.toString())
  } catch (cause) {
    throw new Failure('usage', `${label}: cannot read ${path}: ${getReason(cause)}`, { cause })
  }
}

/** The text of a file as a value: without the line break at its end. */
const valueIn = async (path: string, label: string, sources: Sources): Promise<string> =>
  openHeld(await readText(path, label, sources)).trimEnd()

/** `env:NAME` and `@file` stand for what they name; a literal secret gets a warning. */
export const secretText = async (text: string, flag: Flag, sources: Sources): Promise<string> => {
  if (text.startsWith('env:')) {
    const value = sources.env[text.slice(4)]
    if (value === undefined || value === '')
      throw usage(`${spelled(flag)}: the variable ${text.slice(4)} is not set`)
    return value
  }
  if (text.startsWith('@')) return valueIn(text.slice(1), spelled(flag), sources)
  if (flag.param.secret === true && text !== '')
    sources.warn(
      `other users of this machine can see ${spelled(flag)} while the command runs: use env:NAME or @file`,
    )
  return text
}

/** The file that `--param name=@file` names, behind the `name=@` in front of it; `-` is standard input. */
export const paramFile = (
  text: string,
): { readonly mark: string; readonly path: string } | undefined => {
  const [mark = ''] = /^[^=]+=@(?!@)/.exec(text) ?? []
  return mark === '' ? undefined : { mark, path: text.slice(mark.length) }
}

/** The value of one `--param`: of a file (`@file`), of standard input (`@-`), or as it stands, `@@x` for `@x`. */
const paramValue = async (
  text: string,
  key: string,
  value: string,
  sources: Sources,
): Promise<string> => {
  const file = paramFile(text)
  if (file === undefined) return value.replace(/^@@/, '@')
  if (file.path === '-') return (await sources.stdin()).trimEnd()
  if (file.path !== '') return valueIn(file.path, `--param ${key}`, sources)
  throw usage(
    `--param ${key}=@ does not name a file`,
    `To send the text "@", use --param ${key}=@@.`,
  )
}

/** `--param` values as they were given; typed later, by where they travel. */
export const paramValues = async (
  texts: readonly string[],
  sources: Sources,
): Promise<Record<string, string | readonly string[]>> => {
  const extra = new Map<string, string[]>()
  for (const text of texts) {
    const [key, value] = keyValue(text, '--param')
    addToGroup(extra, key, await paramValue(text, key, value, sources))
  }
  const entries = [...extra].map(([key, values]) => {
    const [only = '', ...more] = values
    return [key, more.length === 0 ? only : values] as const
  })
  return Object.fromEntries(entries)
}

/** What of a line reads standard input besides the parents of `-P -`. */
const readersOf = ({ args, flags }: Raw): readonly string[] => [
  ...(args.includes('-') ? ['IDs from -'] : []),
  ...(flags.get('input')?.at(-1) === '-' ? ['--input -'] : []),
  ...(flags.get('param') ?? []).flatMap((text) => {
    const { mark, path } = paramFile(text) ?? {}
    return path === '-' ? [`--param ${mark}-`] : []
  }),
]

/** @throws Failure `usage` where two things of a line read standard input, which holds one */
export const checkOneReader = (raw: Raw, parents?: string): void => {
  const [first, second] = [...(parents === undefined ? [] : [parents]), ...readersOf(raw)]
  if (second === undefined) return
  throw usage(`${first} and ${second} cannot both read standard input`)
}
