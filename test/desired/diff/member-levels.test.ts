/** Tests plans for members: the changes that no plan may make, and the order of the others. */
import { describe, expect, it } from 'vitest'
import { buildWish, forbidden, formatPlan, getMessage, listRequests, planWorld } from './world.js'

const app = 'projects/platform/app'
const group = 'groups/platform'
const createMember = (id: number, username: string, access_level: number) => ({
  id,
  username,
  access_level,
  expires_at: null,
})

const rules = `${app}:approval_rules`
const rule = {
  id: 1,
  approvals_required: 1,
  groups: [],
  contains_hidden_groups: false,
}

describe('members', () => {
  const owners = [
    createMember(1, 'ana', 50),
    createMember(2, 'ben', 50),
    createMember(3, 'chi', 30),
  ]
  const world = { [`${group}:members`]: owners, [`${group}:members/all`]: owners }

  it('are added by number, and changed with their level', async () => {
    const plan = await planWorld(world, [
      buildWish(group, 'members', {
        Dee: { access_level: 'developer' },
        chi: { expires_at: '2027-06-30' },
        ben: null,
      }),
    ])
    expect(formatPlan(plan)).toEqual([
      `create ${group}:members/Dee access_level: undefined → "developer"`,
      `update ${group}:members/chi expires_at: null → "2027-06-30"`,
      `delete ${group}:members/ben`,
    ])
    expect(listRequests(plan)).toEqual([
      {
        route: 'POST /groups/:id/members',
        values: { id: 'platform', user_id: 4, access_level: 30 },
      },
      {
        route: 'PUT /groups/:id/members/:user_id',
        values: { id: 'platform', user_id: 3, access_level: 30, expires_at: '2027-06-30' },
      },
      { route: 'DELETE /groups/:id/members/:user_id', values: { id: 'platform', user_id: 2 } },
    ])
  })

  it('never leave a group without an owner, whoever lifts what', async () => {
    const both = planWorld(
      world,
      [buildWish(group, 'members', { ana: null, ben: { access_level: 40 } })],
      {
        limits: { deletes: { count: 100 }, empty: ['*'] },
      },
    )
    expect((await getMessage(both)).match(/would be left without an owner/g)).toHaveLength(1)
    const another = await planWorld(world, [
      buildWish(group, 'members', { ana: null, ben: null, chi: { access_level: 50 } }),
    ])
    expect(another.actions.at(-1)?.waitsFor).toContain(`update ${group}:members/chi`)
  })

  it('keep an owner by the group above', async () => {
    const inner = 'groups/platform/core'
    const plan = await planWorld(
      {
        ...world,
        [`${inner}:members`]: [createMember(3, 'chi', 50)],
        [`${inner}:members/all`]: [...owners.slice(0, 2), createMember(3, 'chi', 50)],
      },
      [buildWish(inner, 'members', { chi: null })],
    )
    expect(plan.actions.map(({ verb }) => verb)).toEqual(['delete'])
  })

  it('are not removed where nobody can say who is left', async () => {
    const plan = planWorld({ ...world, [`${group}:members/all`]: forbidden }, [
      buildWish(group, 'members', { ana: null }),
    ])
    expect(await getMessage(plan)).toMatch(/would still have an owner/)
  })

  it('never lose the token’s own user, also in an exact set', async () => {
    const mine = [createMember(9, 'root', 40), ...owners]
    const removal = planWorld({ [`${app}:members`]: mine }, [
      buildWish(app, 'members', { $exact: true, ana: {}, ben: {}, chi: {} }),
    ])
    expect(await getMessage(removal)).toMatch(
      /root is the user of this token, and would be removed/,
    )
    const lowered = planWorld({ [`${app}:members`]: mine }, [
      buildWish(app, 'members', { root: { access_level: 30 } }),
    ])
    expect(await getMessage(lowered)).toMatch(/would get a lower level in projects\/platform\/app/)
  })

  it('that are bots stay in an exact set that does not list them', async () => {
    const bot = createMember(77, 'project_12_bot_ab', 30)
    const world = { [`${app}:members`]: [bot, createMember(3, 'chi', 30)] }
    const plan = await planWorld(world, [buildWish(app, 'members', { $exact: true, chi: {} })])
    expect(formatPlan(plan)).toEqual([])
    const listed = await planWorld(world, [buildWish(app, 'members', { project_12_bot_ab: null })])
    expect(listed.actions).toHaveLength(1)
  })

  it('below the level that a group gives are impossible', async () => {
    const plan = await planWorld(world, [buildWish(app, 'members', { ana: { access_level: 20 } })])
    expect(formatPlan(plan)).toEqual([
      `impossible ${app}:members/ana: is a member of platform as owner, and cannot have a lower level here`,
    ])
  })

  it('that are impossible fill no set that would become empty', async () => {
    const one = { ...world, [`${app}:members`]: [createMember(3, 'chi', 30)] }
    const exact = buildWish(app, 'members', { $exact: true, ana: { access_level: 20 } })
    expect((await planWorld(one, [exact])).refused.map(({ text }) => text)).toEqual([
      `${app}:members would become empty`,
    ])
  })

  it('that are impossible leave a set as full as it is', async () => {
    const one = {
      ...world,
      [`${app}:members`]: [createMember(1, 'ana', 50), createMember(3, 'chi', 30)],
    }
    const exact = buildWish(app, 'members', { $exact: true, ana: { access_level: 20 } })
    const plan = await planWorld(one, [exact])
    expect(formatPlan(plan)).toEqual([
      `delete ${app}:members/chi`,
      expect.stringMatching(/^impossible .*members\/ana: /),
    ])
    expect(plan.refused).toEqual([])
  })

  it('that are too low already take no other end', async () => {
    const low = { ...world, [`${app}:members`]: [createMember(1, 'ana', 20)] }
    const plan = await planWorld(low, [
      buildWish(app, 'members', { ana: { expires_at: '2036-01-31' } }),
    ])
    expect(formatPlan(plan)).toEqual([
      `impossible ${app}:members/ana: is a member of platform as owner, and cannot have a lower level here`,
    ])
  })

  it('are held against the level that the group has after the same plan', async () => {
    const chi = [createMember(3, 'chi', 40)]
    const with_ = (level: number | undefined) => ({
      [`${group}:members`]: chi,
      [`${group}:members/all`]: chi,
      [`${app}:members`]: level === undefined ? [] : [createMember(3, 'chi', level)],
    })
    const inApp = buildWish(app, 'members', { chi: { access_level: 'developer' } })
    const inGroup = (access_level: number) => buildWish(group, 'members', { chi: { access_level } })
    // An access level below that of the group works once the group is lowered, but not once the group is raised.
    expect(formatPlan(await planWorld(with_(undefined), [inApp, inGroup(30)]))).toEqual([
      `update ${group}:members/chi access_level: "maintainer" → "developer"`,
      `create ${app}:members/chi access_level: undefined → "developer"`,
    ])
    const low = { ...with_(10), [`${group}:members`]: [], [`${group}:members/all`]: [] }
    const above = 'is a member of platform as maintainer, and cannot have a lower level here'
    expect(formatPlan(await planWorld(low, [inApp, inGroup(40)]))).toEqual([
      `create ${group}:members/chi access_level: undefined → "maintainer"`,
      `impossible ${app}:members/chi: ${above}`,
    ])
    // The level comes from no membership of a group, but from a group that the project is shared with, so it stays.
    const shared = { ...with_(undefined), [`${group}:members`]: [createMember(3, 'chi', 20)] }
    expect(formatPlan(await planWorld(shared, [inApp, inGroup(10)])).at(-1)).toBe(
      `impossible ${app}:members/chi: ${above}`,
    )
  })

  it('that are too low in a group count for nothing below it', async () => {
    const inner = 'groups/platform/core'
    const plan = await planWorld(
      { [`${group}:members`]: owners, [`${group}:members/all`]: owners },
      [
        buildWish(inner, 'members', { chi: { access_level: 20 } }),
        buildWish(`projects/platform/core/engine`, 'members', { chi: { access_level: 30 } }),
      ],
    )
    expect(formatPlan(plan)).toEqual([
      'create projects/platform/core/engine:members/chi access_level: undefined → "developer"',
      `impossible ${inner}:members/chi: is a member of platform as developer, and cannot have a lower level here`,
    ])
  })

  it('who own the namespace are never touched', async () => {
    const own = 'projects/ana/notes'
    const plan = await planWorld(
      { [`${own}:members`]: [createMember(1, 'ana', 50), createMember(2, 'ben', 30)] },
      [buildWish(own, 'members', { $exact: true, ben: {} })],
      { about: () => ({ archived: false, namespace: 'user' }) },
    )
    expect(formatPlan(plan)).toEqual([])
  })
})

