/** Creates commits without a working copy, moves branches, and applies the file actions of a request for a commit. */
import { isDots } from '../../base/base-url.js'
import { fileAction } from '../../catalogue/areas/commits.js'
import { checkItems, type ParamInput } from '../check.js'
import { badRequest, invalid, missing } from '../reply.js'
import type { Person } from './commits-and-refs.js'
import {
  addBlob,
  addTree,
  createContent,
  type Repository,
  type TreeFile,
  writeObjects,
} from './repositories.js'

/** Reads the files in the tree of a commit, by path. Without a commit, there are none. */
const readTreeFiles = async (
  repository: Repository,
  commit: string | undefined,
): Promise<Map<string, TreeFile>> => {
  const files = new Map<string, TreeFile>()
  if (commit === undefined) return files
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit]
  const output = await repository.must(args, { about: [commit] })
  for (const line of output.split('\0').filter((l) => l !== '')) {
    const tab = line.indexOf('\t')
    const [mode = '', , id = ''] = line.slice(0, tab).split(' ')
    files.set(line.slice(tab + 1), { mode, id })
  }
  return files
}

interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: Person
  readonly committer: Person
}

const formatDate = (date: string): string => `@${Math.floor(Date.parse(date) / 1000)} +0000`

/** True if git would use an empty name for a text, since it removes white space and some punctuation. */
export const isNameless = (name: string): boolean => /^[\0-\x20.,:;<>"\\']*$/.test(name)

const getGitName = (name: string, email: string): string => (isNameless(name) ? email : name)

export const writeCommit = (repository: Repository, commit: NewCommit): Promise<string> => {
  const { author, committer } = commit
  const env = {
    GIT_AUTHOR_NAME: getGitName(author.name, author.email),
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: formatDate(author.date),
    GIT_COMMITTER_NAME: getGitName(committer.name, committer.email),
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: formatDate(committer.date),
  }
  const parents = commit.parents.flatMap((parent) => ['-p', parent])
  // Without an option for the message, git reads it from standard input, and does not change it.
  return repository.must(['commit-tree', commit.tree, ...parents], { env, input: commit.message })
}

const nothing = '0'.repeat(40)

/** Moves a branch if its head is still `from`. `from` is undefined for a branch that does not exist yet. */
export const moveBranch = async (
  repository: Repository,
  branch: string,
  from: string | undefined,
  to: string,
): Promise<boolean> => {
  const args = ['update-ref', `refs/heads/${branch}`, to, from ?? nothing]
  return (await repository.run(args)).code === 0
}

/** Deletes a branch if its head is still `at`. */
export const deleteBranch = async (
  repository: Repository,
  branch: string,
  at: string,
): Promise<boolean> =>
  (await repository.run(['update-ref', '-d', `refs/heads/${branch}`, at])).code === 0

export const isBranchName = async (repository: Repository, name: string): Promise<boolean> =>
  !name.startsWith('-') && (await repository.run(['check-ref-format', '--branch', name])).code === 0

/** Copies a commit and all its ancestors from one repository to another. */
export const copyCommit = async (
  from: Repository,
  into: Repository,
  commit: string,
): Promise<void> => {
  if (from.path === into.path) return
  const pack = await from.read(['pack-objects', '--revs', '--stdout', '-q'], {
    input: `${commit}\n`,
  })
  await into.must(['unpack-objects', '-q'], { input: pack ?? Buffer.alloc(0) })
}

// The file actions of a new commit (`actions` in `catalogue/reference/commits.md`).

type SentAction = ParamInput<typeof fileAction>

export interface FileAction extends Omit<SentAction, 'content' | 'encoding'> {
  readonly content?: Buffer | undefined
}

/** The parameter that an action requires besides the path of the file. */
const requirements = {
  create: 'content',
  update: 'content',
  move: 'previous_path',
  chmod: 'execute_filemode',
  delete: 'file_path',
} as const

const normalizePath = (given: string | undefined): string | undefined => {
  const path = given?.replace(/^\/+/, '')
  const isBroken = path?.includes('\0') === true
  if (
    isBroken ||
    path?.split('/').some((part) => part === '' || isDots(part) || /^\.git$/i.test(part))
  )
    throw badRequest(`invalid path: '${path}'`)
  return path
}

const decodeContent = ({ content, encoding }: SentAction): Buffer | undefined => {
  if (content === undefined) return undefined
  if (encoding !== 'base64') return Buffer.from(content)
  const plain = content.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) throw badRequest('invalid base64')
  return Buffer.from(plain, 'base64')
}

/** Parses the `actions` of a request. @throws Refusal 400 if one is invalid */
export const parseActions = (sent: unknown): readonly FileAction[] => {
  const actions = checkItems('actions', fileAction, sent)
  if (actions.length === 0) throw invalid('actions is empty')
  return actions.map((given, index) => {
    const required = requirements[given.action]
    if (given[required] === undefined) throw missing(`actions[${index}][${required}]`)
    return {
      ...given,
      file_path: normalizePath(given.file_path) ?? '',
      previous_path: normalizePath(given.previous_path),
      content: decodeContent(given),
    }
  })
}

const toFileMode = (on: boolean | undefined): string => (on === true ? '100755' : '100644')

type Files = ReadonlyMap<string, TreeFile>

/** Returns the folders that contain a path, the outermost first. */
const getFolders = (path: string): string[] =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))

/** The files of a tree that actions change, and the objects to write for them. */
class Draft {
  readonly files: Map<string, TreeFile>
  readonly content = createContent()
  /** The number of files in each folder. */
  readonly #folders = new Map<string, number>()

  constructor(files: Files) {
    this.files = new Map(files)
    for (const path of files.keys()) this.#count(path, 1)
  }

  #count(path: string, by: 1 | -1): void {
    for (const folder of getFolders(path))
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

  /** Adds a file. Its path may not be that of a file or a folder, nor inside a file. @throws Refusal 400 */
  add(path: string, file: TreeFile): void {
    if (this.files.has(path)) throw badRequest('A file with this name already exists')
    if ((this.#folders.get(path) ?? 0) > 0)
      throw badRequest('A directory with this name already exists')
    if (getFolders(path).some((folder) => this.files.has(folder)))
      throw badRequest('A file with this name already exists')
    this.files.set(path, file)
    this.#count(path, 1)
  }
}

/** Applies an action to the files of a tree. */
const applyAction = (draft: Draft, todo: FileAction): void => {
  const { action, file_path, content, previous_path = file_path } = todo
  const { files } = draft
  const blob = content === undefined ? undefined : addBlob(draft.content, content)
  switch (action) {
    case 'create':
      draft.add(file_path, { mode: toFileMode(todo.execute_filemode), id: blob ?? '' })
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
      const mode = toFileMode(todo.execute_filemode)
      files.set(file_path, { ...draft.existing(file_path), mode })
      return
    }
    case 'delete':
      draft.remove(file_path)
  }
}

/** Checks that `last_commit_id` is the last commit that changed the file. @throws Refusal 400 */
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

/**
 * Writes the tree of a commit after all actions, in their order. Without a commit, it starts with an empty tree.
 * @returns the ID of the tree
 * @throws Refusal 400 if an action is impossible; no object is written then
 */
export const writeActions = async (
  repository: Repository,
  commit: string | undefined,
  actions: readonly FileAction[],
): Promise<string> => {
  const draft = new Draft(await readTreeFiles(repository, commit))
  for (const action of actions) {
    await checkFresh(repository, commit, action)
    applyAction(draft, action)
  }
  const tree = addTree(draft.content, draft.files)
  await writeObjects(repository.path, draft.content)
  return tree
}
