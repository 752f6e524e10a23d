/** Tests the hand-over of pieces from work that continues while they are read. */
import { expect, it } from 'vitest'
import { NobodyTakesError, yieldPushed } from '../../src/base/async.js'

const collect = async <T>(pieces: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

it('yields all pieces in the order in which they were handed over', async () => {
  const pieces = yieldPushed<number>(async (push) => {
    await Promise.all([push(1), push(2)])
    await push(3)
  })
  expect(await collect(pieces)).toEqual([1, 2, 3])
})

it('lets a hand-over end only when the next piece is asked for', async () => {
  const said: string[] = []
  const pieces = yieldPushed<number>(async (push) => {
    await push(1)
    said.push('taken')
    await push(2)
  })
  expect((await pieces.next()).value).toBe(1)
  expect(said).toEqual([])
  expect((await pieces.next()).value).toBe(2)
  expect(said).toEqual(['taken'])
  await pieces.return()
})

it('throws what the work throws, after all that came before', async () => {
  const got: number[] = []
  const read = async (): Promise<void> => {
    const pieces = yieldPushed<number>(async (push) => {
      await push(1)
      throw new Error('broken')
    })
    for await (const piece of pieces) got.push(piece)
  }
  await expect(read()).rejects.toThrow('broken')
  expect(got).toEqual([1])
})

it('tells the work that nobody takes any more, and waits for its end', async () => {
  const said: unknown[] = []
  const pieces = yieldPushed<number>(async (push) => {
    await push(1).catch((error: unknown) => said.push(error))
    await push(2).catch((error: unknown) => said.push(error))
    said.push('ended')
  })
  await pieces.next()
  await pieces.return()
  expect(said).toEqual([expect.any(NobodyTakesError), expect.any(NobodyTakesError), 'ended'])
})
