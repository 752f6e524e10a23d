/** Tests paging: how many records a list requests, over which pages, and which links it follows. */
import { describe, expect, it } from 'vitest'
import { runners } from '../../src/catalogue/areas/runners.js'
import { addPaging, type Paging, toListOptions } from '../../src/client/paging.js'
import type { ListEnd } from '../../src/http/types.js'
import { buildGet } from '../http/clients.js'
import { serve } from '../support/servers.js'
import { openInstance } from './clients.js'

describe('paging', () => {
  it.each<[string, Paging, string, Record<string, unknown>]>([
    ['nothing', {}, '?per_page=100', { limit: 100 }],
    ['a limit', { limit: 7 }, '?per_page=7', { limit: 7 }],
    ['a high limit', { limit: 250 }, '?per_page=100', { limit: 250 }],
    ['all', { limit: 'all' }, '?per_page=100', {}],
    ['a page', { page: 3 }, '?page=3', { single: true }],
    ['its size', { perPage: 20 }, '?per_page=20', { single: true }],
    ['both', { page: 2, perPage: 5 }, '?page=2&per_page=5', { single: true }],
    ['all, by size', { limit: 'all', perPage: 20 }, '?per_page=20', {}],
    ['a limit on a page', { limit: 3, page: 2 }, '?page=2', { limit: 3, single: true }],
    ['width', { concurrency: 8 }, '?per_page=100', { limit: 100, concurrency: 8 }],
  ])('by %s', (_, paging, query, how) => {
    expect(addPaging(buildGet('/runners'), paging).path).toBe(`/runners${query}`)
    expect(toListOptions(paging)).toEqual(how)
  })
  it('joins the query that is there', () => {
    expect(addPaging(buildGet('/runners?status=online'), { limit: 1 }).path).toBe(
      '/runners?status=online&per_page=1',
    )
  })
})

/** Serves a list of `total` records in pages. */
const serveList = (total: number) =>
  serve(({ url }, response) => {
    const query = new URL(url, 'http://x').searchParams
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page'))]
    const from = (page - 1) * size
    const ids = Array.from({ length: Math.min(size, total - from) }, (_, i) => from + i + 1)
    const next = `</api/v4/runners?page=${page + 1}&per_page=${size}>; rel="next"`
    response.writeHead(200, {
      'content-type': 'application/json',
      'x-total': String(total),
      ...(from + size < total ? { link: next } : {}),
    })
    response.end(`[${ids.map((id) => `{"id": ${id}}`).join(',')}]`)
  })

describe('a list', () => {
  it('goes over all pages unless told otherwise', async () => {
    const { base, seen } = await serveList(250)
    const ids: unknown[] = []
    for await (const { id } of openInstance(base).list(runners.list, {})) ids.push(id)
    expect(ids).toEqual(Array.from({ length: 250 }, (_, i) => i + 1))
    expect(seen.map(({ url }) => url)).toEqual([
      '/api/v4/runners?per_page=100',
      '/api/v4/runners?page=2&per_page=100',
      '/api/v4/runners?page=3&per_page=100',
    ])
  })
  it('is a hundred records as bytes, as they came', async () => {
    const { base } = await serveList(250)
    const batches = openInstance(base).batches({ endpoint: runners.list, values: {} })
    const texts: string[] = []
    let end: ListEnd | undefined
    for (;;) {
      const step = await batches.next()
      if (step.done === true) {
        end = step.value
        break
      }
      texts.push(...step.value.map((bytes) => Buffer.from(bytes).toString()))
    }
    expect(texts).toHaveLength(100)
    expect(texts[0]).toBe('{"id": 1}')
    expect(end).toEqual({ records: 100, more: true, total: 250 })
  })
  it('asks for no further page once it is left', async () => {
    const { base, seen } = await serveList(5000)
    for await (const { id } of openInstance(base).list(runners.list, {})) if (id === 2) break
    expect(seen.length).toBeLessThanOrEqual(2)
  })
})
