/** Parses keys that select projects by glob or record, and checks `owns`: the addresses that only the files of one folder may declare. */

import { dirname, relative, sep } from 'node:path'
import { checkValue } from '../../base/documents/check.js'
import { getWrittenText, listItems, type WrittenEntry } from '../../base/documents/written.js'
import { isObject } from '../../base/objects.js'
import { suggestSimilar } from '../../base/suggest.js'
import { joinWords, quoteText } from '../../base/text.js'
import type { ManagedScope } from '../../catalogue/managed.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { visibilities } from '../../catalogue/shapes/project.js'
import { isPlacePath } from '../address.js'
import { formatOrigin, type Origin, type ProjectFacts, type ProjectSelector } from '../state.js'
import { type Mistakes, textSchema } from './nodes.js'

/** A glob of paths: `*` matches within a segment, `**` any number of whole segments. */
interface PathGlob {
  readonly text: string
  /** The beginning that all matching paths share, in lower case. */
  readonly literal: string
  test(path: string): boolean
}

/** A selector, and how specific it is among others. */
export interface FileSelector extends ProjectSelector {
  readonly rank: number
  /** The globs of paths, one of which must match; empty for a map without a path. */
  readonly globs: readonly PathGlob[]
}

const isSegment = (text: string): boolean => text === '**' || /^(?!.*\*\*)[\w.*-]+$/.test(text)

/** Parses a glob of paths. @returns undefined for a text that is not a glob of paths */
const parsePathGlob = (text: string): PathGlob | undefined => {
  const segments = text.split('/')
  if (!segments.every(isSegment)) return undefined
  const parts = segments.map((segment, i) => {
    const isLast = i === segments.length - 1
    if (segment === '**') return isLast ? '.*' : '(?:[^/]+/)*'
    const one = segment.replace(/[.-]/g, '\\$&').replaceAll('*', '[^/]*')
    return isLast ? one : `${one}/`
  })
  const pattern = new RegExp(`^${parts.join('')}$`, 'i')
  const literal = (/^[^*]*/.exec(text)?.[0] ?? '').toLowerCase()
  return { text, literal, test: (path) => pattern.test(path) }
}

const someTexts = { anyOf: [textSchema, { type: 'array', items: textSchema, minItems: 1 }] }

/** The schema of a selector as a map. */
const selectorSchema: JsonSchema = {
  type: 'object',
  title: 'a selector',
  properties: { topic: someTexts, visibility: someTexts, path: someTexts, not: someTexts },
  additionalProperties: false,
  minProperties: 1,
}
type SelectorMap = Readonly<Partial<Record<'topic' | 'visibility' | 'path' | 'not', unknown>>>

/** Returns the texts of a condition; undefined if the selector does not have it. */
const toTexts = (value: unknown): readonly string[] | undefined =>
  value === undefined ? undefined : [value].flat().map(String)

const hasCommonText = (wanted: readonly string[], has: readonly string[]): boolean => {
  const known = new Set(has.map((one) => one.toLowerCase()))
  return wanted.some((one) => known.has(one.toLowerCase()))
}

const parseMapSelector = (map: SelectorMap, origin: Origin, mistakes: Mistakes): FileSelector => {
  const parseGlobs = (value: unknown) =>
    (toTexts(value) ?? []).flatMap(
      (text) => parsePathGlob(text) ?? reportBadGlob(text, origin, mistakes),
    )
  const [globs, excluded] = [parseGlobs(map.path), parseGlobs(map.not)]
  const [topics, visibility] = [toTexts(map.topic), toTexts(map.visibility)]
  for (const text of visibility ?? []) checkVisibility(text, origin, mistakes)
  const matchesRecord = (project: ProjectFacts): boolean | undefined => {
    if (topics !== undefined && project.topics === undefined) return undefined
    if (visibility !== undefined && project.visibility === undefined) return undefined
    const has = topics === undefined || hasCommonText(topics, project.topics ?? [])
    return (
      has && (visibility === undefined || hasCommonText(visibility, [project.visibility ?? '']))
    )
  }
  return {
    rank: 0,
    globs,
    needsRecord: topics !== undefined || visibility !== undefined,
    fits: (project) => {
      const isAt = globs.length === 0 || globs.some((glob) => glob.test(project.path))
      return isAt && !excluded.some((glob) => glob.test(project.path))
        ? matchesRecord(project)
        : false
    },
  }
}

