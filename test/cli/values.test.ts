import { describe, expect, it, vi } from 'vitest'
import {
  boolean,
  date,
  datetime,
  hash,
  integer,
  list,
  oneOf,
  type Param,
  project,
  seconds,
  string,
} from '../../src/catalogue/params.js'
import { accessLevels } from '../../src/catalogue/shapes/common.js'
import { parseValue } from '../../src/engine/plan/parse-values.js'
import { Failure } from '../../src/errors.js'

const parse = (param: Param, ...texts: string[]): unknown =>
  parseValue(param, texts, '--flag', { now: new Date() })
const getRefusal = (param: Param, ...texts: string[]): string => {
  try {
    parse(param, ...texts)
  } catch (error) {
    if (error instanceof Failure && error.category === 'usage')
      return `${error.message} ${error.details.hint ?? ''}`
    throw error
  }
  throw new Error('was accepted')
}

describe('values', () => {
  it.each<[string, Param, string[], unknown]>([
    ['an integer', integer('n'), ['7'], 7],
    ['the last of several', integer('n'), ['7', '8'], 8],
    ['a number of seconds', seconds('t'), ['90'], 90],
    ['seconds with units', seconds('t'), ['1h30m5s'], 5405],
    ['a number by name', integer('n', { names: accessLevels }), ['Maintainer'], 40],
    ['None in any case', integer('n', { words: ['None', 'Any'] }), ['none'], 'None'],
    ['nothing for a nullable number', integer('n', { nullable: true }), [''], null],
    ['nothing for a nullable enumeration', oneOf(['a'], 'e', { nullable: true }), [''], null],
    ['an enumeration', oneOf(['asc', 'desc'], 'e'), ['desc'], 'desc'],
    ['an enumeration with dashes', oneOf(['oldest_first'], 'e'), ['oldest-first'], 'oldest_first'],
    ['a list, trimmed', list('string', 'l'), ['a, b ', 'c'], ['a', 'b', 'c']],
    ['a list in JSON', list('string', 'l'), ['["a,b", "c"]', 'd'], ['a,b', 'c', 'd']],
    ['a mixed list in JSON', list('string', 'l'), ['["a", 1, 1.50]'], ['a', '1', '1.50']],
    ['a list of numbers in JSON', list('integer', 'l'), ['[1, 2]'], [1, 2]],
    ['a text in brackets', list('string', 'l'), ['[bug]', '[1]'], ['[bug]', '[1]']],
    ['the empty list', list('string', 'l'), [''], []],
    ['a list of numbers', list('integer', 'l'), ['1,2'], [1, 2]],
    ['Any for a list', list('integer', 'l', { words: ['None', 'Any'] }), ['any'], 'Any'],
    ['a day', date('d'), ['2024-02-29'], '2024-02-29'],
    ['no day, where that removes one', date('d', { clears: true }), [''], ''],
    [
      'a time with offset',
      datetime('t'),
      ['2024-01-02T03:04:05+02:00'],
      '2024-01-02T03:04:05+02:00',
    ],
    ['a negative duration', string('d', { format: 'duration' }), ['-1h30m'], '-1h30m'],
    ['a project by number', project(), ['7'], 7],
    ['a project by path', project(), ['a/b'], 'a/b'],
    ['one user', string('u', { format: 'csv', completes: 'user' }), ['5'], 5],
    ['a branch of digits', string('b', { format: 'csv' }), ['5'], '5'],
    [
      'addresses, joined',
      string('r', { format: 'spaced' }),
      ['a@x', 'b@x, c@x d@x'],
      'a@x b@x c@x d@x',
    ],
    ['several users', string('u', { format: 'csv' }), ['5', '6'], '5,6'],
    ['users in JSON', string('u', { format: 'csv' }), ['["ben", "eva"]', '6'], 'ben,eva,6'],
    ['a domain', string('d', { format: 'domain' }), ['A.b'], 'A.b'],
    ['one in another script', string('d', { format: 'domain' }), ['bücher.b'], 'xn--bcher-kva.b'],
    ['a hash', hash('h'), ['version=16.1', 'name=a=b'], { version: '16.1', name: 'a=b' }],
    [
      'a hash with typed keys and dashes',
      hash('h', { keys: { assignee_username: string('a'), iids: list('integer', 'i') } }),
      ['assignee-username=x', 'assignee_username=y', 'iids=3'],
      { assignee_username: ['x', 'y'], iids: [3] },
    ],
  ])('take %s', (_, param, texts, value) => {
    expect(parse(param, ...texts)).toEqual(value)
  })

  it.each<[string, Param, string[], RegExp]>([
    ['a word for a number', integer('n'), ['x'], /--flag must be an integer, not "x"/],
    ['a number out of range', integer('n', { min: 0, max: 90 }), ['91'], /0 to 90, not 91/],
    [
      'an access level that is none',
      integer('n', { names: accessLevels }),
      ['35'],
      /30 \(developer\).*not 35/,
    ],
    [
      'a mistyped enumeration',
      oneOf(['online', 'offline'], 'e'),
      ['ofline'],
      /online, offline.*Did you mean offline/,
    ],
    ['a sixth id', list('integer', 'l', { max: 5 }), ['1,2,3,4,5,6'], /at most 5 values, not 6/],
    ['a domain with a blank', string('d', { format: 'domain' }), ['bü b'], /must be a domain name/],
    ['null in a list', list('string', 'l'), ['["a", null]'], /--flag must be a string/],
    ['a day that does not exist', date('d'), ['2023-02-29'], /YYYY-MM-DD/],
    ['an empty day', date('d'), [''], /YYYY-MM-DD/],
    ['an empty time', datetime('t'), [''], /YYYY-MM-DDTHH:MM:SSZ/],
    [
      'a time that is none',
      datetime('t'),
      ['tomorrow'],
      /--flag must be a time as YYYY-MM-DDTHH:MM:SSZ, 30d \(ago\), \+30d \(ahead\), today or/,
    ],
    ['a duration that is none', string('d', { format: 'duration' }), ['soon'], /1h30m.*--/],
    ['a hash without =', hash('h'), ['version'], /key=value/],
    [
      'a key the hash does not know',
      hash('h', { keys: { labels: string('l') } }),
      ['lables=a'],
      /labels/,
    ],
  ])('refuse %s, saying what is taken', (_, param, texts, message) => {
    expect(getRefusal(param, ...texts)).toMatch(message)
  })

  it('refuse a time ago for a day that has to lie ahead', () => {
    const ends = date('end', { ahead: true })
    expect(getRefusal(ends, '30d')).toBe(
      '--flag must be a day ahead, and 30d is in the past Write +30d.',
    )
    expect(parse(ends, '2030-01-31')).toBe('2030-01-31')
    expect(parse(ends, '+1d')).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('keep a deprecated value and say what to use', () => {
    const notes: string[] = []
    const param = oneOf(['created_by_me'], 'e', {
      deprecatedValues: { 'created-by-me': 'created_by_me' },
    })
    expect(
      parseValue(param, ['created-by-me'], '--scope', {
        now: new Date(),
        note: (t) => notes.push(t),
      }),
    ).toBe('created-by-me')
    expect(notes).toEqual(['--scope created-by-me is deprecated: use created_by_me'])
  })

  it('know yes and no', () => {
    expect(parse(boolean('b'), 'true')).toBe(true)
    expect(parse(boolean('b'), 'false')).toBe(false)
  })

  it.each([
    ['30d', '2026-10-22', '2026-10-22T12:34:56Z'],
    ['+1d12h', '2026-11-23', '2026-11-23T00:34:56Z'],
    ['yesterday', '2026-11-20', '2026-11-20T00:00:00Z'],
    ['today', '2026-11-21', '2026-11-21T00:00:00Z'],
  ])('take the time %s as a day and as a moment', (text, day, moment) => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T12:34:56.789Z'), toFake: ['Date'] })
    try {
      expect(parse(date('d'), text)).toBe(day)
      expect(parse(datetime('t'), text)).toBe(moment)
      expect(parse(date('d', { clears: true }), text)).toBe(day)
    } finally {
      vi.useRealTimers()
    }
  })
})
