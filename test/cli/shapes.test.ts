/** Plans of many objects are of one hidden class: one of its own each takes more memory than the plan. */
import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { commandNamed } from '../../src/commands/index.js'
import type { Command, Given } from '../../src/engine/command/types.js'
import type { PlanContext } from '../../src/engine/plan/objects.js'
import { createPlans } from '../../src/engine/plan/plan.js'
import { Planner } from '../../src/engine/plan/stream.js'

setFlagsFromString('--allow-natives-syntax')
const alike: (one: unknown, other: unknown) => boolean = runInThisContext(
  '(one, other) => %HaveSameMap(one, other)',
)

const around: PlanContext = {
  env: {},
  note: () => {},
  unknown: () => {},
  baseUrl: async () => 'https://forge.example',
  scope: async () => undefined,
  pathOf: async () => undefined,
  missing: async () => undefined,
  pick: async () => [],
}

const ids = Array.from({ length: 500 }, (_, i) => String(i + 1))
const given: Given = { args: ids, flags: {}, extra: {} }

const pause = async (): Promise<Command> => {
  const command = await commandNamed('runners', 'pause')
  if (command === undefined) throw new Error('there are no runnerss pause')
  return command
}

/** How many of them are of another class than the one before. */
const others = (values: readonly unknown[]): number =>
  values.filter((one, i) => i > 0 && !alike(one, values[i - 1])).length

// The first may be of classes that are given up when the next are seen.
const few = 10

it('in hand', async () => {
  const plans = await createPlans(await pause(), given, around, { active: false })
  expect(others(plans.map(({ values }) => values))).toBeLessThan(few)
})

it('one after the other', async () => {
  const planner = new Planner(await pause(), { ...given, args: [] }, around, { active: false })
  const values: unknown[] = []
  for (const object of ids) values.push((await planner.planOf({ object })).values)
  expect(others(values)).toBeLessThan(few)
})
