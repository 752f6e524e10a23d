import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  boolean,
  date,
  datetime,
  hash,
  integer,
  list,
  oneOf,
  project,
  string,
} from '../../src/catalogue/params.js'
import { checkInput, decodeForm } from '../../src/sandbox/check.js'
import { Refusal } from '../../src/sandbox/reply.js'
import { Router } from '../../src/sandbox/server/router.js'

const getRefusal = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error instanceof Refusal ? error.body : error
  }
  return undefined
}
const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('decoding names with brackets', () => {
  it.each([
    ['a=1&a=2', { a: '2' }],
    ['a[]=1&a[]=2', { a: ['1', '2'] }],
    ['not[labels]=x&not[iids][]=3&not[iids][]=4', { not: { labels: 'x', iids: ['3', '4'] } }],
    [
      'actions[][action]=create&actions[][file_path]=a&actions[][action]=delete',
      { actions: [{ action: 'create', file_path: 'a' }, { action: 'delete' }] },
    ],
    ['iids[0]=1', { iids: { '0': '1' } }],
    ['a%5B%5D=%2B&b=c+d', { a: ['+'], b: 'c d' }],
    ['odd[=1&[x]=2', { 'odd[': '1', '[x]': '2' }],
    ['', {}],
  ])('%s', (text, expected) => {
    expect(toPlain(decodeForm(text))).toEqual(expected)
  })

  it('refuses a name that is a value and a list at once', () => {
    expect(getRefusal(() => decodeForm('a=1&a[]=2'))).toEqual({ error: 'a is invalid' })
    expect(getRefusal(() => decodeForm('a[]=1&a[b]=2'))).toEqual({ error: 'a is invalid' })
  })

  it('never touches the prototype of anything', () => {
    decodeForm('__proto__[polluted]=1&constructor[prototype][polluted]=1')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('gives back every plain pair', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]+$/), fc.string()), (pairs) => {
        expect(toPlain(decodeForm(new URLSearchParams(pairs).toString()))).toEqual(toPlain(pairs))
      }),
    )
  })
})