describe('the order', () => {
  it('wait for their members, and members go after them', async () => {
    const plan = await planWorld(
      {
        [rules]: [{ ...rule, name: 'R', rule_type: 'regular', users: [{ id: 2 }] }],
        [`${group}:members`]: [createMember(2, 'ben', 30)],
      },
      [
        buildWish(app, 'approval_rules', { R: { user_ids: ['chi'] } }),
        buildWish(app, 'members', { chi: { access_level: 30 }, dee: { access_level: 30 } }),
        buildWish(group, 'members', { ben: null }),
      ],
    )
    expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
      [`create ${app}:members/chi`, []],
      [`create ${app}:members/dee`, []],
      [`update ${rules}/R`, [`create ${app}:members/chi`]],
      [`delete ${group}:members/ben`, []],
    ])
  })

  it('takes somebody out of a group before they come back within it, with what needs them', async () => {
    const plan = await planWorld(
      {
        [rules]: [{ ...rule, name: 'R', rule_type: 'regular', users: [] }],
        [`${group}:members`]: [createMember(2, 'ben', 40), createMember(1, 'ana', 50)],
        [`${group}:members/all`]: [createMember(2, 'ben', 40), createMember(1, 'ana', 50)],
      },
      [
        buildWish(app, 'approval_rules', { R: { user_ids: ['ben'] } }),
        buildWish(app, 'members', { ben: { access_level: 30 }, dee: { access_level: 30 } }),
        buildWish(group, 'members', { ben: null }),
      ],
    )
    expect(plan.findings).toEqual([])
    expect(plan.actions.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
      [`create ${app}:members/dee`, []],
      [`delete ${group}:members/ben`, []],
      [`create ${app}:members/ben`, [`delete ${group}:members/ben`]],
      [`update ${rules}/R`, [`create ${app}:members/ben`]],
    ])
  })
})
