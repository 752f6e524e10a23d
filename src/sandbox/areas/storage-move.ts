/** Repository storage moves (API document 3): schedules them; `moves.ts` has them arrive. */
import type { storageMove } from '../../catalogue/areas/storage-move.js'
import type { InputOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { isMoving, settleMoves } from '../moves.js'
import { badRequest, invalid } from '../reply.js'
import type { StorageMoveRecord } from '../state/records.js'

type Input = InputOf<(typeof storageMove)['projects']>
type Kind = StorageMoveRecord['kind']

const checkStorages = (call: Call, input: Input): void => {
  for (const name of ['source_storage_name', 'destination_storage_name'] as const)
    if (!Object.hasOwn(call.state.config.storages, input[name]))
      throw invalid(`${name} does not have a valid value`)
  if (input.source_storage_name === input.destination_storage_name)
    throw badRequest({ destination_storage_name: ['must differ from the source storage'] })
}

/** What lies on a storage. */
const onStorage = (call: Call, kind: Kind, storage: string): readonly { readonly id: number }[] => {
  const { projects, snippets, groups } = call.state
  switch (kind) {
    case 'project':
      return projects.filter((p) => p.repository_storage === storage)
    case 'snippet':
      return snippets.filter((s) => s.storage === storage)
    case 'group':
      return groups.filter((g) => g.storage === storage)
  }
}

/** Schedules a move of everything on the source that is not moving already. */
const schedule = (kind: Kind) => (call: Call, input: Input) => {
  call.admin()
  checkStorages(call, input)
  settleMoves(call)
  const { source_storage_name, destination_storage_name } = input
  for (const { id } of onStorage(call, kind, source_storage_name)) {
    if (isMoving(call, kind, id)) continue
    const created_at = call.clock.iso()
    const route = { source_storage_name, destination_storage_name }
    call.state.storageMoves.add({ kind, object_id: id, ...route, created_at })
  }
  return { message: '202 Accepted' }
}

export const handlers: Handlers<typeof storageMove> = {
  projects: schedule('project'),
  snippets: schedule('snippet'),
  groups: schedule('group'),
}
