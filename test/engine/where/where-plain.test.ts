/** Tests that `--where` agrees with a plain filter over the records: exact numbers, time zones, lists in lists. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/base/json/json.js'
import { documentedWords } from '../../../src/catalogue/words.js'
import { bindWhere, type Known, parseWhere } from '../../../src/engine/where/index.js'
import { countDraws } from '../../support/draws.js'

const text = { type: 'string' }
const shape = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { anyOf: [text, { type: 'null' }] },
    active: { type: 'boolean' },
    release: { type: 'string', format: 'version' },
    rank: { type: 'string', 'x-levels': { low: 0, mid: 5, high: 9 } },
    at: { type: 'string', format: 'date-time' },
    grid: { type: 'array', items: { type: 'array', items: text } },
    people: {
      type: 'array',
      items: { type: 'object', properties: { name: text, roles: { type: 'array', items: text } } },
    },
  },
}
const now = Date.parse('2026-11-21T12:00:00Z')
const known: Known = { list: shape, now, naming: documentedWords }

interface Person {
  readonly name?: string | null
  readonly roles?: readonly string[]
}
/** The meaning of a record. `id` and `at` have several spellings in JSON. */
interface Sample {
  readonly id?: bigint | null
  readonly title?: string | null
  readonly active?: boolean | null
  readonly release?: string | null
  readonly rank?: string | null
  readonly at?: { readonly time: number; readonly zone: number } | null
  readonly grid?: readonly (readonly string[])[] | null
  readonly people?: readonly Person[] | null
}
interface Case {
  readonly text: string
  readonly plain: (record: Sample) => boolean
}

const specialTexts = [
  'a',
  'A',
  'ab',
  '',
  'a,b',
  'x|y',
  '"',
  'say "a"',
  'back\\slash',
  ' a ',
  'null',
  '30d',
  'true',
  '1',
  '*',
  'é',
  'É',
  '\u202eabc',
  '\u001b[31m',
  '\uffff',
  '\u{1f600}',
  '\u{1f600}b',
]
const texts = fc.oneof(
  fc.constantFrom(...specialTexts),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
)
/** Small numbers, and neighbours that JavaScript rounds to one number. */
const ids = fc.oneof(
  fc.bigInt({ min: -2n, max: 2n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 4n }),
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 20n + 3n }),
)
const moments = fc.record({
  time: fc.integer({ min: -4, max: 4 }).map((hours) => now + hours * 3_600_000),
  zone: fc.constantFrom(-330, -60, 0, 120, 345),
})
const allowNull = <T>(values: fc.Arbitrary<T>) => fc.oneof(values, fc.constant(null))
/** Versions of three parts. A last part of zero may be omitted. */
const releases = fc
  .tuple(fc.nat(2), fc.constantFrom(0, 2, 9, 10), fc.nat(1))
  .map(([a, b, c]) => `${a}.${b}${c === 0 ? '' : `.${c}`}`)
