import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { projects } from '../../src/catalogue/areas/projects.js'
import { buildRequest } from '../../src/http/index.js'
import type { Client, Gate, ListEnd, ListOptions } from '../../src/http/types.js'
import { getRejection, type SeenRequest, serve, serveRaw } from '../support/servers.js'
import { buildGet, createFakeClock, createTestClient } from './clients.js'

interface ListResult {
  readonly records: unknown[]
  readonly end: ListEnd
}

const readList = async (
  client: Client,
  path = '/runners?per_page=2',
  options: ListOptions = {},
  records: unknown[] = [],
): Promise<ListResult> => {
  const keyset = path.startsWith('/projects?') ? { keyset: true as const } : {}
  const batches = client.list({ ...buildGet(path), ...keyset }, options)
  for (;;) {
    const step = await batches.next()
    if (step.done === true) return { records, end: step.value }
    for (const bytes of step.value) records.push(JSON.parse(Buffer.from(bytes).toString()))
  }
}

const getPage = (url: string): number => Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)

interface Book {
  readonly pages: number
  readonly size?: number
  /** Headers of a page in addition to Link; by default those with the totals. */
  readonly headers?: (page: number) => Record<string, string>
  readonly next?: (page: number, base: string) => string
}

/** Answers with a page of numbered records, with links as in the documents. */
const answerPage = ({ url, headers }: SeenRequest, response: ServerResponse, book: Book): void => {
  const { pages, size = 2 } = book
  const base = `http://${headers.host}`
  const page = getPage(url)
  const to = (n: number): string => {
    const plain = url.replace(/[?&]page=\d+/, '')
    return `${base}${plain}${plain.includes('?') ? '&' : '?'}page=${n}`
  }
  const next = book.next?.(page, base) ?? to(page + 1)
  const links = [`<${to(1)}>; rel="first"`, `<${to(pages)}>; rel="last"`]
  if (page < pages) links.unshift(`<${next}>; rel="next"`)
  const records = Array.from({ length: size }, (_, i) => ({ id: (page - 1) * size + i + 1 }))
  response.writeHead(200, {
    'content-type': 'application/json',
    link: links.join(', '),
    'x-total': String(pages * size),
    'x-total-pages': String(pages),
    'X-PER-PAGE': String(size),
    ...book.headers?.(page),
  })
  response.end(JSON.stringify(records))
}
const buildNumbers = (n: number) => Array.from({ length: n }, (_, i) => ({ id: i + 1 }))
const serveBook = (book: Book) => serve((seen, response) => answerPage(seen, response, book))

