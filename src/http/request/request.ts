/** Builds requests from endpoints and values. It has no side effects, and no other module encodes parameters. */

import { getOwn, type JsonValue } from '../../base/objects.js'
import { getMethod, getPath, getPlace } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import type { Param } from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import { type Ask, type FilePart, type Part, toDetails, type WireRequest } from '../types.js'
import {
  encodeQuery,
  encodeSegment,
  encodeWildcard,
  type Pair,
  toJson,
  toPairs,
} from './address.js'

// Multipart bodies (`http/README.md`): certificates that come from files.

const encoder = new TextEncoder()

/** Quotes a name in the header of a part, as browsers do. */
const quoteName = (text: string): string =>
  `"${text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')}"`

const buildPartHead = (part: Part): string =>
  part.bytes === undefined
    ? `Content-Disposition: form-data; name=${quoteName(part.name)}\r\n\r\n`
    : `Content-Disposition: form-data; name=${quoteName(part.name)}; filename=${quoteName(part.filename)}\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n'

/** Finds a boundary that no part contains. The same parts always get the same boundary, so that requests are reproducible. */
const findBoundary = (bodies: readonly Uint8Array[]): string => {
  const texts = bodies.map((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  for (let n = 0; ; n++) {
    const boundary = `svcctl-form-data-${n}`
    if (!texts.some((text) => text.includes(boundary))) return boundary
  }
}

const toParts = (pairs: readonly Pair[], files: Readonly<Record<string, FilePart>>): Part[] => [
  ...pairs.map(([name, value]) => ({ name, value })),
  ...Object.entries(files).map(([name, file]) => ({ name, ...file })),
]

/** Encodes a form. @returns its bytes, and its content type with the boundary */
const encodeMultipart = (
  parts: readonly Part[],
): { readonly contentType: string; readonly bytes: Uint8Array } => {
  const bodies = parts.map((part) => part.bytes ?? encoder.encode(part.value))
  const boundary = findBoundary(bodies)
  const pieces = parts.flatMap((part, i) => [
    encoder.encode(`--${boundary}\r\n${buildPartHead(part)}`),
    bodies[i] ?? new Uint8Array(),
    encoder.encode('\r\n'),
  ])
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, encoder.encode(`--${boundary}--\r\n`)]),
  }
}

/** The parameter whose value is the whole address, for a route such as `<alert_endpoint_url>`. */
const addressName = 'endpoint'

const isAddress = (path: string): boolean => path.startsWith('<')

/** Returns the names of the values that stand in the path of an endpoint. */
export const getPathNames = (endpoint: Ask['endpoint']): readonly string[] =>
  isAddress(getPath(endpoint)) ? [addressName] : Object.keys(endpoint.path)

/** A value of the query or the body. A value without `param` is sent unchanged. */
interface Attribute {
  readonly name: string
  readonly value: JsonValue
  readonly place: 'query' | 'body'
  readonly param: Param | undefined
}

const untyped: Param = { type: 'string', help: '' }

/** Lists the values besides those of the path: first those that the catalogue knows, in its order. */
const listAttributes = ({ endpoint, values }: Ask): Attribute[] => {
  const { params } = endpoint
  const inPath = getPathNames(endpoint)
  const isOther = (name: string): boolean => !Object.hasOwn(params, name) && !inPath.includes(name)
  const names = [...Object.keys(params), ...Object.keys(values).filter(isOther)]
  return names.flatMap((name) => {
    const value = getOwn(values, name)
    const param = getOwn(params, name)
    return value === undefined
      ? []
      : [{ name, value, place: getPlace(endpoint, param ?? untyped), param }]
  })
}

const listExtraAttributes = ({ endpoint, values, extra = {} }: Ask): Attribute[] =>
  Object.entries(extra).flatMap(([name, value]) => {
    if (value === undefined || getOwn(values, name) !== undefined) return []
    const place = getPlace(endpoint, getOwn(endpoint.params, name) ?? untyped)
    return [{ name, value, place, param: undefined }]
  })

const stripBrackets = (name: string): string => name.replace(/\[\]$/, '')

/** Collects the pairs of a place. A name among the catalogue's values takes precedence over the same name in `extra`. */
const collectPairs = (
  place: 'query' | 'body',
  own: readonly Attribute[],
  extra: readonly Attribute[],
): Pair[] => {
  const pairs = (list: readonly Attribute[]): Pair[] =>
    list.filter((a) => a.place === place).flatMap((a) => toPairs(a.name, a.param, a.value))
  const first = pairs(own)
  const names = new Set(first.map(([name]) => stripBrackets(name)))
  return [...first, ...pairs(extra).filter(([name]) => !names.has(stripBrackets(name)))]
}

/** Matches a placeholder, which is a whole segment of a path but for the ending of a file. */
const placeholder = /^([:*])(\w+)((?:\.json)?)$/

const fillSegment = ({ endpoint, values }: Ask, segment: string): string => {
  const [, kind, name, ending = ''] = placeholder.exec(segment) ?? []
  if (name === undefined) return segment
  const param = endpoint.path[name]
  const value = getOwn(values, name)
  if (value === undefined || value === null)
    throw usage(`${name} is missing`, `${endpoint.route} requires it in its path.`)
  const text = kind === '*' ? encodeWildcard(name, value) : encodeSegment(name, param, value)
  return `${text}${ending}`
}

const fillPath = (ask: Ask): string =>
  getPath(ask.endpoint)
    .split('/')
    .map((segment) => fillSegment(ask, segment))
    .join('/')

/**
 * Returns the address of a request that does not go to a path below the API root.
 * @throws Failure `usage` if it is not an HTTP address, or if it contains credentials
 */
const checkAddress = (value: unknown): string => {
  const text = typeof value === 'string' ? value : ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage('the endpoint must be a URL that begins with https:// or http://')
  if (url.username !== '' || url.password !== '')
    throw new Failure(
      'usage',
      'the endpoint URL must not contain a key, because URLs end up in server logs',
      toDetails({ code: 'key-in-address' }),
    )
  url.hash = ''
  return url.href
}

const buildMultipartBody = (
  own: readonly Attribute[],
  extra: readonly Attribute[],
  files: NonNullable<Ask['files']>,
): Pick<WireRequest, 'headers' | 'body' | 'parts'> => {
  const free = (list: readonly Attribute[]) => list.filter((a) => !Object.hasOwn(files, a.name))
  const parts = toParts(collectPairs('body', free(own), free(extra)), files)
  const { contentType, bytes } = encodeMultipart(parts)
  return { headers: { 'content-type': contentType }, body: bytes, parts }
}

const buildJsonBody = (
  { endpoint }: Ask,
  attributes: readonly Attribute[],
): Pick<WireRequest, 'headers' | 'body'> => {
  const sent = attributes.filter((a) => a.place === 'body')
  if (sent.length === 0 && !isAddress(getPath(endpoint))) return { headers: {} }
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(sent.map((a) => [a.name, toJson(a.param, a.value)]))),
  }
}

/** The headers of file downloads. They are not compressed, since a compressed transfer could not be resumed. */
const fileHeaders = { accept: '*/*', 'accept-encoding': 'identity' } as const

/**
 * Builds the request of an endpoint for the given values (`http/README.md`). Without attributes there is no body and no content type.
 * @throws Failure `usage` for a missing path value, or one that cannot stand in a path
 */
export const buildRequest = (given: Ask): WireRequest => {
  const { endpoint } = given
  const { sends } = endpoint
  const ask = sends === undefined ? given : { ...given, values: { ...sends, ...given.values } }
  const secrets = getSecretFields(endpoint)
  const own = listAttributes(ask)
  const extra = listExtraAttributes(ask)
  const address = isAddress(getPath(endpoint))
  const path = address ? checkAddress(ask.values[addressName]) : fillPath(ask)
  const query = encodeQuery(collectPairs('query', own, extra))
  const { headers, ...content } =
    ask.files !== undefined && Object.keys(ask.files).length > 0
      ? buildMultipartBody(own, extra, ask.files)
      : buildJsonBody(ask, [...own, ...extra])
  const join = path.includes('?') ? '&' : '?'
  return {
    method: getMethod(endpoint),
    path: query === '' ? path : `${path}${join}${query}`,
    headers: endpoint.returns.kind === 'file' ? { ...fileHeaders, ...headers } : headers,
    keyset: endpoint.keyset,
    ...(address ? { absolute: true } : {}),
    ...(secrets.size === 0 ? {} : { secrets }),
    ...content,
  }
}
