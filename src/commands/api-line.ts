/** Creates the request of a line of `svcctl api`: method, path, headers and body. */

import { hasDots } from '../base/base-url.js'
import { addToGroup } from '../base/collections.js'
import { parseJsonOrText } from '../base/json/nesting.js'
import { isObject, type JsonValues, mapValues } from '../base/objects.js'
import { isVariablePath } from '../base/secrets/names.js'
import type { WorkspaceService } from '../engine/command/context.js'
import type { CommandTraits, Given } from '../engine/command/types.js'
import { type Failure, usage } from '../errors.js'
import type { WireRequest } from '../http/types.js'

/** The arguments and flags of a line that its request depends on. */
type Body = Pick<Given, 'args' | 'extra' | 'input'> & {
  readonly flags: { readonly header?: readonly string[]; readonly 'raw-field'?: readonly string[] }
}

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the error for a third argument. It could hold a secret and is not repeated. */
const createArgumentFailure = (text: string): Failure =>
  text.includes('=')
    ? usage(
        'api takes parameters by --param, not as arguments',
        'Write --param key=value for each, or --input <file> for a whole body.',
      )
    : usage(
        'the argument after the path can only be -',
        'Use - to read objects from standard input.',
      )

const createNoPathFailure = (): Failure =>
  usage('api requires a path', 'For example: svcctl api GET /runners')

/** Returns the method and the path of a line. A path alone is requested with GET. */
const parseTarget = ([first, second, third]: readonly string[]): {
  method: string
  target: string
} => {
  if (third !== undefined) throw createArgumentFailure(third)
  // One word in lower case is a path, even if it is also the name of a method.
  const isMethodAlone = second === undefined && methods.includes(first ?? '')
  if (first === undefined || isMethodAlone || (second ?? first) === '') throw createNoPathFailure()
  if (second === undefined) return { method: 'GET', target: first }
  const method = first.toUpperCase()
  if (!methods.includes(method))
    throw usage(`the method must be one of ${methods.join(', ')}, not "${first}"`)
  return { method, target: second }
}

/** Headers that the program sets itself. */
const reservedHeaders = /^(authorization|private-token|job-token|cookie|sudo|host|content-length)$/i

const parseHeaders = (lines: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).trim()
    if (at < 1 || !/^[A-Za-z0-9-]+$/.test(name))
      throw usage(`--header must have the form "Name: value", not "${line}"`)
    if (reservedHeaders.test(name))
      throw usage(
        `--header cannot set ${name}`,
        'Set the credential with a profile or SVC_TOKEN, and the user with --sudo.',
      )
    headers[name.toLowerCase()] = line.slice(at + 1).trim()
  }
  return headers
}

const parseValue = (name: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => parseValue(name, one))
  return typeof value === 'string' ? parseJsonOrText(value, `--param ${name}`) : value
}

/** Converts a value to parameters of a query: items of lists and keys of objects follow the name in brackets. */
const toQueryParameters = (name: string, value: unknown): readonly [string, string][] => {
  if (Array.isArray(value)) {
    const itemName = name.endsWith('[]') ? name : `${name}[]`
    return value.flatMap((item) => toQueryParameters(itemName, item))
  }
  return isObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => toQueryParameters(`${name}[${key}]`, inner))
    : [[name, String(value)]]
}

const formatQuery = (values: JsonValues): string =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => toQueryParameters(name, value)),
  ).toString()

/** Parses the values of `-f`, which stay text. Values of the same name become a list. */
const parseRawFields = ({ 'raw-field': texts = [] }: Body['flags']): JsonValues => {
  const fields = new Map<string, string[]>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) throw usage('--raw-field must have the form key=value', 'For example: -f title=x')
    addToGroup(fields, text.slice(0, at), text.slice(at + 1))
  }
  return Object.fromEntries(
    [...fields].map(([name, [first = '', ...more]]) => [
      name,
      more.length === 0 ? first : [first, ...more],
    ]),
  )
}

const formatBody = ({ input, extra, flags: given }: Body): string | undefined => {
  const attributes = {
    ...input,
    ...mapValues(extra, (v, k) => parseValue(k, v)),
    ...parseRawFields(given),
  }
  return Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : undefined
}

