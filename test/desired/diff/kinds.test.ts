/** What a fact cannot say of a kind: rule by rule. */
import { describe, expect, it } from 'vitest'
import { leaf } from '../../sandbox/pem.js'
import { lines, message, planned, refusal, requests, wish } from './world.js'

const app = 'projects/platform/app'

describe('approval rules', () => {
  const rules = `${app}:approval_rules`
  const rule = {
    id: 1,
    name: 'All Members',
    rule_type: 'any_approver',
    approvals_required: 1,
    users: [],
    groups: [],
    contains_hidden_groups: false,
  }
  it('for anybody are one, whatever they are called, and stay in an exact set', async () => {
    const world = { [rules]: [rule] }
    const plan = await planned(world, [
      wish(app, 'approval_rules', {
        Anyone: { rule_type: 'any_approver', approvals_required: 2 },
      }),
    ])
    expect(requests(plan)[0]).toMatchObject({
      route: 'PUT /projects/:id/approval_rules/:approval_rule_id',
      values: { name: 'All Members', approvals_required: 2 },
    })
    const exact = await planned(world, [wish(app, 'approval_rules', { $exact: true })])
    expect(lines(exact)).toEqual([])
    const gone = await planned(world, [wish(app, 'approval_rules', { 'All Members': null })])
    expect(gone.actions).toHaveLength(1)
  })

  it('with groups that nobody sees are changed only where the files say which', async () => {
    const hidden = { ...rule, rule_type: 'regular', contains_hidden_groups: true }
    const world = { [rules]: [hidden] }
    const plan = await planned(world, [
      wish(app, 'approval_rules', { 'All Members': { approvals_required: 2 } }),
    ])
    expect(lines(plan)).toEqual([expect.stringMatching(/^impossible .* declare group_ids$/)])
    const said = await planned(world, [
      wish(app, 'approval_rules', { 'All Members': { approvals_required: 2, group_ids: [] } }),
    ])
    expect(said.actions).toHaveLength(1)
  })

  it('keep their branches, and send none where they have none', async () => {
    const wishes = [wish(app, 'approval_rules', { R: { approvals_required: 2 } })]
    const regular = { ...rule, name: 'R', rule_type: 'regular' }
    const none = await planned({ [rules]: [regular] }, wishes)
    expect(requests(none)[0]?.values).not.toHaveProperty('protected_branch_ids')
    const some = await planned(
      { [rules]: [{ ...regular, protected_branches: [{ id: 5 }] }] },
      wishes,
    )
    expect(requests(some)[0]?.values.protected_branch_ids).toEqual([5])
  })

  it('of a type that is given at creation only cannot change it', async () => {
    const plan = await planned({ [rules]: [{ ...rule, name: 'R', rule_type: 'any_approver' }] }, [
      wish(app, 'approval_rules', { R: { rule_type: 'regular' } }),
    ])
    expect(lines(plan)).toEqual([
      `impossible ${rules}/R#rule_type: can only be set on creation; the value is "any_approver"`,
    ])
  })
})

