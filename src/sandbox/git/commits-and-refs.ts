/** Reads the commits of a repository, their diffs and statistics, and its branches and tags. */
import { sumNumbers } from '../../base/collections.js'
import type { Repository } from './repositories.js'

// The diff between two trees, in the form that the API has for it.

interface FileDiff {
  old_path: string
  new_path: string
  a_mode: string
  b_mode: string
  new_file: boolean
  renamed_file: boolean
  deleted_file: boolean
  diff: string
}

/** Parses a raw diff: `:100644 100644 <id> <id> M\0path\0`. A renamed file has both paths. */
const parseRawDiff = (output: string): Omit<FileDiff, 'diff'>[] => {
  const parts = output.split('\0').values()
  const readPath = (): string => parts.next().value ?? ''
  const files: Omit<FileDiff, 'diff'>[] = []
  for (const head of parts) {
    if (!head.startsWith(':')) continue
    const [a_mode = '', b_mode = '', , , status = ''] = head.slice(1).split(' ')
    const renamed = status.startsWith('R')
    const old_path = readPath()
    const new_path = renamed ? readPath() : old_path
    files.push({
      old_path,
      new_path,
      a_mode,
      b_mode,
      new_file: status === 'A',
      renamed_file: renamed,
      deleted_file: status === 'D',
    })
  }
  return files
}

/** Splits a patch into the hunks of each file, without the lines that name the file. */
const parsePatch = (output: string): string[] =>
  output
    .split(/^diff --git /m)
    .slice(1)
    .map((block) => {
      const hunk = /^(@@ |Binary files )/m.exec(block)
      return hunk === null ? '' : block.slice(hunk.index)
    })

/**
 * Reads the diff of a commit against its first parent. The first commit is compared with the empty tree. The patch has the files in the
 * order of the raw output.
 */
export const readDiff = async (
  repository: Repository,
  parent: string | undefined,
  id: string,
): Promise<FileDiff[]> => {
  const trees = [parent ?? emptyTree, id]
  const base = ['diff-tree', '-r', '-M']
  const about = parent === undefined ? [id] : [parent, id]
  const raw = await repository.must([...base, '-z', '--raw', '--no-abbrev', ...trees], { about })
  const patch = await repository.read([...base, '-p', ...trees], { about })
  const hunks = parsePatch((patch ?? Buffer.alloc(0)).toString('utf8'))
  return parseRawDiff(raw).map((file, index) => ({ ...file, diff: hunks[index] ?? '' }))
}

/** A commit as git stores it. */
export interface GitCommit {
  readonly id: string
  readonly parents: readonly string[]
  readonly author: Person
  readonly committer: Person
  readonly trailers: Readonly<Record<string, string>>
  readonly message: string
}

/** The author or committer of a commit. */
export interface Person {
  readonly name: string
  readonly email: string
  /** The time of the commit as an ISO 8601 string. */
  readonly date: string
}

/** The numbers of lines that a commit adds and deletes. */
export interface LineCounts {
  readonly additions: number
  readonly deletions: number
  readonly total: number
}

/** A query that selects commits. */
export interface LogQuery {
  /** A branch, tag, commit or range. It is undefined if `all` is set. */
  readonly revision?: string
  readonly all?: boolean
  readonly path?: string
  /** Limits of the time in seconds since the epoch, both inclusive. */
  readonly since?: number
  readonly until?: number
  readonly firstParent?: boolean
  readonly topological?: boolean
}

/** The ID of the empty tree, which git accepts even if the repository does not contain that object. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const fields = [
  '%H',
  '%P',
  '%an',
  '%ae',
  '%at',
  '%cn',
  '%ce',
  '%ct',
  '%(trailers:only,unfold,separator=%x01,key_value_separator=%x02)',
  '%B',
]
const format = `--format=tformat:${fields.join('%x00')}`

const toIsoTime = (seconds: string): string => new Date(Number(seconds) * 1000).toISOString()

const parseTrailers = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split('\u0001').flatMap((line) => {
      const [key, value] = line.split('\u0002')
      return key === undefined || key === '' || value === undefined ? [] : [[key, value]]
    }),
  )

const parseCommit = (parts: readonly string[]): GitCommit => {
  const [id = '', parents = '', an = '', ae = '', at = '', cn = '', ce = '', ct = ''] = parts
  const [trailers = '', message = ''] = parts.slice(8)
  return {
    id,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: { name: an, email: ae, date: toIsoTime(at) },
    committer: { name: cn, email: ce, date: toIsoTime(ct) },
    trailers: parseTrailers(trailers),
    message,
  }
}

const parseCommits = (output: Buffer): GitCommit[] => {
  const parts = output.toString('utf8').split('\0')
  const commits: GitCommit[] = []
  for (let at = 0; at + fields.length <= parts.length; at += fields.length)
    commits.push(parseCommit(parts.slice(at, at + fields.length)))
  return commits
}

/** Returns the full ID of the commit that a hash, branch or tag names; undefined if there is none. */
export const resolveCommit = async (
  repository: Repository,
  revision: string,
): Promise<string | undefined> => {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const id = await repository.line(args, { about: [revision] })
  return id === '' ? undefined : id
}

/** Returns the ID of the newest commit of a branch; undefined if there is no such branch. */
export const findBranchHead = async (
  repository: Repository,
  branch: string,
): Promise<string | undefined> =>
  (await repository.readBranch(branch)) ?? (await resolveCommit(repository, `refs/heads/${branch}`))

/** Returns the commits that a query names, if it depends on nothing else. */
const getOnlyCommits = ({ all, revision }: LogQuery): readonly string[] | undefined =>
  all === true ? undefined : revision?.split('..')

