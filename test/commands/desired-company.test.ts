/** Tests a company of 3 groups, 40 projects and 60 people in one file: it is applied once, and the next plan is empty. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { createSender } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const groups = ['backend', 'frontend', 'ops']
const projects = Array.from({ length: 40 }, (_, i) => ({
  group: groups[i % 3] ?? '',
  path: `p${String(i).padStart(2, '0')}`,
  topics: i % 4 === 0 ? ['service'] : [],
}))
const listUsernames = (from: number): readonly string[] =>
  Array.from({ length: 20 }, (_, i) => `u${String(from + i).padStart(2, '0')}`)

const buildTeam = (name: string, from: number): string =>
  `  ${name}:\n    users:\n      [${listUsernames(from).slice(0, 10).join(', ')},\n      ${listUsernames(from).slice(10).join(', ')}]`

const company = `version: 1
teams:
${buildTeam('backend', 0)}
${buildTeam('frontend', 20)}
${buildTeam('ops', 40)}
  leads: { users: [u00, u20, u40] }
  oncall: { users: [u05, u25, u45] }
  seniors: { users: [u45], teams: [leads] }
groups:
  backend:
    members: { $exact: true, 'team:backend': developer, 'team:leads': owner }
  frontend:
    members: { $exact: true, 'team:frontend': developer, 'team:leads': owner }
  ops:
    members: { $exact: true, 'team:ops': maintainer, 'team:leads': owner }
  '**':
    projects:
      approvals:
        reset_approvals_on_push: true
        merge_requests_author_approval: false
        require_password_to_approve: false
      approval_rules:
        $exact: true
        Leads: { approvals_required: 1, user_ids: ['team:leads'] }
projects:
  'backend/*':
    approval_rules:
      Backend: { approvals_required: { min: 1 }, user_ids: ['team:backend'] }
  'frontend/*':
    approval_rules:
      Frontend: { approvals_required: { min: 1 }, user_ids: ['team:frontend'] }
  'ops/*':
    approval_rules:
      Ops: { approvals_required: 2, user_ids: ['team:ops'] }
    approvals: { require_password_to_approve: true }
  '{topic: service}':
    members:
      team:oncall: maintainer
    approval_rules:
      On call: { approvals_required: 1, user_ids: ['team:oncall'] }
  backend/p00:
    approval_rules:
      Release: { approvals_required: 2, user_ids: ['team:seniors', u05] }
`

type Row = Readonly<Record<string, unknown>>
interface Table {
  next: number
  rows: Row[]
}

/** Replaces the rows of a table in a saved state. Each row starts as a copy of the first row. */
const fill = (state: Record<string, Table>, name: string, rows: readonly Row[]): void => {
  const [first] = state[name]?.rows ?? []
  const all = rows.map((row, i) => ({ ...first, id: i + 1, ...row }))
  state[name] = { next: rows.length + 1, rows: all }
}

/** Starts an instance that has only the groups, projects and people of the company. */
const begin = async () => {
  const stateDir = createFolder()
  const first = await startSandbox({ stateDir })
  const send = createSender(() => first.url)
  await send('POST /projects/platform%2Fapp/approvals', {
    json: { reset_approvals_on_push: false },
  })
  await first.close()
  const file = join(stateDir, 'state.json')
  const state = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Table>
  const { users, tokens } = state
  const root = users?.rows[0] ?? {}
  fill(state, 'users', [
    root,
    ...[0, 20, 40]
      .flatMap(listUsernames)
      .map((username) => ({ username, name: username, admin: false })),
  ])
  if (tokens !== undefined)
    tokens.rows = tokens.rows.filter(({ value }) => value === 'sandbox-root-token')
  fill(
    state,
    'groups',
    groups.map((path) => ({ path, name: path, full_path: path, full_name: path })),
  )
  fill(
    state,
    'projects',
    projects.map(({ group, path, topics }) => ({
      ...{ path, name: path, topics, namespace_id: groups.indexOf(group) + 1 },
      ...{ path_with_namespace: `${group}/${path}`, name_with_namespace: `${group} / ${path}` },
    })),
  )
  const kept = ['users', 'tokens', 'groups', 'projects', 'runners', 'geoNodes']
  for (const [name, table] of Object.entries(state))
    if (Array.isArray(table?.rows) && !kept.includes(name)) table.rows = []
  writeFileSync(file, JSON.stringify(state))
  const sandbox = await startSandbox({ stateDir })
  onTestFinished(() => sandbox.close())
  return sandbox.url
}

it('is written in no more than 80 lines, and planned to nothing once it is applied', async () => {
  expect(company.trimEnd().split('\n').length).toBeLessThanOrEqual(80)
  const url = await begin()
  const cwd = createFolder()
  writeFileSync(join(cwd, 'company.yml'), company)
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: url,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  const applied = await run('apply company.yml --yes --max-changes 100%')
  expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining(' done.')])
  // Each group gets 20 members and the 2 leads of the other groups, and each project a rule of the leads and one of its group.
  expect(applied.stdout).toMatch(/^Plan: 1\d\d to create/m)
  const again = await run('plan company.yml')
  expect([again.code, again.stdout]).toEqual([
    0,
    expect.stringMatching(/^Plan: nothing to do; \d+ unchanged/),
  ])
  const members = await createSender(() => url)('GET /groups/backend/members?per_page=100')
  expect(members.body).toHaveLength(22)
})
