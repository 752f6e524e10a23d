/** Projects and groups by their addresses: those that browsers, git and the API show, of the instance at hand and of no other. */

import { domainToASCII } from 'node:url'
import { isDots } from '../base/base-url.js'
import { trimTrailingSlashes } from '../base/text.js'
import { type Failure, usage } from '../errors.js'

interface Address {
  /** Host, with a port where an http address has one. */
  readonly host: string
  readonly path: string
  /** The path as it was encoded. */
  readonly encoded: string
  readonly ssh: boolean
  /** The address without credentials, and without a query, which may hold a token. */
  readonly shown: string
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const scheme = /^(?:git\+)?([a-z][a-z0-9.-]*):\/\//i
/** `[user@]host:path`, as git writes addresses of SSH. */
const scp = /^(?:[^@/\s]+@)?(\[[^\]]+\]|[^@:/\s]+):(.+)$/

const parseUrl = (text: string): Address | undefined => {
  if (!URL.canParse(text)) return undefined
  const { protocol, host, hostname, origin, pathname } = new URL(text)
  const common = { path: decode(pathname), encoded: pathname }
  if (protocol === 'http:' || protocol === 'https:')
    return { ...common, host, ssh: false, shown: `${origin}${pathname}` }
  const name = domainToASCII(hostname) || hostname
  return protocol === 'ssh:'
    ? { ...common, host: name, ssh: true, shown: `ssh://${hostname}${pathname}` }
    : undefined
}

/** Understands `ssh://[user@]host[:port]/path`, `http(s)://…` and `[user@]host:path`; undefined for anything else. */
const parseAddress = (text: string): Address | undefined => {
  if (scheme.test(text)) return parseUrl(text.replace(/^git\+/i, ''))
  const [, name = '', rest = ''] = scp.exec(text) ?? []
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
 * Returns the path that an address names on an instance; undefined if the address is of another one. SSH has ports of
 * its own: they do not count.
 */
const placeOn = (
  { host, path, encoded, ssh }: Address,
  baseUrl: string,
): Pick<Address, 'path' | 'encoded'> | undefined => {
  const base = new URL(baseUrl)
  if (host !== (ssh ? base.hostname : base.host)) return undefined
  const prefix = trimTrailingSlashes(base.pathname)
  const below = stripPrefix(path, decode(prefix), ssh)
  return below === undefined
    ? undefined
    : { path: below, encoded: stripPrefix(encoded, prefix, ssh) ?? '' }
}

/** Removes the trailing slashes and the `.git` of a path. */
const trimPath = (path: string): string => trimTrailingSlashes(path).replace(/\.git$/, '')

/** True if a path has at least this many segments, and none of them is empty or consists of dots. */
const hasSegments = (path: string, least: number): boolean => {
  const segments = path.split('/')
  return segments.length >= least && segments.every((s) => s !== '' && !isDots(s))
}

/** Returns the path of the project that a remote names, if it is one of the instance. */
export const projectOfRemote = (remote: string, baseUrl: string): string | undefined => {
  const address = parseAddress(remote)
  const project = trimPath((address && placeOn(address, baseUrl)?.path) ?? '')
  return hasSegments(project, 2) ? project : undefined
}

// Addresses in the place of a path or an ID.

type PlaceKind = 'project' | 'group'

/** A project or group that a text names; of an address of either, the kind may be left open. */
interface Place {
  readonly kind: PlaceKind | undefined
  /** ID or full path. */
  readonly value: string
}

/** True if a text is an address. No path or ID has a colon, except in the words before a name (`group:platform`). */
export const isAddress = (text: string): boolean =>
  scheme.test(text) ||
  /^[^@/\s]+@[^/\s]+:./.test(text) ||
  /^(?:\[[^\]]+\]|[^@:/\s.]+\.[^@:/\s]+):./.test(text)

const toKind = (plural: string | undefined): PlaceKind | undefined =>
  plural === 'projects' ? 'project' : plural === 'groups' ? 'group' : undefined

const api = /^api\/v4\/(projects|groups)\/([^/]+)/
/** Pages of groups, of administrators, and of projects by their ID; other pages of these names are of nothing. */
const pages = [/^admin\/(projects|groups)\/(.+)$/, /^(groups)\/(.+)$/, /^(projects)\/(\d+)$/]

/** Returns the project or group that a path of the instance shows. The instance's own pages come after `/-/`. */
const placeIn = ({ path, encoded }: Pick<Address, 'path' | 'encoded'>): Place => {
  const [, resource, id] = api.exec(encoded) ?? []
  if (id !== undefined) return { kind: toKind(resource), value: decode(id) }
  const whole = trimPath(path.replace(/(?<=^|\/)-(?:\/.*)?$/s, ''))
  const found = pages.map((page) => page.exec(whole)).find((match) => match !== null)
  const [, plural, value = whole] = found ?? []
  return { kind: toKind(plural), value }
}

const stripSecrets = (text: string): string =>
  text.replace(/\/\/[^@/]*@/, '//').replace(/[?#].*/s, '')

const createForeignFailure = ({ shown, ssh }: Address, baseUrl: string): Failure =>
  usage(
    `${shown} is not a ${ssh ? 'git remote' : 'web address'} on ${baseUrl}`,
    'Choose the instance with --profile or --base-url.',
  )

const isPlace = ({ kind, value }: Place, wanted: PlaceKind | undefined): boolean => {
  if (wanted !== undefined && kind !== undefined && kind !== wanted) return false
  const least = wanted === 'project' && !/^\d+$/.test(value) ? 2 : 1
  return hasSegments(value, least)
}

/**
 * Reads the project or group that an address names.
 * @param wanted what is expected; either unless given
 * @throws Failure `usage` for an address of another instance, and one that names nothing of the kind
 */
export const readPlace = (text: string, baseUrl: string, wanted?: PlaceKind): Place => {
  const what = wanted ?? 'project or group'
  const address = parseAddress(text.trim())
  if (address === undefined)
    throw usage(
      `${stripSecrets(text)} is neither a web address nor a git remote`,
      `Give the full path or the ID of the ${what}.`,
    )
  const on = placeOn(address, baseUrl)
  if (on === undefined) throw createForeignFailure(address, baseUrl)
  const place = placeIn(on)
  if (isPlace(place, wanted)) return place
  throw usage(
    `${address.shown} is not the address of a ${what}`,
    `Give the address, the full path or the ID of the ${what}.`,
  )
}