const buildSelection = (query: LogQuery): string[] => [
  ...(query.topological === true ? ['--topo-order'] : []),
  ...(query.firstParent === true ? ['--first-parent'] : []),
  ...(query.since === undefined ? [] : [`--max-age=${Math.ceil(query.since)}`]),
  ...(query.until === undefined ? [] : [`--min-age=${Math.floor(query.until)}`]),
  ...(query.all === true ? ['--all'] : []),
  '--end-of-options',
  ...(query.revision === undefined || query.all === true ? [] : [query.revision]),
  '--',
  ...(query.path === undefined ? [] : [query.path]),
]

/** Counts the commits of a query; undefined if its revision does not exist. */
export const countCommits = async (
  repository: Repository,
  query: LogQuery,
): Promise<number | undefined> => {
  const args = ['--literal-pathspecs', 'rev-list', '--count', ...buildSelection(query)]
  const line = await repository.line(args, { about: getOnlyCommits(query) })
  return line === undefined ? undefined : Number(line)
}

/** Reads at most `limit` commits of a query after the first `skip` ones, newest first. */
export const listCommits = async (
  repository: Repository,
  query: LogQuery,
  skip: number,
  limit: number,
): Promise<GitCommit[]> => {
  const page = ['-z', format, `--skip=${skip}`, `--max-count=${limit}`]
  const args = ['--literal-pathspecs', 'log', ...page, ...buildSelection(query)]
  const output = await repository.read(args, { about: getOnlyCommits(query) })
  return parseCommits(output ?? Buffer.alloc(0))
}

/** Reads several commits by their full IDs. */
export const readCommits = async (
  repository: Repository,
  ids: readonly string[],
): Promise<Map<string, GitCommit>> => {
  if (ids.length === 0) return new Map()
  const args = ['log', '--no-walk=unsorted', '-z', format, ...ids]
  const output = await repository.read(args, { about: ids })
  return new Map(parseCommits(output ?? Buffer.alloc(0)).map((found) => [found.id, found]))
}

/** Reads a commit by its full ID. */
export const readCommit = async (repository: Repository, id: string): Promise<GitCommit> => {
  const [commit] = await listCommits(repository, { revision: id }, 0, 1)
  if (commit === undefined) throw new Error(`commit ${id} is gone`)
  return commit
}

const parseCount = (text = ''): number => Number(text === '-' ? 0 : text)

/** Parses the output of `--numstat`: the lines that are added to each file and deleted from it. */
const parseNumstat = (output: string): readonly LineCounts[] =>
  output
    .split('\n')
    .filter((line) => line.includes('\t'))
    .map((line) => {
      const [additions = 0, deletions = 0] = line.split('\t', 2).map(parseCount)
      return { additions, deletions, total: additions + deletions }
    })

/** Counts the added and deleted lines of each commit against its first parent. */
export const readStats = async (
  repository: Repository,
  ids: readonly string[],
): Promise<Map<string, LineCounts>> => {
  const stats = new Map<string, LineCounts>()
  if (ids.length === 0) return stats
  const args = ['log', '--no-walk=unsorted', '--first-parent', '-m', '--numstat', '--format=%x01%H']
  const output = await repository.must([...args, ...ids], { about: ids })
  for (const block of output.split('\u0001').slice(1)) {
    const files = parseNumstat(block)
    const count = (name: keyof LineCounts): number => sumNumbers(files.map((file) => file[name]))
    const [id = ''] = block.split('\n', 1)
    stats.set(id, {
      additions: count('additions'),
      deletions: count('deletions'),
      total: count('total'),
    })
  }
  return stats
}

/** Counts the changed lines of each file that differs between two commits; undefined if one of the commits does not exist. */
export const countChangedLines = async (
  repository: Repository,
  from: string,
  to: string,
): Promise<number[] | undefined> => {
  const args = ['diff', '--numstat', '-M', '--end-of-options', from, to]
  const output = await repository.read(args, { about: [from, to] })
  return output && parseNumstat(output.toString('utf8')).map(({ total }) => total)
}

interface Ref {
  readonly type: 'branch' | 'tag'
  readonly name: string
}

const refPrefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const

/** Lists the branches and tags that contain a commit, branches first. */
export const listRefs = async (
  repository: Repository,
  id: string,
  type: Ref['type'] | 'all',
): Promise<Ref[]> => {
  const types = type === 'all' ? (['branch', 'tag'] as const) : [type]
  const refs: Ref[] = []
  for (const type of types) {
    const args = ['for-each-ref', '--contains', id, '--format=%(refname)', refPrefixes[type]]
    const names = (await repository.must(args)).split('\n').filter((name) => name !== '')
    refs.push(...names.map((name) => ({ type, name: name.slice(refPrefixes[type].length) })))
  }
  return refs
}

export interface GitBranch {
  readonly name: string
  /** The ID of the branch's newest commit. */
  readonly id: string
}

const listBranches = async (
  repository: Repository,
  args: readonly string[],
): Promise<GitBranch[]> => {
  const format = '--format=%(refname)%00%(objectname)'
  const output = await repository.must(['for-each-ref', ...args, format, refPrefixes.branch])
  return output.split('\n').flatMap((line) => {
    const [ref = '', id] = line.split('\0')
    return id === undefined ? [] : [{ name: ref.slice(refPrefixes.branch.length), id }]
  })
}

/** Lists all branches, sorted by name. */
export const listAllBranches = (repository: Repository): Promise<GitBranch[]> =>
  listBranches(repository, [])

/** Lists the names of the branches that are merged into a commit. */
export const listMergedBranches = async (
  repository: Repository,
  commit: string,
): Promise<string[]> =>
  (await listBranches(repository, ['--merged', commit])).map(({ name }) => name)
