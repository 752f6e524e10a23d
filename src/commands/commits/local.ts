/** File actions from flags: `--create local=path`, `--move old=new`, `--chmod +x=path` … */

import { isAbsolute, resolve } from 'node:path'
import { readReadable } from '../../base/files/readable.js'
import { Failure, reasonOf, usage } from '../../errors.js'
import { type Action, repositoryPath } from './actions.js'

/** Text goes as it is; NUL bytes or invalid UTF-8 make a file binary, which goes as base64. */
export const contentOf = (bytes: Uint8Array): Pick<Action, 'content' | 'encoding'> => {
  const base64 = {
    content: Buffer.from(bytes).toString('base64'),
    encoding: 'base64',
  } as const
  if (bytes.includes(0)) return base64
  try {
    // A byte order mark belongs to the file.
    return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return base64
  }
}

/** Splits at the last `=`, so that a local name may hold one; a name alone stands for both. */
const sides = (text: string): readonly [left: string, right: string | undefined] => {
  const at = text.lastIndexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Where files are, and what ends the wait for a pipe among them. */
interface Reading {
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
}

const read = async (path: string, { cwd, signal }: Reading, label: string): Promise<Uint8Array> => {
  try {
    return await readReadable(resolve(cwd, path), signal)
  } catch (cause) {
    throw new Failure('usage', `${label}: cannot read ${path}: ${reasonOf(cause)}`, { cause })
  }
}

const written =
  (action: 'create' | 'update', reading: Reading) =>
  async (text: string): Promise<Action> => {
    const label = `--${action}`
    const [local, target] = sides(text)
    if (local === '') throw usage(`${label} takes local=path/in/repo, not "${text}"`)
    if (target === undefined && isAbsolute(local))
      throw usage(`${label}: say where ${local} goes: ${label} ${local}=path/in/repo`)
    const file_path = repositoryPath(target ?? local.replaceAll('\\', '/'), label)
    return { action, file_path, ...contentOf(await read(local, reading, label)) }
  }

const moved = (text: string): Action => {
  const [old, now] = sides(text)
  if (old === '' || now === undefined) throw usage(`--move takes old=new, not "${text}"`)
  return {
    action: 'move',
    previous_path: repositoryPath(old, '--move'),
    file_path: repositoryPath(now, '--move'),
  }
}

const chmod = (text: string): Action => {
  const match = /^([+-])x=(.+)$/s.exec(text)
  if (match?.[2] === undefined) throw usage(`--chmod takes +x=path or -x=path, not "${text}"`)
  return {
    action: 'chmod',
    file_path: repositoryPath(match[2], '--chmod'),
    execute_filemode: match[1] === '+',
  }
}

/** What each kind of action was given for, as texts. */
export type LocalActions = Readonly<
  Partial<Record<'create' | 'update' | 'delete' | 'move' | 'chmod', readonly string[]>>
>

/**
 * The actions that flags ask for, files read from the folder `cwd`.
 * @throws Failure `usage` naming the flag and what is wrong with its value
 */
export const actionsFromFlags = async (
  { move = [], delete: removed = [], create = [], update = [], chmod: modes = [] }: LocalActions,
  cwd: string,
  signal?: AbortSignal,
): Promise<Action[]> => [
  ...move.map(moved),
  ...removed.map(
    (text): Action => ({ action: 'delete', file_path: repositoryPath(text, '--delete') }),
  ),
  ...(await Promise.all(create.map(written('create', { cwd, signal })))),
  ...(await Promise.all(update.map(written('update', { cwd, signal })))),
  ...modes.map(chmod),
]
