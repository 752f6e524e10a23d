/** Versions in their order. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions, isVersion } from '../../src/base/version.js'

describe('versions', () => {
  const ascending = [
    '1.0.0-alpha.2',
    '1.0.0-alpha.10',
    '1.0.0-rc1',
    '1.0',
    '1.0.1',
    '1.2.0-pre',
    '1.2',
    '1.2.0.post',
    '1.2.9',
    '1.10.0',
    'v14.6.0',
    '14.6.1-ee',
    '14.10.0',
    '123456789012345678901.0',
    '123456789012345678902.0',
  ]
  it('stand in their order, whichever two are compared', () => {
    for (const [i, a] of ascending.entries())
      for (const [j, b] of ascending.entries())
        expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(i - j)])
  })
  it.each([
    ['14.6', '14.6.0'],
    ['14.6.0-ee', '14.6.0'],
    ['V1.2', '1.02'],
    ['1.2.0+build7', '1.2.0'],
  ])('%s is %s', (a, b) => expect(compareVersions(a, b)).toBe(0))
  it('are told from words', () => {
    expect(['1', 'v2', '14.6.0'].every(isVersion)).toBe(true)
    expect(['', 'main', 'version 1'].some(isVersion)).toBe(false)
  })
  it('have one order', () => {
    const part = fc.constantFrom('0', '1', '2', '10', 'rc', 'post', 'ee', '')
    const version = fc.array(part, { maxLength: 4 }).map((parts) => `1.${parts.join('.')}`)
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const [ab, bc, ac] = [compareVersions(a, b), compareVersions(b, c), compareVersions(a, c)]
        expect(Math.sign(ab) + Math.sign(compareVersions(b, a))).toBe(0)
        if (ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0)
      }),
    )
  })
})
