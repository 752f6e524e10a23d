/**
 * Parses web addresses, git remotes and API addresses of projects and groups, and checks that they belong to the current instance. Checks
 * the addresses of proxies, too.
 */

import { domainToASCII } from 'node:url'
import { isDots } from '../base/base-url.js'
import { decodeUri, trimTrailingSlashes } from '../base/text.js'
import { type Failure, usage } from '../errors.js'

/** A parsed address. */
interface Address {
  /** The host, with the port of an http address if it has one. */
  readonly host: string
  readonly path: string
  /** The path as it was encoded in the address. */
  readonly encoded: string
  readonly ssh: boolean
  /** The address without credentials and without its query, which may contain a token. */
  readonly shown: string
}

const scheme = /^(?:git\+)?([a-z][a-z0-9.-]*):\/\//i
/** Matches `[user@]host:path`, the form in which git writes SSH addresses. */
const scp = /^(?:[^@/\s]+@)?(\[[^\]]+\]|[^@:/\s]+):(.+)$/
/** Matches `[[user@]host:port]:`, the form with a port. */
const scpPort = /^\[(?:[^@\]\s]+@)?([^@:\]\s]+):\d+\]:/

const parseUrl = (text: string): Address | undefined => {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, hostname, origin, pathname } = new URL(text)
  const common = { path: decodeUri(pathname), encoded: pathname }
  if (protocol === 'http:' || protocol === 'https:')
    return { ...common, host, ssh: false, shown: `${origin}${pathname}` }
  const name = domainToASCII(hostname) || hostname
  return protocol === 'ssh:'
    ? { ...common, host: name, ssh: true, shown: `ssh://${hostname}${pathname}` }
    : undefined
}

/** Matches `host:port/path`, a web address without its scheme. Before a colon, `project` and `group` are kinds. */
const hostWithPort = /^(?!(?:project|group):)(?:\[[^\]]+\]|[^@:/\s]+):\d+\/./

/** Parses a web address without its scheme, as `gh` has it; undefined for any other text. No group is a number, so it is no path of SSH. */
const parseHostAddress = (text: string, baseUrl: string): Address | undefined =>
  hostWithPort.test(text) ? parseUrl(`${new URL(baseUrl).protocol}//${text}`) : undefined

/** Parses `ssh://[user@]host[:port]/path`, `http(s)://…`, `[user@]host:path` and `[[user@]host:port]:path`; undefined for any other text. */
const parseAddress = (text: string): Address | undefined => {
  if (scheme.test(text)) return parseUrl(text.replace(/^git\+/i, ''))
  const [, name = '', rest = ''] = scp.exec(text.replace(scpPort, '$1:')) ?? []
  if (name === '') return undefined
  const path = `/${rest.replace(/^\/+/, '')}`
  const host = domainToASCII(name) || name.toLowerCase()
  return { host, path, encoded: path, ssh: true, shown: `${host}:${path.slice(1)}` }
}

/** Returns the path below a prefix; undefined if it is not below it. An SSH address may have the base URL's path or not. */
const stripPrefix = (path: string, prefix: string, ssh: boolean): string | undefined => {
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length + 1)
  return ssh ? path.slice(1) : undefined
}

/**
 * Returns the encoded path of a web address below an instance's base URL, and the address without its query; undefined for any other text.
 * @throws Failure `usage` for an address of another instance
 */
export const parseWebPath = (
  text: string,
  baseUrl: string,
): Pick<Address, 'encoded' | 'shown'> | undefined => {
  const address = parseUrl(text)
  if (address === undefined) return undefined
  const path = getInstancePath(address, baseUrl)
  if (path === undefined) throw createForeignFailure(address, baseUrl)
  return { encoded: path.encoded, shown: address.shown }
}

/**
 * Returns the path below an instance's base URL; undefined for an address of another instance. The port of SSH is ignored, because it is
 * never that of the instance.
 */
const getInstancePath = (
  { host, path, encoded, ssh }: Address,
  baseUrl: string,
): Pick<Address, 'path' | 'encoded'> | undefined => {
  const base = new URL(baseUrl)
  if (host !== (ssh ? base.hostname : base.host)) return undefined
  const prefix = trimTrailingSlashes(base.pathname)
  const below = stripPrefix(path, decodeUri(prefix), ssh)
  return below === undefined
    ? undefined
    : { path: below, encoded: stripPrefix(encoded, prefix, ssh) ?? '' }
}

/** Removes the trailing slashes and the `.git` of a path. The clone of a wiki belongs to its project. */
const trimPath = (path: string): string =>
  trimTrailingSlashes(path).replace(/(?:\.wiki)?\.git$/, '')

/** Returns a full path as instances write it, for one that was copied from an address: `/a%2Fb.git/` becomes `a/b`. */
export const cleanPath = (path: string): string =>
  trimPath((/%2F/i.test(path) ? decodeUri(path) : path).replace(/^\/+/, ''))

/** True if a path has at least this many segments, and none of them is empty or consists of dots. */
const hasSegments = (path: string, least: number): boolean => {
  const segments = path.split('/')
  return segments.length >= least && segments.every((s) => s !== '' && !isDots(s))
}

