/** Turns what a handler returned into an answer on the wire: a list into its page, a file into its range. */

import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Position, parsePosition } from '../check.js'
import { FileReply, forbidden, Keyset, LazyList, missing, type Refusal, Reply } from '../reply.js'
import { getTarget } from './request.js'

// Who may come in. The instance listens on the loopback, and its credentials are published: a page
// of the web, opened in a browser of this machine, must not act with them. Programs send none of
// these headers, or a loopback name.

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** True if `host[:port]` names the loopback. A name of the web that resolves to the loopback does not count. */
const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return loopback.test(name)
}

const isLocalPage = (address: string): boolean =>
  URL.canParse(address) && isLoopbackHost(new URL(address).host)

/** True if a page sent the request, rather than a program or the address bar. */
export const isFromPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined ||
  headers.referer !== undefined ||
  !['none', undefined].includes(takeFirst(headers['sec-fetch-site']))

const takeFirst = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const credentialHeaders = ['private-token', 'job-token', 'authorization', 'cookie', 'sudo']

/** True for what any page may ask, as of the service: a read without a credential. That of a query does not count for pages. */
const isOpenRead = ({ method, headers }: FastifyRequest): boolean =>
  ['GET', 'HEAD'].includes(method) && credentialHeaders.every((name) => headers[name] === undefined)

/** Returns the reason to refuse a request, by its target and headers alone; undefined if it may come in. */
export const findAccessRefusal = (request: FastifyRequest): Refusal | undefined => {
  const { headers, raw } = request
  const { origin, referer } = headers
  const host = getTarget(request).host ?? headers.host
  // No browser speaks HTTP/1.0, which knows no host.
  if (host === undefined && raw.httpVersion !== '1.0') return missing('the Host header')
  if (host !== undefined && !isLoopbackHost(host))
    return forbidden('The Host header has to name the loopback')
  const foreign =
    [origin, referer].some((page) => page !== undefined && !isLocalPage(page)) ||
    takeFirst(headers['sec-fetch-site']) === 'cross-site'
  return foreign && !isOpenRead(request)
    ? forbidden('Pages of other sites may not use this instance')
    : undefined
}

const range = /^bytes=(\d*)-(\d*)$/

/** Returns the first and last byte of a single range of a body of `size`; undefined if the header names none. */
const parseRange = (
  header: string | undefined,
  size: number,
): readonly [number, number] | undefined => {
  const match = range.exec(header ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  if (match[1] === '') return [Math.max(0, size - Number(match[2])), size - 1]
  return [Number(match[1]), match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)]
}

const getTag = (content: Buffer): string =>
  `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`

/** True if a list of entity tags, or `*`, names one. */
const hasTag = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))

const sendFile = async (file: FileReply, request: FastifyRequest, reply: FastifyReply) => {
  reply.header('content-type', file.type)
  if (file.filename !== undefined)
    reply.header('content-disposition', contentDisposition(file.filename))
  if (file.content instanceof Readable) return reply.send(file.content)
  const tag = getTag(file.content)
  const size = file.content.length
  reply.header('accept-ranges', 'bytes').header('etag', tag)
  if (hasTag(request.headers['if-none-match'] ?? '', tag)) return reply.code(304).send()
  const condition = request.headers['if-range']
  const wanted =
    condition === undefined || condition === tag
      ? parseRange(request.headers.range, size)
      : undefined
  if (wanted === undefined) return reply.send(file.content)
  const [start, end] = wanted
  if (start > end || start >= size)
    return reply.code(416).header('content-range', `bytes */${size}`).send()
  reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return reply.send(file.content.subarray(start, end + 1))
}

// A list is cut into its page, and headers tell its place (`http/README.md`, "Lists").

/** Above this many records totals and the last page are left out. */
const countedUpTo = 10_000

interface Page {
  readonly items: readonly unknown[]
  readonly headers: Readonly<Record<string, string>>
}

const secrets = ['private_token', 'access_token', 'job_token']

/** Returns the same address with other query parameters. Credentials do not travel in links. */
const changeAddress = (url: URL, changes: Readonly<Record<string, string>>): string => {
  const other = new URL(url)
  for (const name of secrets) other.searchParams.delete(name)
  for (const [name, value] of Object.entries(changes)) other.searchParams.set(name, value)
  return other.toString()
}

const linkHeader = (links: readonly (readonly [string, string])[]): string =>
  links.map(([rel, target]) => `<${target}>; rel="${rel}"`).join(', ')

