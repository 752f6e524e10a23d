/** Endpoint and values → request: pure, the only place that knows how attributes travel. */
import { methodOf, pathOf, placeOf } from '../../catalogue/endpoint.js'
import type { Param } from '../../catalogue/params.js'
import { secretsOf } from '../../catalogue/secret-fields.js'
import type { Words } from '../../catalogue/words.js'
import { Failure, usage } from '../../errors.js'
import { details } from '../advice.js'
import type { Ask, WireRequest } from '../types.js'
import { jsonOf, type Pair, pairsOf, queryText, segmentText, wildcardText } from './encode.js'
import { multipart, partsOf } from './multipart.js'
import { spoken } from './spoken.js'

/** The value that holds the address of an endpoint whose route is one (`<alert_endpoint_url>`). */
const addressName = 'endpoint'

const isAddress = (path: string): boolean => path.startsWith('<')

/** One attribute on its way; those without `param` are sent as they are. */
interface Attribute {
  readonly name: string
  readonly value: unknown
  readonly place: 'query' | 'body'
  readonly param?: Param
}

const loose: Param = { type: 'string', help: '' }

/** A record's own value: names such as `constructor` are only names. */
const at = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

const valueAttributes = ({ endpoint, values }: Ask): Attribute[] => {
  const known = Object.entries(endpoint.params).map(([name, param]) => ({
    name,
    param,
    value: at(values, name),
    place: placeOf(endpoint, param),
  }))
  const address = isAddress(pathOf(endpoint))
  const others = Object.entries(values)
    .filter(([name]) => !Object.hasOwn(endpoint.params, name))
    .filter(([name]) => !Object.hasOwn(endpoint.path, name))
    .filter(([name]) => !(address && name === addressName))
    .map(([name, value]) => ({ name, value, place: placeOf(endpoint, loose) }))
  return [...known, ...others].filter((a) => a.value !== undefined)
}

const extraAttributes = ({ endpoint, values, extra = {} }: Ask): Attribute[] =>
  Object.entries(extra)
    .filter(([name, value]) => value !== undefined && at(values, name) === undefined)
    .map(([name, value]) => ({
      name,
      value,
      place: placeOf(endpoint, at(endpoint.params, name) ?? loose),
    }))

const plainName = (name: string): string => name.replace(/\[\]$/, '')

/** Pairs of a place; a name that the catalogue's values give beats the same name of `extra`. */
const pairsIn = (
  place: 'query' | 'body',
  own: readonly Attribute[],
  extra: readonly Attribute[],
): Pair[] => {
  const pairs = (list: readonly Attribute[]): Pair[] =>
    list.filter((a) => a.place === place).flatMap((a) => pairsOf(a.name, a.param, a.value))
  const first = pairs(own)
  const names = new Set(first.map(([name]) => plainName(name)))
  return [...first, ...pairs(extra).filter(([name]) => !names.has(plainName(name)))]
}

const fillPath = ({ endpoint, values }: Ask): string =>
  pathOf(endpoint)
    .split('/')
    .map((segment) => {
      if (!/^[:*]/.test(segment)) return segment
      const name = segment.slice(1)
      const value = at(values, name)
      if (value === undefined || value === null)
        throw usage(`${name} is missing`, `${endpoint.route} needs it in its path.`)
      return segment.startsWith('*')
        ? wildcardText(name, value)
        : segmentText(name, endpoint.path[name], value)
    })
    .join('/')

/**
 * The address that a request goes to instead of a path below the API root.
 * @throws Failure `usage` when it is no http address, or carries credentials
 */
const checkAddress = (value: unknown): string => {
  const text = typeof value === 'string' ? value : ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage('the endpoint must be an address that begins with https:// or http://')
  if (url.username !== '' || url.password !== '')
    throw new Failure(
      'usage',
      'the endpoint’s address must not carry a key: addresses end up in server logs',
      details({ code: 'key-in-address' }),
    )
  url.hash = ''
  return url.href
}

const multipartBody = (
  own: readonly Attribute[],
  extra: readonly Attribute[],
  files: NonNullable<Ask['files']>,
): Pick<WireRequest, 'headers' | 'body' | 'parts'> => {
  const free = (list: readonly Attribute[]) => list.filter((a) => !Object.hasOwn(files, a.name))
  const parts = partsOf(pairsIn('body', free(own), free(extra)), files)
  const { contentType, bytes } = multipart(parts)
  return { headers: { 'content-type': contentType }, body: bytes, parts }
}

const jsonBody = (
  ask: Ask,
  attributes: readonly Attribute[],
): Pick<WireRequest, 'headers' | 'body'> => {
  const sent = attributes.filter((a) => a.place === 'body')
  if (sent.length === 0 && !isAddress(pathOf(ask.endpoint))) return { headers: {} }
  return {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(sent.map((a) => [a.name, jsonOf(a.param, a.value)]))),
  }
}

/** Files come as they are: a compressed transfer could not be resumed. */
const fileHeaders = { accept: '*/*', 'accept-encoding': 'identity' } as const

/**
 * The request of an endpoint for the given values (`http/README.md`). Without attributes there is no body and no content type.
 * @param words the instance's, where it has some of its own
 * @throws Failure `usage` for a missing path value, or one that cannot stand in a path
 */
export const buildRequest = (ask: Ask, words?: Words): WireRequest => {
  const secrets = secretsOf(ask.endpoint)
  const request = requestOf(words === undefined ? ask : spoken(ask, words))
  return secrets.size === 0 ? request : { ...request, secrets: [...secrets] }
}

const requestOf = (ask: Ask): WireRequest => {
  const { endpoint, files = {} } = ask
  const own = valueAttributes(ask)
  const extra = extraAttributes(ask)
  const address = isAddress(pathOf(endpoint))
  const path = address ? checkAddress(ask.values[addressName]) : fillPath(ask)
  const query = queryText(pairsIn('query', own, extra))
  const content =
    Object.keys(files).length > 0
      ? multipartBody(own, extra, files)
      : jsonBody(ask, [...own, ...extra])
  const join = path.includes('?') ? '&' : '?'
  return {
    method: methodOf(endpoint),
    path: query === '' ? path : `${path}${join}${query}`,
    ...(address ? { absolute: true } : {}),
    keyset: endpoint.keyset,
    ...content,
    headers: { ...(endpoint.returns.kind === 'file' ? fileHeaders : {}), ...content.headers },
  }
}
