/** Rebases of merge requests (`sandbox/README.md`): one takes a while. */
import { getReason } from '../../../errors.js'
import { Call, type Due, type Instance } from '../../call.js'
import { rebaseBranch } from '../../git/apply.js'
import { branchHead, commit } from '../../git/read.js'
import { copyCommit, moveBranch } from '../../git/write.js'
import { conflict, forbidden } from '../../reply.js'
import type { ProjectRecord } from '../../state/people-and-projects.js'
import type { MergeRequestRecord } from '../../state/planning.js'
import { refuseWhileMoving } from '../repository/moves.js'
import { mayPush, pushed, signature } from '../repository/pushes.js'

/** How long a rebase takes. */
const rebaseSeconds = 2

const failure = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

export const rebasing = (request: MergeRequestRecord): boolean => request.rebase_started_at !== null

/** Members of the target who may merge push to a fork's branch where its author lets them. */
const collaborates = (call: Call, project: ProjectRecord, request: MergeRequestRecord): boolean =>
  request.allow_collaboration && call.projectLevel(project) >= 30 && !project.archived

/** Begins a rebase. 403 without the right to push, 409 unless the request is open and at rest. */
export const startRebase = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  skipCi: boolean,
): void => {
  const source = call.state.projects.get(request.source_project_id)
  if (source === undefined) throw forbidden('Source branch does not exist')
  if (!mayPush(call, source, request.source_branch) && !collaborates(call, project, request))
    throw forbidden('Cannot push to source branch')
  refuseWhileMoving(call, source)
  if (request.state !== 'opened') throw conflict('The merge request is not open')
  if (rebasing(request)) throw conflict('A rebase of the merge request is in progress already')
  call.state.mergeRequests.change(request.id, {
    rebase_started_at: call.clock.iso(),
    rebase_skip_ci: skipCi,
    rebase_user_id: call.signedIn().id,
    merge_error: null,
  })
}

/** Really rebases; the text of what went wrong, or null. */
const carryOut = async (
  call: Call,
  source: ProjectRecord,
  target: ProjectRecord,
  request: MergeRequestRecord,
): Promise<string | null> => {
  const [from, into] = [await call.git.open(source), await call.git.open(target)]
  const head = await branchHead(from, request.source_branch)
  const onto = await branchHead(into, request.target_branch)
  if (head === undefined || onto === undefined) return 'Rebase failed: a branch is missing.'
  await copyCommit(into, from, onto)
  const done = await rebaseBranch(from, head, onto, signature(call))
  if (done === undefined) return failure
  if (done.head === head) return null
  if (!(await moveBranch(from, request.source_branch, head, done.head))) return failure
  const { message } = await commit(from, done.head)
  await pushed(call, source, {
    branch: request.source_branch,
    from: head,
    to: done.head,
    commits: done.commits,
    title: message.split('\n')[0] ?? '',
    skipCi: request.rebase_skip_ci,
  })
  return null
}

/** Rebases, and writes down what came of it: whatever goes wrong ends it, too. */
const end = async (then: Instance, request: MergeRequestRecord): Promise<void> => {
  const source = then.state.projects.get(request.source_project_id)
  const target = then.state.projects.get(request.project_id)
  const user = then.state.users.get(request.rebase_user_id)
  const { mergeRequests } = then.state
  mergeRequests.change(request.id, { rebase_started_at: null, updated_at: then.clock.iso() })
  if (source === undefined || target === undefined || user === undefined) return
  const acting = new Call(then, { user }, { params: {}, headers: {} })
  const work = async () =>
    (await then.git.open(source)).exclusive(() => carryOut(acting, source, target, request))
  const merge_error = await work().catch((error) => `Rebase failed: ${getReason(error)}`)
  mergeRequests.change(request.id, { merge_error })
}

/** The rebases that go on. */
export const dueRebases = ({ state, clock }: Instance): Due[] =>
  state.mergeRequests.watched().flatMap((request) =>
    request.rebase_started_at === null
      ? []
      : {
          at: clock.due(request.rebase_started_at, rebaseSeconds),
          play: (then) => end(then, request),
        },
  )
