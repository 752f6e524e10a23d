/** When two values of an attribute are the same, and what digests say of items and sets. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/base/objects.js'
import { integrations } from '../../src/catalogue/areas/integrations.js'
import { approvalRules, managed } from '../../src/catalogue/managed.js'
import {
  boolean,
  date,
  datetime,
  hash,
  integer,
  json,
  list,
  oneOf,
  type Param,
  string,
} from '../../src/catalogue/params.js'
import { accessLevels } from '../../src/catalogue/shapes/common.js'
import { absentDigest, computeItemDigest, computeSetDigest } from '../../src/desired/attributes.js'
import { isSameValue, normalizeValue, toCanonical } from '../../src/desired/values.js'

const text = string('')
const url = string('', { format: 'url' })
const day = date('')
const spaced = string('', { format: 'spaced' })
const csv = string('', { format: 'csv' })
const pem = string('', { format: 'pem' })
const key = string('', { format: 'public-key' })
const level = integer('', { names: accessLevels })
const numbers = list('integer', '')
const texts = list('string', '', { single: true })

const der = Buffer.from('a certificate').toString('base64')
const wrapped = `-----BEGIN CERTIFICATE-----\n${der.slice(0, 8)}\n${der.slice(8)}\n-----END CERTIFICATE-----\n`
const other = wrapped.replace(der.slice(0, 4), 'AAAA')
const body = 'AAAAC3NzaC1lZDI1NTE5AAAAIJx1J3Z2h5r1d0Zyq7e6nqXvS9mK1h3Yb8c2f4e6a8b0'

const same: readonly (readonly [string, Param, JsonValue | undefined, JsonValue | undefined])[] = [
  ['lists as sets', numbers, [3, 1, 2], [1, 2, 3, 3]],
  ['numbers written as text', numbers, ['3', 1], [1, 3]],
  ['one value alone and a list of it', texts, 'a', ['a']],
  ['no list and an empty one', texts, null, []],
  ['an empty value and an empty list', texts, '', []],
  ['a timestamp and its day', day, '2027-06-30T00:00:00.000Z', '2027-06-30'],
  ['a timestamp and its day by UTC', day, '2027-06-30T23:30:00-02:00', '2027-07-01'],
  ['no day and an empty one', day, null, ''],
  ['moments of two zones', datetime(''), '2027-06-30T12:00:00Z', '2027-06-30T14:00:00+02:00'],
  ['true and "1"', boolean(''), true, '1'],
  ['false and "0"', boolean(''), '0', false],
  ['false and 0', boolean(''), 0, 'false'],
  ['a level by its name', level, 'maintainer', 40],
  ['a level as text', level, '40', 40],
  ['a level of two words', level, 'no_access', 0],
  ['an address with a slash at its end', url, 'https://a.test/x/', 'https://a.test/x'],
  ['line ends', text, 'a\r\nb\rc', 'a\nb\nc'],
  ['null and no text', text, null, ''],
  ['what is not there and no text', text, undefined, ''],
  ['a number where text is meant', text, 7, '7'],
  ['addresses joined by blanks and commas', spaced, 'b@x.test, a@x.test', 'a@x.test\nb@x.test'],
  ['branches joined by commas', csv, 'main, next', 'next,main'],
  ['none joined', csv, '', null],
  ['a certificate wrapped otherwise', pem, wrapped, wrapped.replaceAll('\n', '\r\n')],
  [
    'a certificate in one line',
    pem,
    wrapped,
    wrapped.replace(`${der.slice(0, 8)}\n`, der.slice(0, 8)),
  ],
  ['a key with another comment', key, `ssh-ed25519 ${body} ana@x`, `ssh-ed25519 ${body}`],
  ['hashes in another order', hash(''), { a: '1', b: 2 }, { b: '2', a: 1 }],
  ['objects in another order', json(''), { a: 1, b: [1] }, { b: [1], a: 1 }],
]
const differ: typeof same = [
  ['null and false', boolean(''), null, false],
  ['null and 0', integer(''), null, 0],
  ['two days', day, '2027-06-30', '2027-07-01'],
  ['levels', level, 'developer', 40],
  ['a list with one more', numbers, [1, 2], [1, 2, 3]],
  ['case of text', text, 'A', 'a'],
  ['blanks of text', text, 'a ', 'a'],
  ['durations', text, '15 days', '2 weeks'],
  ['words', oneOf(['namespaces', 'shards'], '', { nullable: true }), null, 'shards'],
  ['null that means something and an empty list', list('string', '', { nullable: true }), null, []],
  ['order within json', json(''), [1, 2], [2, 1]],
  ['certificates', pem, wrapped, other],
  ['certificates in another order', pem, wrapped + other, other + wrapped],
  ['branches with a blank and two branches', csv, 'a b', 'a,b'],
]

describe('equality by the catalogue’s types', () => {
  it.each(same)('takes for one: %s', (_, param, a, b) => {
    expect(isSameValue({ param }, a, b)).toBe(true)
  })
  it.each(differ)('tells apart: %s', (_, param, a, b) => {
    expect(isSameValue({ param }, a, b)).toBe(false)
  })

  it('takes of what no document speaks the other value’s word', () => {
    const unknown = { param: undefined }
    expect(isSameValue(unknown, '1', true)).toBe(true)
    expect(isSameValue(unknown, '7', 7)).toBe(true)
    expect(isSameValue(unknown, ['b', 'a'], ['a', 'b'])).toBe(true)
    expect(isSameValue(unknown, null, '')).toBe(true)
    expect(isSameValue(unknown, null, 0)).toBe(false)
    expect(isSameValue(unknown, { a: 1 }, { a: 2 })).toBe(false)
  })

  it('normalises what is normalised to itself, for any value of any type', () => {
    const params = [...new Set([...same, ...differ].map(([, param]) => param)), undefined]
    const value = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<JsonValue>,
      fc.constantFrom<JsonValue>(
        '1',
        'owner',
        '2027-06-30T23:30:00-02:00',
        'a, b\r\n',
        wrapped,
        '///',
        'constructor',
        { toString: '' },
        [{ toString: 'a b' }],
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...params), value, (param, given) => {
        const once = normalizeValue({ param }, given)
        expect(toCanonical(normalizeValue({ param }, once))).toBe(toCanonical(once))
      }),
    )
  })
})

describe('digests', () => {
  const rule = (attributes: Readonly<Record<string, JsonValue>>, identity = 'Security') => ({
    identity,
    attributes,
  })

  it('are the same for what means the same', () => {
    const one = computeItemDigest(approvalRules, rule({ approvals_required: 1, user_ids: [2, 1] }))
    expect(one).toMatch(/^[0-9a-f]{64}$/)
    expect(
      computeItemDigest(approvalRules, rule({ user_ids: [1, 2], approvals_required: 1 })),
    ).toBe(one)
    expect(
      computeItemDigest(approvalRules, rule({ user_ids: [1], approvals_required: 1 })),
    ).not.toBe(one)
    expect(
      computeItemDigest(approvalRules, rule({ approvals_required: 1, user_ids: [1, 2] }, 'X')),
    ).not.toBe(one)
    expect(computeItemDigest(approvalRules, undefined)).toBe(absentDigest)
    expect(one).not.toBe(absentDigest)
  })

  it('know nothing of secrets, declared or by their name', () => {
    const kind = managed({
      name: 'x',
      scope: 'project',
      holds: 'set',
      identity: 'slug',
      read: integrations.list,
      update: integrations.update,
    })
    const plain = computeItemDigest(kind, rule({ room: 'a' }))
    expect(
      computeItemDigest(kind, rule({ room: 'a', webhook: 'https://x', hub_api_key: 'k' })),
    ).toBe(plain)
    expect(computeItemDigest(kind, rule({ room: 'a', disable_feed_token: true }))).not.toBe(plain)
  })

  it('of a set change with its items, not with what they are', () => {
    const set = computeSetDigest([{ identity: 'a' }, { identity: 'b' }])
    expect(computeSetDigest([{ identity: 'b' }, { identity: 'a' }])).toBe(set)
    expect(computeSetDigest([{ identity: 'a' }])).not.toBe(set)
    expect(computeSetDigest([])).not.toBe(absentDigest)
  })
})
