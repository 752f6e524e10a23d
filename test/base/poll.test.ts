import { describe, expect, it } from 'vitest'
import { getTimeAfter, poll } from '../../src/base/async.js'

/** Creates a clock that advances only during a sleep. */
const createClock = () => {
  let time = 0
  const waits: number[] = []
  return {
    waits,
    now: () => new Date(time),
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds)
      time += milliseconds
    },
  }
}

describe('poll', () => {
  it('gives what came at once, without waiting', async () => {
    const at = createClock()
    expect(await poll(async () => 'x', getTimeAfter(0, at), at)).toBe('x')
    expect(at.waits).toEqual([])
  })
  it('looks ever more seldom, and at most every ten seconds', async () => {
    const at = createClock()
    let looks = 0
    expect(await poll(async () => (++looks === 12 ? looks : undefined), 1e9, at)).toBe(12)
    expect(at.waits.slice(0, 3)).toEqual([500, 750, 1125])
    expect(at.waits.at(-1)).toBe(10_000)
  })
  it('looks once more when the time is over, and then gives up', async () => {
    const at = createClock()
    let looks = 0
    const look = async () => {
      looks += 1
      return undefined
    }
    expect(await poll(look, getTimeAfter(1, at), at)).toBeUndefined()
    expect(at.waits).toEqual([500, 750])
    expect(looks).toBe(3)
  })
  it('ends where the wait is interrupted', async () => {
    const sleep = () => Promise.reject(new Error('interrupted'))
    await expect(
      poll(async () => undefined, 1e9, { now: () => new Date(0), sleep }),
    ).rejects.toThrow('interrupted')
  })
})