describe('deploy keys', () => {
  const keys = `${app}:deploy_keys`
  const text = (n: number): string => {
    const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
    const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.alloc(32, n))])
    return `ssh-ed25519 ${blob.toString('base64')}`
  }
  const key = (id: number, title: string, n = id) => ({ id, title, key: text(n), can_push: false })

  it('are the same whatever their comment and title', async () => {
    const world = { [keys]: [key(1, 'deploy')] }
    const same = await planned(world, [
      wish(app, 'deploy_keys', { deploy: { key: `${text(1)} ana@host` } }),
    ])
    expect(lines(same)).toEqual([])
    const titled = await planned(world, [
      wish(app, 'deploy_keys', { other: { key: text(1), can_push: true } }),
    ])
    expect(lines(titled)).toEqual([
      `update ${keys}/other title: "deploy" → "other"; can_push: false → true`,
    ])
  })

  it('of a title that another key has are replaced: added, then the old one removed', async () => {
    const plan = await planned({ [keys]: [{ ...key(1, 'deploy'), can_push: true }] }, [
      wish(app, 'deploy_keys', { $exact: true, deploy: { key: text(2) } }),
    ])
    expect(plan.actions.map(({ id, waitsFor, replaces }) => [id, waitsFor, replaces])).toEqual([
      [`create ${keys}/deploy`, [], `delete ${keys}/deploy`],
      [`delete ${keys}/deploy`, [`create ${keys}/deploy`], undefined],
    ])
    expect(requests(plan)).toEqual([
      {
        route: 'POST /projects/:id/deploy_keys',
        values: { id: 'platform/app', title: 'deploy', key: text(2), can_push: true },
      },
      {
        route: 'DELETE /projects/:id/deploy_keys/:key_id',
        values: { id: 'platform/app', key_id: 1 },
      },
    ])
  })

  it('that are known elsewhere are taken in, where all keys may be read', async () => {
    const wishes = [wish(app, 'deploy_keys', { deploy: { key: text(5), can_push: true } })]
    const known = await planned({ 'site:deploy_keys/all': [key(5, 'deploy')] }, wishes)
    expect(requests(known)).toEqual([
      {
        route: 'POST /projects/:id/deploy_keys/:key_id/enable',
        values: { id: 'platform/app', key_id: 5 },
      },
      {
        route: 'PUT /projects/:id/deploy_keys/:key_id',
        values: { id: 'platform/app', key_id: 5, can_push: true },
      },
    ])
    const other = { [keys]: [key(1, 'old')], 'site:deploy_keys/all': [key(5, 'deploy')] }
    const exact = wish(app, 'deploy_keys', { $exact: true, deploy: { key: text(5) } })
    expect((await planned(other, [exact])).refused).toEqual([])
    const refused = await planned({ 'site:deploy_keys/all': refusal }, wishes)
    expect(requests(refused).map(({ route }) => route)).toEqual(['POST /projects/:id/deploy_keys'])
  })

  it('go by their title alone where it is null', async () => {
    const plan = await planned({ [keys]: [key(1, 'deploy')] }, [
      wish(app, 'deploy_keys', { deploy: null }),
    ])
    expect(lines(plan)).toEqual([`delete ${keys}/deploy`])
  })
})

describe('integrations', () => {
  const all = `${app}:integrations`
  const mails = {
    id: 1,
    slug: 'emails-on-push',
    active: true,
    push_events: true,
    properties: { recipients: 'a@x.test b@x.test', disable_diffs: '1' },
  }
  it('are compared whatever the spelling, and sent with what their family requires', async () => {
    const world = { [all]: [mails] }
    const same = await planned(world, [
      wish(app, 'integrations', {
        'emails-on-push': { recipients: 'b@x.test, a@x.test', disable_diffs: true },
      }),
    ])
    expect(lines(same)).toEqual([])
    const plan = await planned(world, [
      wish(app, 'integrations', { 'emails-on-push': { push_events: false } }),
    ])
    expect(requests(plan)[0]?.values).toEqual({
      id: 'platform/app',
      slug: 'emails-on-push',
      recipients: 'a@x.test b@x.test',
      push_events: false,
    })
  })

  it('that are not active are not there', async () => {
    const world = { [all]: [{ ...mails, active: false }] }
    const gone = await planned(world, [wish(app, 'integrations', { 'emails-on-push': null })])
    expect(lines(gone)).toEqual([])
  })

  const chat = { $family: 'chat-webhook', webhook: { env: 'HOOK' }, push_events: true }
  it('have secrets that are sent with what changes, and are a question otherwise', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const same = await planned({ [all]: [current] }, [wish(app, 'integrations', { chat })])
    expect(lines(same)).toEqual([
      `unknown ${all}/chat: webhook cannot be read back: it is sent when another attribute changes`,
    ])
    const plan = await planned({ [all]: [{ ...current, push_events: false }] }, [
      wish(app, 'integrations', { chat }),
    ])
    expect(requests(plan)[0]).toMatchObject({
      values: { push_events: true },
      secrets: { webhook: { env: 'HOOK' } },
    })
    expect(plan.findings).toEqual([])
  })

  it('cannot be changed without a secret that the files lack, nor be of no family', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: false, properties: {} }
    const plan = await planned({ [all]: [current] }, [
      wish(app, 'integrations', { chat: { $family: 'chat-webhook', push_events: true } }),
    ])
    expect(lines(plan)).toEqual([
      expect.stringMatching(/^impossible .* cannot be set without webhook/),
    ])
    const none = planned({}, [wish(app, 'integrations', { chat: { push_events: true } })])
    expect(await message(none)).toMatch(/has no known family/)
  })

  it('have secrets that must be there only where they are sent', async () => {
    const secrets = {
      set: 'changed',
      changed: async () => undefined,
      missing: async () => 'HOOK is not set',
    } as const
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const wishes = [wish(app, 'integrations', { chat })]
    expect((await planned({ [all]: [current] }, wishes, { secrets })).findings).toHaveLength(1)
    expect(lines(await planned({}, wishes, { secrets })).at(-1)).toBe(
      `secret ${all}/chat#webhook: missing secret: HOOK is not set`,
    )
    const check = await planned({}, wishes, { secrets, checks: true })
    expect(check.actions).toHaveLength(1)
  })

  it('are set again where a secret is known to be another, or always', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const wishes = [wish(app, 'integrations', { chat })]
    const policy = { missing: async () => undefined }
    const verbs = async (set: 'changed' | 'always' | 'never', changed: boolean) =>
      (
        await planned({ [all]: [current] }, wishes, {
          secrets: { ...policy, set, changed: async () => changed },
        })
      ).actions.map(({ verb }) => verb)
    expect(await verbs('changed', true)).toEqual(['update'])
    expect(await verbs('changed', false)).toEqual([])
    expect(await verbs('always', false)).toEqual(['update'])
    expect(await verbs('never', true)).toEqual([])
  })
})

