/** Serves the endpoints that read and create commits in the git repository of a project (`catalogue/reference/commits.md`). */
import { commits } from '../../catalogue/areas/commits.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { type ApplyResult, applyCommit, undo } from '../git/apply-commits.js'
import {
  countCommits,
  findBranchHead,
  type GitCommit,
  type LineCounts,
  type LogQuery,
  listCommits,
  listRefs,
  readCommit,
  readDiff,
  readStats,
  resolveCommit,
} from '../git/commits-and-refs.js'
import {
  copyCommit,
  type FileAction,
  isBranchName,
  isNameless,
  moveBranch,
  parseActions,
  writeActions,
  writeCommit,
} from '../git/create-commits.js'
import type { Repository } from '../git/repositories.js'
import { serve } from '../handlers.js'
import { showCommit, showPipelineBrief } from '../present/common.js'
import { badRequest, conflict, invalid, LazyList, notFound, Refusal, Reply } from '../reply.js'
import { checkCanPush, createSignature, recordPush } from '../rules/pushes.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

// The creation of a commit from a list of file actions (`POST /projects/:id/repository/commits`).

type Input = CheckedOf<typeof commits.create>

/** The parent of a new commit, and the current head of its branch. Either is undefined if it does not exist. */
interface Place {
  readonly parent: string | undefined
  readonly head: string | undefined
}

/** Returns the commit that `start_branch` or `start_sha` names. A commit of another project is copied to this repository. */
const resolveStart = async (
  call: Call,
  project: ProjectRecord,
  repository: Repository,
  input: Input,
): Promise<string | undefined> => {
  const { start_branch, start_sha, start_project } = input
  if (start_branch === undefined && start_sha === undefined) return undefined
  const other =
    start_project === undefined
      ? project
      : call.requireProject(start_project, { member: 'reporter' })
  const from = await call.git.open(other)
  const start =
    start_branch === undefined
      ? await resolveCommit(from, start_sha ?? '')
      : await findBranchHead(from, start_branch)
  if (start === undefined)
    throw badRequest(
      start_branch === undefined
        ? `Cannot find start_sha '${start_sha}'`
        : `Cannot find branch '${start_branch}'`,
    )
  await copyCommit(from, repository, start)
  return start
}

const resolvePlace = async (
  call: Call,
  project: ProjectRecord,
  repository: Repository,
  input: Input,
): Promise<Place> => {
  const head = await findBranchHead(repository, input.branch)
  const start = await resolveStart(call, project, repository, input)
  if (head === undefined) {
    const empty = (await repository.line(['for-each-ref', '--count=1'])) === ''
    if (start === undefined && !empty)
      throw badRequest('You can only create or edit files when you are on a branch')
    return { parent: start, head }
  }
  if (start === undefined || start === head) return { parent: head, head }
  if (input.force !== true)
    throw badRequest(
      `A branch called '${input.branch}' already exists. Switch to that branch in order to make changes`,
    )
  return { parent: start, head }
}

const parseAuthor = (call: Call, input: Input) => {
  const own = createSignature(call)
  const { author_name: name = own.name, author_email: email = own.email } = input
  if (isNameless(name) && isNameless(email)) throw invalid('author_name is invalid')
  return { name, email, date: own.date }
}

const writeNewCommit = async (
  call: Call,
  repository: Repository,
  input: Input,
  place: Place,
  actions: readonly FileAction[],
): Promise<string> => {
  const id = await writeCommit(repository, {
    tree: await writeActions(repository, place.parent, actions),
    parents: place.parent === undefined ? [] : [place.parent],
    message: input.commit_message,
    author: parseAuthor(call, input),
    committer: createSignature(call),
  })
  if (await moveBranch(repository, input.branch, place.head, id)) return id
  const stayed = (await findBranchHead(repository, input.branch)) === place.head
  throw stayed ? badRequest('Branch name is invalid') : conflict('The branch has moved meanwhile')
}

/** Creates the commit and moves the branch to it. If one action fails, nothing changes. */
const createCommit = async (call: Call, input: Input) => {
  const project = call.requireProject(input.id, { member: 'reporter' })
  checkCanPush(call, project, input.branch)
  if (input.start_branch !== undefined && input.start_sha !== undefined)
    throw invalid('start_branch, start_sha are mutually exclusive')
  const actions = parseActions(input.actions)
  const repository = await call.git.open(project)
  if (!(await isBranchName(repository, input.branch))) throw badRequest('Branch name is invalid')
  const id = await repository.exclusive(async () => {
    const place = await resolvePlace(call, project, repository, input)
    const made = await writeNewCommit(call, repository, input, place, actions)
    await recordPush(call, project, {
      branch: input.branch,
      from: place.head,
      to: made,
      commits: 1,
      title: input.commit_message.split('\n')[0] ?? '',
    })
    return made
  })
  return { project, repository, id }
}

type Commits = typeof commits

const getPipeline = (call: Call, project: ProjectRecord, id: string) => {
  const last = call.state.pipelines
    .filter((p) => p.project_id === project.id && p.sha === id && p.parent_id === null)
    .at(-1)
  return last === undefined ? null : showPipelineBrief(last)
}

const noStats: LineCounts = { additions: 0, deletions: 0, total: 0 }

const getStats = async (repository: Repository, id: string): Promise<LineCounts> =>
  (await readStats(repository, [id])).get(id) ?? noStats

