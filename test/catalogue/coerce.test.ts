/** Tests coercion: a value of a parameter, as each source writes it, gives a value or a problem. */
import { describe, expect, it } from 'vitest'
import {
  type Coercion,
  coerce,
  coerceTexts,
  createDataSource,
  describeError,
  fileSource,
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

const now = new Date('2026-11-27T12:00:00Z')
const dataSource = createDataSource(now)

const coerceBySource = (param: Param, value: unknown): Readonly<Record<string, Coercion>> => ({
  text: coerceTexts(param, Array.isArray(value) ? value.map(String) : [String(value)], now),
  data: coerce(param, value, dataSource),
  file: coerce(param, value, fileSource),
  wire: coerce(param, value, wireSource),
})

/** Returns for each source the coerced value, or the problems. */
const getResults = (param: Param, value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(coerceBySource(param, value)).map(([source, { value: taken, errors }]) => [
      source,
      errors.length === 0 ? taken : errors.map(({ problem }) => problem).join(),
    ]),
  )

const repeatForSources = (value: unknown) => ({
  text: value,
  data: value,
  file: value,
  wire: value,
})

const wrongType = 'wrong type'
const level = integer('level', { names: accessLevels })
const leaf = hash('h', { keys: { id: integer('id'), iids: list('integer', 'iids') } })

describe('a value by its parameter', () => {
  it.each<[string, Param, unknown, unknown]>([
    ['an integer as text', integer('n'), '7', repeatForSources(7)],
    ['spaces around an integer', integer('n'), ' +7 ', { ...repeatForSources(wrongType), wire: 7 }],
    ['a fraction', integer('n'), 1.5, repeatForSources(wrongType)],
    [
      'an integer that JSON would round',
      integer('n'),
      '90071992547409930',
      repeatForSources('too large'),
    ],
    ['an integer outside its range', integer('n', { max: 5 }), 6, repeatForSources('out of range')],
    ['a level by name', level, 'maintainer', { ...repeatForSources(40), wire: wrongType }],
    [
      'a level without a name',
      level,
      35,
      { ...repeatForSources('unknown value'), file: 35, wire: 35 },
    ],
    [
      'a word in another case',
      integer('n', { words: ['None'] }),
      'none',
      { ...repeatForSources('None'), wire: wrongType },
    ],
    ['a boolean as text', boolean('b'), 'no', { ...repeatForSources(wrongType), wire: false }],
    [
      'a value with dashes',
      oneOf(['a_b'], 'e'),
      'a-b',
      { ...repeatForSources('a_b'), wire: 'unknown value' },
    ],
    ['a number for text', string('s'), 5, { ...repeatForSources('5'), data: wrongType }],
    ['a day that is none', date('d'), '2023-02-30', repeatForSources('wrong format')],
    [
      'a duration',
      string('d', { format: 'duration' }),
      'soon',
      { ...repeatForSources('wrong format'), wire: 'soon' },
    ],
    [
      'a private key for a certificate',
      string('c', { format: 'pem' }),
      '-----BEGIN PRIVATE KEY-----',
      { ...repeatForSources('-----BEGIN PRIVATE KEY-----'), file: 'wrong format' },
    ],
    [
      'a username as people write it',
      string('u', { format: 'username' }),
      '@ana',
      { ...repeatForSources('@ana'), text: 'ana', data: 'ana' },
    ],
    [
      'several usernames',
      list('string', 'u', { format: 'username' }),
      ['@ana', 'ben'],
      { ...repeatForSources(['@ana', 'ben']), text: ['ana', 'ben'], data: ['ana', 'ben'] },
    ],
    ['text with a NUL', string('s'), 'a\0', repeatForSources('wrong format')],
    [
      'several in one string',
      string('s', { format: 'csv' }),
      ['a', 'b'],
      { ...repeatForSources('a,b'), wire: wrongType },
    ],
    [
      'several in one text, which a file has as an export wrote it',
      string('s', { format: 'spaced' }),
      'b,a',
      { ...repeatForSources('b a'), file: 'b,a', wire: 'b,a' },
    ],
    [
      'a list in one text',
      list('integer', 'l'),
      '1,2',
      { text: [1, 2], data: wrongType, file: wrongType, wire: [1, 2] },
    ],
    ['a list', list('integer', 'l'), [1, 2], repeatForSources([1, 2])],
    ['an item of a list', list('integer', 'l'), [1, 'x'], repeatForSources(wrongType)],
    [
      'too many items',
      list('string', 'l', { max: 1 }),
      ['a', 'b'],
      repeatForSources('too many values'),
    ],
    ['an ID for a project', project(), '5', repeatForSources(5)],
    ['two projects', project(), 'a,b', { ...repeatForSources('several values'), wire: 'a,b' }],
    [
      'a hash',
      leaf,
      { id: 1, iids: [2] },
      { ...repeatForSources({ id: 1, iids: [2] }), text: 'wrong form' },
    ],
    [
      'a key that is unknown',
      leaf,
      { ip: 1 },
      { ...repeatForSources('unknown key'), text: 'wrong form', wire: {} },
    ],
    [
      'what is no list of objects',
      json('j', { items: {} }),
      '5',
      { ...repeatForSources('5'), text: 5, data: wrongType },
    ],
    [
      'null for a nullable number',
      integer('n', { nullable: true }),
      null,
      { ...repeatForSources(null), text: wrongType },
    ],
    ['null for text', string('s'), null, { text: 'null', data: 'null', file: '', wire: wrongType }],
    [
      'null for a list',
      list('string', 'l'),
      null,
      { text: ['null'], data: 'null', file: 'null', wire: wrongType },
    ],
  ])('%s', (_, param, value, expected) => {
    expect(getResults(param, value)).toEqual(expected)
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
    for (const coerced of Object.values(coerceBySource(param, 'old')))
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
