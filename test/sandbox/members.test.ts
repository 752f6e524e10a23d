import { describe, expect, it } from 'vitest'
import { toRecords, useFreshSandbox } from './instance.js'

const clock = { now: new Date('2026-11-20T12:00:00Z') }
const { send } = useFreshSandbox({ now: () => clock.now })
const app = '/projects/platform%2Fapp/members'
const toLevels = (body: readonly { username: string; access_level: number }[]) =>
  Object.fromEntries(body.map((m) => [m.username, m.access_level]))
const listNames = (body: readonly { username: string }[]) => body.map((m) => m.username)

describe('members', () => {
  it('are direct, or inherited with the highest level', async () => {
    expect(toLevels((await send(`GET ${app}`, { as: 'eva' })).body)).toEqual({
      dov: 10,
      gus: 30,
      project_1_bot: 40,
    })
    const all = toLevels((await send(`GET ${app}/all`)).body)
    expect(all).toMatchObject({ ana: 50, ben: 40, chi: 30, dov: 20, eva: 10, gus: 30 })
    expect(toLevels((await send('GET /groups/platform%2Fcore/members/all')).body).chi).toBe(40)
    expect(toLevels((await send('GET /projects/ana%2Fdotfiles/members')).body)).toEqual({ ana: 40 })
  })

  it('are searched and picked', async () => {
    expect(listNames((await send(`GET ${app}/all?query=BEN`)).body)).toEqual(['ben'])
    expect(listNames((await send(`GET ${app}/all?user_ids[]=2&user_ids[]=4`)).body)).toEqual([
      'ana',
      'chi',
    ])
  })

  it('are shown one by one', async () => {
    expect((await send(`GET ${app}/2`)).status).toBe(404)
    const { body } = await send(`GET ${app}/all/2`)
    expect(body).toMatchObject({ username: 'ana', access_level: 50, email: 'ana@example.test' })
    expect(body.created_at).toEqual(expect.any(String))
    expect((await send(`GET ${app}/5`)).body).not.toHaveProperty('email')
  })

  it('end on their day', async () => {
    expect(listNames((await send('GET /groups/web/members')).body)).not.toContain('fay')
  })

  it('leave an event when their time in a project is over', async () => {
    const first = clock.now
    const json = { user_id: 3, access_level: 40, expires_at: '2026-11-21' }
    expect((await send(`POST ${app}`, { json })).status).toBe(201)
    clock.now = new Date('2026-11-22T12:00:00Z')
    expect((await send(`GET ${app}/3`)).status).toBe(404)
    const [event] = (await send('GET /projects/1/events?action=expired')).body
    expect([event?.author_username, event?.created_at.slice(0, 10)]).toEqual(['ben', '2026-11-21'])
    clock.now = first
  })

  it('are added one by one, with an event of whoever joins', async () => {
    const json = { user_id: 6, access_level: 30, expires_at: '2027-01-31' }
    expect((await send(`POST ${app}`, { as: 'chi', json })).status).toBe(403)
    const added = await send(`POST ${app}`, { as: 'ben', json })
    expect(added).toMatchObject({
      status: 201,
      body: { access_level: 30, expires_at: '2027-01-31T00:00:00.000Z' },
    })
    expect((await send(`POST ${app}`, { json })).status).toBe(409)
    const [event] = (await send('GET /projects/1/events?action=joined')).body
    expect([event?.author_username, event?.action_name]).toEqual(['eva', 'joined'])
  })

  it('cannot get what makes no sense', async () => {
    const post = async (json: object) => (await send(`POST ${app}`, { json })).refusal
    expect((await post({ user_id: 7, access_level: 50 })).message).toHaveProperty('access_level', [
      'is not included in the list',
    ])
    const inherited = expect.stringContaining('inherited membership from group Platform')
    expect((await post({ user_id: 4, access_level: 10 })).message).toHaveProperty(
      'access_level.0',
      inherited,
    )
    expect((await post({ user_id: 99, access_level: 30 })).message).toBe('404 User Not Found')
    const past = { user_id: 7, access_level: 30, expires_at: '2020-01-01' }
    expect((await post(past)).message).toHaveProperty('expires_at', [
      'cannot be a date in the past',
    ])
    expect((await post({ user_id: 7 })).error).toBe('access_level is missing')
  })

  it('are added several at once, which is answered with a status', async () => {
    const group = '/groups/labs/members'
    const both = await send(`POST ${group}`, { json: { user_id: '2,3', access_level: 50 } })
    expect([both.status, both.body]).toEqual([201, { status: 'success' }])
    const mixed = await send(`POST ${group}`, { json: { user_id: '3,4', access_level: 30 } })
    expect(mixed.body).toEqual({ status: 'error', message: { ben: 'Member already exists' } })
    expect(listNames((await send(`GET ${group}`)).body)).toContain('chi')
  })

  it('change level and end; the last owner stays', async () => {
    const path = '/groups/partners/members'
    expect((await send(`PUT ${path}/2`, { json: { access_level: 30 } })).status).toBe(403)
    const changed = await send(`PUT ${path}/8`, {
      as: 'ana',
      json: { access_level: 20, expires_at: '2027-06-30' },
    })
    expect(changed.body).toMatchObject({
      access_level: 20,
      expires_at: '2027-06-30T00:00:00.000Z',
    })
    expect((await send(`PUT ${path}/8`, { json: { expires_at: '' } })).body.expires_at).toBeNull()
    expect((await send(`PUT ${path}/8`, { json: {} })).status).toBe(400)
  })

  it('leave a project by themselves only where they are direct members', async () => {
    const json = { user_id: 6, access_level: 30 }
    expect((await send(`POST ${app}`, { json })).status).toBe(201)
    const before = toLevels((await send(`GET ${app}`)).body)
    expect((await send(`DELETE ${app}/6`, { as: 'chi' })).status).toBe(403)
    expect((await send(`DELETE ${app}/6`, { as: 'ben' })).status).toBe(204)
    const { eva: _, ...others } = before
    expect(toLevels((await send(`GET ${app}`)).body)).toEqual(others)
    expect((await send(`GET ${app}/all/6`)).body.access_level).toBe(10)
    const [event] = (await send('GET /projects/1/events?action=left')).body
    expect([event?.author_username, event?.action_name]).toEqual(['eva', 'left'])
    const again = await send(`DELETE ${app}/6`)
    expect([again.status, again.refusal]).toEqual([404, { message: '404 Not found' }])
  })

  it('leave a group, but its last owner does not, nor the owner of a personal project', async () => {
    const path = '/groups/partners/members'
    expect((await send(`DELETE ${path}/2`)).status).toBe(403)
    expect((await send('DELETE /groups/platform/members/6', { as: 'ben' })).status).toBe(403)
    expect((await send(`DELETE ${path}/8`, { as: 'ana' })).status).toBe(204)
    expect((await send(`GET ${path}/8`)).status).toBe(404)
    expect((await send('DELETE /groups/nowhere/members/8')).status).toBe(404)
    const personal = '/projects/ana%2Fdotfiles/members/2'
    expect((await send(`DELETE ${personal}`)).status).toBe(403)
  })
})

