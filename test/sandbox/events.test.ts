import { describe, expect, it } from 'vitest'
import { type ApiAnswer, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ now: () => new Date('2026-11-20T12:00:00Z') })
const listAuthors = (body: ApiAnswer<'GET /events'>['body']) =>
  new Set(body.map((e) => e.author_username))

describe('events', () => {
  it('are the caller’s own, or with scope=all those of the projects too', async () => {
    const own = await send('GET /events?per_page=100', { as: 'ben' })
    expect(listAuthors(own.body)).toEqual(new Set(['ben']))
    const all = await send('GET /events?per_page=100&scope=all', { as: 'ben' })
    expect(listAuthors(all.body).size).toBeGreaterThan(3)
  })

  it('come newest first, or the other way round', async () => {
    const times = async (query: string) =>
      (await send(`GET /projects/1/events?per_page=100&${query}`)).body.map((e) => e.created_at)
    const down = await times('')
    expect(down).toEqual([...down].sort().reverse())
    expect(await times('sort=asc')).toEqual(down.reverse())
  })

  it('are filtered by action, target and day', async () => {
    const { body } = await send('GET /projects/1/events?action=pushed')
    expect(new Set(body.map((e) => e.action_name))).toEqual(new Set(['pushed']))
    expect(body[0]?.push_data).toMatchObject({ ref_type: 'branch', ref: 'main', commit_count: 1 })
    const notes = (await send('GET /projects/1/events?target_type=note')).body
    expect(notes[0]).toMatchObject({ action_name: 'commented on', note: { body: 'I am on it.' } })
    const days = (
      await send('GET /projects/1/events?after=2026-10-04&before=2026-10-08&per_page=100')
    ).body.map((e) => e.created_at.slice(0, 10))
    expect(days.every((d) => d > '2026-10-04' && d < '2026-10-08')).toBe(true)
    expect(days).not.toHaveLength(0)
    expect((await send('GET /events?action=odd')).status).toBe(400)
  })

  it('show of others only what the caller may see', async () => {
    const of = async (as: string) =>
      (await send('GET /users/ana/events?per_page=100', { as })).body.map((e) => e.target_title)
    expect(await of('dov')).toContain('The port is open')
    expect(await of('eva')).not.toContain('The port is open')
    expect((await send('GET /users/nobody/events')).status).toBe(404)
  })

  it('are gone after three years', async () => {
    const { body } = await send('GET /projects/1/events?action=joined&per_page=100')
    expect(listAuthors(body)).toEqual(new Set(['chi', 'gus']))
  })

  it('open to the scope read_user, but not in projects', async () => {
    const as = 'sandbox-ana-user-token'
    expect((await send('GET /events', { as })).status).toBe(200)
    expect((await send('GET /users/3/events', { as })).status).toBe(200)
    expect((await send('GET /projects/1/events', { as })).status).toBe(403)
  })
})
