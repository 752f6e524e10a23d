/** One value of a parameter, as each source writes it: what comes of it, and what is wrong with it. */
import { describe, expect, it } from 'vitest'
import {
  type Coercion,
  coerce,
  coerceTexts,
  dataSource,
  describeError,
  wireSource,
} from '../../src/catalogue/coerce.js'
import {
  boolean,
  date,
  hash,
  integer,
  json,
  list,
  oneOf,
  type Param,
  project,
  string,
} from '../../src/catalogue/params.js'
import { accessLevels } from '../../src/catalogue/shapes/common.js'

const fileSource = { ...dataSource, kind: 'file' as const }

const bySource = (param: Param, value: unknown): Readonly<Record<string, Coercion>> => ({
  text: coerceTexts(param, Array.isArray(value) ? value.map(String) : [String(value)]),
  data: coerce(param, value, dataSource),
  file: coerce(param, value, fileSource),
  wire: coerce(param, value, wireSource),
})

/** The value of each source, or what is wrong. */
const results = (param: Param, value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(bySource(param, value)).map(([source, { value: taken, errors }]) => [
      source,
      errors.length === 0 ? taken : errors.map(({ problem }) => problem).join(),
    ]),
  )

const same = (value: unknown) => ({ text: value, data: value, file: value, wire: value })

const wrongType = 'wrong type'
const level = integer('level', { names: accessLevels })
const leaf = hash('h', { keys: { id: integer('id'), iids: list('integer', 'iids') } })

describe('a value by its parameter', () => {
  it.each<[string, Param, unknown, unknown]>([
    ['an integer as text', integer('n'), '7', same(7)],
    ['spaces around an integer', integer('n'), ' +7 ', { ...same(wrongType), wire: 7 }],
    ['a fraction', integer('n'), 1.5, same(wrongType)],
    ['an integer that JSON would round', integer('n'), '90071992547409930', same('too large')],
    ['an integer outside its range', integer('n', { max: 5 }), 6, same('out of range')],
    ['a level by name', level, 'maintainer', { ...same(40), wire: wrongType }],
    ['a level without a name', level, 35, { ...same('unknown value'), file: 35, wire: 35 }],
    [
      'a word in another case',
      integer('n', { words: ['None'] }),
      'none',
      { ...same('None'), wire: wrongType },
    ],
    [
      'a boolean as text',
      boolean('b'),
      'no',
      { text: true, data: wrongType, file: wrongType, wire: false },
    ],
    ['a value with dashes', oneOf(['a_b'], 'e'), 'a-b', { ...same('a_b'), wire: 'unknown value' }],
    ['a number for text', string('s'), 5, { ...same('5'), data: wrongType }],
    ['a day that is none', date('d'), '2023-02-30', same('wrong format')],
    [
      'a duration',
      string('d', { format: 'duration' }),
      'soon',
      { ...same('wrong format'), wire: 'soon' },
    ],
    [
      'a private key for a certificate',
      string('c', { format: 'pem' }),
      '-----BEGIN PRIVATE KEY-----',
      { ...same('-----BEGIN PRIVATE KEY-----'), file: 'wrong format' },
    ],
    [
      'a username as people write it',
      string('u', { format: 'username' }),
      '@ana',
      { ...same('@ana'), text: 'ana', data: 'ana' },
    ],
    [
      'several usernames',
      list('string', 'u', { format: 'username' }),
      ['@ana', 'ben'],
      { ...same(['@ana', 'ben']), text: ['ana', 'ben'], data: ['ana', 'ben'] },
    ],
    ['text with a NUL', string('s'), 'a\0', same('wrong format')],
    [
      'several in one string',
      string('s', { format: 'csv' }),
      ['a', 'b'],
      { ...same('a,b'), wire: wrongType },
    ],
    [
      'several in one text, which a file has as an export wrote it',
      string('s', { format: 'spaced' }),
      'b,a',
      { ...same('b a'), file: 'b,a', wire: 'b,a' },
    ],
    [
      'a list in one text',
      list('integer', 'l'),
      '1,2',
      { text: [1, 2], data: wrongType, file: wrongType, wire: [1, 2] },
    ],
    ['a list', list('integer', 'l'), [1, 2], same([1, 2])],
    ['an item of a list', list('integer', 'l'), [1, 'x'], same(wrongType)],
    ['too many items', list('string', 'l', { max: 1 }), ['a', 'b'], same('too many values')],
    ['an ID for a project', project(), '5', same(5)],
    ['two projects', project(), 'a,b', { ...same('several values'), wire: 'a,b' }],
    ['a hash', leaf, { id: 1, iids: [2] }, { ...same({ id: 1, iids: [2] }), text: 'wrong form' }],
    [
      'a key that is unknown',
      leaf,
      { ip: 1 },
      { ...same('unknown key'), text: 'wrong form', wire: {} },
    ],
    [
      'what is no list of objects',
      json('j', { items: {} }),
      '5',
      { ...same('5'), text: 5, data: wrongType },
    ],
    [
      'null for a nullable number',
      integer('n', { nullable: true }),
      null,
      { ...same(null), text: wrongType },
    ],
    ['null for text', string('s'), null, { text: 'null', data: 'null', file: '', wire: wrongType }],
    [
      'null for a list',
      list('string', 'l'),
      null,
      { text: ['null'], data: 'null', file: 'null', wire: wrongType },
    ],
  ])('%s', (_, param, value, expected) => {
    expect(results(param, value)).toEqual(expected)
  })

  it('says where a mistake is, what is taken there, and what was meant', () => {
    const { value, errors } = coerce(leaf, { iids: [1, 'two'], ip: 3 }, dataSource)
    expect(value).toBeUndefined()
    expect(errors).toMatchObject([
      { path: ['iids', 1], problem: wrongType, expected: 'an integer', node: 'two' },
      { path: ['ip'], problem: 'unknown key', nearest: 'id', node: 3 },
    ])
    expect(errors.map((error) => describeError('h', error, '"x"'))).toEqual([
      'h must be an integer, not "x"',
      'h accepts the keys id, iids, not "x"',
    ])
  })

  it('takes a deprecated value, and says which came after it', () => {
    const param = oneOf(['new'], 'e', { deprecatedValues: { old: 'new' } })
    for (const coerced of Object.values(bySource(param, 'old')))
      expect(coerced).toEqual({
        value: 'old',
        errors: [],
        deprecated: [{ value: 'old', successor: 'new' }],
      })
  })

  it('takes names in the place of numbers where objects have some', () => {
    const parseReference = (text: string) => (text.startsWith('@') ? undefined : text)
    const source = { ...fileSource, parseReference }
    expect(coerce(list('integer', 'users'), ['ana', 'ben'], source).value).toEqual(['ana', 'ben'])
    expect(coerce(integer('user'), '@', source).errors).toMatchObject([
      { problem: 'wrong format', expected: 'a name or an ID' },
    ])
  })
})
