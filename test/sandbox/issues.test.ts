import { describe, expect, it } from 'vitest'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ now: () => new Date('2026-11-20T12:00:00Z') })
const issue = '/projects/platform%2Fapp/issues'

const listReferences = (body: readonly { references: { full: string } }[]) =>
  body.map((i) => i.references.full)
const listIssues = async (query: string, as = 'ana') =>
  listReferences((await send(`GET /issues?per_page=100&${query}`, { as })).body)
const listInApp = async (query: string, as = 'ana') =>
  (await send(`GET /groups/platform/issues?scope=all&per_page=100&${query}`, { as })).body
    .filter((i) => i.references.full.startsWith('platform/app#'))
    .map((i) => i.iid)
    .sort((a, b) => a - b)

describe('lists of issues', () => {
  it('gives what the caller created unless asked for more', async () => {
    expect(await listIssues('')).toEqual(['platform/app#4', 'platform/app#8'])
    expect(await listIssues('scope=assigned_to_me')).toEqual(['platform/app#6'])
    expect(await listIssues('scope=assigned-to-me')).toEqual(['platform/app#6'])
    expect((await listIssues('scope=all')).length).toBeGreaterThan(8)
  })

  it('answers anyone about public projects, and asks for signing in otherwise', async () => {
    expect((await send('GET /issues', { as: '' })).status).toBe(401)
    const { body } = await send('GET /issues?scope=all', { as: '' })
    expect(new Set(listReferences(body).map((ref) => ref.split('#')[0]))).toEqual(
      new Set(['web/site']),
    )
  })

  it('hides confidential issues from guests, shows them to reporters', async () => {
    expect(await listInApp('', 'eva')).not.toContain(4)
    expect(await listInApp('', 'dov')).toContain(4)
    expect(await listInApp('confidential=true', 'dov')).toEqual([4])
  })

  it('hides confidential issues of public projects from callers without a credential', async () => {
    const issues = '/projects/web%2Fsite/issues'
    const readTitles = async (as: string) =>
      toRecords((await send(`GET ${issues}`, { as })).body).map(({ title }) => title)
    await send(`POST ${issues}`, { as: 'root', json: { title: 'Leaked key', confidential: true } })
    expect(await readTitles('root')).toContain('Leaked key')
    const shown = await readTitles('')
    expect(shown.length).toBeGreaterThan(0)
    expect(shown).not.toContain('Leaked key')
  })

  it.each([
    ['assignee_id=None', [3, 4, 5, 7, 8]],
    ['assignee_id=Any', [1, 2, 6]],
    ['assignee_id=4', [1, 2]],
    ['assignee_username[]=ana&assignee_username[]=ben', [6]],
    ['author_username=dov', [1, 3]],
    ['author_id=4', [5, 7]],
    ['labels=bug', [1, 2, 4]],
    ['labels=bug,backend', [1]],
    ['labels=None', [7, 8]],
    ['labels=No+Label', [7, 8]],
    ['labels=Any', [1, 2, 3, 4, 5, 6]],
    ['milestone=1.1', [1, 2]],
    ['milestone=None', [3, 4, 6, 7]],
    ['milestone_id=Started', [1, 2]],
    ['milestone_id=Upcoming', [1, 2]],
    ['milestone_id=Any', [1, 2, 5, 8]],
    ['iteration_id=1', [3]],
    ['iteration_title=Autumn 1', [3]],
    ['iteration_id=Any', [3]],
    ['weight=3', [1]],
    ['weight=Any', [1, 3, 8]],
    ['issue_type=incident', [6]],
    ['iids[]=2&iids[]=3', [2, 3]],
    ['state=closed', [5]],
    ['search=sign in', [1, 7]],
    ['search=measure&in=title', []],
    ['search=measure&in=description', [1]],
    ['due_date=overdue', [1, 8]],
    ['due_date=0', [2, 3, 4, 5, 6, 7]],
    ['my_reaction_emoji=thumbsup', [1]],
    ['my_reaction_emoji=None', [2, 3, 4, 5, 6, 7, 8]],
    ['created_after=2026-10-10T00:00:00Z', [6, 7]],
    ['not[labels]=bug,incident', [3, 5, 7, 8]],
    ['not[iids][]=1&not[iids][]=2&not[milestone]=2.0', [3, 4, 5, 6, 7]],
    ['not[assignee_username][]=chi', [3, 4, 5, 6, 7, 8]],
    ['not[author_id]=2&not[weight]=Any', [2, 5, 6, 7]],
  ])('filters by %s', async (query, iids) => {
    expect(await listInApp(encodeURI(query))).toEqual(iids)
  })

  it('orders by what is asked for, records without it last', async () => {
    const order = async (query: string) =>
      (await send(`GET /groups/platform/issues?scope=all&labels=Any&${query}`)).body.map(
        (i) => i.references.full,
      )
    expect((await order('order_by=weight'))[0]).toBe('platform/core/engine#1')
    expect((await order('order_by=weight&sort=asc'))[0]).toBe('platform/app#3')
    expect((await order('order_by=popularity'))[0]).toBe('platform/app#1')
    expect((await order('order_by=label_priority&sort=asc')).at(-1)).toBe('platform/app#6')
    expect((await order('order_by=title&sort=asc'))[0]).toBe('platform/tools/cli#1')
  })

  it('gives labels in full, and leaves out archived projects unless asked', async () => {
    const { body } = await send(
      'GET /issues?scope=all&iids[]=1&labels=backend&with_labels_details=1',
    )
    expect(body[0]?.labels[0]).toMatchObject({ name: 'bug', color: '#d9534f' })
    expect(await listIssues('scope=all', 'dov')).not.toContain('labs/prototype#1')
    expect(await listIssues('scope=all&non_archived=false', 'dov')).toContain('labs/prototype#1')
  })

  it('refuses pairs that exclude each other', async () => {
    const both = await send('GET /issues?author_id=1&author_username=ana')
    expect([both.status, both.refusal.error]).toEqual([
      400,
      'author_id, author_username are mutually exclusive',
    ])
    expect((await send('GET /issues?milestone=1&milestone_id=Any')).status).toBe(400)
  })
})

