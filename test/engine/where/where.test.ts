import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExact } from '../../../src/base/json/json.js'
import { documentedWords } from '../../../src/catalogue/words.js'
import {
  bindWhere,
  findUnshapedFields,
  type Known,
  parseWhere,
} from '../../../src/engine/where/index.js'
import { findFieldKind, getShapeFields } from '../../../src/engine/where/shape.js'
import { Failure } from '../../../src/errors.js'
import { countDraws } from '../../support/draws.js'

const text = { type: 'string' }
const int = { type: 'integer' }
const allowNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
const listShape = {
  type: 'object',
  properties: {
    id: int,
    name: text,
    description: allowNull(text),
    active: { type: 'boolean' },
    access_level: int,
    created_at: { type: 'string', format: 'date-time' },
    due_date: allowNull({ type: 'string', format: 'date' }),
    tags: { type: 'array', items: text },
    author: allowNull({ type: 'object', properties: { username: text, id: int } }),
    assignees: {
      type: 'array',
      items: { type: 'object', properties: { username: text, id: int } },
    },
    extra: {},
    either: { anyOf: [int, text] },
  },
}
const singleShape = {
  type: 'object',
  properties: {
    ...listShape.properties,
    contacted_at: allowNull({ type: 'string', format: 'date-time' }),
  },
}
const now = Date.parse('2026-11-21T12:00:00Z')
const known: Known = {
  list: listShape,
  single: singleShape,
  now,
  naming: documentedWords,
  getNumberNames: (field) =>
    field.endsWith('access_level') ? { developer: 30, maintainer: 40 } : undefined,
}
const bind = (...texts: string[]) => bindWhere(parseWhere(texts), known)
const matches = (record: unknown, ...texts: string[]): boolean => bind(...texts).matches(record)
const subtractDays = (days: number): string => new Date(now - days * 86_400_000).toISOString()

/** Returns the message of the error and the text at the caret. */
const getRefusal = (...texts: string[]): { message: string; under: string } => {
  try {
    bind(...texts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error.exitCode).toBe(2)
    const [message = '', line = '', caret = ''] = error.message.split('\n')
    return { message, under: line.slice(caret.indexOf('^')) }
  }
  throw new Error('it was taken')
}

describe('an expression', () => {
  it.each([
    ['name=a', { name: 'a' }, true],
    ['name=a', { name: 'A' }, false],
    ['name=a|b', { name: 'b' }, true],
    ['name!=a|b', { name: 'b' }, false],
    ['name!=a|b', { name: 'c' }, true],
    ['name = a , active = true', { name: 'a', active: true }, true],
    ['name="a,b|c"', { name: 'a,b|c' }, true],
    ['name="a\\u0020"', { name: 'a ' }, true],
    ['name=', { name: '' }, true],
    ['id>=5', { id: 5 }, true],
    ['id<5', { id: 5 }, false],
    ['id=10', { id: 1e1 }, true],
    ['active=false', { active: false }, true],
    ['active!=false', { active: true }, true],
    ['access_level>=developer', { access_level: 40 }, true],
    ['access_level=30', { access_level: 30 }, true],
    ['name~BC', { name: 'abcd' }, true],
    ['name~a*d', { name: 'xAbcDx' }, true],
    ['name~d*a', { name: 'abcd' }, false],
    ['name~"a*d"', { name: 'abcd' }, false],
    ['name!~b', { name: 'abc' }, false],
    ['either<5', { either: '4' }, true],
    ['either<5', { either: '14' }, false],
    ['either<5', { either: '4.6.0' }, false],
    ['author.username=ana', { author: { username: 'ana' } }, true],
    ['assignees.username=ana', { assignees: [{ username: 'ben' }, { username: 'ana' }] }, true],
    ['assignees.id>5', { assignees: [{ id: 1 }] }, false],
    ['tags=x', { tags: ['y', 'x'] }, true],
    ['tags!=x', { tags: ['y'] }, true],
    ['tags!=x', { tags: [] }, true],
    ['tags=', { tags: [] }, true],
    ['tags=[]', { tags: [] }, true],
    ['tags=""', { tags: [] }, false],
    ['tags=x|', { tags: [] }, true],
    ['tags=', { tags: ['x'] }, false],
    ['tags=', { tags: null }, false],
    ['tags!=', { tags: [] }, false],
    ['tags!=', { tags: ['x'] }, true],
    ['tags~*', { tags: [] }, false],
    ['tags~X', { tags: ['axb'] }, true],
    ['extra~x', { extra: { deep: 'axb' } }, true],
    ['extra~object', { extra: { deep: 'axb' } }, false],
    ['either=5', { either: 5 }, true],
    ['either=5', { either: '5' }, true],
    ['extra.deep=x', { extra: { deep: 'x' } }, true],
    ['extra.deep=true', { extra: { deep: true } }, true],
    ['extra.deep=false', { extra: { deep: true } }, false],
    ['extra.deep!=true', { extra: { deep: false } }, true],
  ])('%s of %j is %s', (expression, record, expected) => {
    expect(matches(record, expression)).toBe(expected)
  })
  it('is or, repeated; and, within', () => {
    expect(matches({ name: 'b', id: 1 }, 'name=a', 'id=1')).toBe(true)
    expect(matches({ name: 'b', id: 1 }, 'name=a,id=1')).toBe(false)
  })
})

