/**
 * Tries every pair of flags, and every flag with a variable, on a command of every shape. A pair works, or it is rejected with an
 * error that names both. Each run tries a seventh of the pairs, chosen by the seed; `SVCCTL_PAIRS=all` tries them all.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { findBreach } from './oracle.js'
import type { Shape } from './shapes.js'
import { environments, type FlagValue, flagValues } from './values.js'
import { type Environment, type LineResult, World } from './world.js'

/** One pair in this many is tried in each run. */
const share = process.env.SVCCTL_PAIRS === 'all' ? 1 : Number(process.env.SVCCTL_PAIRS ?? 7)
const drawn = inject('seed') % share

/** Returns the file of the pairs that fail today, one for each shape. It should be empty. */
const getKnownFile = (shape: Shape): string =>
  join(import.meta.dirname, 'known', `${shape.name}.txt`)
const readKnown = (shape: Shape): readonly string[] =>
  existsSync(getKnownFile(shape))
    ? readFileSync(getKnownFile(shape), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []

const formatName = (values: readonly FlagValue[], env: Environment): string =>
  [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...values.map(({ words }) =>
      words({ url: 'URL', snapshot: 'SNAP', out: 'OUT', journal: 'JOURNAL' }).join(' '),
    ),
  ].join(' ')

/** True unless the error says that the command has no such flag. */
const takesFlag = ({ code, stderr }: LineResult): boolean =>
  code !== 2 || !/unknown (?:option|flag)|is not a flag of|has no (?:flag|such)/.test(stderr)

/** Tries the pairs of a shape. Returns a line for each failure, and the number of pairs that were tried. */
const tryShape = async (world: World, shape: Shape) => {
  const results = new Map<string, LineResult>()
  const resultOf = async (values: readonly FlagValue[], env: Environment): Promise<LineResult> => {
    const name = formatName(values, env)
    const known = results.get(name)
    if (known !== undefined) return known
    const ran = await world.run(shape, values, env)
    if (values.length < 2) results.set(name, ran)
    return ran
  }
  const breaches: string[] = []
  let tried = 0
  const attempt = async (values: readonly FlagValue[], env: Environment): Promise<void> => {
    tried += 1
    const ran = await resultOf(values, env)
    const without = (value: FlagValue | 'env') =>
      value === 'env'
        ? resultOf(values, {})
        : resultOf(
            values.filter((one) => one !== value),
            env,
          )
    const breach = await findBreach({ shape, values, env, ran, without })
    if (breach !== undefined) breaches.push(`${formatName(values, env)}: ${breach}`)
  }
  // If the line is rejected even without a flag, its pairs prove nothing.
  expect((await resultOf([], {})).stderr).not.toMatch(/^svcctl: /m)
  await attempt([], {})
  for (const env of environments) await attempt([], env)
  const taken: FlagValue[] = []
  for (const value of flagValues) {
    const alone = await resultOf([value], {})
    await attempt([value], {})
    if (takesFlag(alone)) taken.push(value)
  }
  const pairs = taken.flatMap((first, i) =>
    taken.slice(i + 1).flatMap((second) => (first.flag === second.flag ? [] : [[first, second]])),
  )
  for (const [i, pair] of pairs.entries()) if (i % share === drawn) await attempt(pair, {})
  const beside = taken.flatMap((value) => environments.map((env) => [value, env] as const))
  for (const [i, [value, env]] of beside.entries())
    if (i % share === drawn) await attempt([value], env)
  return { breaches, tried }
}

/** Declares a test of the law for each of these shapes. */
export const holdPairs = (shapes: readonly Shape[]): void => {
  let world: World | undefined
  beforeAll(async () => {
    world = await World.open()
  }, 60_000)
  afterAll(() => world?.close())

  it.each(shapes.map((shape) => [shape.name, shape] as const))(
    'flags beside flags and variables compose or are refused together: %s',
    async (_, shape) => {
      if (world === undefined) throw new Error('there is no world')
      const { breaches, tried } = await tryShape(world, shape)
      expect(tried).toBeGreaterThan(60)
      if (process.env.SVCCTL_PAIRS_RENEW !== undefined)
        return writeFileSync(getKnownFile(shape), breaches.map((line) => `${line}\n`).join(''))
      const known = readKnown(shape)
      expect(breaches.filter((line) => !known.includes(line))).toEqual([])
      // Pairs that work again must be removed from the list; only a run of all pairs can tell.
      if (share === 1) expect(known.filter((line) => !breaches.includes(line))).toEqual([])
    },
    900_000,
  )
}
