/** File actions of a new commit (`actions` in `catalogue/reference/commits.md`). */

import { type Fields, isObject } from '../../base/objects.js'
import { isDots } from '../../base/segments.js'
import { badRequest, invalid, missing } from '../reply.js'
import type { Repository } from './repositories.js'
import { blobId, type TreeFile, writeBlobs } from './write.js'

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

type Files = ReadonlyMap<string, TreeFile>

/** The folders that a path lies in, from the outermost. */
const foldersOf = (path: string): string[] =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))

/** The files of a tree while actions change them, and the contents that are to be written. */
class Draft {
  readonly files: Map<string, TreeFile>
  /** ID → content. */
  readonly blobs = new Map<string, Buffer>()
  /** Folder → how many files lie in it. */
  readonly #folders = new Map<string, number>()

  constructor(files: Files) {
    this.files = new Map(files)
    for (const path of files.keys()) this.#count(path, 1)
  }

  #count(path: string, by: 1 | -1): void {
    for (const folder of foldersOf(path))
      this.#folders.set(folder, (this.#folders.get(folder) ?? 0) + by)
  }

  existing(path: string): TreeFile {
    const file = this.files.get(path)
    if (file === undefined) throw badRequest("A file with this name doesn't exist")
    return file
  }

  remove(path: string): TreeFile {
    const file = this.existing(path)
    this.files.delete(path)
    this.#count(path, -1)
    return file
  }

  /** Adds a file under a new name, which may be neither a file, nor a folder, nor lie within a file. */
  add(path: string, file: TreeFile): void {
    if (this.files.has(path)) throw badRequest('A file with this name already exists')
    if ((this.#folders.get(path) ?? 0) > 0)
      throw badRequest('A directory with this name already exists')
    if (foldersOf(path).some((folder) => this.files.has(folder)))
      throw badRequest('A file with this name already exists')
    this.files.set(path, file)
    this.#count(path, 1)
  }

  /** The ID of a content, which is written with all others. */
  blob(content: Buffer): string {
    const id = blobId(content)
    this.blobs.set(id, content)
    return id
  }
}

/** Carries out one action on the files of a tree. */
const carryOut = (draft: Draft, todo: FileAction): void => {
  const { action, file_path, content, previous_path = file_path } = todo
  const { files } = draft
  const blob = content === undefined ? undefined : draft.blob(content)
  switch (action) {
    case 'create':
      draft.add(file_path, { mode: executable(todo.execute_filemode), id: blob ?? '' })
      return
    case 'update': {
      const { mode, id } = draft.existing(file_path)
      files.set(file_path, { mode, id: blob ?? id })
      return
    }
    case 'move': {
      const { mode, id } = draft.remove(previous_path)
      draft.add(file_path, { mode, id: blob ?? id })
      return
    }
    case 'chmod': {
      const mode = executable(todo.execute_filemode)
      files.set(file_path, { ...draft.existing(file_path), mode })
      return
    }
    case 'delete':
      draft.remove(file_path)
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
  const draft = new Draft(files)
  for (const action of actions) {
    await checkFresh(repository, head, action)
    carryOut(draft, action)
  }
  await writeBlobs(repository, draft.blobs.values())
  return draft.files
}
