/**
 * Whatever something is called: an export of it plans to nothing, and applied again it is the same objects, by
 * their IDs, that are meant. Names are such as people may choose, and as files could take for something else.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { Fields } from '../../src/base/objects.js'
import { startSandbox } from '../../src/library/sandbox.js'
import { publicKeys } from '../desired/exporting/writes.js'
import { sandbox, sender, toRecords } from '../sandbox/instance.js'
import { folder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { frontOf } from './front.js'

/** What anything that is named by any text may be called. */
const names = [
  ...['8', '007', '@8', '@x', '@ ', '$x', '$$y', '$exact', 'env:X', '__proto__', 'constructor'],
  ...['null', '~', '<<', '**', 'team:x', 'a/b#c%d*', 'Case', 'case', ' led', 'two\nlines', 'ü😀'],
]
/** Users 2 to 8; a name that is another's ID among them. */
const usernames = ['null', '__proto__', '007', '8', '@9', '$x', 'env:X'] as const
/** Those who may approve: one is blocked. */
const approvers = [2, 3, 4, 5, 6, 8]
/** Paths of the groups 4 to 6; the first is the ID of the second. */
const groups: Readonly<Record<string, string>> = { web: '5', labs: '__proto__', partners: 'null' }
const people: Readonly<Record<string, string>> = { ana: 'null', ben: '__proto__', chi: '007' }

interface Row {
  [field: string]: unknown
  id: number
}
type Saved = Readonly<Record<string, { next: number; rows: Row[] }>>

const moved = (path: unknown): string => {
  const [first = '', ...rest] = String(path).split('/')
  return [groups[first] ?? people[first] ?? first, ...rest].join('/')
}

/** Gives the sample data other names. */
const renamed = (state: Saved): void => {
  const { users, projects, members, protectedBranches, resourceGroups, runners } = state
  const { approvalRules, geoNodes } = state
  for (const [i, username] of usernames.entries())
    Object.assign(users?.rows[i + 1] ?? {}, { username })
  for (const row of projects?.rows ?? []) row.path_with_namespace = moved(row.path_with_namespace)
  for (const row of state.groups?.rows ?? [])
    Object.assign(row, { path: moved(row.path), full_path: moved(row.full_path) })
  const add = (table: Saved[string] | undefined, row: object): number => {
    const id = table === undefined ? 0 : table.next++
    table?.rows.push({ ...row, id })
    return id
  }
  const partner = members?.rows.find(({ source_type, source_id }) =>
    isDeepStrictEqual([source_type, source_id], ['group', 6]),
  )
  for (const user_id of [3, 4, 5, 6, 7]) add(members, { ...partner, user_id, access_level: 20 })
  // No less than in the group above: what no instance would take again.
  for (const member of members?.rows ?? [])
    if (member.source_type === 'project' && member.user_id === 5) member.access_level = 30
  const own = runners?.rows.find(({ runner_type }) => runner_type === 'project_type')
  for (const [i, name] of names.entries()) {
    const branch = add(protectedBranches, { ...protectedBranches?.rows[0], name })
    add(approvalRules, {
      ...approvalRules?.rows[1],
      name,
      user_ids: [approvers[i % approvers.length]],
      group_ids: [4 + (i % 3)],
      protected_branch_ids: [branch],
    })
    add(geoNodes, {
      ...geoNodes?.rows[1],
      name,
      url: `https://geo-${i}.example.test/`,
      selective_sync_type: 'namespaces',
      selective_sync_namespace_ids: [4 + (i % 3), 2],
    })
    add(resourceGroups, { ...resourceGroups?.rows[0], key: name })
    add(runners, { ...own, description: name, project_ids: [1, 2], locked: false, token: name })
  }
}

const box = sandbox()
const app = '/projects/1'

/** An instance with these names, and one object a name of each kind. */
const called = async () => {
  const state = folder()
  const first = await startSandbox({ state })
  await sender(() => first.url)('PUT /runners/1', { json: { active: false } })
  await first.close()
  const file = join(state, 'state.json')
  const saved = JSON.parse(readFileSync(file, 'utf8'))
  renamed(saved)
  writeFileSync(file, JSON.stringify(saved))
  const { url, close } = await startSandbox({ state })
  onTestFinished(close)
  const send = sender(() => url)
  for (const [i, key] of publicKeys.entries())
    await send(`POST ${app}/deploy_keys`, { json: { key, title: names[i], can_push: i % 2 === 0 } })
  return { url, send }
}

type Called = Awaited<ReturnType<typeof called>>

