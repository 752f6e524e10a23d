/**
 * Addresses: where something declared stands. `site:settings#domain_allowlist`,
 * `groups/platform:members/ana`, `projects/platform/app:approval_rules/Security#user_ids`. A group and a project
 * may have like paths, and items may hold any sign: `/`, `#`, `%` and `*` of an item are percent-encoded.
 */

import { isDots } from '../base/base-url.js'
import type { ManagedScope, Referent } from '../catalogue/managed.js'

/** What kinds belong to: the instance, whose path is empty, a group, or a project, by its full path. */
export interface ManagedPlace {
  readonly scope: ManagedScope
  readonly path: string
}

/** Whether a text is a path that groups and projects may have: in files it is nothing else. */
export const isPlacePath = (path: string): boolean =>
  path.split('/').every((part) => /^[A-Za-z0-9_.-]+$/.test(part) && !isDots(part))

/** A path and the groups that it lies in, the outermost first. */
export const pathsDownTo = (path: string): readonly string[] =>
  path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

/** The groups that a path lies in, the outermost first. */
export const groupsAbove = (path: string): readonly string[] => pathsDownTo(path).slice(0, -1)

/** Whether the API would take the path of a place for an ID: that of a group whose name is digits only. */
export const looksLikeId = ({ path }: ManagedPlace): boolean => /^\d+$/.test(path)

/** A kind in its place, an item of it, or an attribute. */
export interface Address extends ManagedPlace {
  readonly kind: string
  readonly item?: string
  readonly attribute?: string
}

const encoded = (item: string): string =>
  item.replace(/[/#%*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** `site`, `groups/platform`, `projects/platform/app`. */
export const placeText = ({ scope, path }: ManagedPlace): string =>
  scope === 'site' ? 'site' : `${scope}s/${path}`

/** An address as it is written. */
export const addressText = ({ kind, item, attribute, ...place }: Address): string => {
  const within = item === undefined ? '' : `/${encoded(item)}`
  return `${placeText(place)}:${kind}${within}${attribute === undefined ? '' : `#${attribute}`}`
}

/**
 * The source of a pattern in which `*` stands for anything. A part between two `*` is taken where it first stands, and
 * nowhere else, so that a long text is searched once.
 */
export const globPattern = (glob: string): string => {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const [first = '', ...others] = parts
  const last = others.pop()
  const inner = others.map((part, i) => `(?=(.*?${part}))\\${i + 1}`)
  return [first, ...inner, last === undefined ? '' : `.*${last}`].join('')
}

/** The patterns of globs, of which a run has a few, and asks them of every attribute. */
const patterns = new Map<string, RegExp>()
const maxPatterns = 1000

const patternOf = (glob: string): RegExp => {
  const known = patterns.get(glob)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${globPattern(glob)}(?:[:/#].*)?$`, 'is')
  if (patterns.size < maxPatterns) patterns.set(glob, pattern)
  return pattern
}

/** Whether a glob is the bare name of a kind. */
export const isKindName = (glob: string): boolean => /^\w+$/.test(glob) && glob !== 'site'

/**
 * Whether an address is meant by a glob: `*` stands for anything; a bare name of a kind means every address
 * of that kind; a glob of a place or of a kind means all below it.
 */
export const matches = (glob: string, address: Address): boolean =>
  isKindName(glob) ? address.kind === glob : patternOf(glob).test(addressText(address))

// Users, groups, branches and runners as files call them: by a name or by an ID. Which of the two is decided
// once, when a file is read; no later step looks at a name to find out what it means.

/** A number is an ID, a text is a name, whatever it looks like. */
export type Reference = string | number

const digits = /^\d+$/

/** What a text of a file means: digits are an ID, `@` before them makes them a name; undefined for digits that are no ID. */
export const parseReference = (text: string): Reference | undefined => {
  if (/^@\d+$/.test(text)) return text.slice(1)
  if (!digits.test(text)) return text
  const id = Number(text)
  return Number.isSafeInteger(id) && String(id) === text ? id : undefined
}

/** How files write a name; undefined where no text of a file means it. */
export const referenceText = (name: string): string | undefined => {
  if (/^@\d+$/.test(name) || name === '') return undefined
  return digits.test(name) ? `@${name}` : name
}

/** How files write a reference, and addresses with them. */
export const writtenReference = (reference: Reference): string =>
  typeof reference === 'number' ? String(reference) : (referenceText(reference) ?? reference)

/** What makes two names the same: those of users and groups are, whatever their case. */
export const foldedName = (of: Referent | undefined, name: string): string =>
  of === 'user' || of === 'group' ? name.toLowerCase() : name
