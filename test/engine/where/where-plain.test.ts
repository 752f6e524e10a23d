/** `--where` agrees with a plain filter, over records as they come: exact numbers, zones, lists in lists. */
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
/** A record as it is meant; `id` and `at` are written in some way. */
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

const strange = [
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
const texts = fc.oneof(fc.constantFrom(...strange), fc.string({ unit: 'grapheme', maxLength: 3 }))
/** Neighbours that are one number to JavaScript, and small ones. */
const ids = fc.oneof(
  fc.bigInt({ min: -2n, max: 2n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 4n }),
  fc.bigInt({ min: 10n ** 20n, max: 10n ** 20n + 3n }),
)
const moments = fc.record({
  time: fc.integer({ min: -4, max: 4 }).map((hours) => now + hours * 3_600_000),
  zone: fc.constantFrom(-330, -60, 0, 120, 345),
})
const orNull = <T>(values: fc.Arbitrary<T>) => fc.oneof(values, fc.constant(null))
/** Three parts, the last of which may be left out where it is zero. */
const releases = fc
  .tuple(fc.nat(2), fc.constantFrom(0, 2, 9, 10), fc.nat(1))
  .map(([a, b, c]) => `${a}.${b}${c === 0 ? '' : `.${c}`}`)
const ranks = ['low', 'mid', 'high'] as const
const numberOf = (release: string): number => {
  const [a = 0, b = 0, c = 0] = release.split('.').map(Number)
  return a * 10_000 + b * 100 + c
}
const records: fc.Arbitrary<readonly Sample[]> = fc.array(
  fc.record(
    {
      id: orNull(ids),
      title: orNull(texts),
      active: orNull(fc.boolean()),
      release: orNull(fc.oneof(releases, fc.constantFrom('', 'main'))),
      rank: orNull(fc.constantFrom(...ranks, 'odd')),
      at: orNull(moments),
      grid: orNull(fc.array(fc.array(texts, { maxLength: 2 }), { maxLength: 2 })),
      people: orNull(
        fc.array(
          fc.record(
            { name: orNull(texts), roles: fc.array(texts, { maxLength: 2 }) },
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

/** A moment in its own zone. */
const written = ({ time, zone }: { time: number; zone: number }): string => {
  const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60]
  const offset = `${zone < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
  return new Date(time + zone * 60_000).toISOString().replace('Z', zone === 0 ? 'Z' : offset)
}

/** The record as an instance would send it, and as it is read. */
const read = ({ id, at, ...others }: Sample): unknown => {
  const parts = [
    ...(id === undefined ? [] : [`"id":${id}`]),
    ...(at === undefined ? [] : [`"at":${at === null ? 'null' : JSON.stringify(written(at))}`]),
  ]
  const rest = JSON.stringify(others).slice(1, -1)
  return parseExact(`{${[...parts, ...(rest === '' ? [] : [rest])].join(',')}}`)
}

const orders = ['=', '!=', '<', '<=', '>', '>='] as const
const holds = (order: number, op: string): boolean =>
  ({ '=': order === 0, '!=': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0 })[op] ??
  order >= 0
const compare = <T extends number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
const isThere = <T>(value: T | null | undefined): value is T =>
  value !== null && value !== undefined

const numbers = fc.tuple(fc.constantFrom(...orders), ids).map(
  ([op, edge]): Case => ({
    text: `id${op}${edge}`,
    plain: ({ id }) => isThere(id) && holds(compare(id, edge), op),
  }),
)
const titles = fc.tuple(fc.constantFrom('=', '!=', '~', '!~'), texts).map(([op, value]): Case => {
  const contains = (title: string) => title.toLowerCase().includes(value.toLowerCase())
  const plain = (title: string): boolean =>
    (op.endsWith('~') ? contains(title) : title === value) !== op.startsWith('!')
  return {
    text: `title ${op} ${JSON.stringify(value)}`,
    plain: ({ title }) => isThere(title) && plain(title),
  }
})
const times = fc.tuple(fc.constantFrom(...orders), moments).map(
  ([op, edge]): Case => ({
    text: `at${op}${written(edge)}`,
    plain: ({ at }) => isThere(at) && holds(compare(at.time, edge.time), op),
  }),
)
const ages = fc.tuple(fc.constantFrom('<', '<=', '>', '>='), fc.nat(4)).map(
  ([op, hours]): Case => ({
    text: `at${op}${hours}h`,
    plain: ({ at }) => isThere(at) && holds(compare(now - at.time, hours * 3_600_000), op),
  }),
)
const versions = fc.tuple(fc.constantFrom(...orders), releases).map(
  ([op, edge]): Case => ({
    text: `release${op}${edge}`,
    plain: ({ release }) =>
      isThere(release) &&
      (/^\d/.test(release) ? holds(compare(numberOf(release), numberOf(edge)), op) : op === '!='),
  }),
)
const levels = fc.tuple(fc.constantFrom(...orders), fc.constantFrom(...ranks)).map(
  ([op, edge]): Case => ({
    text: `rank${op}${edge}`,
    plain: ({ rank }) => {
      const at = (ranks as readonly unknown[]).indexOf(rank)
      if (!isThere(rank) || at < 0) return isThere(rank) && op === '!='
      return holds(compare(at, ranks.indexOf(edge)), op)
    },
  }),
)
/** One of some values of a list; what is not there is not among them, nor among the others. */
const within = (
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
const fromAll = <T>(parts: readonly (readonly T[] | undefined)[]): readonly T[] | undefined => {
  const there = parts.filter((part) => part !== undefined)
  return there.length === 0 ? undefined : there.flat()
}
const lists = fc.oneof(
  within('grid', ({ grid }) => (isThere(grid) ? grid.flat() : undefined)),
  within('people.name', ({ people }) =>
    fromAll((people ?? []).map(({ name }) => (isThere(name) ? [name] : undefined))),
  ),
  within('people.roles', ({ people }) => fromAll((people ?? []).map(({ roles }) => roles))),
)
const others = fc.constantFrom<Case>(
  { text: 'active=true', plain: ({ active }) => active === true },
  { text: 'active!=true', plain: ({ active }) => active === false },
  { text: 'title=null', plain: ({ title }) => !isThere(title) },
  { text: 'title!=null', plain: ({ title }) => isThere(title) },
  { text: 'at=null', plain: ({ at }) => !isThere(at) },
  { text: 'id=null|1', plain: ({ id }) => !isThere(id) || id === 1n },
  { text: 'grid!=null', plain: ({ grid }) => isThere(grid) },
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
        expect(list.map((record) => matches(read(record)))).toEqual(plain)
        expect(list.map((record) => mayMatch(read(record)))).toEqual(plain)
      }),
      { numRuns: countDraws(1000) },
    )
  })
})