const buildOffsetHeaders = (
  url: URL,
  { page, perPage }: Position,
  total: number,
  counted: boolean,
) => {
  const pages = Math.max(1, Math.ceil(total / perPage))
  const at = (number: number) =>
    changeAddress(url, { page: String(number), per_page: String(perPage) })
  const links: (readonly [string, string])[] = []
  if (page > 1) links.push(['prev', at(page - 1)])
  if (page < pages) links.push(['next', at(page + 1)])
  links.push(['first', at(1)])
  if (counted) links.push(['last', at(pages)])
  return {
    Link: linkHeader(links),
    'x-next-page': page < pages ? String(page + 1) : '',
    'x-page': String(page),
    'x-per-page': String(perPage),
    'X-prev-page': page > 1 ? String(page - 1) : '',
    ...(counted ? { 'x-total': String(total), 'x-total-pages': String(pages) } : {}),
  }
}

/** Cuts the requested page out of a list; `url` is the request's whole address. */
const cutPage = async (
  list: readonly unknown[] | LazyList<unknown> | Keyset<unknown>,
  sent: Readonly<Record<string, unknown>>,
  url: URL,
): Promise<Page> => {
  if (list instanceof Keyset) {
    const headers: Record<string, string> =
      list.next === null ? {} : { Link: linkHeader([['next', changeAddress(url, list.next)]]) }
    return { items: list.items, headers }
  }
  const position = parsePosition(sent)
  const start = (position.page - 1) * position.perPage
  const end = start + position.perPage
  const lazy = list instanceof LazyList
  const total = lazy ? list.size : list.length
  const items = lazy ? await list.slice(start, end) : list.slice(start, end)
  return { items, headers: buildOffsetHeaders(url, position, total, total <= countedUpTo) }
}

const isList = (
  result: unknown,
): result is readonly unknown[] | LazyList<unknown> | Keyset<unknown> =>
  Array.isArray(result) || result instanceof LazyList || result instanceof Keyset

/** Returns the request's own address as the client wrote it, if that is the loopback. */
const getAddress = (request: FastifyRequest, base: string): URL => {
  const { host = request.host, path, query } = getTarget(request)
  return new URL(`${path}?${query}`, isLoopbackHost(host) ? `http://${host}` : base)
}

/** Sends JSON as bytes: to a text Fastify would add a charset, which the media type does not have. */
export const sendJson = (reply: FastifyReply, status: number, body: unknown): FastifyReply =>
  reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))

const exposed = ['Link', 'X-Next-Page', 'X-Page', 'X-Per-Page', 'X-Prev-Page', 'X-Request-Id']

/**
 * Tells what a request may be answered with from a cache, how long it took, and who may read it. JSON that its sender has
 * already is not sent again.
 */
export const completeAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  milliseconds: number,
): unknown => {
  reply.header('x-runtime', (milliseconds / 1000).toFixed(6)).header('vary', 'Origin')
  if (isOpenRead(request))
    reply
      .header('access-control-allow-origin', '*')
      .header('access-control-expose-headers', [...exposed, 'X-Total', 'X-Total-Pages'].join(', '))
  const isFresh = reply.statusCode === 200 && ['GET', 'HEAD'].includes(request.method)
  if (!isFresh) {
    reply.header('cache-control', 'no-cache')
    return payload
  }
  reply.header('cache-control', 'max-age=0, private, must-revalidate')
  if (!Buffer.isBuffer(payload) || reply.hasHeader('etag')) return payload
  const tag = `W/${getTag(payload)}`
  reply.header('etag', tag)
  if (!hasTag(request.headers['if-none-match'] ?? '', tag.slice(2))) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}

/** Sends a handler's result; `status` is that of success, `paged` whether a list is cut. */
export const sendResult = async (
  result: unknown,
  status: number,
  paged: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
  at: {
    readonly base: string
    readonly params: Readonly<Record<string, unknown>>
    /** Shows what is sent as the instance does in its version. */
    readonly show: (body: unknown) => unknown
  },
): Promise<FastifyReply> => {
  if (FileReply.is(result)) return sendFile(result, request, reply)
  if (Reply.is(result)) {
    reply.headers(result.headers)
    return result.body === undefined
      ? reply.code(result.status).send()
      : sendJson(reply, result.status, result.body)
  }
  if (paged && isList(result)) {
    const page = await cutPage(result, at.params, getAddress(request, at.base))
    for (const [name, value] of Object.entries(page.headers)) reply.raw.setHeader(name, value)
    return sendJson(reply, status, at.show(page.items))
  }
  return result === undefined ? reply.code(204).send() : sendJson(reply, status, at.show(result))
}
