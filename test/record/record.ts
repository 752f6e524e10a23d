/**
 * Holds the record: what lines print, send and write is, byte for byte, what the files under `expected/` say. SVCCTL_RECORD=write
 * writes them anew.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Group } from './entries.js'
import { findDifference, joinRecord, splitRecord } from './text.js'
import { World } from './world.js'

const folder = join(import.meta.dirname, 'expected')
const isWriting = process.env.SVCCTL_RECORD === 'write'

/** The order in which entries run: another one in each run whose seed was chosen, which changes nothing. */
const orderEntries = <T>(entries: readonly T[]): readonly T[] => {
  const seed = Number(process.env.SVCCTL_TEST_SEED ?? 0)
  if (seed === 0) return entries
  const keyed = entries.map((entry, at) => [((at + 1) * seed * 7919) % 10_007, entry] as const)
  return keyed.sort(([a], [b]) => a - b).map(([, entry]) => entry)
}

const recordGroup = async (world: World, { name, entries }: Group) => {
  const titles = entries.map(({ title }) => title)
  expect(titles, `${name}: each title once`).toEqual([...new Set(titles)])
  const texts = new Map<string, string>()
  for (const entry of orderEntries(entries)) {
    const text = await world.record(entry).catch((error: unknown) => `failed\n  ${String(error)}\n`)
    texts.set(entry.title, text)
  }
  return new Map(titles.map((title) => [title, texts.get(title) ?? '']))
}

/** Declares a test for each group of lines. */
export const holdRecord = (groups: readonly Group[]): void => {
  let world: World
  beforeAll(() => {
    world = new World()
  })
  afterAll(() => world.close())

  it.each(groups.map((group) => [group.name, group] as const))(
    'the lines of %s do what the record says',
    async (name, group) => {
      const file = join(folder, `${name}.txt`)
      const found = await recordGroup(world, group)
      if (isWriting) {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, joinRecord(found))
        return
      }
      const expected = splitRecord(existsSync(file) ? readFileSync(file, 'utf8') : '')
      const differences = [...new Set([...expected.keys(), ...found.keys()])].flatMap((title) => {
        const [was = '', is = ''] = [expected.get(title), found.get(title)]
        return was === is ? [] : [`${title}: ${findDifference(was, is)}`]
      })
      if (differences.length > 0)
        expect.fail(`${differences.length} lines of ${file} differ:\n${differences.join('\n')}`)
    },
    120_000,
  )
}