/** Reports a visibility that no project has, so that a mistyped one does not select nothing. */
const checkVisibility = (text: string, origin: Origin, mistakes: Mistakes): void => {
  const known: readonly string[] = visibilities
  if (known.includes(text.toLowerCase())) return
  const says = `visibility must be ${joinWords(known, 'or')}, not ${JSON.stringify(text)}`
  mistakes.add(origin, says, suggestSimilar(text, known))
}

const reportBadGlob = (text: string, origin: Origin, mistakes: Mistakes): readonly never[] => {
  const hint = '* matches anything within a segment, and ** matches any number of segments.'
  mistakes.add(origin, `${quoteText(text)} is not a valid path pattern`, hint)
  return []
}

/**
 * Parses a key of projects as a selector.
 * @param flow reads a flow map; undefined for other texts
 * @returns undefined if the selector is wrong, which is reported
 */
export const parseSelector = (
  key: string,
  origin: Origin,
  flow: (text: string) => unknown,
  mistakes: Mistakes,
): FileSelector | undefined => {
  if (key.startsWith('{')) {
    const map = flow(key)
    const hint = 'Write \'{topic: name, path: "group/**"}\'.'
    if (!isObject(map)) return mistakes.add(origin, 'this selector is not a map', hint)
    const isValid = checkValue(selectorSchema, map, () => origin, mistakes, 0)
    return isValid ? parseMapSelector(map, origin, mistakes) : undefined
  }
  const glob = parsePathGlob(key)
  if (glob === undefined) {
    reportBadGlob(key, origin, mistakes)
    return undefined
  }
  const rank = 1 + glob.literal.length
  return { rank, globs: [glob], needsRecord: false, fits: ({ path }) => glob.test(path) }
}

/** The form of a key: all projects that files name, everything below a group, the projects that a selector accepts, or one place. */
type LevelForm = 'defaults' | 'below' | 'selector' | 'exact'

/** The places that a key applies to. */
export interface LevelKey {
  readonly form: LevelForm
  readonly scope: ManagedScope
  /** The path as it is first written; '' for `defaults`, `'**'` and the site. */
  readonly path: string
  readonly origin: Origin
  /** The selector of the projects that the key applies to. */
  readonly selector?: FileSelector
}

// `owns`: the addresses that only the files of one folder may declare. The keys of all files are checked against them.

/** A set of addresses in a scope: one path, all paths with a prefix, or those of them that match a glob. */
interface Region {
  readonly scope: ManagedScope
  readonly path?: string
  /** The beginning of all addresses in the region. Without a glob, every address with this beginning is in it. */
  readonly prefix?: string
  readonly glob?: { readonly text: string; readonly test: (path: string) => boolean }
}

/** The addresses that a folder owns, and the position of that declaration. */
export interface FolderClaim {
  readonly folder: string
  readonly origin: Origin
  readonly regions: readonly Region[]
}

/** A key of a file, with the regions that it may apply to; undefined if it may apply to any place. */
export interface NamedKey {
  readonly origin: Origin
  readonly text: string
  readonly regions: readonly Region[] | undefined
}

/** Returns the regions of a group and everything below it. */
const listTreeRegions = (path: string): readonly Region[] => [
  { scope: 'group', path },
  { scope: 'group', prefix: `${path}/` },
  { scope: 'project', prefix: `${path}/` },
]

/** Returns the region of a glob. If the glob matches every path with its literal beginning, the region is that prefix. */
const listGlobRegions = (text: string): readonly Region[] | undefined => {
  const glob = parsePathGlob(text)
  if (glob === undefined) return undefined
  const prefix = glob.literal
  const isAll = /^[^*]*(?:(?<=\/|^)\*\*|\*\/\*\*)$/.test(text)
  return [
    { scope: 'project', prefix, glob: isAll ? undefined : { ...glob, text: text.toLowerCase() } },
  ]
}

const parseOwned = (given: string): readonly Region[] | undefined => {
  const text = given.toLowerCase()
  if (text === 'site') return [{ scope: 'site', path: '' }]
  const [, head, path = ''] = /^(groups|projects)\/(.+)$/.exec(text) ?? []
  if (head === 'groups') {
    const group = path.replace(/\/\*\*$/, '')
    if (!isPlacePath(group)) return undefined
    return group === path ? [{ scope: 'group', path }] : listTreeRegions(group)
  }
  if (head === undefined) return undefined
  if (path.includes('*')) return listGlobRegions(path)
  return isPlacePath(path) && path.includes('/') ? [{ scope: 'project', path }] : undefined
}

