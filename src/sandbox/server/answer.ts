/** Sends the result of a handler as an HTTP response, with paging, ranges and caching. Also refuses requests from foreign web pages. */

import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import contentDisposition from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Position, parsePosition } from '../check.js'
import { FileReply, forbidden, Keyset, LazyList, missing, type Refusal, Reply } from '../reply.js'
import { getTarget } from './request.js'

// Access control. The instance listens on the loopback, and its credentials are published. A web page that is open in a browser of this
// machine must not act with them. Programs send no `Origin`, `Referer` or `Sec-Fetch-Site`, or only one that names the loopback.

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** True if `host[:port]` names the loopback. A public name that resolves to the loopback does not count. */
const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return loopback.test(name)
}

const isLocalPage = (address: string): boolean =>
  URL.canParse(address) && isLoopbackHost(new URL(address).host)

/** True if a web page sent the request, rather than a program or the address bar of a browser. */
export const isFromPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined ||
  headers.referer !== undefined ||
  !['none', undefined].includes(takeFirst(headers['sec-fetch-site']))

const takeFirst = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const credentialHeaders = ['private-token', 'job-token', 'authorization', 'cookie', 'sudo']

/** True for a read without a credential, which any web page may send. A credential in the query does not count: pages cannot use it. */
const isOpenRead = ({ method, headers }: FastifyRequest): boolean =>
  ['GET', 'HEAD'].includes(method) && credentialHeaders.every((name) => headers[name] === undefined)

/** Returns the reason to refuse a request, from its target and headers alone; undefined if the request is permitted. */
export const findAccessRefusal = (request: FastifyRequest): Refusal | undefined => {
  const { headers, raw } = request
  const { origin, referer } = headers
  const host = getTarget(request).host ?? headers.host
  // HTTP/1.0 has no Host header. No browser uses it, so a web page cannot leave the header out.
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

const computeTag = (content: Buffer): string =>
  `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`

/** True if a header with a list of entity tags contains this tag, or `*`. */
const hasTag = (header: string, tag: string): boolean =>
  header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))

const sendFile = async (file: FileReply, request: FastifyRequest, reply: FastifyReply) => {
  reply.header('content-type', file.type)
  if (file.filename !== undefined)
    reply.header('content-disposition', contentDisposition(file.filename))
  if (file.content instanceof Readable) return reply.send(file.content)
  const tag = computeTag(file.content)
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

// Paging: a response has one page of a list, and headers with its position (`http/README.md`, "Lists").

/** The maximum number of records for which the headers have totals and the last page. */
const countedUpTo = 10_000

interface Page {
  readonly items: readonly unknown[]
  readonly headers: Readonly<Record<string, string>>
}

const secrets = ['private_token', 'access_token', 'job_token']

/** Returns the same address with other query parameters. It removes credentials, which links must not contain. */
const changeAddress = (url: URL, changes: Readonly<Record<string, string>>): string => {
  const other = new URL(url)
  for (const name of secrets) other.searchParams.delete(name)
  for (const [name, value] of Object.entries(changes)) other.searchParams.set(name, value)
  return other.toString()
}

const formatLinkHeader = (links: readonly (readonly [string, string])[]): string =>
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
    Link: formatLinkHeader(links),
    'x-next-page': page < pages ? String(page + 1) : '',
    'x-page': String(page),
    'x-per-page': String(perPage),
    'X-prev-page': page > 1 ? String(page - 1) : '',
    ...(counted ? { 'x-total': String(total), 'x-total-pages': String(pages) } : {}),
  }
}

/** Returns the requested page of a list. `sent` has the parameters of the request, and `url` its whole address. */
const cutPage = async (
  list: readonly unknown[] | LazyList<unknown> | Keyset<unknown>,
  sent: Readonly<Record<string, unknown>>,
  url: URL,
): Promise<Page> => {
  if (list instanceof Keyset) {
    const headers: Record<string, string> =
      list.next === null
        ? {}
        : { Link: formatLinkHeader([['next', changeAddress(url, list.next)]]) }
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

/** Returns the whole address of a request: with the host that the client wrote if that is the loopback, else with that of `base`. */
const getAddress = (request: FastifyRequest, base: string): URL => {
  const { host = request.host, path, query } = getTarget(request)
  return new URL(`${path}?${query}`, isLoopbackHost(host) ? `http://${host}` : base)
}

/** Sends JSON as bytes. For a text, Fastify would add a charset, which the media type does not have. */
export const sendJson = (reply: FastifyReply, status: number, body: unknown): FastifyReply =>
  reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(body)))

const exposed = ['Link', 'X-Next-Page', 'X-Page', 'X-Per-Page', 'X-Prev-Page', 'X-Request-Id']

/**
 * Adds the headers for caching, duration and reads by other sites. If the client has the same JSON already, the response becomes a 304
 * without a body.
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
  const tag = `W/${computeTag(payload)}`
  reply.header('etag', tag)
  if (!hasTag(request.headers['if-none-match'] ?? '', tag.slice(2))) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}

/** Sends a handler's result. `status` is the status of success, and `paged` is true if a list is sent in pages. */
export const sendResult = async (
  result: unknown,
  status: number,
  paged: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
  at: {
    readonly base: string
    readonly params: Readonly<Record<string, unknown>>
    /** Converts a body to the form that it has in the instance's version. */
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
