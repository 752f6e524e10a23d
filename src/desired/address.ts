/**
 * Parses, formats and matches addresses of declared objects, such as `site:settings#domain_allowlist`, `groups/platform:members/ana` and
 * `projects/platform/app:approval_rules/Security#user_ids`. The scope is part of an address, since a group and a project may have equal
 * paths. Items may have any character, so `/`, `#`, `%` and `*` in them are percent-encoded.
 */

import { isDots } from '../base/base-url.js'
import { listPathsTo } from '../base/text.js'
import type { ManagedScope, Referent } from '../catalogue/managed.js'

/** The owner of kinds: the instance, whose path is empty, or a group or project by its full path. */
export interface ManagedPlace {
  readonly scope: ManagedScope
  readonly path: string
}

/** True if a text can be the path of a group or project; files accept no other path. */
export const isPlacePath = (path: string): boolean =>
  path.split('/').every((part) => /^[A-Za-z0-9_.-]+$/.test(part) && !isDots(part))

/** Returns the groups that contain a path, the outermost first. */
export const listParentGroups = (path: string): readonly string[] => listPathsTo(path).slice(0, -1)

/** True if the API would read the path of a place as an ID: the path of a group whose name is all digits. */
export const isNumericPath = ({ path }: ManagedPlace): boolean => /^\d+$/.test(path)

/** The address of a kind in its place, of an item of the kind, or of an attribute. */
export interface Address extends ManagedPlace {
  readonly kind: string
  readonly item?: string
  readonly attribute?: string
}

export const encodeItem = (item: string): string =>
  item.replace(/[/#%*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Formats a place: `site`, `groups/platform` or `projects/platform/app`. */
export const toPlaceText = ({ scope, path }: ManagedPlace): string =>
  scope === 'site' ? 'site' : `${scope}s/${path}`

/** Formats an address as plans and reports show it. */
export const toAddressText = ({ kind, item, attribute, ...place }: Address): string => {
  const within = item === undefined ? '' : `/${encodeItem(item)}`
  return `${toPlaceText(place)}:${kind}${within}${attribute === undefined ? '' : `#${attribute}`}`
}

/**
 * Converts a glob to the source of a pattern; `*` matches any text. A part between two `*` is matched at its first place only, so that a
 * long text is searched once.
 */
export const toGlobPattern = (glob: string): string => {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const [first = '', ...others] = parts
  const last = others.pop()
  const inner = others.map((part, i) => `(?=(.*?${part}))\\${i + 1}`)
  return [first, ...inner, last === undefined ? '' : `.*${last}`].join('')
}

/** The compiled patterns of globs. A run has few globs and matches each with every attribute. */
const patterns = new Map<string, RegExp>()
const maxPatterns = 1000

const compileGlob = (glob: string): RegExp => {
  const known = patterns.get(glob)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${toGlobPattern(glob)}(?:[:/#].*)?$`, 'is')
  if (patterns.size < maxPatterns) patterns.set(glob, pattern)
  return pattern
}

/** True if a glob is the bare name of a kind. */
export const isKindName = (glob: string): boolean => /^\w+$/.test(glob) && glob !== 'site'

/**
 * True if a glob matches an address. `*` stands for any text, and a bare name of a kind matches every address of that kind. A glob of a
 * place or of a kind matches everything below it.
 */
export const matchesGlob = (glob: string, address: Address): boolean =>
  isKindName(glob) ? address.kind === glob : compileGlob(glob).test(toAddressText(address))

// References to users, groups, branches and runners in files, by name or by ID. Files decide between the two when they are read: no later
// step guesses from the characters of a name.

/** A reference: a number is an ID, and a string is a name even if it consists of digits. */
export type Reference = string | number

const digits = /^\d+$/

/** Parses a reference in a file: digits are an ID, and `@` before digits makes them a name. Returns undefined for digits that are no ID. */
export const parseNameReference = (text: string): Reference | undefined => {
  if (/^@\d+$/.test(text)) return text.slice(1)
  if (!digits.test(text)) return text
  const id = Number(text)
  return Number.isSafeInteger(id) && String(id) === text ? id : undefined
}

/** Returns the text by which files refer to a name; undefined if no text in a file can mean it. */
export const toReferenceText = (name: string): string | undefined => {
  if (/^@\d+$/.test(name) || name === '') return undefined
  return digits.test(name) ? `@${name}` : name
}

/** Formats a reference as files and addresses write it. */
export const formatReference = (reference: Reference): string =>
  typeof reference === 'number' ? String(reference) : (toReferenceText(reference) ?? reference)

/** Returns the form of a name that is used to compare names: names of users and groups ignore case. */
export const foldName = (of: Referent | undefined, name: string): string =>
  of === 'user' || of === 'group' ? name.toLowerCase() : name