describe('a list', () => {
  it('follows the links to the end, in order', async () => {
    const server = await serveBook({ pages: 3 })
    const { records, end } = await readList(createTestClient(server.base))
    expect(records).toEqual(buildNumbers(6))
    expect(end).toEqual({ records: 6, more: false, total: 6 })
    expect(server.seen.map((s) => s.url)).toEqual([
      '/api/v4/runners?per_page=2',
      '/api/v4/runners?per_page=2&page=2',
      '/api/v4/runners?per_page=2&page=3',
    ])
  })
  it.each([
    [1, 1, true],
    [2, 1, true],
    [3, 2, true],
    [4, 2, true],
    [6, 3, false],
    [7, 3, false],
  ])(
    'of at most %i records asks for %i pages, and knows whether there are more',
    async (limit, pages, more) => {
      const server = await serveBook({ pages: 3 })
      const { records, end } = await readList(createTestClient(server.base), undefined, { limit })
      expect(records).toEqual(buildNumbers(Math.min(limit, 6)))
      expect(end).toEqual({ records: Math.min(limit, 6), more, total: 6 })
      expect(server.seen).toHaveLength(pages)
    },
  )
  it.each([
    ['shorter', ['6', '6', '5'], 1],
    ['longer', ['6', '7', '7'], 0],
    ['as long as it was', ['6', '6', '6'], 0],
  ])(
    'that became %s while it was read has a note if records may be missing',
    async (_, totals, count) => {
      const notes: string[] = []
      const book = { pages: 3, headers: (page: number) => ({ 'x-total': totals[page - 1] ?? '' }) }
      const server = await serveBook(book)
      await readList(createTestClient(server.base, { note: (text) => notes.push(text) }))
      expect(notes).toHaveLength(count)
      for (const note of notes)
        expect(note).toMatch(
          /^GET \/runners\?per_page=2: the list became shorter while it was read \(from 6 to 5 records\), so records may be missing; read it again$/,
        )
    },
  )
  it('knows that an only page holds more than the limit', async () => {
    const server = await serveBook({ pages: 1, size: 5 })
    expect((await readList(createTestClient(server.base), undefined, { limit: 3 })).end.more).toBe(
      true,
    )
    expect((await readList(createTestClient(server.base), undefined, { limit: 5 })).end.more).toBe(
      false,
    )
  })
  it('goes on past short pages until the limit is met', async () => {
    const server = await serveBook({ pages: 4, size: 1, headers: () => ({ 'x-per-page': '100' }) })
    const { records } = await readList(createTestClient(server.base), undefined, { limit: 3 })
    expect(records).toEqual(buildNumbers(3))
  })
  it('of exactly one page never follows', async () => {
    const server = await serveBook({ pages: 3 })
    const { records, end } = await readList(createTestClient(server.base), '/runners?page=2', {
      single: true,
    })
    expect(records).toEqual([{ id: 3 }, { id: 4 }])
    expect(end.more).toBe(true)
    expect(server.seen).toHaveLength(1)
  })
  it('ends where there is no next, whatever other headers say, and says that more may be', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'x-next-page': '2', 'x-total': 'many' })
      response.end('[{"id":1}]')
    })
    expect((await readList(createTestClient(server.base))).end).toEqual({ records: 1, more: true })
  })
  it('asks for the next page before it gives the present one’s end', async () => {
    let release = (): void => {}
    const server = await serve((seen, response) => {
      if (seen.url.includes('page=2')) {
        answerPage(seen, response, { pages: 2 })
        release()
        return
      }
      response.writeHead(200, {
        link: `<http://${seen.headers.host}/api/v4/runners?page=2>; rel="next"`,
        'x-per-page': '2',
      })
      response.write('[{"id":1}')
      release = () => response.end(',{"id":2}]')
    })
    expect((await readList(createTestClient(server.base), '/runners')).records).toEqual(
      buildNumbers(4),
    )
  })
  it('keeps its connections', async () => {
    const server = await serveBook({ pages: 20 })
    await readList(createTestClient(server.base))
    expect(server.connections()).toBeLessThanOrEqual(2)
  })
  it('stops asking when its reader stops', async () => {
    const server = await serveBook({ pages: 9 })
    for await (const batch of createTestClient(server.base).list(buildGet('/runners'), {})) {
      expect(batch.length).toBeGreaterThan(0)
      break
    }
    expect(server.seen.length).toBeLessThanOrEqual(2)
  })
  it('of nothing is empty', async () => {
    const server = await serve((_, response) => response.end('[]'))
    expect(await readList(createTestClient(server.base))).toEqual({
      records: [],
      end: { records: 0, more: false },
    })
  })
})

