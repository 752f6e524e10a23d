/** Tests `access`: each level is the one that the instance reports, explained by the list that grants it or marked unexplained. */
import { describe, expect, it } from 'vitest'
import { answerByRoute, createCaller, parseRows } from './calling.js'

const { server, call } = createCaller()

const createMember = (id: number, username: string, access_level: number) => ({
  id,
  username,
  access_level,
})
const shares = [{ group_full_path: 'partners', group_access_level: 30 }]
const project = { id: 1, path_with_namespace: 'a/b/app', shared_with_groups: shares }

/** Answers for a project with one member for each way to get access. */
const table: Readonly<Record<string, unknown>> = {
  'GET /projects/a%2Fb%2Fapp/members/all': [
    createMember(1, 'direct', 40),
    createMember(2, 'near', 30),
    createMember(3, 'far', 50),
    createMember(4, 'partner', 30),
    createMember(5, 'stranger', 20),
    createMember(6, 'raised', 40),
  ],
  'GET /projects/a%2Fb%2Fapp/members': [
    createMember(1, 'direct', 40),
    createMember(6, 'raised', 20),
  ],
  'GET /groups/a%2Fb/members': [createMember(2, 'near', 30)],
  'GET /groups/a/members': [
    createMember(3, 'far', 50),
    createMember(2, 'near', 30),
    createMember(6, 'raised', 40),
  ],
  'GET /groups/partners/members/all': [createMember(4, 'partner', 50)],
  'GET /projects/a%2Fb%2Fapp/approval_rules': [
    { name: 'Any', rule_type: 'any_approver', eligible_approvers: [] },
    { name: 'Security', rule_type: 'regular', eligible_approvers: [createMember(1, 'direct', 40)] },
  ],
  'GET /projects/a%2Fb%2Fapp/deploy_keys': [
    { id: 7, title: 'ci', can_push: true },
    { id: 8, title: 'mirror', can_push: false },
  ],
  'GET /projects/a%2Fb%2Fapp/protected_branches': [
    {
      name: 'main',
      push_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
      merge_access_levels: [{ access_level: 30 }],
    },
  ],
  'GET /projects/a%2Fb%2Fapp': project,
}

const toAccessLines = (stdout: string) =>
  parseRows(stdout).map(({ kind, name, access, via }) => [kind, name, access, via].join(' | '))

describe('access', () => {
  it('names the list that gives each level: the nearest that names the same one', async () => {
    server.answer = answerByRoute(table)
    const { code, stdout } = await call('access a/b/app')
    expect(code).toBe(0)
    expect(toAccessLines(stdout)).toEqual([
      'member | direct | maintainer | direct',
      'member | near | developer | group a/b',
      'member | far | owner | group a',
      'member | partner | developer | shared with partners (developer)',
      'member | stranger | reporter | unexplained',
      'member | raised | maintainer | group a',
      'approver | any eligible member | approve | rule Any',
      'approver | direct | approve | rule Security',
      'deploy key | ci | push | key',
      'deploy key | mirror | read | key',
      'branch | Maintainers | push | branch main',
      'branch | developer | merge | branch main',
    ])
  })

  it('counts its requests beforehand', async () => {
    server.answer = answerByRoute(table)
    const { stderr } = await call('access a/b/app --dry-run')
    expect(server.lines()).toEqual(['GET /projects/a%2Fb%2Fapp'])
    const [, count] = /would send (\d+) requests/.exec(stderr) ?? []
    server.seen.length = 0
    await call('access a/b/app')
    expect(server.seen).toHaveLength(1 + Number(count))
  })

  it('says which part could not be read, and ends with 8', async () => {
    const whole = answerByRoute(table)
    server.answer = (request, i) =>
      request.url.includes('deploy_keys') ? { status: 403 } : whole(request, i)
    const { code, stdout, stderr } = await call('access a/b/app')
    expect(code).toBe(8)
    expect(stderr).toContain('deploy keys: not permitted')
    expect(stdout).not.toContain('deploy key')
    expect(stdout).toContain('rule Security')
  })

  it('ends with the failure where the members themselves cannot be read', async () => {
    const whole = answerByRoute(table)
    server.answer = (request, i) =>
      request.url.includes('members/all') ? { status: 403 } : whole(request, i)
    expect((await call('access a/b/app')).code).toBe(3)
  })

  it('tells a user from a group of the same name only when told which', async () => {
    server.answer = answerByRoute({
      'GET /users': [{ id: 1 }],
      'GET /groups/ops': { full_path: 'ops' },
    })
    const { code, stderr } = await call('access ops')
    expect(code).toBe(2)
    expect(stderr).toContain('Write @ops or group:ops.')
  })

  it('ends with 4 for a name of nothing', async () => {
    server.answer = ({ url }) => (url.includes('/users') ? { body: [] } : { status: 404 })
    expect((await call('access nobody')).code).toBe(4)
    expect((await call('access no/where')).code).toBe(4)
  })

  it('follows a user through the places, and names the group above', async () => {
    const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
    const { stdout } = await call('access @ben', { env })
    const rows = parseRows(stdout).map(({ place, via }) => `${place} ${via}`)
    expect(rows).toContain('group:platform direct')
    expect(rows).toContain('project:platform/tools/cli group platform')
    for (const name of ['@ben', 'ben'])
      expect((await call(`access ${name} -o html`, { env })).stdout).toContain('Access of @ben')
  })

  it('puts places beside each other with --matrix', async () => {
    const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
    const { stdout } = await call('access web/site platform/app --matrix -o csv', { env })
    const [head, ...rows] = stdout.trimEnd().split(/\r?\n/)
    expect(head).toBe('name,project:web/site,project:platform/app')
    expect(rows).toContain('gus,,developer')
  })
})
