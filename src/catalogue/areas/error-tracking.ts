/** Declares the endpoints for the error tracking of a project and the keys of its clients. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, integer, project } from '../params.js'
import { Bool, Int, nullable, Obj, Secret, Str } from '../shapes/common.js'

export const ErrorTrackingSettings = Obj(
  {
    active: Bool(),
    project_name: nullable(Str()),
    errsvc_external_url: nullable(Str()),
    api_url: nullable(Str()),
    integrated: Bool(),
  },
  { title: 'Error tracking settings' },
)
export const ClientKey = Obj(
  { id: Int(), active: Bool(), public_key: Secret, errsvc_dsn: Secret },
  { title: 'Client key' },
)

const ofProject = { id: project() } as const
const access = 'Maintainers of the project'

export const errorTracking = {
  get: endpoint('GET /projects/:id/error_tracking/settings', one(ErrorTrackingSettings), {
    summary: 'Show the error tracking settings of a project',
    command: 'get',
    path: ofProject,
    params: {},
    access,
  }),
  update: endpoint('PATCH /projects/:id/error_tracking/settings', one(ErrorTrackingSettings), {
    summary: 'Enable or disable error tracking',
    command: 'update',
    changes: true,
    path: ofProject,
    params: {
      active: boolean('enable or disable the configured settings', {
        required: true,
      }),
      integrated: boolean('use the integrated backend (service version 14.2 and later)'),
    },
    access,
  }),
  keysList: endpoint('GET /projects/:id/error_tracking/client_keys', many(ClientKey), {
    summary: 'List the client keys of a project',
    command: 'keys list',
    path: ofProject,
    params: {},
    columns: ['id', 'active', 'public_key', 'errsvc_dsn'],
    lists: 'client-key',
    access,
  }),
  keysCreate: endpoint('POST /projects/:id/error_tracking/client_keys', one(ClientKey), {
    summary: 'Create a client key and print its DSN',
    reveals:
      'The DSN contains the key. This command prints it in full; other commands mask it unless you pass --show-secrets.',
    command: 'keys create',
    inverse: 'keysDelete',
    path: ofProject,
    params: {},
    access,
  }),
  keysDelete: endpoint('DELETE /projects/:id/error_tracking/client_keys/:key_id', empty, {
    irreversible: 'a new key has a different value',
    summary: 'Delete a client key',
    command: 'keys delete',
    selects: { list: 'error-tracking keys list' },
    args: ['key_id'],
    path: {
      id: project(),
      key_id: integer('client key ID', { name: 'key-id', completes: 'client-key' }),
    },
    params: {},
    access,
    done: 'deleted',
    destructive: 'Applications that use this key can no longer report errors.',
  }),
} as const
