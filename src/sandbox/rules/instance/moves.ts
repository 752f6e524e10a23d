/**
 * Repository storage moves (`sandbox/README.md`): a move takes a while,
 * during which the repository is read-only, and then it has arrived.
 */
import type { Call } from '../../call.js'
import { forbidden } from '../../reply.js'
import type { ProjectRecord, StorageMoveRecord } from '../../state/people-and-projects.js'

/** How long one move takes. */
const moveSeconds = 3

const arrive = (call: Call, { kind, object_id, destination_storage_name }: StorageMoveRecord) => {
  const { projects, snippets, groups } = call.state
  const project = kind === 'project' ? projects.get(object_id) : undefined
  if (project !== undefined) project.repository_storage = destination_storage_name
  const other =
    kind === 'snippet'
      ? snippets.get(object_id)
      : kind === 'group'
        ? groups.get(object_id)
        : undefined
  if (other !== undefined) other.storage = destination_storage_name
}

/** Writes down the moves that have arrived by now. */
export const settleMoves = (call: Call): void => {
  const { storageMoves } = call.state
  for (const move of storageMoves.filter((m) => call.clock.over(m.created_at, moveSeconds))) {
    arrive(call, move)
    storageMoves.remove(move.id)
    call.instance.touch()
  }
}

export const isMoving = (call: Call, kind: StorageMoveRecord['kind'], id: number): boolean =>
  call.state.storageMoves.some((m) => m.kind === kind && m.object_id === id)

/** Refuses to write to a repository that is on its way: 403. */
export const refuseWhileMoving = (call: Call, project: Pick<ProjectRecord, 'id'>): void => {
  settleMoves(call)
  if (isMoving(call, 'project', project.id))
    throw forbidden('The repository is temporarily read-only. Please try again later.')
}