describe('null, and what is not there', () => {
  const ops = ['=', '!=', '~', '!~', '<', '<=', '>', '>=']
  it.each(ops)('is matched by no value: %s', (op) => {
    expect(matches({ extra: null }, `extra${op}1`)).toBe(false)
    expect(matches({}, `extra${op}1`)).toBe(false)
    expect(matches({ author: null }, `author.id${op}1`)).toBe(false)
    expect(matches({ assignees: [] }, `assignees.id${op}1`)).toBe(false)
  })
  it('is seen by null alone', () => {
    for (const record of [{ author: null }, {}])
      expect(matches(record, 'author.id=null')).toBe(true)
    for (const record of [{ description: null }, {}]) {
      expect(matches(record, 'description=null')).toBe(true)
      expect(matches(record, 'description!=null')).toBe(false)
      expect(matches(record, 'description="null"')).toBe(false)
      expect(matches(record, 'description=x|null')).toBe(true)
    }
    expect(matches({ description: 'x' }, 'description!=null')).toBe(true)
    expect(matches({ description: 'null' }, 'description="null"')).toBe(true)
    expect(matches({ description: 'x' }, 'description!=null|x')).toBe(false)
  })
  it('is not silent for thirty days', () => {
    expect(matches({ contacted_at: null }, 'contacted_at>30d')).toBe(false)
    expect(matches({ contacted_at: null }, 'contacted_at<30d')).toBe(false)
  })
})

describe('times', () => {
  it.each([
    ['created_at>30d', subtractDays(31), true],
    ['created_at>30d', subtractDays(29), false],
    ['created_at<30d', subtractDays(29), true],
    ['created_at<30d', subtractDays(-1), true],
    ['created_at<=1d12h', subtractDays(1), true],
    ['created_at<+30d', subtractDays(-29), true],
    ['created_at<+30d', subtractDays(-31), false],
    ['created_at>=today', '2026-11-21T00:00:00Z', true],
    ['created_at<today', '2026-11-20T23:59:59Z', true],
    ['created_at>=yesterday', '2026-11-20T00:00:00Z', true],
    ['created_at<2026-01-01', '2025-12-31T23:59:59.999Z', true],
    ['created_at=2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z', true],
    ['created_at~2026-11', '2026-11-01T00:00:00Z', true],
  ])('%s of %s is %s', (expression, created_at, expected) => {
    expect(matches({ created_at }, expression)).toBe(expected)
  })
  it('may be days', () => {
    expect(matches({ due_date: '2026-11-20' }, 'due_date<today')).toBe(true)
    expect(matches({ due_date: '2026-11-21' }, 'due_date=today')).toBe(true)
  })
  it('are told by the value, where the shape does not say', () => {
    expect(matches({ extra: subtractDays(31) }, 'extra>30d')).toBe(true)
    expect(matches({ extra: subtractDays(29) }, 'extra>30d')).toBe(false)
  })
})

