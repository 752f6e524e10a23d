/** What all projects below a group share, said once for all of them. */
import type { ManagedPlace } from '../address.js'
import type { FileSection } from './document.js'
import { comparable, FileMap, type FileValue, sorted } from './model.js'

/** A project with what was seen of it, be it nothing. */
export interface SeenProject {
  readonly place: ManagedPlace
  readonly value: FileMap
}

/** What is said of all projects below groups, and of each besides. */
interface Factored {
  readonly shared: readonly FileSection[]
  readonly own: readonly FileSection[]
}

/** What is left to say of a project: of each kind its entries, by their keys. */
interface Left {
  readonly place: ManagedPlace
  readonly kinds: Map<string, FileValue>
}

const entriesOf = (value: FileValue | undefined): ReadonlyMap<string, FileValue> =>
  value instanceof FileMap ? value.entries : new Map()

/** The entries of the first that all others have alike. */
const common = (kind: string, first: Left, others: readonly Left[]): FileMap => {
  const all = others.map(({ kinds }) => entriesOf(kinds.get(kind)))
  return new FileMap(
    [...entriesOf(first.kinds.get(kind))].filter(([key, value]) => {
      const text = comparable(value)
      return all.every((entries) => {
        const other = entries.get(key)
        return other !== undefined && comparable(other) === text
      })
    }),
  )
}

const take = (left: Left, kind: string, shared: FileMap): void => {
  const value = left.kinds.get(kind)
  if (!(value instanceof FileMap)) return
  const rest = [...value.entries].filter(([key]) => !shared.entries.has(key))
  if (rest.length === 0) left.kinds.delete(kind)
  else left.kinds.set(kind, new FileMap(rest, value.remarks))
}

/** What the projects below a group share, taken out of each. */
const sharedBy = (below: readonly Left[]): FileMap | undefined => {
  const [first, ...others] = below
  // What one project is says nothing of its group.
  if (first === undefined || others.length === 0) return undefined
  const kinds = [...first.kinds.keys()].flatMap((kind): [string, FileMap][] => {
    const shared = common(kind, first, others)
    if (shared.entries.size === 0) return []
    for (const left of below) take(left, kind, shared)
    return [[kind, shared]]
  })
  return kinds.length === 0 ? undefined : new FileMap(kinds)
}

const isBelow = (project: ManagedPlace, group: ManagedPlace): boolean =>
  project.path.toLowerCase().startsWith(`${group.path.toLowerCase()}/`)

/** Outer groups come before those within them. */
const outward = ({ path }: ManagedPlace): string =>
  `${String(path.split('/').length).padStart(3, '0')} ${path}`

/**
 * Moves what all projects below a group share up to `group/**`: of a single object its attributes, of sets
 * whole items. A group with one project below it keeps nothing.
 * @param parts all projects that there are below the groups
 * @param groups those of which all projects were looked at
 */
export const factored = (
  parts: readonly SeenProject[],
  groups: readonly ManagedPlace[],
): Factored => {
  const lefts = parts.map(({ place, value }): Left => ({ place, kinds: new Map(value.entries) }))
  const shared = sorted(groups, outward).flatMap((group): FileSection[] => {
    const value = sharedBy(lefts.filter(({ place }) => isBelow(place, group)))
    if (value === undefined) return []
    return [{ place: group, all: true, value: new FileMap([['projects', value]]) }]
  })
  const own = lefts.flatMap(({ place, kinds }): FileSection[] =>
    kinds.size === 0 ? [] : [{ place, value: new FileMap(kinds) }],
  )
  return { shared, own }
}