describe('a next link', () => {
  const credential = { kind: 'personal', value: 'canary' } as const
  it('on another origin is taken as the base URL’s, with a note', async () => {
    const server = await serveBook({
      pages: 2,
      next: () => 'https://inner.test:8443/api/v4/runners?page=2',
    })
    const notes: unknown[] = []
    const note = (text: string, level: string) => notes.push([text, level])
    const { records } = await readList(createTestClient(server.base, { credential, note }))
    expect(records).toEqual(buildNumbers(4))
    expect(server.seen[1]).toMatchObject({
      url: '/api/v4/runners?page=2',
      headers: { 'private-token': 'canary' },
    })
    expect(notes).toEqual([[expect.stringContaining('inner.test'), 'verbose']])
  })
  it('may be relative', async () => {
    const server = await serveBook({ pages: 2, next: () => '/api/v4/runners?page=2' })
    expect((await readList(createTestClient(server.base))).records).toEqual(buildNumbers(4))
  })
  it.each([
    'https://evil.test/steal?page=2',
    '/elsewhere?page=2',
    'file:///etc/passwd',
    'http://[',
  ])('to %s is refused after what came before', async (next) => {
    const server = await serveBook({ pages: 2, next: () => next })
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base, { credential }), '/runners', {}, records),
    )
    expect(error).toMatchObject({ category: 'unreachable' })
    expect(records).toEqual(buildNumbers(2))
    expect(server.seen).toHaveLength(1)
  })
  it.each(['', '/inner'])(
    'with another path before that of the API is the base URL’s: "%s"',
    async (inner) => {
      const server = await serveBook({
        pages: 2,
        next: (_, base) => `${base}${inner}/api/v4/runners?page=2`,
      })
      const { records } = await readList(createTestClient(`${server.base}/forge`, { credential }))
      expect(records).toEqual(buildNumbers(4))
      expect(server.seen[1]?.url).toBe('/forge/api/v4/runners?page=2')
    },
  )
  it.each([
    ['itself', (page: number, base: string) => `${base}/api/v4/runners?page=${page}`],
    [
      'an earlier page',
      (page: number, base: string) => `${base}/api/v4/runners?page=${page === 3 ? 2 : page + 1}`,
    ],
  ])('that leads back to %s ends the list with a Failure', async (_, next) => {
    const server = await serveBook({ pages: 99, next })
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base), '/runners?page=1', {}, records),
    )
    expect(error).toMatchObject({ category: 'unreachable' })
    expect(String(error)).toContain('already read')
    expect(records.length).toBe(server.seen.length * 2)
    expect(server.seen.length).toBeLessThanOrEqual(3)
  })
  it('that cannot be read is a Failure, not an end', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { link: '<http://x' })
      response.end('[1]')
    })
    expect(await getRejection(readList(createTestClient(server.base)))).toMatchObject({
      category: 'unreachable',
    })
  })
})

describe('a page that fails', () => {
  it('is a Failure after the records before it', async () => {
    const server = await serve((seen, response) => {
      if (getPage(seen.url) === 2) response.writeHead(500).end()
      else answerPage(seen, response, { pages: 3 })
    })
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base), undefined, {}, records),
    )
    expect(error).toMatchObject({ category: 'unreachable', details: { status: 500 } })
    expect(records).toEqual(buildNumbers(2))
  })
  it('is asked for again', async () => {
    const server = await serve((seen, response, count) => {
      if (count === 2) response.writeHead(503).end()
      else answerPage(seen, response, { pages: 3 })
    })
    const client = createTestClient(server.base, { retries: 1 })
    expect((await readList(client)).records).toEqual(buildNumbers(6))
  })
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
  it('is asked for again when cut before its first record', async () => {
    const whole = `${head}Content-Length: 3\r\n\r\n[1]`
    const server = await serveRaw((socket, _, count) =>
      socket.end(count === 1 ? `${head}Content-Length: 30\r\n\r\n[` : whole),
    )
    expect((await readList(createTestClient(server.base, { retries: 1 }))).records).toEqual([1])
    expect(server.count()).toBe(2)
  })
  it.each([
    ['with a length', `${head}Content-Length: 30\r\n\r\n[1,2,`],
    ['in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2,\r\n`],
    ['until the end', `${head}Connection: close\r\n\r\n[1,2,`],
    ['of broken JSON', `${head}Content-Length: 7\r\n\r\n[1,2,,]`],
  ])('is a Failure when cut after records, %s', async (_, bytes) => {
    const server = await serveRaw((socket) => socket.end(bytes))
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base, { retries: 2 }), '/x', {}, records),
    )
    expect(error).toMatchObject({ category: 'unreachable' })
    expect(server.count()).toBe(1)
    expect(records).toEqual([1, 2])
  })
  it.each([
    ['a portal’s page', '<html><title>Sign in</title>', 'an HTML page, “Sign in”'],
    ['an object', '{"message":"x"}', 'sent an object'],
    ['nothing', '', 'sent nothing'],
  ])('is a Failure when it is %s', async (_, body, words) => {
    const server = await serve((__, response) => response.end(body))
    expect(String(await getRejection(readList(createTestClient(server.base))))).toContain(words)
  })
})

