/** Tests approval rules, whose approvers are given by ID or username. */
import { describe, expect, it } from 'vitest'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
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
const findWrite = () => server.seen.find(({ method }) => method !== 'GET')

describe('approvals rules create', () => {
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
    expect(JSON.parse(findWrite()?.body ?? '')).toEqual({
      name: 'QA',
      approvals_required: 1,
      user_ids: [5, 9],
    })
  })

  it('an update takes them too', async () => {
    expect((await run('update', '2', '--user-ids', 'dov')).code).toBe(0)
    expect(JSON.parse(findWrite()?.body ?? '')).toMatchObject({ user_ids: [5] })
  })

  it('sends numbers and the empty list without a look-up', async () => {
    for (const [text, ids] of [
      ['7,8', [7, 8]],
      ['', []],
    ] as const) {
      server.seen.length = 0
      await run('create', '--name', 'x', '--approvals-required', '0', '--user-ids', text)
      expect(server.lines()).toEqual(['POST /projects/3/approval_rules'])
      expect(JSON.parse(findWrite()?.body ?? '')).toMatchObject({ user_ids: ids })
    }
  })

  it('sends nothing where nobody is called so', async () => {
    const ran = await run('create', '--name', 'x', '--approvals-required', '1', '--user-ids', 'do')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain('project 3 has no member named "do"; there is dov (5)')
    expect(findWrite()).toBeUndefined()
  })
})

describe('approvals rules update', () => {
  const record = {
    id: 2,
    name: 'QA',
    approvals_required: 1,
    users: [
      { id: 5, username: 'dov' },
      { id: 6, username: 'dova' },
    ],
    groups: [{ id: 7, full_path: 'web' }],
  }
  const update = (...args: string[]) => {
    server.answer = ({ method }) => ({ body: method === 'GET' ? record : { id: 2 } })
    return svcctl(['approvals', 'rules', 'update', '2', '-P', '3', ...args], {
      env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' },
    })
  }
  const body = () => JSON.parse(findWrite()?.body ?? '{}')

  it('fills name and number from the rule, and leaves out who is not listed', async () => {
    const ran = await update('--user-ids', '5', '--yes')
    expect(ran.code).toBe(0)
    expect(server.lines()).toEqual([
      'GET /projects/3/approval_rules/2',
      'PUT /projects/3/approval_rules/2',
    ])
    expect(body()).toEqual({ name: 'QA', approvals_required: 1, user_ids: [5] })
    expect(ran.stderr).toContain('removes user dova (6) from rule QA')
    expect(ran.stderr).toContain('removes group web (7) from rule QA')
    expect(ran.stderr).not.toContain('user dov (5)')
  })

  it('asks before approvers go, and is refused where nobody can be asked', async () => {
    const ran = await update('--approvals-required', '2')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('unless you pass --keep')
    expect(findWrite()).toBeUndefined()
    // The approvers of the one rule are no objects of the run.
    const preview = await update('--approvals-required', '2', '--dry-run')
    expect(preview.stderr).toContain(`On ${server.url}:\n  user dov (5) from rule QA\n`)
  })

  it('keeps them with --keep, asks nothing, and adds those given', async () => {
    expect((await update('--user-ids', '8,5', '--name', 'Q', '--keep')).code).toBe(0)
    expect(body()).toEqual({
      name: 'Q',
      approvals_required: 1,
      user_ids: [5, 6, 8],
      group_ids: [7],
    })
  })

  it('asks nothing where everybody stays', async () => {
    const ran = await update('--user-ids', '5,6', '--group-ids', '7')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).not.toContain('removes')
  })

  it('says once of each who goes, of rules of one name as well', async () => {
    const others = { ...record, id: 4 }
    server.answer = ({ method, url }) => {
      if (method !== 'GET') return { body: { id: 2 } }
      if (/approval_rules\?/.test(url)) return { body: [record, others] }
      return { body: url.endsWith('/4') ? others : record }
    }
    const ran = await svcctl(
      [
        'approvals',
        'rules',
        'update',
        '--select',
        'name=QA',
        '--user-ids',
        '5',
        '-P',
        '3',
        '--yes',
      ],
      { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' } },
    )
    expect(ran.code).toBe(0)
    const gone = ran.stderr
      .split('\n')
      .filter((line) => line.includes(' removes ') || line.startsWith('removes '))
    const each = ['removes user dova (6) from rule QA', 'removes group web (7) from rule QA']
    expect(gone).toEqual([...each, ...each])
  })

  it('tells of a rule that cannot be read as of one that failed', async () => {
    const failing = await svcctl(
      ['approvals', 'rules', 'update', '2', '4', '-P', '3', '--name', 'x', '--keep'],
      { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' } },
    )
    expect(failing.code).toBe(0)
    server.seen.length = 0
    server.answer = ({ method, url }) =>
      method === 'GET' && url.endsWith('/4')
        ? { status: 404, body: { message: '404 Not found' } }
        : { body: method === 'GET' ? record : { id: 2 } }
    const ran = await svcctl(
      ['approvals', 'rules', 'update', '2', '4', '-P', '3', '--name', 'x', '--keep'],
      { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' } },
    )
    expect(ran.code).toBe(8)
    expect(server.lines().filter((l) => l.startsWith('PUT'))).toEqual([
      'PUT /projects/3/approval_rules/2',
    ])
  })

  it('shows with --curl what it reads first, whose fields stand in what it sends', async () => {
    const open = await update('--name', 'x', '--curl')
    expect(open.stdout).toContain('{"name":"x","approvals_required":"<approvals_required>"}')
    const kept = await update('--name', 'x', '--approvals-required', '1', '--keep', '--curl')
    expect(kept.stdout).toContain('"user_ids":["<users.id>"],"group_ids":["<groups.id>"]}')
    const several = await update('3', '--user-ids', '9', '--keep', '--curl')
    const addresses = several.stdout.match(/approval_rules\/\d/g)
    expect(addresses).toEqual([2, 3, 2, 3].map((id) => `approval_rules/${id}`))
    expect(several.stdout.match(/--request PUT .*"user_ids":\["<users.id>",9\]/g)).toHaveLength(2)
    expect(several.stderr.match(/<name> stands for/g)).toHaveLength(1)
    for (const { code, stdout } of [open, kept]) {
      expect(code).toBe(0)
      expect(stdout.trim().split('\n')).toHaveLength(2)
    }
    expect(server.seen).toEqual([])
  })
})