describe('one issue', () => {
  it('has one to-do item a user', async () => {
    const first = await send(`POST ${issue}/2/todo`, { as: 'ben' })
    expect([first.status, first.body.state, first.body.target.iid]).toEqual([201, 'pending', 2])
    expect((await send(`POST ${issue}/2/todo`, { as: 'ben' })).status).toBe(304)
    expect((await send(`POST ${issue}/2/todo`, { as: 'ana' })).status).toBe(201)
    expect((await send(`POST ${issue}/4/todo`, { as: 'eva' })).status).toBe(404)
  })

  it('is unsubscribed from', async () => {
    const { status, body } = await send(`POST ${issue}/1/unsubscribe`, { as: 'chi' })
    expect([status, body.subscribed, body.references.relative]).toEqual([201, false, '#1'])
  })

  it('tracks time in full units', async () => {
    const path = `${issue}/3`
    const zero = {
      time_estimate: 0,
      total_time_spent: 0,
      human_time_estimate: null,
      human_total_time_spent: null,
    }
    expect((await send(`GET ${path}/time_stats`)).body).toEqual(zero)
    const set = await send(`POST ${path}/time_estimate?duration=3w1h`, { as: 'dov' })
    expect([set.status, set.body.human_time_estimate]).toEqual([200, '3w 1h'])
    const spent = await send(`POST ${path}/add_spent_time`, {
      as: 'dov',
      json: { duration: '1h30m', summary: 'reading' },
    })
    expect([spent.status, spent.body.total_time_spent]).toEqual([201, 5400])
    const less = await send(`POST ${path}/add_spent_time`, { json: { duration: '-30m' } })
    expect(less.body.human_total_time_spent).toBe('1h')
    expect((await send(`POST ${path}/add_spent_time`, { json: { duration: '-2h' } })).status).toBe(
      400,
    )
    expect((await send(`POST ${path}/time_estimate`, { json: { duration: 'soon' } })).status).toBe(
      400,
    )
    expect((await send(`POST ${path}/reset_spent_time`, { as: 'eva' })).status).toBe(403)
    expect((await send(`POST ${path}/reset_spent_time`)).status).toBe(200)
    expect((await send(`POST ${path}/reset_time_estimate`)).body).toEqual(zero)
  })

  it('knows the merge requests related to it', async () => {
    const { body } = await send(`GET ${issue}/2/related_merge_requests`, { as: 'chi' })
    expect(body.map((m) => m.iid)).toEqual([1])
    const other = await send(`GET ${issue}/2/related_merge_requests`, { as: 'eva' })
    expect(other.body).toEqual([])
  })

  it('becomes an epic, and leaves the events that tell so', async () => {
    const send2 = (body: string, as = 'dov') =>
      send(`POST ${issue}/8/notes`, { as, json: { body } })
    expect((await send2('please /promote')).status).toBe(400)
    expect((await send2('/promote', 'eva')).status).toBe(403)
    const { status, body } = await send2('Large enough.\n/promote')
    expect([status, body.commands_changes, body.noteable_iid]).toEqual([
      201,
      { promote_to_epic: true },
      8,
    ])
    const [closed] = (await send('GET /issues?scope=all&state=closed&iids[]=8')).body
    expect([closed?.state, closed?.closed_by?.username]).toEqual(['closed', 'dov'])
    const events = (await send('GET /events', { as: 'dov' })).body.slice(0, 3)
    expect(events.map((e) => e.action_name).sort()).toEqual(['closed', 'commented on', 'opened'])
    expect((await send2('/promote')).status).toBe(400)
  })
})

describe('the issues of a group', () => {
  it('are everybody’s unless a scope is given', async () => {
    const all = (await send('GET /groups/platform/issues?per_page=100', { as: 'ben' })).body
    const authors = new Set(all.map((i) => i.author.username))
    expect(authors.size).toBeGreaterThan(1)
    const mine = '/groups/platform/issues?scope=created_by_me&per_page=100'
    expect((await send(`GET ${mine}`, { as: 'ben' })).body.length).toBeLessThan(all.length)
  })
})
