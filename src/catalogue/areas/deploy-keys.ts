/** Declares the endpoints of deploy keys: public SSH keys that may read or write a project. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, integer, project, string } from '../params.js'
import { Bool, Int, maybe, Obj, Str, Timestamp } from '../shapes/common.js'

const ofAny = {
  id: Int(),
  title: Str(),
  key: Str({ description: 'public key' }),
  created_at: Timestamp,
} as const
export const DeployKey = Obj({ ...ofAny, can_push: Bool() }, { title: 'Deploy key' })
/** The deploy key in the list for administrators, which is not about a single project. */
export const InstanceDeployKey = Obj(
  { ...ofAny, can_push: maybe(Bool({ description: 'present in project responses' })) },
  { title: 'Deploy key of the instance' },
)

const keyId = integer('deploy key ID', { name: 'key-id', completes: 'deploy-key' })
const ofProject = { id: project() } as const
const ofKey = { id: project(), key_id: keyId } as const
const title = { max: 255, filled: true } as const
const canPush = boolean('allow the key to push to the project')
const access = 'at least Maintainer of the project'

export const deployKeys = {
  listAll: endpoint('GET /deploy_keys', many(InstanceDeployKey), {
    summary: 'List the deploy keys of the instance',
    command: 'list',
    when: { flag: 'instance', help: 'list all deploy keys of the instance (administrators)' },
    path: {},
    params: {},
    columns: ['id', 'title', 'key', 'created_at'],
    lists: 'deploy-key',
    access: 'administrators; not available on the hosted service',
  }),
  list: endpoint('GET /projects/:id/deploy_keys', many(DeployKey), {
    summary: 'List the deploy keys of a project',
    command: 'list',
    path: ofProject,
    params: {},
    columns: ['id', 'title', 'can_push', 'key', 'created_at'],
    lists: 'deploy-key',
    access,
  }),
  get: endpoint('GET /projects/:id/deploy_keys/:key_id', one(DeployKey), {
    summary: 'Show a deploy key',
    command: 'get',
    args: ['key_id'],
    path: ofKey,
    params: {},
    access,
  }),
  add: endpoint('POST /projects/:id/deploy_keys', one(DeployKey), {
    summary: 'Add a deploy key to a project',
    command: 'add',
    inverse: 'delete',
    path: ofProject,
    params: {
      title: string('title', { required: true, ...title }),
      key: string('public key', { required: true, format: 'public-key' }),
      can_push: canPush,
    },
    access,
    notes: ['A key that another project already uses is shared only if you can see the original.'],
  }),
  update: endpoint('PUT /projects/:id/deploy_keys/:key_id', one(DeployKey), {
    summary: 'Change the title or push access of a deploy key',
    command: 'update',
    selects: { list: 'deploy-keys list' },
    changes: true,
    args: ['key_id'],
    path: ofKey,
    params: { title: string('title', title), can_push: canPush },
    access,
  }),
  delete: endpoint('DELETE /projects/:id/deploy_keys/:key_id', empty, {
    inverse: 'add',
    summary: 'Remove a deploy key from a project',
    command: 'delete',
    selects: { list: 'deploy-keys list' },
    args: ['key_id'],
    path: ofKey,
    params: {},
    access,
    done: 'removed',
    destructive:
      'The key loses access to the project. If no other project uses it, the instance deletes it.',
  }),
  enable: endpoint('POST /projects/:id/deploy_keys/:key_id/enable', one(DeployKey), {
    summary: 'Enable an existing deploy key for a project',
    command: 'enable',
    args: ['key_id'],
    inverse: 'delete',
    path: ofKey,
    params: {},
    brings: true,
    access,
  }),
} as const
