import { describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()
const app = '/projects/platform%2Fapp'
const rules = `${app}/approval_rules`
const listIds = (users?: readonly { id: number }[]) => users?.map(({ id }) => id)

describe('approval configuration', () => {
  it('is read and changed by role', async () => {
    const { body } = await send(`GET ${app}/approvals`, { as: 'dov' })
    expect(body).toMatchObject({ approvals_before_merge: 1, reset_approvals_on_push: true })
    const json = { merge_requests_author_approval: true }
    expect((await send(`POST ${app}/approvals`, { as: 'chi', json })).status).toBe(403)
    const changed = await send(`POST ${app}/approvals`, { as: 'ben', json })
    expect([changed.status, changed.body.merge_requests_author_approval]).toEqual([201, true])
  })
})

describe('approval rules', () => {
  it('are listed with who may approve, and hide what the caller cannot see', async () => {
    const { body } = await send(`GET ${rules}`, { as: 'ana' })
    expect(body.map((r) => r.name)).toEqual(['All members', 'Security'])
    const [, security] = body
    expect(listIds(security?.users)).toEqual([2, 3])
    expect(security?.protected_branches?.[0]?.merge_access_levels).toEqual([
      { access_level: 30, access_level_description: 'Developers' },
    ])
    expect(security?.contains_hidden_groups).toBe(false)
    const outside = (await send(`GET ${rules}`, { as: 'gus' })).body[1]
    expect([outside?.groups, outside?.contains_hidden_groups]).toEqual([[], true])
  })

  it('are made, changed and deleted; who is not listed is removed', async () => {
    const json = { name: 'QA', approvals_required: 2, user_ids: [4, 5], group_ids: [1] }
    const made = await send(`POST ${rules}`, { as: 'ben', json })
    expect([made.status, listIds(made.body.users)]).toEqual([201, [4, 5]])
    expect((await send(`POST ${rules}`, { json })).refusal.message).toEqual({
      name: ['has already been taken'],
    })
    const second = { name: 'x', approvals_required: 1, rule_type: 'any_approver' }
    expect((await send(`POST ${rules}`, { json: second })).status).toBe(400)
    const path = `${rules}/${made.body.id}` as const
    const less = await send(`PUT ${path}`, {
      json: { name: 'QA', approvals_required: 1, user_ids: [4] },
    })
    expect([listIds(less.body.users), less.body.groups]).toEqual([[4], []])
    expect((await send(`PUT ${path}`, { json: { name: 'QA' } })).refusal.error).toBe(
      'approvals_required is missing',
    )
    expect((await send(`DELETE ${path}`, { as: 'chi' })).status).toBe(403)
    expect((await send(`DELETE ${path}`)).status).toBe(204)
    expect((await send(`GET ${path}`)).status).toBe(404)
  })
})

describe('an approver', () => {
  it('is eligible for as long as they belong to the project', async () => {
    const json = { name: 'QA', approvals_required: 1, user_ids: [4, 8] }
    const { id } = (await send('POST /projects/1/approval_rules', { json })).body
    const eligible = async () =>
      (await send(`GET /projects/1/approval_rules/${id}`)).body.eligible_approvers.map(
        (user) => user.id,
      )
    expect(await eligible()).toEqual([4, 8])
    expect((await send('DELETE /projects/1/members/8')).status).toBe(204)
    expect(await eligible()).toEqual([4])
  })

  it('have a name that is not blank, as every text that the catalogue declares so', async () => {
    const json = { name: ' ', approvals_required: 1 }
    const made = await send(`POST ${rules}`, { json })
    expect([made.status, made.refusal.message]).toEqual([400, { name: ["can't be blank"] }])
    const titled = await send(`POST ${app}/deploy_keys`, { json: { title: ' ', key: 'none' } })
    expect(titled.status).toBe(400)
    const node = { name: 'x', url: 'https://x.test', files_max_capacity: -1 }
    const { refusal } = await send('POST /geo_nodes', { json: node })
    expect(refusal.message).toEqual({
      files_max_capacity: ['must be greater than or equal to 0'],
    })
  })
})

describe('approvals of merge requests', () => {
  const one = `${app}/merge_requests/1`

  it('tell what is required, given and left', async () => {
    const { body } = await send(`GET ${one}/approvals`)
    expect(body).toMatchObject({ approvals_required: 1, approvals_left: 1 })
    expect(body.approved_by[0]?.user.username).toBe('dov')
    const state = (await send(`GET ${one}/approval_state`)).body
    expect(state.approval_rules_overwritten).toBe(false)
    expect(listObjects(state.rules).map((r) => r.approved)).toEqual([true, false])
  })

  it('may be asked for in greater number', async () => {
    const more = await send(`POST ${one}/approvals`, { as: 'chi', json: { approvals_required: 3 } })
    expect([more.status, more.body.approvals_required, more.body.approvals_left]).toEqual([
      201, 3, 2,
    ])
    expect((await send(`POST ${one}/approvals`, { json: {} })).status).toBe(400)
    expect(
      (await send(`POST ${one}/approvals`, { as: 'dov', json: { approvals_required: 2 } })).status,
    ).toBe(403)
  })
})