describe('Pages domains', () => {
  const domains = `${app}:pages_domains`
  const plain = { domain: 'docs.test', url: 'https://docs.test' }
  it('send a certificate and its key together', async () => {
    const wishes = [
      wish(app, 'pages_domains', { 'docs.test': { certificate: leaf, key: { env: 'K' } } }),
    ]
    const hidden = { ...plain, certificate: { expired: false, expiration: '2036-12-01T00:00:00Z' } }
    expect(lines(await planned({ [domains]: [hidden] }, wishes))).toEqual([
      `unknown ${domains}/docs.test: certificate and key cannot be read back: it is sent when another attribute changes`,
    ])
    const first = await planned({ [domains]: [plain] }, wishes)
    expect(requests(first)[0]).toMatchObject({ values: { certificate: leaf } })
    const current = { ...plain, certificate: { expired: false, certificate: 'OLD' } }
    const other = await planned({ [domains]: [current] }, wishes)
    expect(requests(other)[0]).toMatchObject({
      values: { domain: 'docs.test', certificate: leaf },
      secrets: { key: { env: 'K' } },
    })
    const alone = await planned({ [domains]: [current] }, [
      wish(app, 'pages_domains', { 'docs.test': { certificate: leaf } }),
    ])
    expect(lines(alone)).toEqual([expect.stringMatching(/^impossible .* requires its private key/)])
  })

  it('of automatic certificates have nobody’s compared', async () => {
    const current = {
      ...plain,
      auto_ssl_enabled: true,
      certificate: { expired: false, certificate: 'X' },
    }
    const plan = await planned({ [domains]: [current] }, [
      wish(app, 'pages_domains', { 'docs.test': { certificate: 'PEM', key: { env: 'K' } } }),
    ])
    expect(lines(plan)).toEqual([])
  })

  it('warn of a certificate that ends soon', async () => {
    const current = {
      ...plain,
      certificate: { expired: false, expiration: '2026-12-01T00:00:00Z' },
    }
    const now = () => new Date('2026-11-21T00:00:00Z')
    const plan = await planned({ [domains]: [current] }, [wish(app, 'pages_domains', {})], { now })
    expect(lines(plan)).toEqual([
      `warning ${domains}/docs.test: its certificate expires on 2026-12-01, in 10 days`,
    ])
  })
})

