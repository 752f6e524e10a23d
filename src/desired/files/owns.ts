/** `owns`: the addresses that the files of a folder alone may name, held to the keys of all files. */
import { dirname, relative, sep } from 'node:path'
import { quoted } from '../../base/quoted.js'
import type { ManagedScope } from '../../catalogue/managed/managed.js'
import { isPlacePath } from '../address.js'
import { type Origin, originText } from '../wishes.js'
import type { DeclaredLevel } from './declared.js'
import type { Mistakes } from './mistakes.js'
import { pathGlob } from './selectors.js'
import type { Written, WrittenEntry } from './written.js'

/** Addresses of a scope: one path, all that begin so, or all that fit a glob, which begin so as well. */
interface Region {
  readonly scope: ManagedScope
  readonly path?: string
  /** What all of them begin with; everything that begins so is one, unless there is a glob. */
  readonly prefix?: string
  readonly glob?: { readonly text: string; readonly test: (path: string) => boolean }
}

/** What a folder owns, and where it says so. */
export interface FolderOwns {
  readonly folder: string
  readonly origin: Origin
  readonly regions: readonly Region[]
}

/** A key of a file: what it may be about; nothing of one that may be about anything. */
export interface NamedKey {
  readonly origin: Origin
  readonly text: string
  readonly regions: readonly Region[] | undefined
}

/** The group itself, or with all below it. */
const ofGroup = (path: string, isTree: boolean): readonly Region[] => [
  { scope: 'group', path },
  ...(isTree
    ? [
        { scope: 'group', prefix: `${path}/` } as const,
        { scope: 'project', prefix: `${path}/` } as const,
      ]
    : []),
]

/** A glob that everything fits which begins so is no more than its beginning. */
const ofGlob = (text: string): readonly Region[] | undefined => {
  const glob = pathGlob(text)
  if (glob === undefined) return undefined
  const prefix = glob.literal
  const isAll = /^[^*]*(?:(?<=\/|^)\*\*|\*\/\*\*)$/.test(text)
  return [
    { scope: 'project', prefix, glob: isAll ? undefined : { ...glob, text: text.toLowerCase() } },
  ]
}

const ownedBy = (given: string): readonly Region[] | undefined => {
  const text = given.toLowerCase()
  if (text === 'site') return [{ scope: 'site', path: '' }]
  const [, head, path = ''] = /^(groups|projects)\/(.+)$/.exec(text) ?? []
  if (head === 'groups') {
    const group = path.replace(/\/\*\*$/, '')
    return isPlacePath(group) ? ofGroup(group, group !== path) : undefined
  }
  if (head === undefined) return undefined
  if (path.includes('*')) return ofGlob(path)
  return isPlacePath(path) && path.includes('/') ? [{ scope: 'project', path }] : undefined
}

/** What a key of a level may be about. */
export const regionsOf = ({
  form,
  scope,
  path,
  selector,
}: Pick<DeclaredLevel, 'form' | 'scope' | 'path' | 'selector'>): NamedKey['regions'] => {
  const lower = path.toLowerCase()
  if (form === 'exact') return [{ scope, path: lower }]
  if (form === 'defaults' || (form === 'below' && path === '')) return undefined
  if (form === 'below') return ofGroup(lower, true).filter((region) => region.scope === scope)
  const globs = selector?.globs ?? []
  return globs.length === 0 ? undefined : globs.flatMap(({ text }) => ofGlob(text) ?? [])
}

/** Takes what a document says that its folder owns. */
export const takeOwns = (
  { origin, value }: WrittenEntry,
  all: FolderOwns[],
  mistakes: Mistakes,
): void => {
  const folder = dirname(origin.file)
  const other = all.find((one) => one.folder === folder)
  if (other !== undefined) {
    const first = originText(other.origin)
    mistakes.add(origin, `owns is said a second time for this folder, first at ${first}`)
  }
  const items: readonly Written[] = value.is === 'list' ? value.items : []
  if (items.length === 0) mistakes.add(value.origin, 'owns takes a list of addresses', hint)
  const regions = items.flatMap((item) => {
    const text = item.is === 'scalar' ? item.text : ''
    const owned = ownedBy(text)
    if (owned === undefined) mistakes.add(item.origin, `owns takes no "${quoted(text)}"`, hint)
    return owned ?? []
  })
  all.push({ folder, origin, regions })
}

const hint = 'Write site, groups/name, groups/name/**, projects/group/name or projects/group/**.'

const begins = (text: string | undefined, prefix: string): boolean =>
  text?.startsWith(prefix) === true

/** Whether all of a region is provably part of another. */
const isPart = (a: Region, b: Region): boolean => {
  if (a.scope !== b.scope) return false
  if (b.path !== undefined) return a.path === b.path
  if (b.glob === undefined) return begins(a.path ?? a.prefix, b.prefix ?? '')
  if (a.path !== undefined) return b.glob.test(a.path)
  return a.glob?.text === b.glob.text
}

/** Whether two regions may have an address in common. */
const mayMeet = (a: Region, b: Region): boolean => {
  if (a.scope !== b.scope) return false
  if (a.path !== undefined && b.path !== undefined) return a.path === b.path
  if (a.path !== undefined) return isPart(a, b)
  if (b.path !== undefined) return isPart(b, a)
  const [one = '', other = ''] = [a.prefix, b.prefix]
  return one.startsWith(other) || other.startsWith(one)
}

const isWithin = (regions: readonly Region[] | undefined, owner: FolderOwns): boolean =>
  regions?.every((region) => owner.regions.some((owned) => isPart(region, owned))) === true

/** Whether a folder is another, or below it. */
export const isBelow = (folder: string, above: string): boolean => {
  const way = relative(above, folder)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

/** Reports keys outside of what their folder owns, or inside of what another does, and folders that share. */
export const checkOwns = (
  all: readonly FolderOwns[],
  keys: readonly NamedKey[],
  mistakes: Mistakes,
): void => {
  for (const { origin, text, regions } of keys) {
    const folder = dirname(origin.file)
    for (const owner of all) {
      const at = originText(owner.origin)
      const isInside = isWithin(regions, owner)
      if (isBelow(folder, owner.folder)) {
        if (!isInside)
          mistakes.add(origin, `${quoted(text)} is not among what this folder owns by ${at}`)
      } else if (isInside)
        mistakes.add(
          origin,
          `${quoted(text)} is owned by ${quoted(owner.folder)}, as said at ${at}`,
        )
    }
  }
  for (const [i, one] of all.entries())
    for (const other of all.slice(i + 1)) checkPair(one, other, mistakes)
}

/** A folder below narrows what the one above owns; others have nothing in common. */
const checkPair = (one: FolderOwns, other: FolderOwns, mistakes: Mistakes): void => {
  if (one.folder === other.folder) return
  const [above, below] = isBelow(one.folder, other.folder) ? [other, one] : [one, other]
  const at = originText(above.origin)
  if (isBelow(below.folder, above.folder)) {
    if (!isWithin(below.regions, above))
      mistakes.add(below.origin, `this owns more than the folder above it, by ${at}`)
  } else if (above.regions.some((a) => below.regions.some((b) => mayMeet(a, b))))
    mistakes.add(other.origin, `this owns what another folder owns, by ${originText(one.origin)}`)
}