describe('a list by number', () => {
  it('has so many pages under way, and gives them in order', async () => {
    const waiting: (() => void)[] = []
    let most = 0
    const server = await serve((seen, response) => {
      if (getPage(seen.url) === 1) return answerPage(seen, response, { pages: 12 })
      waiting.push(() => answerPage(seen, response, { pages: 12 }))
      most = Math.max(most, waiting.length)
      // The latest answer comes first: the order must not depend on which answer arrives first.
      setImmediate(() => setImmediate(() => waiting.pop()?.()))
    })
    const { records, end } = await readList(createTestClient(server.base), undefined, {
      concurrency: 4,
    })
    expect(records).toEqual(buildNumbers(24))
    expect(end).toEqual({ records: 24, more: false, total: 24 })
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(4)
    expect(new Set(server.seen.map((s) => s.url)).size).toBe(12)
  })
  it('asks for no more pages than the limit needs', async () => {
    const server = await serveBook({ pages: 50 })
    const options = { concurrency: 8, limit: 9 }
    const { records, end } = await readList(createTestClient(server.base), undefined, options)
    expect(records).toEqual(buildNumbers(9))
    expect(end.more).toBe(true)
    expect(server.seen).toHaveLength(5)
  })
  it('follows links where the last page is not named', async () => {
    const server = await serve((seen, response) => {
      const page = getPage(seen.url)
      const next = `<http://${seen.headers.host}/api/v4/runners?page=${page + 1}>; rel="next"`
      response.writeHead(200, page < 3 ? { link: next } : {})
      response.end(JSON.stringify([{ id: page }]))
    })
    const { records } = await readList(createTestClient(server.base), '/runners', {
      concurrency: 4,
    })
    expect(records).toEqual(buildNumbers(3))
  })
  it('goes on by links when the list has grown', async () => {
    const server = await serve((seen, response) =>
      answerPage(seen, response, { pages: getPage(seen.url) === 1 ? 3 : 5 }),
    )
    const { records } = await readList(createTestClient(server.base), undefined, { concurrency: 3 })
    expect(records).toEqual(buildNumbers(10))
  })
  /** Serves three pages but claims that there are nine. A page after the third has the records of page `past(page)`. */
  const serveLiar = (past: (page: number) => number, next: (page: number) => number | undefined) =>
    serve((seen, response) => {
      const page = getPage(seen.url)
      const ids = [2 * past(page) - 1, 2 * past(page)]
      const to = (n: number, rel: string) =>
        `<http://${seen.headers.host}/api/v4/runners?per_page=2&page=${n}>; rel="${rel}"`
      const following = next(page)
      const links = [to(9, 'last'), ...(following === undefined ? [] : [to(following, 'next')])]
      response.writeHead(200, { link: links.join(', '), 'x-total-pages': '9', 'x-per-page': '2' })
      response.end(JSON.stringify(ids.map((id) => ({ id }))))
    })
  it('ends where no next page is named, whatever was asked for ahead', async () => {
    const server = await serveLiar(
      (page) => Math.min(page, 3),
      (page) => (page < 3 ? page + 1 : undefined),
    )
    const { records, end } = await readList(createTestClient(server.base), undefined, {
      concurrency: 4,
    })
    expect(records).toEqual(buildNumbers(6))
    expect(end.more).toBe(false)
  })
  it('follows the links where they count otherwise', async () => {
    // From page 3 on, the instance counts in tens.
    const nexts: Readonly<Record<number, number>> = { 1: 2, 2: 3, 3: 10, 10: 20 }
    const places: Readonly<Record<number, number>> = { 10: 4, 20: 5 }
    const server = await serveLiar(
      (page) => places[page] ?? page,
      (page) => nexts[page],
    )
    const { records } = await readList(createTestClient(server.base), undefined, { concurrency: 4 })
    expect(records).toEqual(buildNumbers(10))
  })
  it.each([1, 4])('prints no page twice (concurrency %i)', async (concurrency) => {
    const server = await serveLiar(
      (page) => Math.min(page, 3),
      (page) => page + 1,
    )
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base), undefined, { concurrency }, records),
    )
    expect(String(error)).toContain('gives the same page again')
    expect(records).toEqual(buildNumbers(6))
  })
  it.each([1, 3])(
    'takes no 204 for a page that was announced (concurrency %i)',
    async (concurrency) => {
      const server = await serve((seen, response) => {
        if (getPage(seen.url) === 2) response.writeHead(204).end()
        else answerPage(seen, response, { pages: 4 })
      })
      const records: unknown[] = []
      const error = await getRejection(
        readList(createTestClient(server.base), undefined, { concurrency }, records),
      )
      expect(String(error)).toContain('sent nothing (204)')
      expect(records).toEqual(buildNumbers(2))
    },
  )
  it('fails in order', async () => {
    const server = await serve((seen, response) => {
      if (getPage(seen.url) === 3) response.writeHead(500).end()
      else answerPage(seen, response, { pages: 9 })
    })
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base), undefined, { concurrency: 6 }, records),
    )
    expect(error).toMatchObject({ details: { status: 500 } })
    expect(records).toEqual(buildNumbers(4))
  })
})

