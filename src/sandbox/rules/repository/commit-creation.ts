/** A commit of several file actions (`POST /projects/:id/repository/commits`). */
import type { commits } from '../../../catalogue/areas/commits.js'
import type { CheckedOf } from '../../../catalogue/inferred.js'
import type { Call } from '../../call.js'
import { act, type FileAction, parseActions } from '../../git/actions.js'
import { branchHead, resolve } from '../../git/read.js'
import type { Repository } from '../../git/repositories.js'
import {
  copyCommit,
  filesOf,
  isBranchName,
  isNameless,
  moveBranch,
  writeCommit,
  writeTree,
} from '../../git/write.js'
import { badRequest, conflict, invalid } from '../../reply.js'
import type { ProjectRecord } from '../../state/people-and-projects.js'
import { pushed, refuseUnlessPusher, signature } from './pushes.js'

type Input = CheckedOf<typeof commits.create>

/** Where the new commit goes: what it stands on, and where its branch is now. */
interface Place {
  readonly parent: string | undefined
  readonly head: string | undefined
}

/** The commit that `start_branch` or `start_sha` names, brought here if it is another project's. */
const startOf = async (
  call: Call,
  project: ProjectRecord,
  repository: Repository,
  input: Input,
): Promise<string | undefined> => {
  const { start_branch, start_sha, start_project } = input
  if (start_branch === undefined && start_sha === undefined) return undefined
  const other =
    start_project === undefined ? project : call.project(start_project, { member: 'reporter' })
  const from = await call.git.open(other)
  const start =
    start_branch === undefined
      ? await resolve(from, start_sha ?? '')
      : await branchHead(from, start_branch)
  if (start === undefined)
    throw badRequest(
      start_branch === undefined
        ? `Cannot find start_sha '${start_sha}'`
        : `Cannot find branch '${start_branch}'`,
    )
  await copyCommit(from, repository, start)
  return start
}

const placeOf = async (
  call: Call,
  project: ProjectRecord,
  repository: Repository,
  input: Input,
): Promise<Place> => {
  const head = await branchHead(repository, input.branch)
  const start = await startOf(call, project, repository, input)
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

const authorOf = (call: Call, input: Input) => {
  const own = signature(call)
  const { author_name: name = own.name, author_email: email = own.email } = input
  if (isNameless(name) && isNameless(email)) throw invalid('author_name is invalid')
  return { name, email, date: own.date }
}

const write = async (
  call: Call,
  repository: Repository,
  input: Input,
  place: Place,
  actions: readonly FileAction[],
): Promise<string> => {
  const before = await filesOf(repository, place.parent)
  const files = await act(repository, before, place.parent, actions)
  const id = await writeCommit(repository, {
    tree: await writeTree(repository, files),
    parents: place.parent === undefined ? [] : [place.parent],
    message: input.commit_message,
    author: authorOf(call, input),
    committer: signature(call),
  })
  if (await moveBranch(repository, input.branch, place.head, id)) return id
  const stayed = (await branchHead(repository, input.branch)) === place.head
  throw stayed ? badRequest('Branch name is invalid') : conflict('The branch has moved meanwhile')
}

/** Makes the commit and moves the branch; nothing happens when one action cannot be done. */
export const createCommit = async (call: Call, input: Input) => {
  const project = call.project(input.id, { member: 'reporter' })
  refuseUnlessPusher(call, project, input.branch)
  if (input.start_branch !== undefined && input.start_sha !== undefined)
    throw invalid('start_branch, start_sha are mutually exclusive')
  const actions = parseActions(input.actions)
  const repository = await call.git.open(project)
  if (!(await isBranchName(repository, input.branch))) throw badRequest('Branch name is invalid')
  const id = await repository.exclusive(async () => {
    const place = await placeOf(call, project, repository, input)
    const made = await write(call, repository, input, place, actions)
    await pushed(call, project, {
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
