import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mapConcurrent } from '../../src/base/async.js'

const collectWithError = async (all: AsyncIterable<number>) => {
  const found: number[] = []
  try {
    for await (const one of all) found.push(one)
    return { found }
  } catch (error) {
    return { found, error }
  }
}

async function* yieldThree(): AsyncGenerator<number> {
  yield* [1, 2, 3]
}

describe('work ahead', () => {
  it('is on so many at once, and given in order', async () => {
    let [open, most] = [0, 0]
    const work = async (one: number): Promise<number> => {
      open += 1
      most = Math.max(most, open)
      for (let turns = 4 - one; turns > 0; turns--) await setImmediate()
      open -= 1
      return one * 10
    }
    expect(await collectWithError(mapConcurrent(yieldThree(), 2, work))).toEqual({
      found: [10, 20, 30],
    })
    expect(most).toBe(2)
  })

  it('throws what broke the input, after all that came before', async () => {
    const error = new Error('the pipe broke')
    async function* broken(): AsyncGenerator<number> {
      yield* yieldThree()
      throw error
    }
    expect(await collectWithError(mapConcurrent(broken(), 8, (one) => one))).toEqual({
      found: [1, 2, 3],
      error,
    })
  })

  it('throws what its work throws in its place, and works on nothing more', async () => {
    const error = new Error('no')
    const work = (one: number): number => {
      if (one === 2) throw error
      return one
    }
    expect(await collectWithError(mapConcurrent(yieldThree(), 8, work))).toEqual({
      found: [1],
      error,
    })
  })
})
