import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getShardNumber, parseShard } from '../../../src/engine/journaling/shards.js'
import type { GivenObject } from '../../../src/engine/work/report.js'
import { Failure } from '../../../src/errors.js'

const someObjects = fc.array(
  fc.record(
    {
      object: fc.oneof(fc.nat().map(String), fc.string()),
      parent: fc.oneof(fc.nat(9).map(String), fc.constantFrom('platform/app', 'platform')),
    },
    { requiredKeys: ['object'] },
  ),
)

describe('shards', () => {
  it('are disjoint, and together everything', () => {
    fc.assert(
      fc.property(someObjects, fc.integer({ min: 1, max: 12 }), (objects, of) => {
        const taken: GivenObject[] = []
        for (let part = 1; part <= of; part++)
          taken.push(...objects.filter((one) => getShardNumber('runner', one, of) === part))
        expect(taken).toHaveLength(objects.length)
        expect(new Set(taken)).toEqual(new Set(objects))
      }),
    )
  })
  it('are those of the first eight bytes of SHA-256', () => {
    const bytes = createHash('sha256').update('runner\0platform/app\x0017').digest()
    const expected = Number(bytes.readBigUInt64BE(0) % 8n) + 1
    expect(getShardNumber('runner', { object: '17', parent: 'platform/app' }, 8)).toBe(expected)
    expect(getShardNumber('runner', { object: '0017', parent: 'platform/app' }, 8)).toBe(expected)
  })
  it('are of about the same size', () => {
    const sizes = Array.from({ length: 8 }, () => 0)
    for (let i = 0; i < 8000; i++) {
      const part = getShardNumber('runner', { object: String(i) }, 8)
      sizes[part - 1] = (sizes[part - 1] ?? 0) + 1
    }
    for (const size of sizes) expect(Math.abs(size - 1000)).toBeLessThan(150)
  })
  it('are given as i/n, or by a parallel job', () => {
    expect(parseShard('3/8')).toEqual({ part: 3, of: 8 })
    expect(parseShard('1000/1000')).toEqual({ part: 1000, of: 1000 })
    expect(parseShard('ci', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '5' })).toEqual({ part: 2, of: 5 })
  })
  it.each(['0/8', '9/8', '1/1001', '1', '1/', '-1/2', 'a/b', '1.5/2', ''])('%j is none', (text) => {
    expect(() => parseShard(text)).toThrow(Failure)
  })
  it.each([
    [{}, 'CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ CI_NODE_INDEX: '1' }, 'CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ CI_NODE_TOTAL: '2' }, 'CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ CI_NODE_INDEX: '', CI_NODE_TOTAL: '2' }, 'CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ JOB_COMPLETION_INDEX: '0', SVC_SHARD_TOTAL: '4' }, 'CI_NODE_INDEX and CI_NODE_TOTAL'],
    [{ CI_NODE_INDEX: '5', CI_NODE_TOTAL: '4' }, 'invalid shard "5/4"'],
  ])('ci needs both variables of a job: %j', (env, said) => {
    expect(() => parseShard('ci', env)).toThrow(said)
  })
})
