/** Tests isObject, which checks values of unknown shape. */
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../src/base/json/json.js'
import { isObject, listObjects } from '../../src/base/objects.js'

describe('isObject', () => {
  it.each([{}, { a: 1 }, Object.create(null)])('takes %j', (value) =>
    expect(isObject(value)).toBe(true),
  )
  it.each([null, undefined, [], 'a', 1])('refuses %j', (value) =>
    expect(isObject(value)).toBe(false),
  )
  it('refuses a number that is kept as it was written', () => {
    const kept = parseExact('12345678901234567890')
    expect(typeof kept).toBe('object')
    expect(isObject(kept)).toBe(false)
    expect(listObjects([kept, { a: 1 }])).toEqual([{ a: 1 }])
  })
})
