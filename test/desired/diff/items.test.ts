/** Tests the actions for items: they are created, changed, deleted, or left alone. */
import { describe, expect, it } from 'vitest'
import { buildWish, forbidden, formatPlan, getMessage, listRequests, planWorld } from './world.js'

const app = 'projects/platform/app'
const rules = `${app}:approval_rules`
const security = {
  id: 7,
  name: 'Security',
  rule_type: 'regular',
  approvals_required: 1,
  users: [{ id: 1 }, { id: 2 }],
  groups: [],
  contains_hidden_groups: false,
}
const old = { ...security, id: 8, name: 'Old rule', users: [] }

const members = { [`${app}:members/all`]: [{ id: 3, username: 'chi', access_level: 30 }] }

describe('an item', () => {
  it('is changed where it differs, with all that a change would take away', async () => {
    const plan = await planWorld({ [rules]: [security], ...members }, [
      buildWish(app, 'approval_rules', {
        Security: { approvals_required: 2, user_ids: ['ana', 'chi'] },
      }),
    ])
    expect(formatPlan(plan)).toEqual([
      `update ${rules}/Security approvals_required: 1 → 2; user_ids: ["ana","ben"] → ["ana","chi"]`,
    ])
    expect(listRequests(plan)).toEqual([
      {
        route: 'PUT /projects/:id/approval_rules/:approval_rule_id',
        values: {
          id: 'platform/app',
          approval_rule_id: 7,
          name: 'Security',
          approvals_required: 2,
          user_ids: [1, 3],
          group_ids: [],
        },
      },
    ])
  })

  it('keeps what the files do not speak of', async () => {
    const plan = await planWorld({ [rules]: [security] }, [
      buildWish(app, 'approval_rules', { Security: { approvals_required: 2 } }),
    ])
    expect(listRequests(plan)[0]?.values).toMatchObject({ user_ids: [1, 2], group_ids: [] })
    expect(plan.actions[0]?.changes.map(({ attribute }) => attribute)).toEqual([
      'approvals_required',
    ])
  })

  it('is left alone where it is as it should be, whatever the order of its lists', async () => {
    const plan = await planWorld({ [rules]: [security] }, [
      buildWish(app, 'approval_rules', {
        Security: { approvals_required: 1, user_ids: ['ben', 1] },
      }),
    ])
    expect(formatPlan(plan)).toEqual([])
    expect(plan.same).toBe(1)
  })

  it('has members put in and taken out of a list', async () => {
    const plan = await planWorld({ [rules]: [security], ...members }, [
      buildWish(app, 'approval_rules', {
        Security: { user_ids: { $add: ['chi'], $remove: ['ben'] } },
      }),
    ])
    expect(listRequests(plan)[0]?.values.user_ids).toEqual([1, 3])
    const none = await planWorld({ [rules]: [security] }, [
      buildWish(app, 'approval_rules', {
        Security: { user_ids: { $add: ['ana'], $remove: ['chi'] } },
      }),
    ])
    expect(formatPlan(none)).toEqual([])
  })

  it('is created where it is not there, and is deleted where it is null', async () => {
    const plan = await planWorld({ [rules]: [old] }, [
      buildWish(app, 'approval_rules', {
        Release: { approvals_required: 1, group_ids: ['platform/core'] },
        'Old rule': null,
        Nowhere: null,
      }),
    ])
    expect(formatPlan(plan)).toEqual([
      `create ${rules}/Release approvals_required: undefined → 1; group_ids: undefined → ["platform/core"]`,
      `delete ${rules}/Old rule`,
    ])
    expect(plan.actions[1]?.loses).toMatch(/^Merge requests no longer need/)
    expect(listRequests(plan)).toEqual([
      {
        route: 'POST /projects/:id/approval_rules',
        values: { id: 'platform/app', name: 'Release', approvals_required: 1, group_ids: [21] },
      },
      {
        route: 'DELETE /projects/:id/approval_rules/:approval_rule_id',
        values: { id: 'platform/app', approval_rule_id: 8 },
      },
    ])
    expect(plan.same).toBe(1)
  })

  it('is deleted unlisted only in an exact set', async () => {
    const additive = await planWorld({ [rules]: [security, old] }, [
      buildWish(app, 'approval_rules', { Security: {} }),
    ])
    expect(formatPlan(additive)).toEqual([])
    expect(additive.sets).toEqual({})
    const exact = await planWorld({ [rules]: [security, old] }, [
      buildWish(app, 'approval_rules', { $exact: true, Security: {} }),
    ])
    expect(formatPlan(exact)).toEqual([`delete ${rules}/Old rule`])
    expect(Object.keys(exact.sets)).toEqual([rules])
  })

  it('takes a name that it had before, and is not deleted then', async () => {
    const plan = await planWorld({ [rules]: [old] }, [
      buildWish(app, 'approval_rules', {
        $exact: true,
        Ship: { $previously: ['Old rule', 'Older'] },
      }),
    ])
    expect(formatPlan(plan)).toEqual([`update ${rules}/Ship name: "Old rule" → "Ship"`])
    expect(listRequests(plan)[0]?.values).toMatchObject({ approval_rule_id: 8, name: 'Ship' })
    const both = planWorld({ [rules]: [old, security] }, [
      buildWish(app, 'approval_rules', { Security: { $previously: ['Old rule'] } }),
    ])
    expect(await getMessage(both)).toMatch(/^usage: svcctl.yml:\d+:1: both Security and Old rule/)
    const several = planWorld({ [rules]: [old, security] }, [
      buildWish(app, 'approval_rules', { Ship: { $previously: ['Old rule', 'Security'] } }),
    ])
    expect(await getMessage(several)).toMatch(/several of the previous names of Ship still/)
  })

  it('is noted where a delete and a create of equal attributes may be a new name', async () => {
    const plan = await planWorld({ [rules]: [old, security] }, [
      buildWish(app, 'approval_rules', {
        $exact: true,
        Security: {},
        New: { approvals_required: 1 },
      }),
    ])
    expect(formatPlan(plan)).toContain(
      `note ${rules}/New: resembles Old rule, which is deleted; to rename it instead, add previously: [Old rule]`,
    )
  })
})

