/** Applies commits to other branches for cherry-picks, reverts, merges and rebases, and finds conflicts. */
import { emptyTree, type GitCommit, type Person, readCommit } from './commits-and-refs.js'
import { writeCommit } from './create-commits.js'
import { addTreeCommit, createContent, type Repository, writeObjects } from './repositories.js'

/** The resulting tree, or the reason why there is none. */
export type ApplyResult = { readonly tree: string } | { readonly failure: 'conflict' | 'empty' }

/** The author and the message of commits that only a merge needs. */
const nobody = {
  author: { name: 'merge', email: 'merge@localhost' },
  date: '2000-01-01T00:00:00Z',
  message: 'merge',
}

export const getTree = (repository: Repository, revision: string): Promise<string> =>
  repository.must(['rev-parse', `${revision}^{tree}`], { about: [revision] })

const mergeArgs = ['merge-tree', '--write-tree']

/** @returns the outcome of git, with code 1 for a conflict */
const runMerge = async (repository: Repository, ours: string, theirs: string, about?: string[]) => {
  const outcome = await repository.run([...mergeArgs, ours, theirs], { about })
  if (outcome.code > 1)
    throw new Error(`git merge-tree (git 2.38 or later) failed: ${outcome.stderr.trim()}`)
  return outcome
}

/** Merges two commits with git 2.38 or later. @returns the tree; undefined if there is a conflict */
export const mergeCommits = async (
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<string | undefined> => {
  const { code, stdout } = await runMerge(repository, ours, theirs)
  return code === 1 ? undefined : (stdout.toString('utf8').split('\n')[0] ?? '')
}

/** Applies the difference between the trees `base` and `theirs` to the tree `ours`. */
const applyChange = async (
  repository: Repository,
  base: string,
  ours: string,
  theirs: string,
): Promise<ApplyResult> => {
  const content = createContent()
  const add = (tree: string, parents: readonly string[]): string =>
    addTreeCommit(content, tree, { ...nobody, parents })
  const root = add(base, [])
  const [left, right] = [add(ours, [root]), add(theirs, [root])]
  await writeObjects(repository.path, content)
  const tree = await mergeCommits(repository, left, right)
  if (tree === undefined) return { failure: 'conflict' }
  return tree === ours ? { failure: 'empty' } : { tree }
}

const getTrees = async (repository: Repository, { id, parents }: GitCommit, head: string) => ({
  before: parents[0] === undefined ? emptyTree : await getTree(repository, parents[0]),
  after: await getTree(repository, id),
  ours: await getTree(repository, head),
})

/** Returns the tree of `head` with the changes of `change` against its first parent. */
export const applyCommit = async (
  repository: Repository,
  change: GitCommit,
  head: string,
): Promise<ApplyResult> => {
  const { before, after, ours } = await getTrees(repository, change, head)
  return applyChange(repository, before, ours, after)
}

/** Returns the tree of `head` without the changes of `change` against its first parent. */
export const undo = async (
  repository: Repository,
  change: GitCommit,
  head: string,
): Promise<ApplyResult> => {
  const { before, after, ours } = await getTrees(repository, change, head)
  return applyChange(repository, after, ours, before)
}

/** True if a merge of one commit into the other has conflicts, which a person must resolve. */
export const hasConflicts = async (
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<boolean> => (await runMerge(repository, ours, theirs, [ours, theirs])).code === 1

export const mergeBase = (
  repository: Repository,
  a: string,
  b: string,
): Promise<string | undefined> => repository.line(['merge-base', a, b], { about: [a, b] })

interface RebaseResult {
  /** The ID of the new head. It is `onto` if no commit is left. */
  readonly head: string
  readonly commits: number
}

/**
 * Copies the commits that only `source` has on top of `onto`, with their authors. Commits that change nothing there are omitted. It moves
 * no branch.
 * @returns undefined if there is a conflict
 */
export const rebaseBranch = async (
  repository: Repository,
  source: string,
  onto: string,
  committer: Person,
): Promise<RebaseResult | undefined> => {
  const range = ['rev-list', '--reverse', '--topo-order', '--no-merges', source, `^${onto}`]
  const ids = (await repository.must(range, { about: [source, onto] }))
    .split('\n')
    .filter((id) => id !== '')
  let head = onto
  let commits = 0
  for (const id of ids) {
    const change = await readCommit(repository, id)
    const applied = await applyCommit(repository, change, head)
    if ('failure' in applied) {
      if (applied.failure === 'conflict') return undefined
      continue
    }
    const { author, message } = change
    head = await writeCommit(repository, {
      tree: applied.tree,
      parents: [head],
      message,
      author,
      committer,
    })
    commits += 1
  }
  return { head, commits }
}
