/** Tests an export of which a place fails: the exports under way end before the failure is reported. */

import { expect, it } from 'vitest'
import { runInOrder, runUntilFailure } from '../../../src/commands/export-documents.js'

/** Works on two items at once. Like an engine, it fails with the first failure. */
const instance = {
  each: async <T>(items: readonly T[], work: (item: T, index: number) => Promise<void>) => {
    let next = 0
    const worker = async (): Promise<void> => {
      for (let i = next++; i < items.length; i = next++) await work(items[i] as T, i)
    }
    await Promise.all([worker(), worker()])
  },
}

it('ends what is under way, begins nothing more, and tells of the first', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const release: (() => void)[] = []
  const all = runUntilFailure(instance, [1, 2, 3, 4], async (item) => {
    begun.push(item)
    if (item === 2) throw new Error('full')
    await new Promise<void>((done) => release.push(done))
    ended.push(item)
  }).then(
    () => 'well',
    (error: Error) => `${error.message} after ${ended.join()}`,
  )
  await new Promise((done) => setImmediate(done))
  for (const done of release) done()
  expect(await all).toBe('full after 1')
  expect(begun).toEqual([1, 2])
})

it('is so where what is ready cannot be taken', async () => {
  const taken: number[] = []
  const all = runInOrder(
    instance,
    [1, 2, 3],
    async (item) => item,
    async (item) => {
      if (item === 2) throw new Error('full')
      taken.push(item)
    },
  )
  await expect(all).rejects.toThrow('full')
  expect(taken).toEqual([1])
})
