/**
 * Tests the order of actions for random states and files: no action waits for a later one, and in this order the
 * instance accepts all of them. It rejects actions that come too early: an owner who leaves before there is another
 * one, a level below that of the group, a domain of two projects.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/library/sandbox.js'
import { publicKeys } from '../desired/exporting/writes.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const users = ['ana', 'ben', 'chi', 'dov', 'eva'] as const
const groups = ['labs', 'platform', 'platform/core'] as const
const projects = ['platform/app', 'platform/core/engine'] as const
type User = (typeof users)[number]
type Members = Readonly<Record<string, { readonly access_level: string }>>

const levels = ['guest', 'reporter', 'developer', 'maintainer'] as const
/** Generates members. One of them is an owner if `owned` is set. */
const generateMembers = (owned: boolean): fc.Arbitrary<Members> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...users), fc.constantFrom(...levels)), { maxLength: 4 }),
      fc.constantFrom<User>(...users),
    )
    .map(([some, owner]) => ({
      ...Object.fromEntries(some.map(([user, access_level]) => [user, { access_level }])),
      ...(owned ? { [owner]: { access_level: 'owner' } } : {}),
    }))
const members = fc.record({
  groups: fc.tuple(generateMembers(true), generateMembers(true), generateMembers(true)),
  projects: fc.tuple(generateMembers(false), generateMembers(false)),
  approvers: fc.subarray([...users]),
})

/** Generates the projects that have an object: `one` exactly one of them, `some` one or both. */
const one = fc.constantFrom<readonly number[]>([0], [1])
const some = fc.subarray([0, 1], { minLength: 1 })
const urls = ['https://u1.test/', 'https://u2.test/', 'https://u3.test/']

const files = fc
  .record({
    members,
    domains: fc.record({ 'a.x.test': one, 'b.x.test': one }),
    runners: fc.record({ gpu: some, 'docs-renderer': some }),
    keys: fc.record({ k1: some, k2: some }),
    nodes: fc.shuffledSubarray(urls, { minLength: 2 }),
  })
  .map(({ members: all, domains, runners, keys, nodes }) => {
    const exact = (items: object) => ({ $exact: true, ...items })
    const here = (places: Readonly<Record<string, readonly number[]>>, at: number, value = {}) =>
      Object.fromEntries(
        Object.entries(places).flatMap(([name, where], i) =>
          where.includes(at) ? [[name, 'key' in value ? { key: publicKeys[i] } : value]] : [],
        ),
      )
    return {
      version: 1,
      site: { geo_nodes: { west: { url: nodes[0] }, south: { url: nodes[1] } } },
      groups: Object.fromEntries(
        groups.map((path, i) => [path, { members: exact(all.groups[i] ?? {}) }]),
      ),
      projects: Object.fromEntries(
        projects.map((path, i) => [
          path,
          {
            members: exact(all.projects[i] ?? {}),
            runners: exact(here(runners, i)),
            deploy_keys: exact(here(keys, i, { key: '' })),
            pages_domains: exact(here(domains, i)),
            ...(i > 0
              ? {}
              : { approval_rules: { R: { approvals_required: 1, user_ids: all.approvers } } }),
          },
        ]),
      ),
    }
  })

/** An action of a plan. A plan lists its actions in the order of execution. */
interface PlannedAction {
  readonly id: string
  readonly waits_for: readonly string[]
}

const everything = '--max-deletes 100% --max-changes 100% --allow-empty *'

it('holds of 16 random plans', { timeout: 300_000 }, async () => {
  let [plans, waiting, done] = [0, 0, 0]
  const cwd = createFolder()
  const SVC_CONFIG_DIR = createConfiguration()
  const law = async (first: object, second: object): Promise<void> => {
    const { url, token, close } = await startSandbox()
    onTestFinished(close)
    const env = { SVC_CONFIG_DIR, SVC_TOKEN: token, SVC_BASE_URL: url }
    const run = (line: string) => svcctl(line.split(' '), { cwd, env })
    for (const wanted of [first, second]) {
      writeFileSync(join(cwd, 'svcctl.json'), JSON.stringify(wanted))
      const { code, stdout, stderr } = await run(`apply svcctl.json --yes -o json ${everything}`)
      expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
      const all: readonly PlannedAction[] = JSON.parse(stdout).actions
      const ids = all.map(({ id }) => id)
      for (const [i, { id, waits_for }] of all.entries()) {
        waiting += waits_for.length
        const later = waits_for.filter((other) => !ids.slice(0, i).includes(other))
        expect([id, later]).toEqual([id, []])
      }
      const again = await run('plan svcctl.json -o json')
      expect(JSON.parse(again.stdout).actions).toEqual([])
      done += all.length
      plans += 1
    }
    await close()
  }
  await fc.assert(fc.asyncProperty(files, files, law), { numRuns: 8 })
  // A slow machine ends the property early, so the counts are compared with the number of plans.
  expect([waiting > plans, done > 5 * plans, plans > 0]).toEqual([true, true, true])
})