/** Returns the host of an SSH address, which may be an alias of the configuration of SSH; undefined for any other text. */
export const getSshHost = (remote: string): string | undefined => {
  const address = parseAddress(remote)
  return address?.ssh === true ? address.host : undefined
}

/**
 * Returns the path of the project that a git remote names; undefined for a remote of another instance.
 * @param host the host of the remote if the address has an alias
 */
export const parseRemoteProject = (
  remote: string,
  baseUrl: string,
  host?: string,
): string | undefined => {
  const address = parseAddress(remote)
  const located = address && { ...address, host: host ?? address.host }
  const project = trimPath((located && getInstancePath(located, baseUrl)?.path) ?? '')
  return hasSegments(project, 2) ? project : undefined
}

// Addresses that are passed in the place of a path or ID.

type PlaceKind = 'project' | 'group'

/** A project or group that a text names. For some addresses the kind is not known. */
interface Place {
  readonly kind: PlaceKind | undefined
  /** ID or full path. */
  readonly value: string
}

/** True if a text is an address. No path or ID has a colon, except in the words before a name (`group:platform`). */
export const isAddress = (text: string): boolean =>
  scheme.test(text) ||
  hostWithPort.test(text) ||
  /^[^@/\s]+@[^/\s]+:./.test(text) ||
  /^(?:\[[^\]]+\]|[^@:/\s.]+\.[^@:/\s]+):./.test(text)

const toKind = (plural: string | undefined): PlaceKind | undefined =>
  plural === 'projects' ? 'project' : plural === 'groups' ? 'group' : undefined

/** Matches the path of a project or group in the API. */
const apiPath = /^api\/v4\/(projects|groups)\/([^/]+)/
/** The pages of groups, of administrators, and of projects by ID. Other pages with these prefixes name no project or group. */
const pages = [/^admin\/(projects|groups)\/(.+)$/, /^(groups)\/(.+)$/, /^(projects)\/(\d+)$/]

/** Returns the project or group of an instance's page. `/-/` separates it from the rest of the path. */
const parsePlacePath = ({ path, encoded }: Pick<Address, 'path' | 'encoded'>): Place => {
  const [, resource, id] = apiPath.exec(encoded) ?? []
  if (id !== undefined) return { kind: toKind(resource), value: decodeUri(id) }
  const placePath = trimPath(path.replace(/(?<=^|\/)-(?:\/.*)?$/s, ''))
  const match = pages.map((page) => page.exec(placePath)).find((found) => found !== null)
  const [, plural, value = placePath] = match ?? []
  return { kind: toKind(plural), value }
}

const stripSecrets = (text: string): string =>
  text.replace(/\/\/[^@/]*@/, '//').replace(/[?#].*/s, '')

const createForeignFailure = ({ shown, ssh }: Address, baseUrl: string): Failure =>
  usage(
    `${shown} is not a ${ssh ? 'git remote' : 'web address'} on ${baseUrl}`,
    'Choose its instance with --profile or --base-url, or its snapshot with --from.',
  )

const isPlace = ({ kind, value }: Place, wanted: PlaceKind | undefined): boolean => {
  if (wanted !== undefined && kind !== undefined && kind !== wanted) return false
  const least = wanted === 'project' && !/^\d+$/.test(value) ? 2 : 1
  return hasSegments(value, least)
}

/**
 * Parses the address of a project or group.
 * @param wanted the expected kind; undefined to accept both
 * @throws Failure `usage` for an address of another instance or of anything else
 */
export const parsePlace = (text: string, baseUrl: string, wanted?: PlaceKind): Place => {
  const what = wanted ?? 'project or group'
  const address = parseHostAddress(text.trim(), baseUrl) ?? parseAddress(text.trim())
  if (address === undefined)
    throw usage(
      `${stripSecrets(text)} is neither a web address nor a git remote`,
      `Give the full path or the ID of the ${what}.`,
    )
  const path = getInstancePath(address, baseUrl)
  if (path === undefined) throw createForeignFailure(address, baseUrl)
  const place = parsePlacePath(path)
  if (isPlace(place, wanted)) return place
  throw usage(
    `${address.shown} is not the address of a ${what}`,
    `Give the address, the full path or the ID of the ${what}.`,
  )
}

// Addresses of proxies, from a profile or from the environment.

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** True if an http(s) URL has no path, query or fragment, like that of a proxy. */
const isOrigin = ({ protocol, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/'

/**
 * Checks a proxy URL, whose username and password must be percent-encoded.
 * @throws Failure `usage`, which does not repeat the URL, because it may contain a password
 */
export const checkProxy = (setting: string, proxy: string): string => {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined
  if (url === undefined || !isOrigin(url))
    throw usage(
      `${setting} is not a valid proxy URL`,
      'Use the form http://host:port or https://host:port.',
    )
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw usage(
      `${setting} contains a username or password that is not percent-encoded`,
      'Encode % as %25, @ as %40, : as %3A and / as %2F.',
    )
  return proxy
}