describe('kinds of one object', () => {
  it('cannot be switched where they were never configured', async () => {
    const on = await planned({}, [wish(app, 'error_tracking', { active: true })])
    expect(lines(on)).toEqual([expect.stringMatching(/^impossible .* was never configured/)])
    const off = await planned({}, [wish(app, 'error_tracking', { active: false })])
    expect(lines(off)).toEqual([])
  })

  it('that are open take what the instance itself has, and nothing else', async () => {
    const world = {
      'site:settings': [{ id: 1, some_new: 3, default_project_visibility: 'private' }],
    }
    const plan = await planned(world, [
      wish('site', 'settings', { some_new: 4, default_project_visibility: 'internal' }),
    ])
    expect(requests(plan)).toEqual([
      {
        route: 'PUT /application/settings',
        values: { some_new: 4, default_project_visibility: 'internal' },
      },
    ])
    const unknown = planned(world, [wish('site', 'settings', { nothing_such: 4 })])
    expect(await message(unknown)).toMatch(
      /unknown to the documented API and to the instance: settings#nothing_such/,
    )
  })

  it('send with what is switched on what it requires, secrets too', async () => {
    const wishes = [
      wish('site', 'settings', { spamsvc_enabled: true, spamsvc_api_key: { env: 'KEY' } }),
    ]
    const plan = await planned({ 'site:settings': [{ id: 1, spamsvc_enabled: false }] }, wishes)
    expect(requests(plan)[0]).toMatchObject({
      values: { spamsvc_enabled: true },
      secrets: { spamsvc_api_key: { env: 'KEY' } },
    })
    const on = await planned({ 'site:settings': [{ id: 1, spamsvc_enabled: true }] }, wishes)
    expect(lines(on)).toEqual([
      'unknown site:settings: spamsvc_api_key cannot be read back: it is sent when its value changes',
    ])
  })

  it('never show what a name says is secret', async () => {
    const world = { 'site:settings': [{ id: 1, hub_token: '[masked]' }] }
    const plan = await planned(world, [wish('site', 'settings', { hub_token: 'glhub-canary' })])
    expect(JSON.stringify(lines(plan))).not.toContain('canary')
    expect(plan.actions).toEqual([])
  })
})

it('resource groups are there only once a job used them', async () => {
  const plan = await planned({}, [
    wish(app, 'resource_groups', { nowhere: { process_mode: 'newest_first' } }),
  ])
  expect(lines(plan)).toEqual([
    `impossible ${app}:resource_groups/nowhere: does not exist until a job uses it, so there is nothing to change yet`,
  ])
})

describe('replication nodes', () => {
  const node = { id: 2, name: 'south', url: 'https://south.test/', primary: false, enabled: true }
  it('are renamed by their address, and changed with name and address', async () => {
    const plan = await planned({ 'site:geo_nodes': [node] }, [
      wish('site', 'geo_nodes', { $exact: true, austral: { url: 'https://south.test' } }),
    ])
    expect(requests(plan)).toEqual([
      {
        route: 'PUT /geo_nodes/:id',
        values: expect.objectContaining({ id: 2, name: 'austral' }),
      },
    ])
    const enabled = await planned({ 'site:geo_nodes': [node] }, [
      wish('site', 'geo_nodes', { south: { enabled: false } }),
    ])
    expect(requests(enabled)[0]?.values).toEqual({
      id: 2,
      name: 'south',
      url: 'https://south.test/',
      enabled: false,
    })
  })

  it('come after their primary', async () => {
    const plan = await planned({}, [
      wish('site', 'geo_nodes', {
        a: { url: 'https://a.test' },
        b: { url: 'https://b.test', primary: true },
      }),
    ])
    expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
      ['create site:geo_nodes/b', []],
      ['create site:geo_nodes/a', ['create site:geo_nodes/b']],
    ])
  })
})