/** Presents a commit with all its fields. Its statistics are omitted if the request excludes them. */
const showFullCommit = async (
  call: Call,
  project: ProjectRecord,
  repository: Repository,
  id: string,
  withStats: boolean,
) => {
  const last_pipeline = getPipeline(call, project, id)
  return {
    ...showCommit(call, project, await readCommit(repository, id)),
    ...(withStats ? { stats: await getStats(repository, id) } : {}),
    status: last_pipeline?.status ?? null,
    last_pipeline,
  }
}

/** Finds the project, its repository, and the commit that a hash, branch or tag names. */
const findCommit = async (call: Call, input: { id: string | number; sha: string }) => {
  const project = call.requireProject(input.id, { member: 'reporter' })
  const repository = await call.git.open(project)
  const id = await resolveCommit(repository, input.sha)
  if (id === undefined) throw notFound('Commit')
  return { project, repository, id }
}

const toSeconds = (moment: string | undefined): number | undefined =>
  moment === undefined ? undefined : Date.parse(moment) / 1000

const getQuery = (input: CheckedOf<Commits['list']>, revision: string): LogQuery => ({
  revision,
  all: input.all === true,
  firstParent: input.first_parent === true,
  topological: input.order === 'topo',
  ...(input.path === undefined || input.path === '' ? {} : { path: input.path }),
  since: toSeconds(input.since),
  until: toSeconds(input.until),
})

const list = async (call: Call, input: CheckedOf<Commits['list']>) => {
  const project = call.requireProject(input.id, { member: 'reporter' })
  const repository = await call.git.open(project)
  const given = input.ref_name === undefined || input.ref_name === '' ? undefined : input.ref_name
  const query = getQuery(input, given ?? project.default_branch)
  const total = await countCommits(repository, query)
  if (total === undefined) {
    if (given !== undefined) throw notFound('Reference')
    return []
  }
  return new LazyList(total, async (start, end) => {
    const page = await listCommits(repository, query, start, end - start)
    const ids = page.map(({ id }) => id)
    const numbers = input.with_stats === true ? await readStats(repository, ids) : undefined
    return page.map((found) => ({
      ...showCommit(call, project, found),
      ...(input.trailers === true ? { trailers: found.trailers } : {}),
      stats: numbers && (numbers.get(found.id) ?? noStats),
    }))
  })
}

const words = {
  'cherry-pick': 'This commit may already have been cherry-picked',
  revert: 'This commit may already have been reverted',
} as const

type Kind = keyof typeof words

const createApplyRefusal = (kind: Kind, error_code: string, dry: boolean): Refusal =>
  new Refusal(400, {
    message: `Sorry, we cannot ${kind} this commit automatically. ${words[kind]}, or a more recent commit may have updated some of its content.`,
    error_code,
    ...(dry ? { dry_run: 'error' } : {}),
  })

interface ApplyMethod {
  readonly kind: Kind
  readonly apply: (repository: Repository, change: GitCommit, head: string) => Promise<ApplyResult>
  readonly message: (change: GitCommit) => string
  /** True if the new commit keeps the author of the original one. Otherwise its author is the acting user. */
  readonly keepsAuthor: boolean
}

type ApplyInput = CheckedOf<Commits['revert']>

/** Applies a cherry-pick or revert to a branch. A dry run only checks whether that is possible. */
const applyToBranch = async (call: Call, input: ApplyInput, how: ApplyMethod) => {
  const { project, repository, id } = await findCommit(call, input)
  checkCanPush(call, project, input.branch)
  return repository.exclusive(async () => {
    const head = await findBranchHead(repository, input.branch)
    if (head === undefined) throw notFound('Branch')
    const change = await readCommit(repository, id)
    const result = await how.apply(repository, change, head)
    if ('failure' in result)
      throw createApplyRefusal(how.kind, result.failure, input.dry_run === true)
    if (input.dry_run === true) return new Reply(200, { dry_run: 'success' })
    const committer = createSignature(call)
    const message = how.message(change)
    const to = await writeCommit(repository, {
      tree: result.tree,
      parents: [head],
      message,
      author: how.keepsAuthor ? change.author : committer,
      committer,
    })
    if (!(await moveBranch(repository, input.branch, head, to)))
      throw conflict('The branch has moved meanwhile')
    await recordPush(call, project, {
      branch: input.branch,
      from: head,
      to,
      commits: 1,
      title: message.split('\n')[0] ?? '',
    })
    return showFullCommit(call, project, repository, to, true)
  })
}

const cherryPick = (call: Call, input: CheckedOf<Commits['cherryPick']>) =>
  applyToBranch(call, input, {
    kind: 'cherry-pick',
    apply: applyCommit,
    keepsAuthor: true,
    message: ({ message, id }) =>
      input.message ?? `${message.trimEnd()}\n\n(cherry picked from commit ${id})`,
  })

const revert = (call: Call, input: ApplyInput) =>
  applyToBranch(call, input, {
    kind: 'revert',
    apply: undo,
    keepsAuthor: false,
    message: ({ message, id }) =>
      `Revert "${message.split('\n')[0] ?? ''}"\n\nThis reverts commit ${id}`,
  })

export const served = serve(commits, {
  list,
  create: async (call, input) => {
    const { project, repository, id } = await createCommit(call, input)
    return showFullCommit(call, project, repository, id, input.stats)
  },
  get: async (call, input) => {
    const { project, repository, id } = await findCommit(call, input)
    return showFullCommit(call, project, repository, id, input.stats)
  },
  refs: async (call, input) => {
    const { repository, id } = await findCommit(call, input)
    return listRefs(repository, id, input.type)
  },
  cherryPick,
  revert,
  diff: async (call, input) => {
    const { repository, id } = await findCommit(call, input)
    const { parents } = await readCommit(repository, id)
    return readDiff(repository, parents[0], id)
  },
})