/** Percent-encodes every byte of a text. */
const encodePercent = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

/** Refuses a placeholder as documents and other tools write it, because the instance would look for an object of that name. */
const checkNoPlaceholder = (plain: string): void => {
  const [, placeholder] = /\/(:[a-z][a-z_]*)(?=\/|$)/i.exec(plain) ?? []
  if (placeholder === undefined) return
  const [, plural] = new RegExp(`^(?:/api/v4)?/(project|group)s/${placeholder}`).exec(plain) ?? []
  throw usage(
    `"${placeholder}" in the path is a placeholder, not a value`,
    plural === undefined
      ? 'Write the value in its place.'
      : `Write {${plural}} in its place to insert that of -${plural === 'group' ? 'G' : 'P'}, or write the ID.`,
  )
}

const checkPath = (path: string): string => {
  const [plain = ''] = path.split(/[?#]/)
  checkNoPlaceholder(plain)
  if (hasDots(plain)) throw usage('"." and ".." cannot be used in a path')
  const stray = /[^\x21-\x7e]|#/.exec(path)?.[0]
  if (stray === undefined) return path
  throw usage(
    `${stray === ' ' ? 'a blank' : JSON.stringify(stray)} cannot be used in a path`,
    `Write it as ${stray === '#' ? '%23' : encodePercent(stray)}.`,
  )
}

/** Resolves a path: below `/api/v4`, or below another root of the instance such as `/api/graphql`. */
const resolveAddress = async (
  place: WorkspaceService,
  path: string,
  query: string,
): Promise<Pick<WireRequest, 'path' | 'absolute'>> => {
  const root = path.startsWith('/api/') && !path.startsWith('/api/v4/')
  const below = path.startsWith('/api/v4/') ? path.slice('/api/v4'.length) : path
  const whole = query === '' ? below : `${below}${below.includes('?') ? '&' : '?'}${query}`
  return root
    ? { path: `${(await place.session()).baseUrl}${whole}`, absolute: true }
    : { path: whole }
}

/**
 * Adds the leading slash to a typed path and checks it.
 * @throws Failure `usage` for characters and segments that a path cannot contain
 */
const normalizePath = (target: string): string => checkPath(target.replace(/^(?!\/)/, '/'))

/**
 * Creates the request of a line; its placeholders for project and group are not filled yet. @throws Failure `usage` for a line that cannot
 * be sent
 */
export const createRequestTemplate = async (
  place: WorkspaceService,
  given: Body,
): Promise<WireRequest> => {
  const { method, target } = parseTarget(given.args)
  if (/^[a-z]+:\/\//i.test(target))
    throw usage(
      'api requires a path on the instance, not a URL',
      'Choose the instance with --base-url.',
    )
  const path = normalizePath(target)
  const reads = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  const headers = parseHeaders(given.flags.header ?? [])
  const body = reads ? undefined : formatBody(given)
  return {
    method,
    ...(await resolveAddress(
      place,
      path,
      reads ? formatQuery({ ...given.input, ...given.extra, ...parseRawFields(given.flags) }) : '',
    )),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body,
    ...(isVariablePath(path) ? { secrets: new Set(['value']) } : {}),
  }
}

/** Moves the method of `-X` to the arguments, so that the line counts as a write. Without a method, a line with fields becomes a POST. */
export const moveMethodToArguments: NonNullable<CommandTraits['arrange']> = ({
  args,
  flags: given,
}) => {
  const objects = args.length > 1 && args.at(-1) === '-' ? 1 : 0
  const words = args.slice(0, args.length - objects)
  const method = given.get('method')?.at(-1)
  if (method !== undefined && words.length > 1)
    throw usage('-X and a method before the path exclude each other', 'Omit one of them.')
  if (method !== undefined && words.length === 0) throw createNoPathFailure()
  const hasFields = given.has('raw-field') || given.has('param') || given.has('input')
  const chosen = method ?? (words.length === 1 && hasFields ? 'POST' : undefined)
  const others = new Map([...given].filter(([name]) => name !== 'method'))
  return { args: chosen === undefined ? args : [chosen, ...args], flags: others }
}
