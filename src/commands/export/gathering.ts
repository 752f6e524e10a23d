/** What each place of an export says: as it is looked at, or once all are, less what they have in common. */
import { shelve } from '../../base/shelves.js'
import type { ManagedPlace } from '../../desired/address.js'
import type { Exporting, FileSection, LookedAt } from '../../desired/exporting/index.js'
import type { ReadableInstance } from '../../desired/instance.js'
import type { InstanceSight, ProjectPlace } from '../../desired/reading/sight.js'
import type { UnreadParts } from './telling.js'

/** What an export goes by. */
export interface ExportRun {
  readonly instance: ReadableInstance
  readonly sight: InstanceSight
  readonly how: Exporting
  readonly unread: UnreadParts
  /** Told of each place that was looked at. */
  readonly step: () => void
  /** Whether there are so few places that their kinds are asked for side by side. */
  readonly few: boolean
}

/** What is written of a place. */
export interface SaidOfPlace {
  readonly sections: readonly FileSection[]
  /** Whether all of it could be read. */
  readonly whole: boolean
}

export type SayPlace = (place: ManagedPlace) => Promise<SaidOfPlace>

/** A place as a key of a map. */
const keyOf = ({ scope, path }: ManagedPlace): string => `${scope} ${path}`

const look = async ({ sight, how, unread, step, few }: ExportRun, place: ManagedPlace) => {
  const { lookAt } = await import('../../desired/exporting/index.js')
  const seen = await lookAt(sight, place, how, few)
  unread.looked(seen)
  step()
  return seen
}

const said = ({ section, unread }: LookedAt): SaidOfPlace => ({
  sections: section === undefined ? [] : [section],
  whole: unread.length === 0,
})

/** Looks at each place when it is its turn, and keeps nothing. */
export const oneByOne =
  (run: ExportRun): SayPlace =>
  async (place) =>
    said(await look(run, place))

/** The groups that a project is in; none of a person's own. */
const above = ({ path, namespace }: ProjectPlace): readonly string[] => {
  if (namespace !== 'group') return []
  const parts = path.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
}

/**
 * The groups that projects are in, all of whose projects are looked at.
 * @param roots paths of the groups that were selected; none where everything is
 */
export const groupsAbove = (
  projects: readonly ProjectPlace[],
  roots: readonly string[],
): readonly ManagedPlace[] => {
  const paths = new Map(projects.flatMap(above).map((path) => [path.toLowerCase(), path]))
  const lower = roots.map((root) => `${root.toLowerCase()}/`)
  return [...paths].flatMap(([key, path]): ManagedPlace[] =>
    lower.length === 0 || lower.some((root) => `${key}/`.startsWith(root))
      ? [{ scope: 'group', path }]
      : [],
  )
}

/** Looks at all places first: what all projects below a group share is said of the group. */
export const inCommon = async (
  run: ExportRun,
  places: readonly ManagedPlace[],
  groups: readonly ManagedPlace[],
): Promise<SayPlace> => {
  const { Factoring, FileMap } = await import('../../desired/exporting/index.js')
  const factoring = new Factoring(groups)
  const sections = new Map<string, FileSection[]>()
  const partly = new Set<string>()
  await run.instance.each(places, async (place) => {
    const { section, unread } = await look(run, place)
    if (unread.length > 0) partly.add(keyOf(place))
    if (place.scope === 'project') factoring.add(place, section?.value ?? new FileMap([]))
    else if (section !== undefined) sections.set(keyOf(place), [section])
  })
  for (const section of factoring.shared()) shelve(sections, keyOf(section.place), section)
  return async (place) => {
    const own = place.scope === 'project' ? factoring.own(place) : undefined
    return {
      sections: own === undefined ? (sections.get(keyOf(place)) ?? []) : [own],
      whole: !partly.has(keyOf(place)),
    }
  }
}