/** Who and what is meant, by ID. */
const meant = async ({ send }: Called) => {
  const all = async (path: string) => toRecords((await send(`GET ${path}?per_page=100`)).body)
  const ids = (list: unknown) =>
    toRecords(list)
      .map(({ id }) => id)
      .sort()
  const members = await Promise.all(
    ['/groups/1', '/groups/2', '/groups/4', '/groups/5', '/groups/6', app].map(async (place) =>
      (await all(`${place}/members`)).map(({ id, access_level }) => [place, id, access_level]),
    ),
  )
  const rules = (await all(`${app}/approval_rules`)).map((rule) => [
    rule.name,
    ids(rule.users),
    ids(rule.groups),
    ids(rule.protected_branches),
  ])
  return {
    members: members.flat().sort(),
    rules: rules.sort(),
    runners: ids(await all(`${app}/runners`)),
    keys: (await all(`${app}/deploy_keys`)).map(({ title, key }) => [title, key]).sort(),
    modes: (await all(`${app}/resource_groups`)).map((group) => [group.id, group.process_mode]),
    nodes: (await all('/geo_nodes')).map((node) => [node.name, node.selective_sync_namespace_ids]),
  }
}

/** Takes away, or changes, whatever has a name. */
const disturbed = async ({ send }: Called): Promise<void> => {
  const done = async (route: string, json?: object): Promise<void> => {
    const { status, text } = await send(route, json === undefined ? {} : { json })
    if (status >= 300) throw new Error(`${route}: ${status} ${text}`)
  }
  const all = async (path: string) => toRecords((await send(`GET ${path}?per_page=100`)).body)
  const each = async (path: string, work: (row: Fields) => Promise<void> | undefined) => {
    await Promise.all((await all(path)).map(work))
  }
  await each(`${app}/approval_rules`, ({ id }) => done(`DELETE ${app}/approval_rules/${id}`))
  await each(`${app}/deploy_keys`, ({ id }) => done(`DELETE ${app}/deploy_keys/${id}`))
  await each(`${app}/runners`, ({ id, description }) =>
    names.includes(String(description)) ? done(`DELETE ${app}/runners/${id}`) : undefined,
  )
  const mode = { process_mode: 'newest_first' }
  await each(`${app}/resource_groups`, ({ key }) =>
    done(`PUT ${app}/resource_groups/${encodeURIComponent(String(key))}`, mode),
  )
  await each('/geo_nodes', ({ id, primary, name, url }) =>
    primary === true
      ? undefined
      : done(`PUT /geo_nodes/${id}`, { name, url, selective_sync_namespace_ids: [6] }),
  )
  for (const place of ['/groups/4', '/groups/5', '/groups/6', app])
    await each(`${place}/members`, ({ id, access_level }) =>
      Number(access_level) < 50 && id !== 9 ? done(`DELETE ${place}/members/${id}`) : undefined,
    )
}

/** Lines about an instance, from a folder of their own. */
const desk = (base: string) => {
  const cwd = folder()
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: base }
  return { cwd, run: (line: string) => svcctl(line.split(' '), { cwd, env }) }
}

it('is what it was once an export is applied', { timeout: 120_000 }, async () => {
  const instance = await called()
  const front = await frontOf(() => instance.url)
  const { cwd, run } = desk(front.base)
  const ran = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await run(line)
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
    return stdout
  }
  const before = await meant(instance)
  for (const form of ['json', 'yml']) {
    await ran(`export --exact --to before.${form}`)
    expect(JSON.parse(await ran(`plan before.${form} -o json`)).actions).toEqual([])
  }
  await disturbed(instance)
  expect(await meant(instance)).not.toEqual(before)
  await ran('apply before.yml --yes --max-deletes 100% --max-changes 100%')
  expect(await meant(instance)).toEqual(before)
  await ran('export --exact --to after.yml')
  const text = (name: string): string => readFileSync(join(cwd, name), 'utf8')
  expect(text('after.yml')).toBe(text('before.yml'))
  // Each name of each kind was written anew.
  expect(front.written().length).toBeGreaterThan(4 * names.length)
})

it.each([
  ['a member', "groups: {labs: {members: {'@8': {access_level: owner}}}}", 'no user @8'],
  [
    'who approves',
    "projects: {platform/app: {approval_rules: {R: {approvals_required: 1, user_ids: ['@8']}}}}",
    'no user @8',
  ],
  [
    'whose groups approve',
    "projects: {platform/app: {approval_rules: {R: {approvals_required: 1, group_ids: ['@1']}}}}",
    'no group @1',
  ],
  ['a runner', "projects: {web/site: {runners: {'@7': {}}}}", 'no runner @7'],
  [
    'what is replicated',
    "site: {geo_nodes: {south: {selective_sync_namespace_ids: ['@1']}}}",
    'no group @1',
  ],
  [
    'a group itself',
    "groups: {'1': {members: {ana: {access_level: guest}}}}",
    'the group 1 does not exist',
  ],
])('of digits is never an ID: %s', async (_, text, why) => {
  const front = await frontOf(box.url)
  const { cwd, run } = desk(front.base)
  writeFileSync(join(cwd, 'svcctl.yml'), `version: 1\n${text}\n`)
  const { code, stderr } = await run('apply svcctl.yml --yes')
  expect([code, stderr, front.written()]).toEqual([2, expect.stringContaining(why), []])
})
