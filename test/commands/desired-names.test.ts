/**
 * Tests that objects may have any name: an export produces an empty plan, and when it is applied again it means the
 * same objects, by their IDs. The names are ones that people may choose and that files could mistake for something
 * else.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { Fields } from '../../src/base/objects.js'
import { startSandbox } from '../../src/library/sandbox.js'
import { publicKeys } from '../desired/exporting/writes.js'
import { createSender, toRecords, useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { startProxy } from './front.js'

/** Names for objects whose name may be any text. */
const names = [
  ...['8', '007', '@8', '@x', '@ ', '$x', '$$y', '$exact', 'env:X', '__proto__', 'constructor'],
  ...['null', '~', '<<', '**', 'team:x', 'a/b#c%d*', 'Case', 'case', ' led', 'two\nlines', 'ü😀'],
]
/** Names of the users 2 to 8. One of them is the ID of another user. */
const usernames = ['null', '__proto__', '007', '8', '@9', '$x', 'env:X'] as const
/** IDs of the users who may approve: user 7 is blocked. */
const approvers = [2, 3, 4, 5, 6, 8]
/** Paths of the groups 4 to 6. The first path is the ID of the second group. */
const groups: Readonly<Record<string, string>> = { web: '5', labs: '__proto__', partners: 'null' }
const people: Readonly<Record<string, string>> = { ana: 'null', ben: '__proto__', chi: '007' }

interface Row {
  [field: string]: unknown
  id: number
}
type SavedState = Readonly<Record<string, { next: number; rows: Row[] }>>

const renamePath = (path: unknown): string => {
  const [first = '', ...rest] = String(path).split('/')
  return [groups[first] ?? people[first] ?? first, ...rest].join('/')
}

/** Gives the objects of the sample data other names. */
const renameObjects = (state: SavedState): void => {
  const { users, projects, members, protectedBranches, resourceGroups, runners } = state
  const { approvalRules, geoNodes } = state
  for (const [i, username] of usernames.entries())
    Object.assign(users?.rows[i + 1] ?? {}, { username })
  for (const row of projects?.rows ?? [])
    row.path_with_namespace = renamePath(row.path_with_namespace)
  for (const row of state.groups?.rows ?? [])
    Object.assign(row, { path: renamePath(row.path), full_path: renamePath(row.full_path) })
  const add = (table: SavedState[string] | undefined, row: object): number => {
    const id = table === undefined ? 0 : table.next++
    table?.rows.push({ ...row, id })
    return id
  }
  const partner = members?.rows.find(({ source_type, source_id }) =>
    isDeepStrictEqual([source_type, source_id], ['group', 6]),
  )
  for (const user_id of [3, 4, 5, 6, 7]) add(members, { ...partner, user_id, access_level: 20 })
  // The member keeps at least the level of the group above, because an instance rejects a lower one.
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

const box = useSharedSandbox()
const app = '/projects/1'

/** Starts an instance with these names, and one object for each name and kind. */
const startNamedInstance = async () => {
  const state = createFolder()
  const first = await startSandbox({ state })
  await createSender(() => first.url)('PUT /runners/1', { json: { active: false } })
  await first.close()
  const file = join(state, 'state.json')
  const saved = JSON.parse(readFileSync(file, 'utf8'))
  renameObjects(saved)
  writeFileSync(file, JSON.stringify(saved))
  const { url, close } = await startSandbox({ state })
  onTestFinished(close)
  const send = createSender(() => url)
  for (const [i, key] of publicKeys.entries())
    await send(`POST ${app}/deploy_keys`, { json: { key, title: names[i], can_push: i % 2 === 0 } })
  return { url, send }
}

type NamedInstance = Awaited<ReturnType<typeof startNamedInstance>>

/** Reads the IDs of the users and objects that the files mean. */
const readIds = async ({ send }: NamedInstance) => {
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

/** Removes or changes every object that has a name. */
const changeObjects = async ({ send }: NamedInstance): Promise<void> => {
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

/** Creates a folder, and a function that runs lines against an instance. */
const createWorkspace = (base: string) => {
  const cwd = createFolder()
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: base }
  return { cwd, run: (line: string) => svcctl(line.split(' '), { cwd, env }) }
}

it('is what it was once an export is applied', { timeout: 120_000 }, async () => {
  const instance = await startNamedInstance()
  const front = await startProxy(() => instance.url)
  const { cwd, run } = createWorkspace(front.base)
  const ran = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await run(line)
    expect([line, code, code === 0 ? '' : stderr]).toEqual([line, 0, ''])
    return stdout
  }
  const before = await readIds(instance)
  for (const form of ['json', 'yml']) {
    await ran(`export --exact --to before.${form}`)
    expect(JSON.parse(await ran(`plan before.${form} -o json`)).actions).toEqual([])
  }
  await changeObjects(instance)
  expect(await readIds(instance)).not.toEqual(before)
  await ran('apply before.yml --yes --max-deletes 100% --max-changes 100%')
  expect(await readIds(instance)).toEqual(before)
  await ran('export --exact --to after.yml')
  const text = (name: string): string => readFileSync(join(cwd, name), 'utf8')
  expect(text('after.yml')).toBe(text('before.yml'))
  // Every name of every kind was written again.
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
  const front = await startProxy(box.url)
  const { cwd, run } = createWorkspace(front.base)
  writeFileSync(join(cwd, 'svcctl.yml'), `version: 1\n${text}\n`)
  const { code, stderr } = await run('apply svcctl.yml --yes')
  expect([code, stderr, front.written()]).toEqual([2, expect.stringContaining(why), []])
})
