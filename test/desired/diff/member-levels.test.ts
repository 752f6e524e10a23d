/** Members: what no plan may do to them, and in which order. */
import { describe, expect, it } from 'vitest'
import { lines, message, planned, refusal, requests, wish } from './world.js'

const app = 'projects/platform/app'
const group = 'groups/platform'
const member = (id: number, username: string, access_level: number) => ({
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
  const owners = [member(1, 'ana', 50), member(2, 'ben', 50), member(3, 'chi', 30)]
  const world = { [`${group}:members`]: owners, [`${group}:members/all`]: owners }

  it('are added by number, and changed with their level', async () => {
    const plan = await planned(world, [
      wish(group, 'members', {
        Dee: { access_level: 'developer' },
        chi: { expires_at: '2027-06-30' },
        ben: null,
      }),
    ])
    expect(lines(plan)).toEqual([
      `create ${group}:members/Dee access_level: undefined → "developer"`,
      `update ${group}:members/chi expires_at: null → "2027-06-30"`,
      `delete ${group}:members/ben`,
    ])
    expect(requests(plan)).toEqual([
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
    const both = planned(
      world,
      [wish(group, 'members', { ana: null, ben: { access_level: 40 } })],
      {
        limits: { deletes: { count: 100 }, empty: ['*'] },
      },
    )
    expect((await message(both)).match(/would be left without an owner/g)).toHaveLength(1)
    const another = await planned(world, [
      wish(group, 'members', { ana: null, ben: null, chi: { access_level: 50 } }),
    ])
    expect(another.actions.at(-1)?.waitsFor).toContain(`update ${group}:members/chi`)
  })

  it('keep an owner by the group above', async () => {
    const inner = 'groups/platform/core'
    const plan = await planned(
      {
        ...world,
        [`${inner}:members`]: [member(3, 'chi', 50)],
        [`${inner}:members/all`]: [...owners.slice(0, 2), member(3, 'chi', 50)],
      },
      [wish(inner, 'members', { chi: null })],
    )
    expect(plan.actions.map(({ verb }) => verb)).toEqual(['delete'])
  })

  it('are not removed where nobody can say who is left', async () => {
    const plan = planned({ ...world, [`${group}:members/all`]: refusal }, [
      wish(group, 'members', { ana: null }),
    ])
    expect(await message(plan)).toMatch(/would still have an owner/)
  })

  it('never lose the token’s own user, also in an exact set', async () => {
    const mine = [member(9, 'root', 40), ...owners]
    const removal = planned({ [`${app}:members`]: mine }, [
      wish(app, 'members', { $exact: true, ana: {}, ben: {}, chi: {} }),
    ])
    expect(await message(removal)).toMatch(/root is the user of this token, and would be removed/)
    const lowered = planned({ [`${app}:members`]: mine }, [
      wish(app, 'members', { root: { access_level: 30 } }),
    ])
    expect(await message(lowered)).toMatch(/would get a lower level in projects\/platform\/app/)
  })

  it('that are bots stay in an exact set that does not list them', async () => {
    const bot = member(77, 'project_12_bot_ab', 30)
    const world = { [`${app}:members`]: [bot, member(3, 'chi', 30)] }
    const plan = await planned(world, [wish(app, 'members', { $exact: true, chi: {} })])
    expect(lines(plan)).toEqual([])
    const listed = await planned(world, [wish(app, 'members', { project_12_bot_ab: null })])
    expect(listed.actions).toHaveLength(1)
  })

  it('below the level that a group gives are impossible', async () => {
    const plan = await planned(world, [wish(app, 'members', { ana: { access_level: 20 } })])
    expect(lines(plan)).toEqual([
      `impossible ${app}:members/ana: is a member of platform as owner, and cannot have a lower level here`,
    ])
  })

  it('that are impossible fill no set that would become empty', async () => {
    const one = { ...world, [`${app}:members`]: [member(3, 'chi', 30)] }
    const exact = wish(app, 'members', { $exact: true, ana: { access_level: 20 } })
    expect((await planned(one, [exact])).refused.map(({ text }) => text)).toEqual([
      `${app}:members would become empty`,
    ])
  })

  it('that are impossible leave a set as full as it is', async () => {
    const one = { ...world, [`${app}:members`]: [member(1, 'ana', 50), member(3, 'chi', 30)] }
    const exact = wish(app, 'members', { $exact: true, ana: { access_level: 20 } })
    const plan = await planned(one, [exact])
    expect(lines(plan)).toEqual([
      `delete ${app}:members/chi`,
      expect.stringMatching(/^impossible .*members\/ana: /),
    ])
    expect(plan.refused).toEqual([])
  })

  it('that are too low already take no other end', async () => {
    const low = { ...world, [`${app}:members`]: [member(1, 'ana', 20)] }
    const plan = await planned(low, [wish(app, 'members', { ana: { expires_at: '2036-01-31' } })])
    expect(lines(plan)).toEqual([
      `impossible ${app}:members/ana: is a member of platform as owner, and cannot have a lower level here`,
    ])
  })

  it('are held against the level that the group has after the same plan', async () => {
    const chi = [member(3, 'chi', 40)]
    const with_ = (level: number | undefined) => ({
      [`${group}:members`]: chi,
      [`${group}:members/all`]: chi,
      [`${app}:members`]: level === undefined ? [] : [member(3, 'chi', level)],
    })
    const inApp = wish(app, 'members', { chi: { access_level: 'developer' } })
    const inGroup = (access_level: number) => wish(group, 'members', { chi: { access_level } })
    // Lowered above, it may be so; raised above, it cannot be.
    expect(lines(await planned(with_(undefined), [inApp, inGroup(30)]))).toEqual([
      `update ${group}:members/chi access_level: "maintainer" → "developer"`,
      `create ${app}:members/chi access_level: undefined → "developer"`,
    ])
    const low = { ...with_(10), [`${group}:members`]: [], [`${group}:members/all`]: [] }
    const above = 'is a member of platform as maintainer, and cannot have a lower level here'
    expect(lines(await planned(low, [inApp, inGroup(40)]))).toEqual([
      `create ${group}:members/chi access_level: undefined → "maintainer"`,
      `impossible ${app}:members/chi: ${above}`,
    ])
    // What no membership of a group explains, a group that it was shared with, stays.
    const shared = { ...with_(undefined), [`${group}:members`]: [member(3, 'chi', 20)] }
    expect(lines(await planned(shared, [inApp, inGroup(10)])).at(-1)).toBe(
      `impossible ${app}:members/chi: ${above}`,
    )
  })

  it('that are too low in a group count for nothing below it', async () => {
    const inner = 'groups/platform/core'
    const plan = await planned({ [`${group}:members`]: owners, [`${group}:members/all`]: owners }, [
      wish(inner, 'members', { chi: { access_level: 20 } }),
      wish(`projects/platform/core/engine`, 'members', { chi: { access_level: 30 } }),
    ])
    expect(lines(plan)).toEqual([
      'create projects/platform/core/engine:members/chi access_level: undefined → "developer"',
      `impossible ${inner}:members/chi: is a member of platform as developer, and cannot have a lower level here`,
    ])
  })

  it('who own the namespace are never touched', async () => {
    const own = 'projects/ana/notes'
    const plan = await planned(
      { [`${own}:members`]: [member(1, 'ana', 50), member(2, 'ben', 30)] },
      [wish(own, 'members', { $exact: true, ben: {} })],
      { about: () => ({ archived: false, namespace: 'user' }) },
    )
    expect(lines(plan)).toEqual([])
  })
})

describe('the order', () => {
  it('wait for their members, and members go after them', async () => {
    const plan = await planned(
      {
        [rules]: [{ ...rule, name: 'R', rule_type: 'regular', users: [{ id: 2 }] }],
        [`${group}:members`]: [member(2, 'ben', 30)],
      },
      [
        wish(app, 'approval_rules', { R: { user_ids: ['chi'] } }),
        wish(app, 'members', { chi: { access_level: 30 }, dee: { access_level: 30 } }),
        wish(group, 'members', { ben: null }),
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
    const plan = await planned(
      {
        [rules]: [{ ...rule, name: 'R', rule_type: 'regular', users: [] }],
        [`${group}:members`]: [member(2, 'ben', 40), member(1, 'ana', 50)],
        [`${group}:members/all`]: [member(2, 'ben', 40), member(1, 'ana', 50)],
      },
      [
        wish(app, 'approval_rules', { R: { user_ids: ['ben'] } }),
        wish(app, 'members', { ben: { access_level: 30 }, dee: { access_level: 30 } }),
        wish(group, 'members', { ben: null }),
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
