/** Creates random writes to an instance by its own endpoints. Every state that the instance accepts is a possible one. */
import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'

export interface RandomWrite {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** Projects of the sample data: in a group, in a subgroup, and of a person. The others are left out. */
const projects = [1, 2, 4, 8]
const groups = [1, 2, 4]
const users = [2, 3, 4, 5, 6, 7, 8]

/** Names that a file could take for something else. */
const name = fc.oneof(
  fc.constantFrom('Security', 'a/b', '$exact', '$$x', '007', '@7', 'no', '**', 'x#y', 'ci', 'CI'),
  fc.constantFrom('8', '@x', '@ ', '$x', 'env:X', '__proto__', '<<', '~', 'team:x'),
  fc.constantFrom('null', '1e3', ' a', 'a: b', '# c', '- d', 'ü\u200d😀', "it's", '"q"', 'a\tb'),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const text = fc.oneof(name, fc.constantFrom('', 'a\nb\n', 'line\r\nline', ' \n', '15 days'))
const project = fc.constantFrom(...projects)
const group = fc.constantFrom(...groups)
const level = fc.constantFrom(10, 20, 30, 40, 50)
const pickSome = (ids: readonly number[]) =>
  fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 })
const flag = fc.boolean()

/** Public keys that are generated for this run. */
export const publicKeys = Array.from({ length: 6 }, () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const field = (data: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, data.length]), data])
  return `ssh-ed25519 ${Buffer.concat([field(Buffer.from('ssh-ed25519')), field(bytes)]).toString('base64')}`
})

const write = <T>(
  method: RandomWrite['method'],
  path: fc.Arbitrary<string>,
  body: { [K in keyof T]: fc.Arbitrary<T[K]> },
  requiredKeys: readonly (keyof T)[] = [],
): fc.Arbitrary<RandomWrite> =>
  fc
    .tuple(path, fc.record(body, { requiredKeys: [...requiredKeys] } as never))
    .map(([to, fields]) => ({ method, path: to, body: fields as object }))

const createPath = (rest: string) => project.map((id) => `/projects/${id}${rest}`)
const member = {
  user_id: fc.constantFrom(...users),
  access_level: level,
  expires_at: fc.constantFrom('2036-01-31', ''),
}
const rule = {
  name,
  approvals_required: fc.nat(5),
  user_ids: pickSome(users),
  group_ids: pickSome(groups),
  protected_branch_ids: pickSome([1, 2, 3]),
  rule_type: fc.constantFrom('regular', 'any_approver'),
}
const geo = {
  files_max_capacity: fc.nat(50),
  selective_sync_type: fc.constantFrom('namespaces', 'shards', ''),
  selective_sync_namespace_ids: pickSome(groups),
  selective_sync_shards: fc.uniqueArray(fc.constantFrom('default', 'second'), { maxLength: 2 }),
  internal_url: fc.constantFrom('https://in.example.test', 'https://in.example.test/'),
}
const slug = fc.constantFrom('chat', 'emails-on-push', 'custom-issue-tracker', 'ci-2', 'monitor')
const properties = {
  webhook: fc.constant('https://hooks.example.test/secret'),
  token: fc.constant('a-secret'),
  recipients: fc.constantFrom('a@x.test b@x.test', 'b@x.test,a@x.test'),
  new_issue_url: fc.constant('https://t.example.test/new'),
  issues_url: fc.constant('https://t.example.test/:id'),
  project_url: fc.constant('https://t.example.test/'),
  drone_url: fc.constant('https://ci.example.test'),
  push_events: flag,
  tag_push_events: flag,
  disable_diffs: flag,
  notify_only_broken_pipelines: flag,
  branches_to_be_notified: fc.constantFrom('all', 'protected'),
  title: text,
  room: text,
}

const kinds: readonly fc.Arbitrary<RandomWrite>[] = [
  write('POST', createPath('/approvals'), {
    reset_approvals_on_push: flag,
    merge_requests_author_approval: flag,
    require_password_to_approve: flag,
  }),
  write('POST', createPath('/approval_rules'), rule, ['name', 'approvals_required']),
  write('POST', createPath('/members'), member, ['user_id', 'access_level']),
  write(
    'POST',
    group.map((id) => `/groups/${id}/members`),
    member,
    ['user_id', 'access_level'],
  ),
  write(
    'POST',
    createPath('/deploy_keys'),
    { title: name, key: fc.constantFrom(...publicKeys), can_push: flag },
    ['title', 'key'],
  ),
  write(
    'PUT',
    fc.tuple(project, slug).map(([id, s]) => `/projects/${id}/integrations/${s}`),
    properties,
  ),
  write(
    'POST',
    createPath('/pages/domains'),
    { domain: fc.constantFrom('a.x.test', 'B.x.test', 'c.x.test'), auto_ssl_enabled: flag },
    ['domain'],
  ),
  write('PATCH', createPath('/error_tracking/settings'), { active: flag, integrated: flag }, [
    'active',
  ]),
  write('POST', createPath('/runners'), { runner_id: fc.integer({ min: 1, max: 12 }) }, [
    'runner_id',
  ]),
  write(
    'PUT',
    fc.integer({ min: 1, max: 12 }).map((id) => `/runners/${id}`),
    {
      description: name,
      active: flag,
      tag_list: fc.uniqueArray(fc.constantFrom('z', 'a', 'docker'), { maxLength: 3 }),
      run_untagged: flag,
      locked: flag,
      access_level: fc.constantFrom('not_protected', 'ref_protected'),
      maximum_timeout: fc.constantFrom(600, 3600, null),
    },
  ),
  write('PUT', fc.constant('/application/settings'), {
    default_branch_protection: fc.nat(2),
    after_sign_up_text: text,
    default_artifacts_expire_in: fc.constantFrom('15 days', '1 mo'),
    domain_denylist: fc.uniqueArray(fc.constantFrom('b.test', 'a.test', '*.c.test')),
    default_project_visibility: fc.constantFrom('private', 'public'),
    diff_max_files: fc.integer({ min: 1, max: 5000 }),
    spamsvc_api_key: fc.constant('a-secret-key'),
  }),
  write(
    'POST',
    fc.constant('/geo_nodes'),
    { name, url: fc.constantFrom('https://e.test', 'https://w.test/'), ...geo },
    ['name', 'url'],
  ),
  write(
    'PUT',
    fc
      .constantFrom('production', 'review%2Ffeature%2Flogin')
      .map((key) => `/projects/1/resource_groups/${key}`),
    {
      process_mode: fc.constantFrom('unordered', 'oldest_first', 'newest_first'),
    },
  ),
]

export const writes = fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 25 })
/** The places that are left out of a state, so that it has four projects. */
export const excludedPlaces = ['web/*', 'labs/*', 'chi/*', 'ben/*', 'platform/tools/*'].map(
  (path) => `projects/${path}`,
)

/** Sets the title of a key, which is the same wherever the key is used. */
const setTitle = ({ body = {}, ...write }: RandomWrite): RandomWrite => {
  const key = 'key' in body ? publicKeys.indexOf(String(body.key)) : -1
  return { ...write, body: key < 0 ? body : { ...body, title: `key ${key}` } }
}

/** Writes that can be restored: no secret, no new description of a runner, and no level below that of a group. */
export const restorableWrites = writes.map((list) =>
  list
    .filter(
      ({ path, body = {} }) =>
        !/integrations\/(?:chat|ci-2|monitor)$|^\/runners|^\/groups|\/domains$|^\/application/.test(
          path,
        ) && !('rule_type' in body && body.rule_type === 'any_approver'),
    )
    .map(setTitle),
)
