/** Tests the rules of single kinds that the catalogue cannot express. */
import { describe, expect, it } from 'vitest'
import { leaf } from '../../sandbox/pem.js'
import { buildWish, forbidden, formatPlan, getMessage, listRequests, planWorld } from './world.js'

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
    const plan = await planWorld(world, [
      buildWish(app, 'approval_rules', {
        Anyone: { rule_type: 'any_approver', approvals_required: 2 },
      }),
    ])
    expect(listRequests(plan)[0]).toMatchObject({
      route: 'PUT /projects/:id/approval_rules/:approval_rule_id',
      values: { name: 'All Members', approvals_required: 2 },
    })
    const exact = await planWorld(world, [buildWish(app, 'approval_rules', { $exact: true })])
    expect(formatPlan(exact)).toEqual([])
    const gone = await planWorld(world, [buildWish(app, 'approval_rules', { 'All Members': null })])
    expect(gone.actions).toHaveLength(1)
  })

  it('with groups that nobody sees are changed only where the files say which', async () => {
    const hidden = { ...rule, rule_type: 'regular', contains_hidden_groups: true }
    const world = { [rules]: [hidden] }
    const plan = await planWorld(world, [
      buildWish(app, 'approval_rules', { 'All Members': { approvals_required: 2 } }),
    ])
    expect(formatPlan(plan)).toEqual([expect.stringMatching(/^impossible .* declare group_ids$/)])
    const said = await planWorld(world, [
      buildWish(app, 'approval_rules', { 'All Members': { approvals_required: 2, group_ids: [] } }),
    ])
    expect(said.actions).toHaveLength(1)
  })

  it('keep their branches, and send none where they have none', async () => {
    const wishes = [buildWish(app, 'approval_rules', { R: { approvals_required: 2 } })]
    const regular = { ...rule, name: 'R', rule_type: 'regular' }
    const none = await planWorld({ [rules]: [regular] }, wishes)
    expect(listRequests(none)[0]?.values).not.toHaveProperty('protected_branch_ids')
    const some = await planWorld(
      { [rules]: [{ ...regular, protected_branches: [{ id: 5 }] }] },
      wishes,
    )
    expect(listRequests(some)[0]?.values.protected_branch_ids).toEqual([5])
  })

  it('of a type that is given at creation only cannot change it', async () => {
    const plan = await planWorld({ [rules]: [{ ...rule, name: 'R', rule_type: 'any_approver' }] }, [
      buildWish(app, 'approval_rules', { R: { rule_type: 'regular' } }),
    ])
    expect(formatPlan(plan)).toEqual([
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
    const same = await planWorld(world, [
      buildWish(app, 'deploy_keys', { deploy: { key: `${text(1)} ana@host` } }),
    ])
    expect(formatPlan(same)).toEqual([])
    const titled = await planWorld(world, [
      buildWish(app, 'deploy_keys', { other: { key: text(1), can_push: true } }),
    ])
    expect(formatPlan(titled)).toEqual([
      `update ${keys}/other title: "deploy" → "other"; can_push: false → true`,
    ])
  })

  it('of a title that another key has are replaced: added, then the old one removed', async () => {
    const plan = await planWorld({ [keys]: [{ ...key(1, 'deploy'), can_push: true }] }, [
      buildWish(app, 'deploy_keys', { $exact: true, deploy: { key: text(2) } }),
    ])
    expect(plan.actions.map(({ id, waitsFor, replaces }) => [id, waitsFor, replaces])).toEqual([
      [`create ${keys}/deploy`, [], `delete ${keys}/deploy`],
      [`delete ${keys}/deploy`, [`create ${keys}/deploy`], undefined],
    ])
    expect(listRequests(plan)).toEqual([
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
    const wishes = [buildWish(app, 'deploy_keys', { deploy: { key: text(5), can_push: true } })]
    const known = await planWorld({ 'site:deploy_keys/all': [key(5, 'deploy')] }, wishes)
    expect(listRequests(known)).toEqual([
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
    const exact = buildWish(app, 'deploy_keys', { $exact: true, deploy: { key: text(5) } })
    expect((await planWorld(other, [exact])).refused).toEqual([])
    const refused = await planWorld({ 'site:deploy_keys/all': forbidden }, wishes)
    expect(listRequests(refused).map(({ route }) => route)).toEqual([
      'POST /projects/:id/deploy_keys',
    ])
  })

  it('go by their title alone where it is null', async () => {
    const plan = await planWorld({ [keys]: [key(1, 'deploy')] }, [
      buildWish(app, 'deploy_keys', { deploy: null }),
    ])
    expect(formatPlan(plan)).toEqual([`delete ${keys}/deploy`])
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
    const same = await planWorld(world, [
      buildWish(app, 'integrations', {
        'emails-on-push': { recipients: 'b@x.test, a@x.test', disable_diffs: true },
      }),
    ])
    expect(formatPlan(same)).toEqual([])
    const plan = await planWorld(world, [
      buildWish(app, 'integrations', { 'emails-on-push': { push_events: false } }),
    ])
    expect(listRequests(plan)[0]?.values).toEqual({
      id: 'platform/app',
      slug: 'emails-on-push',
      recipients: 'a@x.test b@x.test',
      push_events: false,
    })
  })

  it('that are not active are not there', async () => {
    const world = { [all]: [{ ...mails, active: false }] }
    const gone = await planWorld(world, [
      buildWish(app, 'integrations', { 'emails-on-push': null }),
    ])
    expect(formatPlan(gone)).toEqual([])
  })

  const chat = { $family: 'chat-webhook', webhook: { env: 'HOOK' }, push_events: true }
  it('have secrets that are sent with what changes, and are a question otherwise', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const same = await planWorld({ [all]: [current] }, [buildWish(app, 'integrations', { chat })])
    expect(formatPlan(same)).toEqual([
      `unknown ${all}/chat: webhook cannot be read back: it is sent when another attribute changes`,
    ])
    const plan = await planWorld({ [all]: [{ ...current, push_events: false }] }, [
      buildWish(app, 'integrations', { chat }),
    ])
    expect(listRequests(plan)[0]).toMatchObject({
      values: { push_events: true },
      secrets: { webhook: { env: 'HOOK' } },
    })
    expect(plan.findings).toEqual([])
  })

  it('cannot be changed without a secret that the files lack, nor be of no family', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: false, properties: {} }
    const plan = await planWorld({ [all]: [current] }, [
      buildWish(app, 'integrations', { chat: { $family: 'chat-webhook', push_events: true } }),
    ])
    expect(formatPlan(plan)).toEqual([
      expect.stringMatching(/^impossible .* cannot be set without webhook/),
    ])
    const none = planWorld({}, [buildWish(app, 'integrations', { chat: { push_events: true } })])
    expect(await getMessage(none)).toMatch(/has no known family/)
  })

  it('have secrets that must be there only where they are sent', async () => {
    const secrets = {
      set: 'changed',
      changed: async () => undefined,
      missing: async () => 'HOOK is not set',
    } as const
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const wishes = [buildWish(app, 'integrations', { chat })]
    expect((await planWorld({ [all]: [current] }, wishes, { secrets })).findings).toHaveLength(1)
    expect(formatPlan(await planWorld({}, wishes, { secrets })).at(-1)).toBe(
      `secret ${all}/chat#webhook: missing secret: HOOK is not set`,
    )
    const check = await planWorld({}, wishes, { secrets, checks: true })
    expect(check.actions).toHaveLength(1)
  })

  it('are set again where a secret is known to be another, or always', async () => {
    const current = { id: 2, slug: 'chat', active: true, push_events: true, properties: {} }
    const wishes = [buildWish(app, 'integrations', { chat })]
    const policy = { missing: async () => undefined }
    const verbs = async (set: 'changed' | 'always' | 'never', changed: boolean) =>
      (
        await planWorld({ [all]: [current] }, wishes, {
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
      buildWish(app, 'pages_domains', { 'docs.test': { certificate: leaf, key: { env: 'K' } } }),
    ]
    const hidden = { ...plain, certificate: { expired: false, expiration: '2036-12-01T00:00:00Z' } }
    expect(formatPlan(await planWorld({ [domains]: [hidden] }, wishes))).toEqual([
      `unknown ${domains}/docs.test: certificate and key cannot be read back: it is sent when another attribute changes`,
    ])
    const first = await planWorld({ [domains]: [plain] }, wishes)
    expect(listRequests(first)[0]).toMatchObject({ values: { certificate: leaf } })
    const current = { ...plain, certificate: { expired: false, certificate: 'OLD' } }
    const other = await planWorld({ [domains]: [current] }, wishes)
    expect(listRequests(other)[0]).toMatchObject({
      values: { domain: 'docs.test', certificate: leaf },
      secrets: { key: { env: 'K' } },
    })
    const alone = await planWorld({ [domains]: [current] }, [
      buildWish(app, 'pages_domains', { 'docs.test': { certificate: leaf } }),
    ])
    expect(formatPlan(alone)).toEqual([
      expect.stringMatching(/^impossible .* requires its private key/),
    ])
  })

  it('of automatic certificates have nobody’s compared', async () => {
    const current = {
      ...plain,
      auto_ssl_enabled: true,
      certificate: { expired: false, certificate: 'X' },
    }
    const plan = await planWorld({ [domains]: [current] }, [
      buildWish(app, 'pages_domains', { 'docs.test': { certificate: 'PEM', key: { env: 'K' } } }),
    ])
    expect(formatPlan(plan)).toEqual([])
  })

  it('warn of a certificate that ends soon', async () => {
    const current = {
      ...plain,
      certificate: { expired: false, expiration: '2026-12-01T00:00:00Z' },
    }
    const now = () => new Date('2026-11-21T00:00:00Z')
    const plan = await planWorld({ [domains]: [current] }, [buildWish(app, 'pages_domains', {})], {
      now,
    })
    expect(formatPlan(plan)).toEqual([
      `warning ${domains}/docs.test: its certificate expires on 2026-12-01, in 10 days`,
    ])
  })
})

describe('kinds of one object', () => {
  it('cannot be switched where they were never configured', async () => {
    const on = await planWorld({}, [buildWish(app, 'error_tracking', { active: true })])
    expect(formatPlan(on)).toEqual([expect.stringMatching(/^impossible .* was never configured/)])
    const off = await planWorld({}, [buildWish(app, 'error_tracking', { active: false })])
    expect(formatPlan(off)).toEqual([])
  })

  it('that are open take what the instance itself has, and nothing else', async () => {
    const world = {
      'site:settings': [{ id: 1, some_new: 3, default_project_visibility: 'private' }],
    }
    const plan = await planWorld(world, [
      buildWish('site', 'settings', { some_new: 4, default_project_visibility: 'internal' }),
    ])
    expect(listRequests(plan)).toEqual([
      {
        route: 'PUT /application/settings',
        values: { some_new: 4, default_project_visibility: 'internal' },
      },
    ])
    const unknown = planWorld(world, [buildWish('site', 'settings', { nothing_such: 4 })])
    expect(await getMessage(unknown)).toMatch(
      /unknown to the documented API and to the instance: settings#nothing_such/,
    )
  })

  it('send with what is switched on what it requires, secrets too', async () => {
    const wishes = [
      buildWish('site', 'settings', { spamsvc_enabled: true, spamsvc_api_key: { env: 'KEY' } }),
    ]
    const plan = await planWorld({ 'site:settings': [{ id: 1, spamsvc_enabled: false }] }, wishes)
    expect(listRequests(plan)[0]).toMatchObject({
      values: { spamsvc_enabled: true },
      secrets: { spamsvc_api_key: { env: 'KEY' } },
    })
    const on = await planWorld({ 'site:settings': [{ id: 1, spamsvc_enabled: true }] }, wishes)
    expect(formatPlan(on)).toEqual([
      'unknown site:settings: spamsvc_api_key cannot be read back: it is sent when its value changes',
    ])
  })

  it('never show what a name says is secret', async () => {
    const world = { 'site:settings': [{ id: 1, hub_token: '[masked]' }] }
    const plan = await planWorld(world, [
      buildWish('site', 'settings', { hub_token: 'glhub-canary' }),
    ])
    expect(JSON.stringify(formatPlan(plan))).not.toContain('canary')
    expect(plan.actions).toEqual([])
  })
})

it('resource groups are there only once a job used them', async () => {
  const plan = await planWorld({}, [
    buildWish(app, 'resource_groups', { nowhere: { process_mode: 'newest_first' } }),
  ])
  expect(formatPlan(plan)).toEqual([
    `impossible ${app}:resource_groups/nowhere: does not exist until a job uses it, so there is nothing to change yet`,
  ])
})

describe('replication nodes', () => {
  const node = { id: 2, name: 'south', url: 'https://south.test/', primary: false, enabled: true }
  it('are renamed by their address, and changed with name and address', async () => {
    const plan = await planWorld({ 'site:geo_nodes': [node] }, [
      buildWish('site', 'geo_nodes', { $exact: true, austral: { url: 'https://south.test' } }),
    ])
    expect(listRequests(plan)).toEqual([
      {
        route: 'PUT /geo_nodes/:id',
        values: expect.objectContaining({ id: 2, name: 'austral' }),
      },
    ])
    const enabled = await planWorld({ 'site:geo_nodes': [node] }, [
      buildWish('site', 'geo_nodes', { south: { enabled: false } }),
    ])
    expect(listRequests(enabled)[0]?.values).toEqual({
      id: 2,
      name: 'south',
      url: 'https://south.test/',
      enabled: false,
    })
  })

  it('come after their primary', async () => {
    const plan = await planWorld({}, [
      buildWish('site', 'geo_nodes', {
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
    const plan = await planWorld(
      { 'site:runners': [runner(1, 'shared-1'), runner(2, 'shared-2'), runner(3, 'own')] },
      [
        buildWish('site', 'runners', {
          0: { $match: { description: 'shared-*' }, run_untagged: true, maximum_timeout: 3600 },
          1: { $match: { id: 2 }, maximum_timeout: 60 },
          2: { $match: { description: 'none' }, run_untagged: true },
        }),
      ],
    )
    expect(listRequests(plan).map(({ values }) => values)).toEqual([
      { id: 1, run_untagged: true, maximum_timeout: 3600 },
      { id: 2, run_untagged: true, maximum_timeout: 60 },
    ])
    expect(plan.findings).toMatchObject([{ is: 'note', text: 'no runner matches' }])
  })

  it.each([
    ['docker', [1, 2]],
    ['d*', [1, 2]],
    [['docker', 'linux'], [1]],
    ['doc', []],
  ])('of the instance are found by their tags: %j', async (tag_list, ids) => {
    const [one, two] = [['linux', 'docker'], ['docker']]
    const all = [runner(1, 'a', { tag_list: one }), runner(2, 'b', { tag_list: two })]
    const plan = await planWorld({ 'site:runners': [...all, runner(3, 'c', { tag_list: [] })] }, [
      buildWish('site', 'runners', { 0: { $match: { tag_list }, maximum_timeout: 900 } }),
    ])
    expect(listRequests(plan).map(({ values }) => values.id)).toEqual(ids)
  })

  it('of the instance are refused if a plan changes which rules apply, so that the next plan has changes', async () => {
    const world = { 'site:runners': [runner(1, 'old', { tag_list: ['a'], active: true })] }
    const plan = (...rules: object[]) =>
      planWorld(world, [buildWish('site', 'runners', Object.fromEntries(rules.entries()))])
    const byId = { $match: { id: 1 } }
    const refuse = (name: string) => `the next plan would change ${name}, since this plan changes`
    await expect(
      plan({ ...byId, description: 'x' }, { $match: { description: 'old' }, description: 'y' }),
    ).rejects.toThrow(refuse('description'))
    await expect(
      plan({ ...byId, tag_list: ['b'] }, { $match: { tag_list: ['b'] }, maximum_timeout: 900 }),
    ).rejects.toThrow(refuse('maximum_timeout'))
    await expect(
      plan(
        { ...byId, maximum_timeout: 600, description: 'new' },
        { $match: { description: 'old' }, maximum_timeout: 900 },
      ),
    ).rejects.toThrow(refuse('maximum_timeout'))
    // A rule that no longer applies changes nothing.
    const once = await plan({ $match: { description: 'old' }, description: 'new' })
    expect(listRequests(once)).toMatchObject([{ values: { description: 'new' } }])
    const twice = { description: 'new', maximum_timeout: 600 }
    const same = await plan(
      { $match: { description: 'old' }, ...twice },
      { $match: { description: 'new' }, ...twice },
    )
    expect(same.actions).toHaveLength(1)
  })

  it('are not named by a description that a rule changes, not even to remove them', async () => {
    const project = 'projects/platform/app'
    const mine = runner(4, 'mine', { runner_type: 'project_type' })
    const world = { [`${project}:runners`]: [mine], 'site:runners': [mine] }
    const plan = (description: string, name: string | number, item: object | null = {}) =>
      planWorld(world, [
        buildWish('site', 'runners', { 0: { $match: { id: 4 }, description } }),
        buildWish(project, 'runners', { [name]: item }),
      ])
    await expect(plan('new', 'mine')).rejects.toThrow(
      'projects/platform/app:runners/mine: a runner has one description',
    )
    await expect(plan('new', 'mine', null)).rejects.toThrow('a runner has one description')
    expect((await plan('mine', 'mine')).actions).toEqual([])
    const unknown = ['a', 'b'].map((path) =>
      buildWish(`projects/x/${path}`, 'runners', { [path]: {} }),
    )
    const message = await getMessage(planWorld(world, unknown))
    expect(message).toContain('there is no runner a')
    expect(message).not.toContain('one description')
    expect((await plan('new', 4)).actions).toHaveLength(1)
  })

  it('of a project are enabled by ID, and disabled unless it is their only project', async () => {
    const project = 'projects/platform/app'
    const mine = runner(4, 'mine', { runner_type: 'project_type' })
    const world = { [`${project}:runners`]: [mine] }
    const plan = await planWorld(world, [buildWish(project, 'runners', { 5: {}, mine: null })])
    expect(listRequests(plan)).toEqual([
      { route: 'POST /projects/:id/runners', values: { id: 'platform/app', runner_id: 5 } },
      {
        route: 'DELETE /projects/:id/runners/:runner_id',
        values: { id: 'platform/app', runner_id: 4 },
      },
    ])
    const only = { ...world, 'site:runners/one': [{ ...mine, projects: [{ id: 1 }] }] }
    const kept = await planWorld(only, [buildWish(project, 'runners', { mine: null })])
    expect(formatPlan(kept)).toEqual([
      expect.stringMatching(/^impossible .* the only project of the runner/),
    ])
    // Both runners would be removed, and one of them must stay.
    const other = 'projects/platform/tools'
    const two = {
      ...world,
      [`${other}:runners`]: [mine],
      'site:runners/one': [{ ...mine, projects: [{ id: 1 }, { id: 2 }] }],
    }
    const none = [
      buildWish(project, 'runners', { mine: null }),
      buildWish(other, 'runners', { mine: null }),
    ]
    expect(formatPlan(await planWorld(two, none))).toEqual([
      `delete ${other}:runners/mine`,
      `impossible ${project}:runners/mine: this is the only project of the runner, so it cannot be removed`,
    ])
    const elsewhere = buildWish('projects/web/shop', 'runners', { 4: {} })
    const moved = await planWorld(two, [...none, elsewhere])
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
  const plan = await planWorld(world, [
    buildWish(from, 'deploy_keys', { deploy: null }),
    buildWish(to, 'deploy_keys', { deploy: { key } }),
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
  const plan = await planWorld(world, [
    buildWish(from, 'deploy_keys', { deploy: { key: other } }),
    buildWish(to, 'deploy_keys', { deploy: { key } }),
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
  const plan = await planWorld({ [`${from}:pages_domains`]: [{ domain: 'Docs.test' }] }, [
    buildWish(from, 'pages_domains', { 'Docs.test': null }),
    buildWish(to, 'pages_domains', { 'docs.test': {}, 'other.test': {} }),
  ])
  expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
    [`create ${to}:pages_domains/other.test`, []],
    [`delete ${from}:pages_domains/Docs.test`, []],
    [`create ${to}:pages_domains/docs.test`, [`delete ${from}:pages_domains/Docs.test`]],
  ])
})

it('changes nothing of an archived project', async () => {
  const plan = await planWorld(
    {},
    [buildWish(app, 'approval_rules', { New: { approvals_required: 1 } })],
    { about: () => ({ archived: true, namespace: 'group' }) },
  )
  expect(formatPlan(plan)).toEqual([
    `impossible ${app}:approval_rules/New: the project is archived`,
  ])
})
