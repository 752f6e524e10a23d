/** The defaults of parameters: copied by hand from the documents, applied by the instance, never sent. */
import { expect, it } from 'vitest'
import { type Endpoint, methodOf, pathOf } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Param } from '../../src/catalogue/params.js'
import { buildRequest } from '../../src/http/request/request.js'
import { exampleOf } from '../sandbox/addresses.js'
import { sandbox } from '../sandbox/instance.js'

type Defaults = Readonly<Record<string, string | number | boolean>>

const lists = { order_by: 'created_at', sort: 'desc', with_labels_details: false }
const issues = { ...lists, in: 'title,description', non_archived: true }
const mergeRequests = { ...lists, in: 'title,description', with_merge_status_recheck: false }
const integration = { branches_to_be_notified: 'default' }
/** A project's and a group's lists are of everybody's, which the documents imply. */
const documented: Readonly<Record<string, Defaults>> = {
  'GET /runners/:id/jobs': { sort: 'desc' },
  'GET /projects/:id/pipelines/:pipeline_id/jobs': { include_retried: false },
  'POST /projects/:id/ci/lint': { dry_run: false },
  'GET /projects/:id/ci/lint': { dry_run: false },
  'GET /projects/:id/repository/commits': { order: 'default' },
  'POST /projects/:id/repository/commits': { stats: true, 'actions.encoding': 'text' },
  'GET /projects/:id/repository/commits/:sha': { stats: true },
  'GET /projects/:id/repository/commits/:sha/refs': { type: 'all', page: 1, per_page: 20 },
  'POST /projects/:id/repository/commits/:sha/cherry_pick': { dry_run: false },
  'POST /projects/:id/repository/commits/:sha/revert': { dry_run: false },
  'GET /issues': { ...issues, scope: 'created_by_me' },
  'GET /groups/:id/issues': { ...issues, scope: 'all' },
  'GET /merge_requests': { ...mergeRequests, scope: 'created_by_me' },
  'GET /projects/:id/merge_requests': { ...mergeRequests, scope: 'all' },
  'POST /projects/:id/approval_rules': { rule_type: 'regular' },
  'GET /events': { sort: 'desc' },
  'GET /users/:id/events': { sort: 'desc', page: 1, per_page: 20 },
  'GET /projects/:project_id/events': { sort: 'desc' },
  'GET /projects': { order_by: 'created_at', sort: 'desc', search_namespaces: false },
  'GET /users/:user_id/projects': { order_by: 'created_at' },
  'PUT /projects/:id/integrations/:slug': integration,
  'PUT /projects/:id/services/:slug': integration,
  'POST <alert_endpoint_url>': { title: 'New: Alert', severity: 'critical' },
  'PUT /application/settings': {
    default_branch_protection: 2,
    default_group_visibility: 'private',
    default_project_visibility: 'private',
    default_projects_limit: 100_000,
    default_snippet_visibility: 'private',
    delayed_project_deletion: false,
    dsa_key_restriction: 0,
    ecdsa_key_restriction: 0,
    ed25519_key_restriction: 0,
  },
  'POST /geo_nodes': {
    primary: false,
    enabled: true,
    files_max_capacity: 10,
    repos_max_capacity: 25,
    verification_max_capacity: 100,
    container_repositories_max_capacity: 10,
    sync_object_storage: false,
  },
}

const innerOf = (param: Param): Readonly<Record<string, Param>> =>
  (param.type === 'json' ? param.items : param.type === 'hash' ? param.keys : undefined) ?? {}

const defaultsOf = (params: Readonly<Record<string, Param>>, prefix = ''): [string, unknown][] =>
  Object.entries(params).flatMap(([name, param]) => [
    ...(param.default === undefined ? [] : [[prefix + name, param.default] as [string, unknown]]),
    ...(name === 'not' ? [] : defaultsOf(innerOf(param), `${prefix}${name}.`)),
  ])

const endpoints: readonly Endpoint[] = (
  await Promise.all(areas.map(async ({ load }) => Object.values(await load())))
).flat()
const withDefaults = endpoints
  .map((endpoint) => [endpoint, Object.fromEntries(defaultsOf(endpoint.params))] as const)
  .filter(([, defaults]) => Object.keys(defaults).length > 0)

it('are those of the documents, all of them', () => {
  const found = Object.fromEntries(withDefaults.map(([e, defaults]) => [e.route, defaults]))
  expect(found).toEqual(documented)
})

it('are never sent where nobody gave them', () => {
  expect(withDefaults).toHaveLength(Object.keys(documented).length)
  for (const [endpoint, defaults] of withDefaults) {
    const path = Object.keys(endpoint.path).map((name) => [name, '1'])
    const address = { endpoint: 'https://alerts.example/1.json' }
    const values = {
      ...Object.fromEntries(path),
      ...(pathOf(endpoint).startsWith('/') ? {} : address),
    }
    const { path: asked, body } = buildRequest({ endpoint, values })
    expect([undefined, '{}'], endpoint.route).toContain(body)
    for (const name of Object.keys(defaults)) expect(asked).not.toContain(`${name}=`)
  }
})

const { send } = sandbox({ now: () => new Date('2026-11-02T10:00:00Z') })

it('are what the embedded instance goes by where nothing is given', async () => {
  const reads = withDefaults.filter(([endpoint]) => methodOf(endpoint) === 'GET')
  expect(reads.length).toBeGreaterThan(12)
  for (const [endpoint, defaults] of reads)
    for (const [name, value] of Object.entries(defaults)) {
      const path = exampleOf(pathOf(endpoint))
      const given = await send(`GET ${path}?${name}=${encodeURIComponent(String(value))}`)
      const plain = await send(`GET ${path}`)
      expect(plain.status, endpoint.route).toBe(200)
      expect([name, given.status, given.body], endpoint.route).toEqual([name, 200, plain.body])
    }
})
