/** Builds requests from endpoints and values. It has no side effects, and no other module encodes parameters. */

import { getOwn, type JsonValue } from '../../base/objects.js'
import { getMethod, getPath, getPlace } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import {
  mapInnerFields,
  type Param,
  type Params,
  takesPairs,
  withParamsIn,
} from '../../catalogue/params.js'
import { documentedWords, type Words } from '../../catalogue/words.js'
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
  const { params, path } = endpoint
  const isAddressRoute = isAddress(getPath(endpoint))
  const isOther = (name: string): boolean =>
    !Object.hasOwn(params, name) &&
    !Object.hasOwn(path, name) &&
    !(isAddressRoute && name === addressName)
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

// Translation to the instance's own names: those of parameters and literal segments of the path, but no values.

const renameParams = (params: Params, words: Words): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => [words.name(name), renameInside(param, words)]),
  )

const renameInside = (param: Param, words: Words): Param =>
  withParamsIn(param, (inside) => renameParams(inside, words))

/** True if a parameter takes any keys: these are the user's own, so they are not translated. */
const isOpen = (param: Param | undefined): boolean => takesPairs(param) && param.keys === undefined

/** Translates a name with brackets, level by level. The keys of a parameter that takes any keys stay as they are. */
const translateName = (name: string, params: Params, words: Words): string => {
  const [root = ''] = name.split('[', 1)
  return isOpen(getOwn(params, root))
    ? words.name(root) + name.slice(root.length)
    : words.name(name)
}

/** Translates the keys of a value, if its parameter documents them. */
const translateValue = (value: JsonValue, param: Param | undefined, words: Words): JsonValue =>
  mapInnerFields(value, param, (fields, inner) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, one]) =>
        one === undefined
          ? []
          : [[translateName(name, inner, words), translateValue(one, getOwn(inner, name), words)]],
      ),
    ),
  )

const translateAttribute = (
  { name, value, param, place }: Attribute,
  params: Params,
  words: Words,
): Attribute => ({
  name: translateName(name, params, words),
  value: translateValue(value, param, words),
  param: param && renameInside(param, words),
  place,
})

/**
 * Replaces a family of integrations by the instance's own slug, if the value is a family.
 * @throws Failure `usage` for a family that has several slugs there
 */
const translateSlug = (value: JsonValue | undefined, words: Words): JsonValue | undefined => {
  const own = typeof value === 'string' ? words.slugs(value) : []
  const [first, ...more] = own
  if (first === undefined || more.length === 0) return first ?? value
  throw usage(
    `${String(value)} has several slugs on this instance: ${own.join(', ')}`,
    'Choose one.',
  )
}

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

const fillSegment = ({ endpoint, values }: Ask, segment: string, words: Words): string => {
  const [, kind, name, ending = ''] = placeholder.exec(segment) ?? []
  if (name === undefined) return segment
  const param = endpoint.path[name]
  const given = getOwn(values, name)
  const value = param?.completes === 'integration' ? translateSlug(given, words) : given
  if (value === undefined || value === null)
    throw usage(`${name} is missing`, `${endpoint.route} requires it in its path.`)
  const text = kind === '*' ? encodeWildcard(name, value) : encodeSegment(name, param, value)
  return `${text}${ending}`
}

const fillPath = (ask: Ask, words: Words): string =>
  words
    .path(getPath(ask.endpoint))
    .split('/')
    .map((segment) => fillSegment(ask, segment, words))
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
 * @param words the instance's own, if it has some
 * @throws Failure `usage` for a missing path value, or one that cannot stand in a path
 */
export const buildRequest = (ask: Ask, words: Words = documentedWords): WireRequest => {
  const secrets = getSecretFields(ask.endpoint)
  const { sends, from } = ask.endpoint
  const whole = sends === undefined ? ask : { ...ask, values: { ...sends, ...ask.values } }
  // Endpoints of an extension use the instance's own names already.
  return encodeAsk(whole, from === undefined ? words : documentedWords, secrets)
}

const encodeAsk = (ask: Ask, words: Words, secrets: ReadonlySet<string>): WireRequest => {
  const { endpoint } = ask
  const translate = (all: readonly Attribute[]): readonly Attribute[] =>
    words === documentedWords
      ? all
      : all.map((one) => translateAttribute(one, endpoint.params, words))
  const own = translate(listAttributes(ask))
  const extra = translate(listExtraAttributes(ask))
  const files = Object.entries(ask.files ?? {}).map(
    ([name, file]) => [words.name(name), file] as const,
  )
  const address = isAddress(getPath(endpoint))
  const path = address ? checkAddress(ask.values[addressName]) : fillPath(ask, words)
  const query = encodeQuery(collectPairs('query', own, extra))
  const { headers, ...content } =
    files.length > 0
      ? buildMultipartBody(own, extra, Object.fromEntries(files))
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
