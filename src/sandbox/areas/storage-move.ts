/**
 * Serves the endpoints that schedule moves of repositories (`catalogue/reference/storage-move.md`). `rules/pushes.ts` completes the moves.
 */
import { storageMove } from '../../catalogue/areas/storage-move.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { badRequest, invalid } from '../reply.js'
import { isMoving, storagePlaces } from '../rules/pushes.js'
import type { StorageMoveRecord } from '../state/people-and-projects.js'
import { getTable } from '../state/state.js'

type Input = CheckedOf<(typeof storageMove)['projects']>
type Kind = StorageMoveRecord['kind']
type Route = Pick<StorageMoveRecord, 'source_storage_name' | 'destination_storage_name'>

/** Returns the source and destination. If no destination is named, it is the storage with the greatest weight. */
const chooseRoute = (call: Call, input: Input): Route => {
  const { storages } = call.state.config.value
  const { source_storage_name: source, destination_storage_name: named } = input
  for (const [name, storage] of Object.entries({
    source_storage_name: source,
    destination_storage_name: named ?? source,
  }))
    if (!Object.hasOwn(storages, storage)) throw invalid(`${name} does not have a valid value`)
  const weights = call.state.settings.value.repository_storages_weighted as Record<string, number>
  const [chosen] = Object.keys(storages)
    .filter((storage) => storage !== source)
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0))
  const destination = named ?? chosen
  if (destination === undefined || destination === source)
    throw badRequest({ destination_storage_name: ['must differ from the source storage'] })
  return { source_storage_name: source, destination_storage_name: destination }
}

/** Schedules the moves of all records on the source, except those that are moving already. */
const schedule = (kind: Kind) => (call: Call, input: Input) => {
  call.requireAdmin()
  const route = chooseRoute(call, input)
  const [table, attribute] = storagePlaces[kind]
  for (const { id, [attribute]: storage } of getTable(call.state, table).all()) {
    if (storage !== route.source_storage_name || isMoving(call, kind, id)) continue
    const created_at = call.clock.iso()
    call.state.storageMoves.add({ kind, object_id: id, ...route, created_at })
  }
  return { message: '202 Accepted' }
}

export const served = serve(storageMove, {
  projects: schedule('project'),
  snippets: schedule('snippet'),
  groups: schedule('group'),
})
