/**
 * Repository storage moves (`sandbox/README.md`): a move takes a while,
 * during which the repository is read-only, and then it has arrived.
 */
import type { Call, Due, Instance } from '../../call.js'
import { forbidden } from '../../reply.js'
import type { ProjectRecord, StorageMoveRecord } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'

/** How long one move takes. */
const moveSeconds = 3

const arrive = (
  { projects, snippets, groups, storageMoves }: State,
  { id, kind, object_id, destination_storage_name }: StorageMoveRecord,
): void => {
  storageMoves.remove(id)
  const storage = destination_storage_name
  if (kind === 'project') projects.change(object_id, { repository_storage: storage })
  else if (kind === 'snippet') snippets.change(object_id, { storage })
  else groups.change(object_id, { storage })
}

/** The moves that are under way. */
export const dueMoves = ({ state, clock }: Instance): Due[] =>
  state.storageMoves.all().map((move) => ({
    at: clock.due(move.created_at, moveSeconds),
    play: () => arrive(state, move),
  }))

export const isMoving = (call: Call, kind: StorageMoveRecord['kind'], id: number): boolean =>
  call.state.storageMoves.some((m) => m.kind === kind && m.object_id === id)

/** Refuses to write to a repository that is on its way: 403. */
export const refuseWhileMoving = (call: Call, project: Pick<ProjectRecord, 'id'>): void => {
  if (isMoving(call, 'project', project.id))
    throw forbidden('The repository is temporarily read-only. Please try again later.')
}