describe('projects past the offset limit', () => {
  /** Serves two pages by offset. After these only IDs work. */
  const serveProjects = () =>
    serve((seen, response) => {
      const query = new URL(seen.url, 'http://x').searchParams
      const edge = Number(query.get('id_after') ?? query.get('id_before'))
      if (edge > 0) {
        const ids = query.get('sort') === 'asc' ? [edge + 1, edge + 2] : [edge - 2, edge - 3]
        response.end(JSON.stringify(ids.map((id) => ({ id }))))
      } else if (getPage(seen.url) > 2) {
        const error = 'Offset pagination has a maximum of 50000; use keyset pagination instead'
        response.writeHead(405).end(JSON.stringify({ error }))
      } else answerPage(seen, response, { pages: 9 })
    })
  it.each([1, 4])('go on by id where that is their order (concurrency %i)', async (concurrency) => {
    const server = await serveProjects()
    const path = '/projects?order_by=id&sort=asc&search=a%2Bb&per_page=2'
    const { records } = await readList(createTestClient(server.base), path, { concurrency })
    expect(records).toEqual(buildNumbers(6))
    expect(server.seen.at(-1)?.url).toBe(
      '/api/v4/projects?order_by=id&sort=asc&search=a%2Bb&per_page=2&id_after=4&pagination=keyset',
    )
  })
  it('go on downwards too', async () => {
    const server = await serveProjects()
    await readList(createTestClient(server.base), '/projects?order_by=id&per_page=2')
    expect(server.seen.at(-1)?.url).toBe('/api/v4/projects?order_by=id&per_page=2&id_before=4')
  })
  it('are a Failure with advice in any other order', async () => {
    const server = await serveProjects()
    const records: unknown[] = []
    const error = await getRejection(
      readList(createTestClient(server.base), '/projects?per_page=2', {}, records),
    )
    expect(error).toMatchObject({
      category: 'failed',
      details: { status: 405, advice: { code: 'order-by-id' } },
    })
    expect(records).toEqual(buildNumbers(4))
  })
  it('are told apart by their endpoint, not by their address', async () => {
    const server = await serveProjects()
    const client = createTestClient(server.base)
    const batches = client.list(buildGet('/projects?order_by=id&per_page=2'), {})
    await batches.next()
    await batches.next()
    expect(await getRejection(batches.next())).toMatchObject({ details: { status: 405 } })
    expect(buildRequest({ endpoint: projects.list, values: {} })).toMatchObject({ keyset: true })
    const other = buildRequest({ endpoint: projects.listOfUser, values: { user_id: 'ana' } })
    expect(other.keyset).toBeUndefined()
  })
  it('end with what the instance says where they do not even begin', async () => {
    const server = await serve((_, response) => response.writeHead(405).end('Not Allowed'))
    const error = await getRejection(
      readList(createTestClient(server.base), '/projects?order_by=id'),
    )
    expect(error).toMatchObject({ details: { status: 405 } })
    expect(error).not.toMatchObject({ details: { advice: { code: 'order-by-id' } } })
  })
})