describe('a mistake', () => {
  it.each([
    ['', ''],
    ['name=a,', ''],
    ['name=a,,id=1', ',id=1'],
    ['=a', '=a'],
    ['name', ''],
    ['name?a', '?a'],
    ['name~a|b', '|b'],
    ['id>1|2', '|2'],
    ['name="a', '"a'],
    ['name="a"b', 'b'],
    ['name="\\x"', '"\\x"'],
    ['id=abc', 'abc'],
    ['id=1|abc', 'abc'],
    ['active=yes', 'yes'],
    ['active>true', 'true'],
    ['created_at=30d', '30d'],
    ['created_at!=12h', '12h'],
    ['created_at>soon', 'soon'],
    ['created_at>2026-02-30', '2026-02-30'],
    ['description<null', 'description<null'],
    ['name=a,nmae=b', 'nmae=b'],
    ['author=ana', 'ana'],
    ['author.nope=1', 'author.nope=1'],
    ['id=1,name>=14', 'name>=14'],
    ['tags<a', 'tags<a'],
    ['author.username<=b', 'author.username<=b'],
    ['either>b', 'either>b'],
    ['extra>="b"', 'extra>="b"'],
  ])('in %j is pointed at', (expression, place) => {
    const { message, under } = getRefusal(expression)
    expect(under).toBe(place)
    expect(message).toContain('invalid condition')
  })
  it('in a field names the nearest', () => {
    const names: string[] = []
    const nearest = (given: string, fields: Iterable<string>): string => {
      names.push(given, ...fields)
      return 'name'
    }
    expect(() => bindWhere(parseWhere(['nmae=b']), { ...known, findNearest: nearest })).toThrow(
      'no record has the field nmae; did you mean name?',
    )
    expect(names).toContain('author.username')
  })
})

describe('fields', () => {
  it('may stand in a record of the first page alone', () => {
    const where = parseWhere(['fresh.deep=1'])
    expect(findUnshapedFields(where, known)).toEqual(['fresh.deep'])
    expect(() => bindWhere(where, known)).toThrow(Failure)
    expect(() => bindWhere(where, { ...known, samples: [{ fresh: {} }] })).toThrow(Failure)
    const samples = [{ id: 1 }, { fresh: { deep: 2 } }]
    expect(bindWhere(where, { ...known, samples }).matches({ fresh: { deep: 1 } })).toBe(true)
  })
  it('of the single record are left open until it is read', () => {
    const where = bind('active=true,contacted_at>30d')
    expect(where.detail).toEqual(['contacted_at'])
    expect(where.mayMatch({ active: true })).toBe(true)
    expect(where.mayMatch({ active: false })).toBe(false)
    expect(where.matches({ active: true, contacted_at: subtractDays(40) })).toBe(true)
    expect(where.matches({ active: true, contacted_at: subtractDays(4) })).toBe(false)
    expect(bind('active=true').detail).toEqual([])
  })
  it('may be made of a record that has none of that name', () => {
    const made = { ends: (record: unknown) => (record as { to?: string }).to }
    const where = parseWhere(['ends>30d'])
    expect(findUnshapedFields(where, { ...known, computed: made })).toEqual([])
    const { matches: test, detail } = bindWhere(where, { ...known, computed: made })
    expect(detail).toEqual([])
    expect([subtractDays(31), subtractDays(29), undefined].map((to) => test({ to }))).toEqual([
      true,
      false,
      false,
    ])
    expect(test({ ends: subtractDays(40), to: subtractDays(1) })).toBe(true)
  })
  it('that hold true or false are taken as the instance writes them', () => {
    for (const active of [true, 'true', '1', 1]) {
      expect([active, matches({ active }, 'active=true')]).toEqual([active, true])
      expect([active, matches({ active }, 'active!=true')]).toEqual([active, false])
    }
    for (const active of [false, 'false', '0', 0])
      expect([active, matches({ active }, 'active=false')]).toEqual([active, true])
    expect(matches({ active: 'maybe' }, 'active=true')).toBe(false)
  })
  it('that only stand beside the records are refused in words of their own', () => {
    const beside = (field: string) => (field === 'project' ? 'say --project' : undefined)
    expect(() => bindWhere(parseWhere(['project=a']), { ...known, explainColumn: beside })).toThrow(
      'no record has the field project; say --project',
    )
  })
  it('have the kinds of their shapes', () => {
    expect(findFieldKind(listShape, 'author.id')).toBe('number')
    expect(findFieldKind(listShape, 'assignees.username')).toBe('text')
    expect(findFieldKind(listShape, 'either')).toBe('any')
    expect(findFieldKind(listShape, 'name.x')).toBeUndefined()
    expect(findFieldKind(undefined, 'x')).toBeUndefined()
    expect(getShapeFields(listShape)).toContain('assignees.id')
  })
})

