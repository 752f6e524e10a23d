/** Things on shelves by their key: each in its turn, and nothing where there is no key. */
import { describe, expect, it } from 'vitest'
import { addToGroup, groupBy } from '../../src/base/collections.js'

describe('shelves', () => {
  it('keep the order in which keys and things came', () => {
    const shelves = new Map<string, number[]>()
    addToGroup(shelves, 'b', 1)
    addToGroup(shelves, 'a', 2)
    addToGroup(shelves, 'b', 3)
    expect([...shelves]).toEqual([
      ['b', [1, 3]],
      ['a', [2]],
    ])
  })

  it('leave out what has no key, and tell keys from each other by what they are', () => {
    const all = [1, 0, Number.POSITIVE_INFINITY, Number.NaN]
    expect([...groupBy(all, (n) => (Number.isNaN(n) ? undefined : n > 0))]).toEqual([
      [true, [1, Number.POSITIVE_INFINITY]],
      [false, [0]],
    ])
  })
})