describe('runners', () => {
  const runner = (id: number, description: string, more = {}) => ({
    id,
    description,
    runner_type: 'instance_type',
    run_untagged: false,
    maximum_timeout: null,
    ...more,
  })
  it('of the instance follow rules, the later one first', async () => {
    const plan = await planned(
      { 'site:runners': [runner(1, 'shared-1'), runner(2, 'shared-2'), runner(3, 'own')] },
      [
        wish('site', 'runners', {
          0: { $match: { description: 'shared-*' }, run_untagged: true, maximum_timeout: 3600 },
          1: { $match: { id: 2 }, maximum_timeout: 60 },
          2: { $match: { description: 'none' }, run_untagged: true },
        }),
      ],
    )
    expect(requests(plan).map(({ values }) => values)).toEqual([
      { id: 1, run_untagged: true, maximum_timeout: 3600 },
      { id: 2, run_untagged: true, maximum_timeout: 60 },
    ])
    expect(plan.findings).toMatchObject([{ is: 'note', text: 'no runner matches' }])
  })

  it('of a project are enabled by ID, and disabled unless it is their only project', async () => {
    const project = 'projects/platform/app'
    const mine = runner(4, 'mine', { runner_type: 'project_type' })
    const world = { [`${project}:runners`]: [mine] }
    const plan = await planned(world, [wish(project, 'runners', { 5: {}, mine: null })])
    expect(requests(plan)).toEqual([
      { route: 'POST /projects/:id/runners', values: { id: 'platform/app', runner_id: 5 } },
      {
        route: 'DELETE /projects/:id/runners/:runner_id',
        values: { id: 'platform/app', runner_id: 4 },
      },
    ])
    const only = { ...world, 'site:runners/one': [{ ...mine, projects: [{ id: 1 }] }] }
    const kept = await planned(only, [wish(project, 'runners', { mine: null })])
    expect(lines(kept)).toEqual([
      expect.stringMatching(/^impossible .* the only project of the runner/),
    ])
    // Two that would both be taken away: one of them stays.
    const other = 'projects/platform/tools'
    const two = {
      ...world,
      [`${other}:runners`]: [mine],
      'site:runners/one': [{ ...mine, projects: [{ id: 1 }, { id: 2 }] }],
    }
    const none = [wish(project, 'runners', { mine: null }), wish(other, 'runners', { mine: null })]
    expect(lines(await planned(two, none))).toEqual([
      `delete ${other}:runners/mine`,
      `impossible ${project}:runners/mine: this is the only project of the runner, so it cannot be removed`,
    ])
    const elsewhere = wish('projects/web/shop', 'runners', { 4: {} })
    const moved = await planned(two, [...none, elsewhere])
    expect(moved.findings).toEqual([])
    const first = 'enable projects/web/shop:runners/4'
    expect(moved.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
      [first, []],
      [`delete ${other}:runners/mine`, [first]],
      [`delete ${project}:runners/mine`, [first]],
    ])
  })
})

it('takes a key in elsewhere before the project that has it loses it', async () => {
  const [from, to] = [app, 'projects/web/shop']
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA'
  const record = { id: 5, title: 'deploy', key, can_push: false }
  const world = { [`${from}:deploy_keys`]: [record], 'site:deploy_keys/all': [record] }
  const plan = await planned(world, [
    wish(from, 'deploy_keys', { deploy: null }),
    wish(to, 'deploy_keys', { deploy: { key } }),
  ])
  expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
    [`enable ${to}:deploy_keys/deploy`, []],
    [`delete ${from}:deploy_keys/deploy`, [`enable ${to}:deploy_keys/deploy`]],
  ])
})

it('takes a key in elsewhere before it is replaced where it is', async () => {
  const [from, to] = [app, 'projects/web/shop']
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA'
  const other = key.replace('mA', 'mB')
  const record = { id: 5, title: 'deploy', key, can_push: false }
  const world = { [`${from}:deploy_keys`]: [record], 'site:deploy_keys/all': [record] }
  const plan = await planned(world, [
    wish(from, 'deploy_keys', { deploy: { key: other } }),
    wish(to, 'deploy_keys', { deploy: { key } }),
  ])
  const waits = Object.fromEntries(plan.actions.map(({ id, waitsFor }) => [id, waitsFor]))
  expect(waits).toEqual({
    [`create ${from}:deploy_keys/deploy`]: [],
    [`enable ${to}:deploy_keys/deploy`]: [],
    [`delete ${from}:deploy_keys/deploy`]: [
      `create ${from}:deploy_keys/deploy`,
      `enable ${to}:deploy_keys/deploy`,
    ],
  })
})

it('takes a domain away from one project before another gets it', async () => {
  const [from, to] = [app, 'projects/web/shop']
  const plan = await planned({ [`${from}:pages_domains`]: [{ domain: 'Docs.test' }] }, [
    wish(from, 'pages_domains', { 'Docs.test': null }),
    wish(to, 'pages_domains', { 'docs.test': {}, 'other.test': {} }),
  ])
  expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
    [`create ${to}:pages_domains/other.test`, []],
    [`delete ${from}:pages_domains/Docs.test`, []],
    [`create ${to}:pages_domains/docs.test`, [`delete ${from}:pages_domains/Docs.test`]],
  ])
})

it('changes nothing of an archived project', async () => {
  const plan = await planned(
    {},
    [wish(app, 'approval_rules', { New: { approvals_required: 1 } })],
    { about: () => ({ archived: true, namespace: 'group' }) },
  )
  expect(lines(plan)).toEqual([`impossible ${app}:approval_rules/New: the project is archived`])
})