describe('429 in a list', () => {
  it('is waited for, page by page', async () => {
    const server = await serve((seen, response, count) => {
      if (count % 2 === 0) response.writeHead(429, { 'retry-after': '1' }).end('Retry later')
      else answerPage(seen, response, { pages: 3 })
    })
    const clock = createFakeClock()
    const { records } = await readList(createTestClient(server.base, { retries: 1 }, clock))
    expect(records).toEqual(buildNumbers(6))
    expect(clock.slept).toEqual([1000, 1000])
  })
})

describe('pages in flight by themselves', () => {
  /** Creates a gate that admits everything. */
  const open = (width: number): Gate => ({
    width,
    admit: async () => ({ at: 0, closings: 0, refused: undefined }),
    observe: () => false,
  })
  /** Lists twelve pages. They are answered only when `width` requests are under way, the latest first. */
  const atOnce = async (
    width: number,
    options: ListOptions,
    gate?: Gate,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const waiting: (() => void)[] = []
    let most = 0
    let answered = 1
    const answerAll = () => {
      if (waiting.length < Math.min(width, 12 - answered)) return
      answered += waiting.length
      for (const answer of waiting.splice(0).reverse()) answer()
    }
    const server = await serve((seen, response) => {
      const answer = () => answerPage(seen, response, { pages: 12, headers: () => headers })
      if (getPage(seen.url) === 1) return answer()
      waiting.push(answer)
      most = Math.max(most, waiting.length)
      // Leaves time for one request too many to arrive.
      setTimeout(answerAll, 5)
    })
    const client = createTestClient(server.base, gate === undefined ? {} : { gate })
    const { records } = await readList(client, undefined, options)
    expect(records).toEqual(buildNumbers(24))
    expect(server.seen).toHaveLength(12)
    expect(most).toBe(width)
  }
  it('are four with a gate that has room for them', () => atOnce(4, {}, open(32)))
  it('are no more than the gate has room for', () => atOnce(2, {}, open(2)))
  it('are no more than that when more are asked for', () => atOnce(3, { concurrency: 8 }, open(3)))
  it('are one where links are to be followed', () => atOnce(1, { concurrency: 1 }, open(32)))
  it('are one without a gate', () => atOnce(1, {}))
  it('are one where the instance does not say how many pages there are', () =>
    atOnce(1, {}, open(32), { 'x-total-pages': '' }))
  it('are one where two are left', async () => {
    let early = false
    const server = await serve((seen, response) => {
      const answer = () => answerPage(seen, response, { pages: 3 })
      if (getPage(seen.url) !== 2) return answer()
      setTimeout(() => {
        // By page number, the third page would have been requested by now.
        early = server.seen.length > 2
        answer()
      }, 5)
    })
    await readList(createTestClient(server.base, { gate: open(32) }))
    expect(server.seen).toHaveLength(3)
    expect(early).toBe(false)
  })
})