describe('billable members', () => {
  const { send } = useFreshSandbox({ now: () => new Date('2026-11-20T12:00:00Z') })
  const path = '/groups/platform/billable_members'

  it('are those of a whole top-level group, for its owners', async () => {
    const { body } = await send(`GET ${path}?sort=name_asc`, { as: 'ana' })
    expect(listNames(body)).toEqual(['ana', 'ben', 'chi', 'dov', 'eva', 'gus'])
    expect(body.at(-1)).toMatchObject({ membership_type: 'project_member', removable: true })
    expect((await send(`GET ${path}`, { as: 'ben' })).status).toBe(403)
    expect((await send('GET /groups/platform%2Fcore/billable_members')).status).toBe(400)
    expect(listNames((await send(`GET ${path}?search=dahan`)).body)).toEqual(['dov'])
  })

  it.each([
    ['access_level_asc', 'eva'],
    ['access_level_desc', 'ana'],
    ['last_joined', 'gus'],
    ['name_desc', 'gus'],
    ['oldest_joined', 'ana'],
    ['oldest_sign_in', 'gus'],
    ['recent_sign_in', 'ana'],
    ['last_activity_on_asc', 'gus'],
    ['last_activity_on_desc', 'ana'],
  ])('are sorted by %s', async (sort, first) => {
    expect(listNames((await send(`GET ${path}?sort=${sort}`)).body)[0]).toBe(first)
  })

  it('have memberships, and lose them all', async () => {
    const { body } = await send(`GET ${path}/4/memberships`)
    expect(body.map((m) => m.source_full_name)).toEqual(['Platform', 'Platform / Core'])
    expect(body[1]?.access_level).toEqual({ string_value: 'Maintainer', integer_value: 40 })
    expect((await send(`DELETE ${path}/8`, { as: 'ben' })).status).toBe(403)
    expect((await send(`DELETE ${path}/8`, { as: 'ana' })).status).toBe(204)
    expect((await send(`GET ${app}/8`)).status).toBe(404)
    const [event] = (await send('GET /projects/1/events?action=left')).body
    expect(event?.author_username).toBe('gus')
    expect((await send(`DELETE ${path}/2`)).status).toBe(400)
  })

  it('does not include the owner of the namespace, and says so', async () => {
    const own = '/projects/chi%2Fnotes'
    const [chi] = toRecords((await send('GET /users?username=chi')).body)
    const json = { access_level: 30 }
    const { status, refusal } = await send(`PUT ${own}/members/${chi?.id}`, { json })
    expect([status, refusal.message]).toEqual([403, expect.stringContaining('stays its owner')])
    const shown = (await send(`GET ${own}`, { as: 'chi' })).body
    expect(shown.permissions?.project_access).toEqual({ access_level: 40, notification_level: 3 })
  })
})
