/** Declares the endpoints that move repositories to another storage. */
import { endpoint, one } from '../endpoint.js'
import { string } from '../params.js'
import { Unknown } from '../shapes/common.js'

/** The response to a move, which is not documented. */
const Receipt = Unknown({ title: 'Storage move receipt' })

/** Creates the options of the endpoint that moves the repositories of one kind of owners. */
const createMoveOptions = <const K extends string>(kind: K) =>
  ({
    summary: `Move all ${kind} from one storage to another`,
    command: 'schedule',
    when: { flag: kind, help: `move ${kind}` },
    path: {},
    params: {
      source_storage_name: string('source storage', { required: true, completes: 'storage' }),
      destination_storage_name: string('target storage [chosen by the instance]', {
        completes: 'storage',
      }),
    },
    access: 'administrators',
    status: 202,
    irreversible: 'schedule another move to go back',
    destructive:
      'Each repository is read-only during its move. If you move a project to the clustered storage ' +
      'that already holds it, the repository can be deleted permanently.',
    notes: [
      'Moving into a clustered storage in service versions 13.12 to 14.1 needs the feature flag ' +
        'gitaly_replicate_repository_direct_fetch.',
    ],
  }) as const

export const storageMove = {
  projects: endpoint(
    'POST /project_repository_storage_moves',
    one(Receipt),
    createMoveOptions('projects'),
  ),
  snippets: endpoint(
    'POST /snippet_repository_storage_moves',
    one(Receipt),
    createMoveOptions('snippets'),
  ),
  groups: endpoint('POST /group_repository_storage_moves', one(Receipt), {
    ...createMoveOptions('groups'),
    edition: 'PREMIUM',
  }),
} as const
