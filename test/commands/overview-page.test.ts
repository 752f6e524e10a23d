/** Tests the page of `overview` as people see it, narrow and wide, for an invented instance. */
import { expect, it } from 'vitest'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { readOverview, renderOverview, toRecord } from '../../src/commands/overview.js'
import { parts } from '../../src/commands/overview-parts.js'
import type { AnswerService, Context } from '../../src/engine/command/context.js'
import { Failure } from '../../src/errors.js'
import { createStyle } from '../../src/terminal/style.js'

const now = new Date('2026-11-22T12:00:00Z')
const addDays = (days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString()
const createDomain = (name: string, days: number, more: object = {}) => ({
  domain: name,
  certificate: { expired: days < 0, expiration: addDays(days) },
  ...more,
})
const createJob = (id: number, hours: number, more: object = {}) => ({
  id,
  name: `job-${id}`,
  created_at: addDays(-hours / 24),
  ...more,
})

type Lists = Readonly<Record<string, unknown>>
const usual: Lists = {
  'GET /runners/all': [
    { id: 1, runner_type: 'instance_type', status: 'online', active: true },
    { id: 2, runner_type: 'instance_type', status: 'offline', active: true },
    { id: 3, runner_type: 'group_type', status: 'online', active: false },
  ],
  'GET /projects': ['b', 'a', 'c', 'd', 'e', 'f'].map((name, i) => ({
    id: i + 1,
    path_with_namespace: `group/${name}`,
    repository_storage: i < 3 ? 'default' : 'spare',
  })),
  'GET /pages/domains': [
    createDomain('later.example', 90),
    createDomain('soon.example', 6, { auto_ssl_enabled: true }),
    createDomain('over.example', -3),
    createDomain('month.example', 20),
    createDomain('far.example', 200),
    createDomain('farther.example', 300),
    { domain: 'bare.example' },
  ],
  'GET /geo_nodes': [
    { id: 1, name: 'south', enabled: true, primary: false },
    { id: 2, name: 'north', enabled: true, primary: true },
  ],
  'GET /geo_nodes/status': [
    { geo_node_id: 1, healthy: false, health: 'no answer', db_replication_lag_seconds: 90 },
    { geo_node_id: 2, healthy: true },
  ],
}
const waiting: Lists = {
  1: [createJob(11, 1), createJob(12, 30, { tag_list: ['gpu'] })],
  2: [createJob(21, 2), createJob(22, 3)],
  3: [createJob(31, 2), createJob(32, 2), createJob(33, 2)],
  4: [createJob(41, 1)],
  5: [createJob(51, 1)],
}

/** Creates the context of an instance with these lists, and of a profile whose token is renewed automatically. */
const createContext = (lists: Lists, jobs: Lists): Context => {
  const credential = {
    kind: 'oauth',
    source: 'keyring',
    value: 'x',
    renews: true,
    expiresAt: addDays(1),
  }
  const session = { baseUrl: 'https://ci.example', getCredential: async () => credential }
  const records = async ({ route }: Endpoint, { id = '' }: { readonly id?: number | string }) => {
    const found = route.endsWith('/jobs') ? (jobs[id] ?? []) : lists[route]
    if (found instanceof Failure) throw found
    return found ?? []
  }
  const told = {
    repository_storages: ['default', 'spare'],
    repository_storages_weighted: { spare: 7 },
  }
  return {
    instance: {
      readRecords: records,
      each: async (items: readonly unknown[], work: (item: unknown) => Promise<void>) => {
        for (const item of items) await work(item)
      },
      call: async () => ({ data: lists.settings ?? told }),
      createClientFor: () => ({
        build: async () => ({ path: '/merge_requests' }),
        call: async () => ({}),
      }),
    },
    place: {
      globals: { sandbox: true },
      env: {},
      clock: { now: () => now, asOf: async () => now },
      session: async () => session,
    },
  } as unknown as Context
}

const read = (lists: Lists, jobs: Lists) => readOverview(createContext(lists, jobs), parts)

const renderPage = async (width: number, lists = usual, jobs = waiting): Promise<string> => {
  const { visible: safe, bold: strong, mark, bar } = await createStyle({}, {}, 'never')
  const text = { safe, emphasize: strong, mark, drawBar: bar, wrapHanging: safe }
  const answer = { width, text } as unknown as AnswerService
  const lines: string[] = []
  const overview = await read(lists, jobs)
  for await (const line of renderOverview(overview, toRecord(overview), answer)) lines.push(line)
  return `\n${lines.join('')}`
}

it('has a block below the other where it is narrow', async () => {
  expect(await renderPage(80)).toMatchInlineSnapshot(`
    "
    https://ci.example

    Runners  3 runners
      online     ██████░░░░░░  50 %  of active runners
      instance   ██████░░░░░░  50 %  1 online, 1 offline
      group                       –  1 paused

    Jobs waiting  9 in 5 of 6 projects
      the oldest, for 1 d: job-12 (12), tags gpu
      why: svcctl jobs why 12 -P group/b --sandbox
      group/c                      ████░░░░░░░░ 3
      group/a                      ███░░░░░░░░░ 2
      group/b                      ███░░░░░░░░░ 2
      group/d                      █░░░░░░░░░░░ 1
      and 1 project more

    Pages certificates  1 ended, 1 within 7 days, 1 within 30 days, 3 later, 1
                        domain without one
      ✗ over.example                ended 3 d ago (2026-11-19)
      ✗ soon.example                ends in 6 d (2026-11-28), renewed automatically
      ! month.example               ends in 20 d (2026-12-12)
      ✓ later.example               ends in 3 mo (2027-02-20)
      ✓ far.example                 ends in 6 mo (2027-06-10)
      and 1 more, which ends later

    Replication  2 sites
      ✓ north                             –  primary
      ✗ south                             –  1 min behind
        no answer

    Projects by storage  6 projects
      default        ██████░░░░░░ 3
      spare          ██████░░░░░░ 3, weight 7

    Tokens of the profiles  1 token
      ✓ (environment)  renewed automatically, https://ci.example, oauth, from
                       keyring

    Next
      ✗ The certificate of over.example ended 3 d ago.
        svcctl pages-domains list --instance --where 'expires_at<+7d'
      ✗ Site south is unhealthy: no answer
        svcctl geo status
      ✗ 1 job has waited for more than a day; the oldest is job-12 (12) in group/b,
        for 1 d, tags gpu.
        svcctl jobs why 12 -P group/b
      and 2 more: -o json has all findings

    Not shown, because the API does not provide it: alerts, storage moves under way.
    "
  `)
})

it('has two columns from 120 on', async () => {
  expect(await renderPage(120)).toMatchInlineSnapshot(`
    "
    https://ci.example

    Runners  3 runners                                            Replication  2 sites
      online     ██████░░░░░░  50 %  of active runners              ✓ north                             –  primary
      instance   ██████░░░░░░  50 %  1 online, 1 offline            ✗ south                             –  1 min behind
      group                       –  1 paused                         no answer

    Jobs waiting  9 in 5 of 6 projects                            Projects by storage  6 projects
      the oldest, for 1 d: job-12 (12), tags gpu                    default        ██████░░░░░░ 3
      why: svcctl jobs why 12 -P group/b --sandbox                  spare          ██████░░░░░░ 3, weight 7
      group/c                      ████░░░░░░░░ 3
      group/a                      ███░░░░░░░░░ 2                 Tokens of the profiles  1 token
      group/b                      ███░░░░░░░░░ 2                   ✓ (environment)  renewed automatically,
      group/d                      █░░░░░░░░░░░ 1                                    https://ci.example, oauth, from keyring
      and 1 project more

    Pages certificates  1 ended, 1 within 7 days, 1 within 30
                        days, 3 later, 1 domain without one
      ✗ over.example                ended 3 d ago (2026-11-19)
      ✗ soon.example                ends in 6 d (2026-11-28),
                                    renewed automatically
      ! month.example               ends in 20 d (2026-12-12)
      ✓ later.example               ends in 3 mo (2027-02-20)
      ✓ far.example                 ends in 6 mo (2027-06-10)
      and 1 more, which ends later

    Next
      ✗ The certificate of over.example ended 3 d ago.
        svcctl pages-domains list --instance --where 'expires_at<+7d'
      ✗ Site south is unhealthy: no answer
        svcctl geo status
      ✗ 1 job has waited for more than a day; the oldest is job-12 (12) in group/b, for 1 d, tags gpu.
        svcctl jobs why 12 -P group/b
      and 2 more: -o json has all findings

    Not shown, because the API does not provide it: alerts, storage moves under way.
    "
  `)
  expect(await renderPage(119)).not.toMatch(/Runners.*Replication/)
})

it('says in its place what could not be read', async () => {
  const lists = {
    ...usual,
    'GET /pages/domains': new Failure('auth', 'forbidden', { status: 403 }),
    'GET /geo_nodes': new Failure('not_found', 'no such route', { status: 404, lacks: 'route' }),
  }
  expect(await renderPage(80, lists)).toMatchInlineSnapshot(`
    "
    https://ci.example

    Runners  3 runners
      online     ██████░░░░░░  50 %  of active runners
      instance   ██████░░░░░░  50 %  1 online, 1 offline
      group                       –  1 paused

    Jobs waiting  9 in 5 of 6 projects
      the oldest, for 1 d: job-12 (12), tags gpu
      why: svcctl jobs why 12 -P group/b --sandbox
      group/c                      ████░░░░░░░░ 3
      group/a                      ███░░░░░░░░░ 2
      group/b                      ███░░░░░░░░░ 2
      group/d                      █░░░░░░░░░░░ 1
      and 1 project more

    Pages certificates
      ! not permitted: forbidden

    Replication
      – not available on this instance: no such route

    Projects by storage  6 projects
      default        ██████░░░░░░ 3
      spare          ██████░░░░░░ 3, weight 7

    Tokens of the profiles  1 token
      ✓ (environment)  renewed automatically, https://ci.example, oauth, from
                       keyring

    Next
      ✗ 1 job has waited for more than a day; the oldest is job-12 (12) in group/b,
        for 1 d, tags gpu.
        svcctl jobs why 12 -P group/b
      ✗ 1 runner is offline; 1 of 2 active runners is online.
        svcctl runners list --instance --where status=offline --sort contacted_at
      ! Section certificates is incomplete: not permitted: forbidden.
        svcctl overview --parts certificates

    Not shown, because the API does not provide it: alerts, storage moves under way.
    "
  `)
})

it('writes lines that a shell takes as they are meant', async () => {
  const lists = { ...usual, 'GET /projects': [{ id: 1, path_with_namespace: 'a;b $(c)' }] }
  expect(await renderPage(80, lists, { 1: [createJob(7, 1)] })).toContain(
    "svcctl jobs why 7 -P 'a;b $(c)' --sandbox\n",
  )
})

it('takes what is of another type for not told', async () => {
  const lists = {
    ...usual,
    settings: { repository_storages: 'default' },
    'GET /projects': [{ id: 1, path_with_namespace: 5, repository_storage: {} }],
    'GET /pages/domains': [{ domain: 5, certificate: { expired: 'yes' } }],
    'GET /runners/all': [{ id: 1, runner_type: ['x'], status: 7 }],
  }
  const jobs = { 1: [createJob(7, 1), { id: 8, name: {}, created_at: 5, tag_list: 'x' }] }
  expect(await renderPage(80, lists, jobs)).toContain('the oldest, for 1 h: job-7 (7)')
  expect(await renderPage(80, lists, {})).toContain(
    'Pages certificates  1 with an unknown expiry date\n',
  )
  expect(toRecord(await read(lists, { 1: [{ id: 8, tag_list: [null] }] }))).toMatchObject({
    jobs: { oldest: { project: '1', id: 8, created_at: '', tag_list: [''], waited_seconds: null } },
  })
  expect(await renderPage(80, lists, { 1: [{ id: 8 }] })).toContain('the oldest:  (8)')
})
