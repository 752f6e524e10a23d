/** File actions of a new commit (`actions` in `catalogue/reference/commits.md`). */

import { type Fields, isObject } from '../../base/objects.js'
import { isDots } from '../../base/segments.js'
import { badRequest, invalid, missing } from '../reply.js'
import type { Repository } from './repositories.js'
import { type TreeFile, writeBlob } from './write.js'

const verbs = ['create', 'delete', 'move', 'update', 'chmod'] as const

export interface FileAction {
  readonly action: (typeof verbs)[number]
  readonly file_path: string
  readonly previous_path?: string
  readonly content?: Buffer
  readonly last_commit_id?: string
  readonly execute_filemode?: boolean
}

const textOf = (given: Fields, name: string, label: string): string | undefined => {
  const value = given[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(`${label}[${name}] is invalid`)
  return value
}

const pathOf = (given: Fields, name: string, label: string): string | undefined => {
  const path = textOf(given, name, label)?.replace(/^\/+/, '')
  if (path === undefined) return undefined
  const parts = path.split('/')
  const broken = path.includes('\0')
  if (broken || parts.some((part) => part === '' || isDots(part) || /^\.git$/i.test(part)))
    throw badRequest(`invalid path: '${path}'`)
  return path
}

const bytesOf = (given: Fields, label: string): Buffer | undefined => {
  const content = textOf(given, 'content', label)
  const encoding = textOf(given, 'encoding', label) ?? 'text'
  if (encoding !== 'text' && encoding !== 'base64')
    throw invalid(`${label}[encoding] does not have a valid value`)
  if (content === undefined || encoding === 'text')
    return content === undefined ? undefined : Buffer.from(content)
  const plain = content.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) throw badRequest('invalid base64')
  return Buffer.from(plain, 'base64')
}

const truths: readonly unknown[] = [true, 'true', '1', 1]
const lies: readonly unknown[] = [false, 'false', '0', 0]

const modeOf = (given: Fields, label: string): boolean | undefined => {
  const value = given.execute_filemode
  if (value === undefined || value === null) return undefined
  if (!truths.includes(value) && !lies.includes(value))
    throw invalid(`${label}[execute_filemode] is invalid`)
  return truths.includes(value)
}

const parseAction = (given: unknown, label: string): FileAction => {
  if (!isObject(given)) throw invalid('actions is invalid')
  const verb = textOf(given, 'action', label)
  if (verb === undefined) throw missing(`${label}[action]`)
  const action = verbs.find((known) => known === verb)
  if (action === undefined) throw invalid(`${label}[action] does not have a valid value`)
  const need = <T>(value: T | undefined, name: string): T => {
    if (value === undefined) throw missing(`${label}[${name}]`)
    return value
  }
  const file_path = need(pathOf(given, 'file_path', label), 'file_path')
  const content = bytesOf(given, label)
  const previous_path = pathOf(given, 'previous_path', label)
  const execute_filemode = modeOf(given, label)
  const last_commit_id = textOf(given, 'last_commit_id', label)
  if (action === 'create' || action === 'update') need(content, 'content')
  if (action === 'move') need(previous_path, 'previous_path')
  if (action === 'chmod') need(execute_filemode, 'execute_filemode')
  return {
    action,
    file_path,
    content,
    previous_path,
    execute_filemode,
    last_commit_id,
  }
}

/** Checks what was sent as `actions`. */
export const parseActions = (sent: unknown): FileAction[] => {
  if (!Array.isArray(sent)) throw invalid('actions is invalid')
  if (sent.length === 0) throw invalid('actions is empty')
  return sent.map((given, index) => parseAction(given, `actions[${index}]`))
}

const executable = (on: boolean | undefined): string => (on === true ? '100755' : '100644')

type Files = Map<string, TreeFile>

const existing = (files: Files, path: string): TreeFile => {
  const file = files.get(path)
  if (file === undefined) throw badRequest("A file with this name doesn't exist")
  return file
}

/** A new name may be neither a file, nor a folder, nor lie within a file. */
const vacant = (files: Files, path: string): void => {
  if (files.has(path)) throw badRequest('A file with this name already exists')
  for (const other of files.keys())
    if (other.startsWith(`${path}/`)) throw badRequest('A directory with this name already exists')
    else if (path.startsWith(`${other}/`)) throw badRequest('A file with this name already exists')
}

/** Carries out one action on the files of a tree. */
const carryOut = async (repository: Repository, files: Files, todo: FileAction): Promise<void> => {
  const { action, file_path, content, previous_path = file_path } = todo
  const blob = async () =>
    content === undefined ? undefined : await writeBlob(repository, content)
  switch (action) {
    case 'create': {
      vacant(files, file_path)
      const id = (await blob()) ?? ''
      files.set(file_path, { mode: executable(todo.execute_filemode), id })
      return
    }
    case 'update': {
      const { mode, id } = existing(files, file_path)
      files.set(file_path, { mode, id: (await blob()) ?? id })
      return
    }
    case 'move': {
      const { mode, id } = existing(files, previous_path)
      files.delete(previous_path)
      vacant(files, file_path)
      files.set(file_path, { mode, id: (await blob()) ?? id })
      return
    }
    case 'chmod':
      files.set(file_path, {
        ...existing(files, file_path),
        mode: executable(todo.execute_filemode),
      })
      return
    case 'delete':
      existing(files, file_path)
      files.delete(file_path)
  }
}

/** `last_commit_id` has to be the last commit that touched the file before this one. */
const checkFresh = async (
  repository: Repository,
  head: string | undefined,
  { action, file_path, previous_path, last_commit_id }: FileAction,
): Promise<void> => {
  if (last_commit_id === undefined || last_commit_id === '' || head === undefined) return
  if (action !== 'update' && action !== 'move' && action !== 'delete') return
  const path = previous_path ?? file_path
  const args = ['--literal-pathspecs', 'log', '-1', '--format=%H', head, '--', path]
  const last = await repository.line(args)
  if (last !== last_commit_id)
    throw badRequest(
      `You are attempting to ${action} a file that has changed since you started editing it: ${path}`,
    )
}

/** The files of a tree after all actions, in their order. Refuses the whole if one cannot be done. */
export const act = async (
  repository: Repository,
  files: Files,
  head: string | undefined,
  actions: readonly FileAction[],
): Promise<Files> => {
  for (const action of actions) {
    await checkFresh(repository, head, action)
    await carryOut(repository, files, action)
  }
  return files
}