/** Returns the regions that a level's key may apply to; undefined for a key that may apply to any place. */
export const listKeyRegions = (key: LevelKey): NamedKey['regions'] => {
  const { form, scope, path, selector } = key
  const lower = path.toLowerCase()
  if (form === 'exact') return [{ scope, path: lower }]
  if (form === 'defaults' || (form === 'below' && path === '')) return undefined
  if (form === 'below') return listTreeRegions(lower).filter((region) => region.scope === scope)
  const globs = selector?.globs ?? []
  return globs.length === 0 ? undefined : globs.flatMap(({ text }) => listGlobRegions(text) ?? [])
}

const ownable = 'site, groups/name, groups/name/**, projects/group/name or projects/group/**'

/** The schema of `owns`. */
export const ownsSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'string',
    pattern: '^(?:site|groups/.+|projects/.+)$',
    title: 'address',
    description: ownable,
  },
  minItems: 1,
  description: 'addresses that only files in this folder and below can declare',
}

/** Reads the `owns` key of a document, which applies to its folder. */
export const readOwns = (
  { origin, value }: WrittenEntry,
  all: FolderClaim[],
  mistakes: Mistakes,
): void => {
  const folder = dirname(origin.file)
  const other = all.find((one) => one.folder === folder)
  if (other !== undefined)
    mistakes.addDuplicate(origin, 'owns is declared twice for this folder', other.origin)
  const regions = listItems(value).flatMap((item) => {
    const text = getWrittenText(item)
    const owned = parseOwned(text)
    if (owned === undefined)
      mistakes.add(item.origin, `"${quoteText(text)}" is not a valid address`, `Use ${ownable}.`)
    return owned ?? []
  })
  all.push({ folder, origin, regions })
}

const hasPrefix = (text: string | undefined, prefix: string): boolean =>
  text?.startsWith(prefix) === true

/** True if all of a region is certainly part of another. */
const isPart = (a: Region, b: Region): boolean => {
  if (a.scope !== b.scope) return false
  if (b.path !== undefined) return a.path === b.path
  if (b.glob === undefined) return hasPrefix(a.path ?? a.prefix, b.prefix ?? '')
  if (a.path !== undefined) return b.glob.test(a.path)
  return a.glob?.text === b.glob.text
}

/** True if two regions may have an address in common. */
const mayOverlap = (a: Region, b: Region): boolean => {
  if (a.scope !== b.scope) return false
  if (a.path !== undefined && b.path !== undefined) return a.path === b.path
  if (a.path !== undefined) return isPart(a, b)
  if (b.path !== undefined) return isPart(b, a)
  const [one = '', other = ''] = [a.prefix, b.prefix]
  return one.startsWith(other) || other.startsWith(one)
}

const isWithin = (regions: readonly Region[] | undefined, owner: FolderClaim): boolean =>
  regions?.every((region) => owner.regions.some((owned) => isPart(region, owned))) === true

/** True if a folder is the other one, or below it. */
export const isBelow = (folder: string, above: string): boolean => {
  const way = relative(above, folder)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Reports keys outside of what their folder owns, keys that another folder owns, and folders that own the same addresses. */
export const checkOwns = (
  all: readonly FolderClaim[],
  keys: readonly NamedKey[],
  mistakes: Mistakes,
): void => {
  for (const { origin, text, regions } of keys) {
    const folder = dirname(origin.file)
    for (const owner of all) {
      const at = formatOrigin(owner.origin)
      const isInside = isWithin(regions, owner)
      const isOwn = isBelow(folder, owner.folder)
      const why = isOwn
        ? `is not owned by this folder, according to owns at ${at}`
        : `is owned by ${quoteText(owner.folder)}, as declared at ${at}`
      if (isInside !== isOwn) mistakes.add(origin, `${quoteText(text)} ${why}`)
    }
  }
  for (const [i, one] of all.entries())
    for (const other of all.slice(i + 1)) checkClaimPair(one, other, mistakes)
}

/** Checks the claims of two folders. A subfolder must own a part of what its parent owns; other folders must not overlap. */
const checkClaimPair = (one: FolderClaim, other: FolderClaim, mistakes: Mistakes): void => {
  if (one.folder === other.folder) return
  const [above, below] = isBelow(one.folder, other.folder) ? [other, one] : [one, other]
  const at = formatOrigin(above.origin)
  if (isBelow(below.folder, above.folder)) {
    if (!isWithin(below.regions, above))
      mistakes.add(below.origin, `this owns more than the folder above, declared at ${at}`)
  } else if (above.regions.some((a) => below.regions.some((b) => mayOverlap(a, b))))
    mistakes.add(other.origin, `another folder owns this, declared at ${formatOrigin(one.origin)}`)
}