describe('checking input by the catalogue', () => {
  const check = (params: Parameters<typeof checkInput>[0]['params'], sent: object) =>
    checkInput({ path: {}, params }, {}, sent as Record<string, unknown>)
  const number = integer('n', { min: 1, max: 5 })
  const colour = oneOf(['red', 'blue'], 'c')

  it('converts what it knows', () => {
    const params = {
      n: integer('n'),
      b: boolean('b'),
      tags: list('string', 't', { join: 'comma' }),
      ids: list('integer', 'i', { words: ['None'] }),
      h: hash('h'),
      p: project(),
      since: datetime('s'),
    }
    expect(
      check(params, {
        n: '7',
        b: 'yes',
        tags: 'a, b',
        ids: ['1', 2],
        h: { x: 1 },
        p: 'a/b',
        since: '2026-01-01T00:00:00+02:00',
        other: 1,
      }),
    ).toEqual({
      n: 7,
      b: true,
      tags: ['a', 'b'],
      ids: [1, 2],
      h: { x: '1' },
      p: 'a/b',
      since: '2026-01-01T00:00:00+02:00',
    })
    expect(check({ ids: params.ids, p: params.p }, { ids: 'None', p: '12' })).toEqual({
      ids: 'None',
      p: 12,
    })
    expect(check({ ids: params.ids }, { ids: '' })).toEqual({ ids: [] })
  })

  it.each([
    [{ n: number }, { n: 'x' }, 'n is invalid'],
    [{ n: number }, { n: '9' }, 'n does not have a valid value'],
    [{ b: boolean('b') }, { b: 'perhaps' }, 'b is invalid'],
    [{ c: colour }, { c: 'green' }, 'c does not have a valid value'],
    [{ d: date('d') }, { d: '2026-02-30T' }, 'd is invalid'],
    [{ d: datetime('d') }, { d: 'soon' }, 'd is invalid'],
    [{ s: string('s', { required: true }) }, {}, 's is missing'],
    [{ l: list('integer', 'l') }, { l: { 0: '1' } }, 'l is invalid'],
    [{ l: list('integer', 'l') }, { l: '1,x' }, 'l is invalid'],
    [{ l: list('integer', 'l', { max: 1 }) }, { l: [1, 2] }, 'l does not have a valid value'],
    [{ h: hash('h', { keys: { n: number } }) }, { h: { n: 'x' } }, 'h[n] is invalid'],
    [{ s: string('s') }, { s: ['a'] }, 's is invalid'],
  ])('refuses %j with %j', (params, sent, error) => {
    expect(getRefusal(() => check(params, sent))).toEqual({ error })
  })

  it('tells null from nothing', () => {
    const params = { n: integer('n', { nullable: true }), m: integer('m') }
    expect(check(params, { n: '', m: null })).toEqual({ n: null })
    expect(check(params, { n: null })).toEqual({ n: null })
    expect(check(params, {})).toEqual({})
  })

  it('refuses two that exclude each other', () => {
    const shape = { path: {}, params: { a: string('a'), b: string('b') }, exclusive: [['a', 'b']] }
    expect(getRefusal(() => checkInput(shape, {}, { a: '1', b: '2' }))).toEqual({
      error: 'a, b are mutually exclusive',
    })
  })

  it('puts the default where nothing was sent, and nowhere else', () => {
    const params = {
      n: integer('n', { default: 3 }),
      b: boolean('b', { default: true }),
      in: list('string', 'i', { join: 'comma', default: 'title,text' }),
      r: string('r', { required: true, default: 'x' }),
    }
    const stands = { n: 3, b: true, in: ['title', 'text'] }
    expect(check(params, { r: 'y' })).toEqual({ ...stands, r: 'y' })
    expect(check(params, { r: 'y', n: null, b: '', in: '' })).toEqual({ ...stands, r: 'y' })
    const sent = { n: 1, b: false, in: ['a'], r: 'y' }
    expect(check(params, sent)).toEqual(sent)
    expect(getRefusal(() => check(params, {}))).toEqual({ error: 'r is missing' })
  })

  it('leaves what an update was not given as it is', () => {
    const shape = { path: {}, params: { n: integer('n', { default: 3 }) } }
    expect(checkInput({ ...shape, changes: true }, {}, {})).toEqual({})
  })

  it('holds no default against what was sent', () => {
    const params = { a: string('a'), b: string('b', { default: 'x' }) }
    const shape = { path: {}, params, exclusive: [['a', 'b']] }
    expect(checkInput(shape, {}, { a: '1' })).toEqual({ a: '1', b: 'x' })
  })

  it('lets the path win over what was sent under the same name', () => {
    const shape = { path: { id: integer('id') }, params: {} }
    expect(checkInput(shape, { id: '1' }, { id: '2' })).toEqual({ id: 1 })
  })
})

describe('the router', () => {
  const router = new Router<string>()
  router.add('GET', '/a/:id', 'one')
  router.add('GET', '/a/all', 'all')
  router.add('PUT', '/a/:other', 'change')
  router.add('GET', '/a/:id/files', 'archive')
  router.add('GET', '/a/:id/files/*path', 'file')

  it('prefers literal segments, falls back by method, decodes', () => {
    expect(router.find('GET', '/a/all')).toEqual({ value: 'all', path: {} })
    expect(router.find('PUT', '/a/all')).toEqual({ value: 'change', path: { other: 'all' } })
    expect(router.find('GET', '/a/x%2Fy%2Ez')).toEqual({ value: 'one', path: { id: 'x/y.z' } })
    expect(router.find('GET', '/a/1/files/b/c%20d')).toEqual({
      value: 'file',
      path: { id: '1', path: 'b/c d' },
    })
    expect(router.find('GET', '/a/1/files')).toMatchObject({ value: 'archive' })
  })

  it('names the methods of a known path and none of an unknown one', () => {
    expect(router.find('DELETE', '/a/all')).toEqual(['GET', 'PUT'])
    expect(router.find('GET', '/b')).toEqual([])
    expect(router.find('GET', '/a/')).toEqual([])
  })

  it('refuses a route that is there already', () => {
    expect(() => router.add('GET', '/a/:name', 'again')).toThrow(
      'GET /a/:name is ambiguous: GET /a/:id takes the same paths',
    )
  })
})
