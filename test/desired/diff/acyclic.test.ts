/** Tests that the order of actions never has a cycle, for random states and files. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Fields } from '../../../src/base/objects.js'
import { Failure } from '../../../src/errors.js'
import { buildWish, planWorld, type World } from './world.js'

const users = { ana: 1, ben: 2, chi: 3, dee: 4 } as const
type User = keyof typeof users
const names = Object.keys(users) as User[]
const groups = ['platform', 'platform/core', 'platform/core/deep']
const projects = ['platform/a', 'platform/core/b', 'platform/core/deep/c', 'platform/core/deep/d']
const places = [
  ...groups.map((path) => `groups/${path}`),
  ...projects.map((path) => `projects/${path}`),
]

const level = fc.constantFrom(10, 20, 30, 40)
const members = fc.dictionary(fc.constantFrom(...names), level, { maxKeys: 4 })
/** The members of a group: one owner, and others. */
const groupMembers = fc
  .tuple(members, fc.constantFrom(...names))
  .map(([all, owner]): Record<string, number> => ({ ...all, [owner]: 50 }))
const things = ['x', 'y']
const state = fc.record({
  members: fc.tuple(groupMembers, groupMembers, groupMembers, members, members, members, members),
  rules: fc.array(fc.subarray(names), { minLength: projects.length, maxLength: projects.length }),
  domains: fc.array(fc.nat(projects.length - 1), { minLength: 2, maxLength: 2 }),
  runners: fc.array(fc.subarray([0, 1, 2, 3], { minLength: 1 }), { minLength: 2, maxLength: 2 }),
})
type State = typeof state extends fc.Arbitrary<infer S> ? S : never

const createPerson = (username: string, access_level: number): Fields => ({
  id: users[username as User],
  username,
  access_level,
})

/** Lists a place and the groups that contain it. */
const listAncestors = (place: string): readonly string[] => {
  const path = place.replace(/^\w+\//, '')
  return [
    place,
    ...groups.filter((group) => path.startsWith(`${group}/`)).map((g) => `groups/${g}`),
  ]
}

const createWorld = ({ members: all, rules, domains, runners }: State): World => {
  const direct = new Map(places.map((place, i) => [place, all[i] ?? {}]))
  const world: Record<string, readonly Fields[]> = {}
  for (const place of places) {
    const levels = names.map((name) => {
      const has = listAncestors(place).map((one) => direct.get(one)?.[name] ?? 0)
      return [name, Math.max(...has)] as const
    })
    const own = Object.entries(direct.get(place) ?? {})
    world[`${place}:members`] = own.map(([name, at]) => createPerson(name, at))
    world[`${place}:members/all`] = levels
      .filter(([, at]) => at > 0)
      .map(([name, at]) => createPerson(name, at))
  }
  for (const [i, project] of projects.entries()) {
    const place = `projects/${project}`
    const approvers = (rules[i] ?? []).map((username) => ({ id: users[username], username }))
    world[`${place}:approval_rules`] = [
      {
        id: 1,
        name: 'R',
        rule_type: 'regular',
        approvals_required: 1,
        users: approvers,
        groups: [],
      },
    ]
    world[`${place}:pages_domains`] = things
      .filter((_, n) => domains[n] === i)
      .map((name) => ({ domain: `${name}.test`, url: `https://${name}.test` }))
    world[`${place}:runners`] = things
      .map((description, n) => ({ id: 100 + n, description, runner_type: 'project_type' }))
      .filter((_, n) => runners[n]?.includes(i))
  }
  return world
}

const createWishes = ({ members: all, rules, domains, runners }: State) => [
  ...places.map((place, i) => {
    const items = Object.entries(all[i] ?? {}).map(([name, at]) => [name, { access_level: at }])
    return buildWish(place, 'members', { $exact: true, ...Object.fromEntries(items) })
  }),
  ...projects.flatMap((project, i) => {
    const place = `projects/${project}`
    const here = (where: (n: number) => boolean, named: readonly string[]) =>
      Object.fromEntries(named.filter((_, n) => where(n)).map((name) => [name, {}]))
    return [
      buildWish(place, 'approval_rules', { R: { user_ids: rules[i] ?? [] } }),
      buildWish(place, 'pages_domains', {
        $exact: true,
        ...here((n) => domains[n] === i, ['x.test', 'y.test']),
      }),
      buildWish(place, 'runners', {
        $exact: true,
        ...here((n) => runners[n]?.includes(i) === true, ['100', '101']),
      }),
    ]
  }),
]

/** The number of random plans, such as `SVCCTL_TEST_PLANS=10000`. */
const planCount = process.env.SVCCTL_TEST_PLANS

it('goes in no circle', { timeout: planCount === undefined ? 60_000 : 1_200_000 }, async () => {
  let [plans, actions, waits] = [0, 0, 0]
  const law = async (before: State, wanted: State): Promise<void> => {
    const plan = await planWorld(createWorld(before), createWishes(wanted)).catch(
      (error: unknown) => {
        // A plan that leaves a group without an owner is refused as a whole.
        if (error instanceof Failure && error.category === 'usage') return undefined
        throw error
      },
    )
    if (plan === undefined) return
    const circular = plan.findings.filter(({ text }) => text.includes('wait for each other'))
    expect(circular).toEqual([])
    const done = new Set<string>()
    for (const { id, waitsFor } of plan.actions) {
      expect([id, waitsFor.filter((other) => !done.has(other))]).toEqual([id, []])
      done.add(id)
      waits += waitsFor.length
    }
    plans += 1
    actions += plan.actions.length
  }
  await fc.assert(fc.asyncProperty(state, state, law), {
    numRuns: Number(planCount ?? 80),
    interruptAfterTimeLimit: 1_100_000,
  })
  if (planCount !== undefined)
    process.stderr.write(`${plans} plans, ${actions} actions, ${waits} waits\n`)
  expect([plans > 40, waits > plans]).toEqual([true, true])
})