const ranks = ['low', 'mid', 'high'] as const
const toNumber = (release: string): number => {
  const [a = 0, b = 0, c = 0] = release.split('.').map(Number)
  return a * 10_000 + b * 100 + c
}
const records: fc.Arbitrary<readonly Sample[]> = fc.array(
  fc.record(
    {
      id: allowNull(ids),
      title: allowNull(texts),
      active: allowNull(fc.boolean()),
      release: allowNull(fc.oneof(releases, fc.constantFrom('', 'main'))),
      rank: allowNull(fc.constantFrom(...ranks, 'odd')),
      at: allowNull(moments),
      grid: allowNull(fc.array(fc.array(texts, { maxLength: 2 }), { maxLength: 2 })),
      people: allowNull(
        fc.array(
          fc.record(
            { name: allowNull(texts), roles: fc.array(texts, { maxLength: 2 }) },
            { requiredKeys: [] },
          ),
          { maxLength: 2 },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 6 },
)

/** Formats a moment in its own time zone. */
const formatMoment = ({ time, zone }: { time: number; zone: number }): string => {
  const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60]
  const offset = `${zone < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
  return new Date(time + zone * 60_000).toISOString().replace('Z', zone === 0 ? 'Z' : offset)
}

/** Writes the record as an instance sends it, and parses it. */
const readRecord = ({ id, at, ...others }: Sample): unknown => {
  const parts = [
    ...(id === undefined ? [] : [`"id":${id}`]),
    ...(at === undefined
      ? []
      : [`"at":${at === null ? 'null' : JSON.stringify(formatMoment(at))}`]),
  ]
  const rest = JSON.stringify(others).slice(1, -1)
  return parseExact(`{${[...parts, ...(rest === '' ? [] : [rest])].join(',')}}`)
}

const orders = ['=', '!=', '<', '<=', '>', '>='] as const
const holds = (order: number, op: string): boolean =>
  ({ '=': order === 0, '!=': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0 })[op] ??
  order >= 0
const compare = <T extends number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
const isPresent = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined

const numbers = fc.tuple(fc.constantFrom(...orders), ids).map(
  ([op, edge]): Case => ({
    text: `id${op}${edge}`,
    plain: ({ id }) => isPresent(id) && holds(compare(id, edge), op),
  }),
)
const titles = fc.tuple(fc.constantFrom('=', '!=', '~', '!~'), texts).map(([op, value]): Case => {
  const contains = (title: string) => title.toLowerCase().includes(value.toLowerCase())
  const plain = (title: string): boolean =>
    (op.endsWith('~') ? contains(title) : title === value) !== op.startsWith('!')
  return {
    text: `title ${op} ${JSON.stringify(value)}`,
    plain: ({ title }) => isPresent(title) && plain(title),
  }
})
const times = fc.tuple(fc.constantFrom(...orders), moments).map(
  ([op, edge]): Case => ({
    text: `at${op}${formatMoment(edge)}`,
    plain: ({ at }) => isPresent(at) && holds(compare(at.time, edge.time), op),
  }),
)
const ages = fc.tuple(fc.constantFrom('<', '<=', '>', '>='), fc.nat(4)).map(
  ([op, hours]): Case => ({
    text: `at${op}${hours}h`,
    plain: ({ at }) => isPresent(at) && holds(compare(now - at.time, hours * 3_600_000), op),
  }),
)
const versions = fc.tuple(fc.constantFrom(...orders), releases).map(
  ([op, edge]): Case => ({
    text: `release${op}${edge}`,
    plain: ({ release }) =>
      isPresent(release) &&
      (/^\d/.test(release) ? holds(compare(toNumber(release), toNumber(edge)), op) : op === '!='),
  }),
)
const levels = fc.tuple(fc.constantFrom(...orders), fc.constantFrom(...ranks)).map(
  ([op, edge]): Case => ({
    text: `rank${op}${edge}`,
    plain: ({ rank }) => {
      const at = (ranks as readonly unknown[]).indexOf(rank)
      if (!isPresent(rank) || at < 0) return isPresent(rank) && op === '!='
      return holds(compare(at, ranks.indexOf(edge)), op)
    },
  }),
)
/** Creates conditions with some values of a list. A missing list matches neither `=` nor `!=`. */
const createListCases = (
  field: string,
  valuesOf: (record: Sample) => readonly string[] | undefined,
): fc.Arbitrary<Case> =>
  fc
    .tuple(fc.constantFrom('=', '!='), fc.array(texts, { minLength: 1, maxLength: 3 }))
    .map(([op, some]) => ({
      text: `${field}${op}${some.map((one) => JSON.stringify(one)).join('|')}`,
      plain: (record) => {
        const values = valuesOf(record)
        return values !== undefined && values.some((value) => some.includes(value)) === (op === '=')
      },
    }))
const flattenPresent = <T>(
  parts: readonly (readonly T[] | undefined)[],
): readonly T[] | undefined => {
  const there = parts.filter((part) => part !== undefined)
  return there.length === 0 ? undefined : there.flat()
}
const lists = fc.oneof(
  createListCases('grid', ({ grid }) => (isPresent(grid) ? grid.flat() : undefined)),
  createListCases('people.name', ({ people }) =>
    flattenPresent((people ?? []).map(({ name }) => (isPresent(name) ? [name] : undefined))),
  ),
  createListCases('people.roles', ({ people }) =>
    flattenPresent((people ?? []).map(({ roles }) => roles)),
  ),
)
const others = fc.constantFrom<Case>(
  { text: 'active=true', plain: ({ active }) => active === true },
  { text: 'active!=true', plain: ({ active }) => active === false },
  { text: 'title=null', plain: ({ title }) => !isPresent(title) },
  { text: 'title!=null', plain: ({ title }) => isPresent(title) },
  { text: 'at=null', plain: ({ at }) => !isPresent(at) },
  { text: 'id=null|1', plain: ({ id }) => !isPresent(id) || id === 1n },
  { text: 'grid!=null', plain: ({ grid }) => isPresent(grid) },
)

describe('any expression over any records', () => {
  const condition = fc.oneof(numbers, titles, times, ages, versions, levels, lists, others)
  const expression = fc.array(condition, { minLength: 1, maxLength: 3 })

  it('agrees with a plain filter', () => {
    fc.assert(
      fc.property(records, fc.array(expression, { minLength: 1, maxLength: 2 }), (list, any) => {
        const written = any.map((all) => all.map((one) => one.text).join(' , '))
        const { matches, mayMatch } = bindWhere(parseWhere(written), known)
        const plain = list.map((record) => any.some((all) => all.every((c) => c.plain(record))))
        expect(list.map((record) => matches(readRecord(record)))).toEqual(plain)
        expect(list.map((record) => mayMatch(readRecord(record)))).toEqual(plain)
      }),
      { numRuns: countDraws(1000) },
    )
  })
})