describe('any expression', () => {
  const names = fc.constantFrom('a', 'b', 'ab', 'B', '')
  const records = fc.array(
    fc.record(
      {
        name: fc.oneof(names, fc.constant(null)),
        id: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(null)),
        active: fc.oneof(fc.boolean(), fc.constant(null)),
        tags: fc.oneof(fc.array(names, { maxLength: 3 }), fc.constant(null)),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 8 },
  )
  type Sample = {
    readonly name?: string | null
    readonly id?: number | null
    readonly active?: boolean | null
    readonly tags?: readonly string[] | null
  }
  interface Case {
    readonly text: string
    readonly plain: (record: Sample) => boolean
  }
  const textual = fc
    .tuple(fc.constantFrom('=', '!=', '~', '!~'), names)
    .map(([op, value]): Case => {
      const contains = (name: string) => name.toLowerCase().includes(value.toLowerCase())
      const tests: Record<string, (name: string) => boolean> = {
        '=': (name) => name === value,
        '!=': (name) => name !== value,
        '~': contains,
        '!~': (name) => !contains(name),
      }
      const plain = ({ name }: Sample): boolean =>
        name !== null && name !== undefined && (tests[op]?.(name) ?? false)
      return { text: `name${op}${JSON.stringify(value)}`, plain }
    })
  const oneOfSome = fc
    .tuple(fc.constantFrom('=', '!='), fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1 }))
    .map(
      ([op, ids]): Case => ({
        text: `id ${op} ${ids.join(' | ')}`,
        plain: ({ id }) => id !== null && id !== undefined && ids.includes(id) === (op === '='),
      }),
    )
  const ordered = fc.tuple(fc.constantFrom('<', '>='), fc.integer({ min: -3, max: 3 })).map(
    ([op, edge]): Case => ({
      text: `id${op}${edge}`,
      plain: ({ id }) => id !== null && id !== undefined && (op === '<' ? id < edge : id >= edge),
    }),
  )
  const others = fc.constantFrom<Case>(
    { text: 'active=true', plain: ({ active }) => active === true },
    { text: 'active!=true', plain: ({ active }) => active === false },
    { text: 'name=null', plain: ({ name }) => name === null || name === undefined },
    { text: 'tags!=null', plain: ({ tags }) => Array.isArray(tags) },
    { text: 'tags=a', plain: ({ tags }) => tags?.includes('a') ?? false },
    {
      text: 'tags!=a|b',
      plain: ({ tags }) => tags?.every((t) => !['a', 'b'].includes(t)) ?? false,
    },
  )
  const condition = fc.oneof(textual, oneOfSome, ordered, others)
  const expression = fc.array(condition, { minLength: 1, maxLength: 3 })

  it('agrees with a plain filter over the whole list', () => {
    fc.assert(
      fc.property(records, fc.array(expression, { minLength: 1, maxLength: 3 }), (list, any) => {
        const texts = any.map((all) => all.map((one) => one.text).join(','))
        const { matches: test, mayMatch } = bind(...texts)
        const plain = list.filter((record) => any.some((all) => all.every((c) => c.plain(record))))
        expect(list.filter(test)).toEqual(plain)
        expect(list.filter(mayMatch)).toEqual(plain)
      }),
      { numRuns: countDraws(500) },
    )
  })
  it('never fails but as a usage error that points into it', () => {
    const piece = fc.constantFrom(
      'id',
      'name',
      'x.y',
      '=',
      '!=',
      '~',
      '<',
      ',',
      '|',
      '"',
      '\\',
      'null',
      '30d',
      ' ',
      '*',
      'é',
      '5',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        try {
          bind(pieces.join(''))
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          const [, line = '', caret = ''] = error.message.split('\n')
          expect(line).toBe(pieces.join(''))
          expect(caret).toMatch(/^ *\^$/)
          expect(caret.length - 1).toBeLessThanOrEqual(line.length)
        }
      }),
      { numRuns: countDraws(1000) },
    )
  })
})

describe('a number past 2^53', () => {
  const record = (digits: string): unknown => parseExact(`{"id":${digits},"extra":${digits}}`)

  it.each(['id', 'extra'])('is itself, and not its neighbour: %s', (field) => {
    const texts = ['9007199254740994', '9007199254740995', '9007199254740996', '9007199254740997']
    const found = (condition: string) =>
      texts.filter((digits) => matches(record(digits), `${field}${condition}`))
    expect(found('=9007199254740995')).toEqual(['9007199254740995'])
    expect(found('!=9007199254740996')).toEqual(texts.filter((one) => !one.endsWith('6')))
    expect(found('>9007199254740995')).toEqual(texts.slice(2))
    expect(found('<=9007199254740995')).toEqual(texts.slice(0, 2))
    expect(found('~740995')).toEqual(['9007199254740995'])
  })

  it('is compared by its value, however it was written', () => {
    expect(matches(record('1.0'), 'id=1')).toBe(true)
    expect(matches(record('1e400'), 'id>1')).toBe(true)
    expect(matches(record('-0'), 'id=0')).toBe(true)
  })
})