describe('what is wrong in files', () => {
  it('is told all at once, by line', async () => {
    const text = await getMessage(
      planWorld({}, [
        buildWish(app, 'approval_rules', { New: { user_ids: ['nobody'] } }),
        buildWish('projects/platform/web', 'approval_rules', {
          New: { approvals_required: 1, group_ids: ['nowhere'] },
        }),
      ]),
    )
    expect(text.split('\n')).toEqual([
      'usage: 3 errors in files:',
      expect.stringMatching(
        /^svcctl.yml:\d+:1: .*New does not exist yet, and creating it requires approvals_required$/,
      ),
      expect.stringMatching(/^svcctl.yml:\d+:1: there is no user nobody/),
      expect.stringMatching(/there is no group nowhere/),
    ])
  })

  it('names a parameter that cannot be unset', async () => {
    const text = await getMessage(
      planWorld({ [rules]: [security] }, [
        buildWish(app, 'approval_rules', { Security: { approvals_required: null } }),
      ]),
    )
    expect(text).toMatch(/approvals_required cannot be unset/)
  })
})

describe('what cannot be read', () => {
  it('is listed, and nothing is planned there', async () => {
    const plan = await planWorld({ [rules]: forbidden, [`${app}:approvals`]: [{}] }, [
      buildWish(app, 'approval_rules', { $exact: true }),
      buildWish(app, 'approvals', {}),
    ])
    expect(formatPlan(plan)).toEqual([`unread ${rules}: GET: 403 Forbidden`])
  })

  it('is unreadable even where it is all of it: a weak token does not look like agreement', async () => {
    const plan = await planWorld({ [rules]: forbidden }, [buildWish(app, 'approval_rules', {})])
    expect(plan.unread).toHaveLength(1)
  })

  it('is told from what the instance does not have', async () => {
    const plan = await planWorld({ [rules]: 'unsupported' }, [buildWish(app, 'approval_rules', {})])
    expect(formatPlan(plan)).toEqual([`unsupported ${rules}: the instance does not have it`])
  })
})

describe('selection', () => {
  const world = { [rules]: [security, old] }
  const wishes = [
    buildWish(app, 'approval_rules', {
      $exact: true,
      Security: { approvals_required: 3, user_ids: ['ana'] },
    }),
  ]
  it('leaves out what is not meant: neither written nor read', async () => {
    const only = await planWorld(world, wishes, { only: [`${rules}/Security`] })
    expect(only.actions.map(({ id }) => id)).toEqual([`update ${rules}/Security`])
    const attribute = await planWorld(world, wishes, {
      only: ['*:approval_rules/Security#user_ids'],
    })
    expect(formatPlan(attribute)).toEqual([
      `update ${rules}/Security user_ids: ["ana","ben"] → ["ana"]`,
    ])
    const except = await planWorld(world, wishes, { except: ['approval_rules'] })
    expect(formatPlan(except)).toEqual([])
  })

  it('ignores what a check is told to', async () => {
    const plan = await planWorld(world, wishes, { ignore: ['*#user_ids', `${rules}/Old rule`] })
    expect(formatPlan(plan)).toEqual([`update ${rules}/Security approvals_required: 1 → 3`])
  })
})

it('makes the same plan of the same state, in whatever order the wishes come', async () => {
  const world = { [rules]: [security, old], [`${app}:approvals`]: [{ id: 1 }] }
  const wishes = [
    buildWish(app, 'approval_rules', {
      $exact: true,
      B: { approvals_required: 1 },
      A: { approvals_required: 1 },
    }),
    buildWish('projects/platform/web', 'approval_rules', { Z: { approvals_required: 0 } }),
    buildWish('groups/platform', 'members', { ana: { access_level: 30 } }),
  ]
  const one = await planWorld(world, wishes)
  const other = await planWorld(world, [...wishes].reverse())
  expect(formatPlan(other)).toEqual(formatPlan(one))
  expect(one.actions.map(({ id }) => id)).toEqual([
    'create groups/platform:members/ana',
    `create ${rules}/A`,
    `create ${rules}/B`,
    'create projects/platform/web:approval_rules/Z',
    `delete ${rules}/Old rule`,
    `delete ${rules}/Security`,
  ])
})