/** Creates a folder with these files, and a function that runs lines against an instance of its own. */
const createLineRunner = async (files: Readonly<Record<string, unknown>>) => {
  const { url, token, close } = await startSandbox()
  onTestFinished(close)
  const cwd = createFolder()
  for (const [name, wanted] of Object.entries(files))
    writeFileSync(join(cwd, name), JSON.stringify({ version: 1, ...(wanted as object) }))
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: token, SVC_BASE_URL: url }
  return (line: string) => svcctl(line.split(' '), { cwd, env })
}

it('makes the new owner before the old one is lowered, whatever they are called', async () => {
  const swap = { dov: { access_level: 'developer' }, eva: { access_level: 'owner' } }
  const run = await createLineRunner({ 'swap.json': { groups: { labs: { members: swap } } } })
  expect(await run('apply swap.json --yes')).toMatchObject({ code: 0 })
})

it('says of what would have to come before each other that it is impossible', async () => {
  const nodes = (south: string, west: string) => ({
    site: { geo_nodes: { south: { url: south }, west: { url: west } } },
  })
  const [a, b] = ['https://a.test/', 'https://b.test/']
  const run = await createLineRunner({ 'first.json': nodes(a, b), 'then.json': nodes(b, a) })
  expect(await run('apply first.json --yes')).toMatchObject({ code: 0 })
  const { code, stdout } = await run('plan then.json')
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      'these changes wait for each other: site:geo_nodes/south, site:geo_nodes/west',
    ),
  ])
  expect(stdout).toContain('nothing to do; 2 impossible')
})

it.each([
  [
    'domains that trade projects',
    (there: boolean) =>
      projects.map((_, i) => ({
        pages_domains: { $exact: true, [(i === 0) === there ? 'a.x.test' : 'b.x.test']: {} },
      })),
  ],
  [
    'runners that trade projects',
    (there: boolean) =>
      projects.map((_, i) => ({
        runners: {
          $exact: true,
          ...(i === 0 ? { 'app-deployer': {} } : {}),
          [(i === 0) === there ? 'docs-renderer' : 'gpu']: {},
        },
      })),
  ],
])('takes %s', async (_, at) => {
  const of = (there: boolean) => ({
    projects: Object.fromEntries(projects.map((path, i) => [path, at(there)[i]])),
  })
  const run = await createLineRunner({ 'first.json': of(true), 'then.json': of(false) })
  for (const file of ['first.json', 'then.json', 'first.json']) {
    const { code, stdout } = await run(`apply ${file} --yes ${everything}`)
    expect([file, code, stdout]).toEqual([file, 0, expect.not.stringContaining('impossible')])
    expect((await run(`plan ${file}`)).stdout).toContain('nothing to do; ')
  }
})

it('takes two users who move inwards while the rules of their projects trade them', async () => {
  const of = (outer: boolean) => ({
    groups: { platform: { members: outer ? both('developer') : { chi: null, eva: null } } },
    projects: Object.fromEntries(
      projects.map((path, i) => {
        const user = (i === 0) === outer ? 'chi' : 'eva'
        return [
          path,
          {
            members: outer ? {} : both('guest'),
            approval_rules: { R: { approvals_required: 1, user_ids: [user] } },
          },
        ]
      }),
    ),
  })
  const both = (level: string) => ({ chi: { access_level: level }, eva: { access_level: level } })
  const run = await createLineRunner({ 'first.json': of(true), 'then.json': of(false) })
  for (const file of ['first.json', 'then.json']) {
    const { code, stderr } = await run(`apply ${file} --yes ${everything}`)
    expect([file, code, code === 0 ? '' : stderr]).toEqual([file, 0, ''])
    const again = await run(`plan ${file} -o json`)
    expect(JSON.parse(again.stdout).actions).toEqual([])
  }
})
