/** Tests the limits that guard small sets and the owners of a group: each error names the flag that lifts the limit. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { send, url } = useSharedSandbox()

const createWorkspace = async (wanted: object, hook?: Hook) => {
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  writeFileSync(join(cwd, 'svcctl.json'), JSON.stringify({ version: 1, ...wanted }))
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'sandbox-root-token',
    SVC_BASE_URL: front.base,
  }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, written: () => front.written().length }
}
const declareMembers = (members: object) => createWorkspace({ groups: { platform: { members } } })
const createMember = (access_level: string) => ({ access_level })

it('more than half of a few members go only where that set is named', async () => {
  const { run, written } = await declareMembers({ chi: null, dov: null, eva: null })
  const plan = await run('plan svcctl.json')
  expect(plan.stdout).toContain(
    '✗ exceeds a limit: 3 of 5 would be deleted from groups/platform:members, more than half; pass --allow-removals groups/platform:members to allow it',
  )
  for (const flags of ['', ' --allow-removals groups/web:members', ' --allow-empty members']) {
    const { code, stderr } = await run(`apply svcctl.json --yes${flags}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--allow-removals groups/platform')])
  }
  expect(written()).toBe(0)
  const slip = await run('apply svcctl.json --yes --allow-removals groups/platform:member')
  expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('--allow-removals')])
  const lifted = await run('apply svcctl.json --yes --allow-removals groups/platform:members')
  expect([lifted.code, written()]).toEqual([0, 3])
})

it('more than half of the owners of a group are not lowered unasked', async () => {
  const owners = ['ana', 'ben', 'fay', 'gus']
  const { run } = await declareMembers(
    Object.fromEntries(owners.map((user) => [user, createMember('owner')])),
  )
  expect(await run('apply svcctl.json --yes')).toMatchObject({ code: 0 })
  const fewer = await declareMembers({
    ...{ ana: createMember('guest'), ben: createMember('guest') },
    gus: createMember('guest'),
  })
  const { code, stderr } = await fewer.run('apply svcctl.json --yes')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      '3 of 4 owners of groups/platform would be removed or get a lower level',
    ),
  ])
  const two = await declareMembers({ ana: createMember('guest'), ben: createMember('guest') })
  expect(await two.run('apply svcctl.json --yes')).toMatchObject({ code: 0 })
})

it('an apply ends at so many failures as --max-failures says', async () => {
  const users = ['chi', 'dov', 'eva']
  const members = Object.fromEntries(users.map((user) => [user, createMember('reporter')]))
  const refuse: Hook = ({ method }, response) => {
    if (method === 'GET') return false
    response.writeHead(403).end()
    return true
  }
  const { run, written } = await createWorkspace({ groups: { platform: { members } } }, refuse)
  const all = await run('apply svcctl.json --yes --concurrency 1')
  const count = written()
  expect([all.code, count]).toEqual([3, expect.toSatisfy((n: number) => n > 1)])
  const ended = await run('apply svcctl.json --yes --concurrency 1 --max-failures 1')
  expect([ended.code, ended.stderr]).toEqual([
    8,
    expect.stringContaining(`0 done, 1 failed (1 refused), ${count - 1} not attempted`),
  ])
  expect(written()).toBe(count + 1)
})

describe('what an exact set spares', () => {
  const [bot, guest, owner] = [9, 10, 50]
  const add = (place: string, user_id: number, access_level: number) =>
    send(`POST /${place}/members`, { json: { user_id, access_level } })
  const person = (name: string) => ({ [name]: createMember('guest') })
  const inProject = (path: string, kind: string, said: object) => ({
    projects: { [path]: { [kind]: said } },
  })
  const inGroup = (path: string, members: object) => ({ groups: { [path]: { members } } })
  const empty = (set: string) => `${set} would become empty`
  const app = 'projects/platform/app'

  it.each([
    ['a bot', inProject('platform/app', 'members', { $exact: true }), empty(`${app}:members`)],
    [
      'a bot that is declared',
      inProject('platform/app', 'members', {
        $exact: true,
        project_1_bot: createMember('maintainer'),
      }),
      empty(`${app}:members`),
    ],
    [
      'the owner of the namespace',
      inProject('ana/dotfiles', 'members', { $exact: true }),
      empty('projects/ana/dotfiles:members'),
    ],
    [
      'the rule for any approver',
      inProject('platform/app', 'approval_rules', { $exact: true }),
      empty(`${app}:approval_rules`),
    ],
    [
      'bots among those of whom more than half would go',
      inGroup('web', { ana: null, chi: null, dov: null }),
      '3 of 5 would be deleted from groups/web:members, more than half',
    ],
    [
      'a bot that owns a group',
      inGroup('labs', person('dov')),
      'the group labs would be left without an owner',
    ],
  ])('counts in no limit: %s', async (_, wanted, why) => {
    await add('projects/ana%2Fdotfiles', 3, guest)
    for (const user of [5, 6]) await add('groups/web', user, guest)
    for (const place of ['groups/web', 'groups/labs']) await add(place, bot, owner)
    const { run, written } = await createWorkspace(wanted)
    const { code, stderr } = await run('apply svcctl.json --yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    expect(written()).toBe(0)
  })

  it('goes where it is named, and lets people go who are not the last', async () => {
    const { run, written } = await createWorkspace(
      inProject('platform/app', 'members', { $exact: true, ...person('dov'), project_1_bot: null }),
    )
    expect(await run('apply svcctl.json --yes')).toMatchObject({ code: 0 })
    expect(written()).toBe(2)
  })
})
