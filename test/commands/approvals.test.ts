/** Approval rules: approvers by ID or by username. */
import { expect, it } from 'vitest'
import { svcctl } from '../support/program.js'
import { recording } from '../support/recorder.js'

const server = recording()
const people = [
  { id: 5, username: 'dov' },
  { id: 6, username: 'dova' },
]
const run = (...args: string[]) => {
  server.answer = ({ method, url }) => {
    if (url.includes('/members/all')) return { body: people }
    return { body: method === 'GET' ? { id: 2, name: 'QA', approvals_required: 1 } : { id: 2 } }
  }
  return svcctl(['approvals', 'rules', ...args, '-P', '3', '--yes'], {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' },
  })
}
const sent = () => server.seen.find(({ method }) => method !== 'GET')

it('a new rule takes usernames and IDs, looked up among all members', async () => {
  const ran = await run(
    'create',
    '--name',
    'QA',
    '--approvals-required',
    '1',
    '--user-ids',
    '@Dov,9',
  )
  expect(ran.code).toBe(0)
  expect(server.lines()[0]).toBe('GET /projects/3/members/all?query=Dov&per_page=100')
  expect(JSON.parse(sent()?.body ?? '')).toEqual({
    name: 'QA',
    approvals_required: 1,
    user_ids: [5, 9],
  })
})

it('an update takes them too', async () => {
  expect((await run('update', '2', '--user-ids', 'dov')).code).toBe(0)
  expect(JSON.parse(sent()?.body ?? '')).toMatchObject({ user_ids: [5] })
})

it('sends numbers and the empty list without a look-up', async () => {
  for (const [text, ids] of [
    ['7,8', [7, 8]],
    ['', []],
  ] as const) {
    server.seen.length = 0
    await run('create', '--name', 'x', '--approvals-required', '0', '--user-ids', text)
    expect(server.lines()).toEqual(['POST /projects/3/approval_rules'])
    expect(JSON.parse(sent()?.body ?? '')).toMatchObject({ user_ids: ids })
  }
})

it('sends nothing where nobody is called so', async () => {
  const ran = await run('create', '--name', 'x', '--approvals-required', '1', '--user-ids', 'do')
  expect(ran).toMatchObject({ code: 4, stdout: '' })
  expect(ran.stderr).toContain('no member called "do"; there is dov (5)')
  expect(sent()).toBeUndefined()
})
