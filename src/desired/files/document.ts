/** A document of a file: its version and instance, and what it says of which places. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { quoteText } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import { isPlacePath } from '../address.js'
import { originText, type SaidOnce } from '../wishes.js'
import { takeKinds } from './kind.js'
import { DeclaredLevel } from './levels.js'
import { type FolderOwns, type NamedKey, regionsOf, selectorOf, takeOwns } from './selectors.js'
import { type DeclaredTeam, takeTeam } from './teams.js'
import { type Judging, sort, type Written, type WrittenEntry, type WrittenMap } from './written.js'

/** What all documents say together. */
export interface AllDeclared {
  instance?: SaidOnce<string>
  readonly teams: Map<string, DeclaredTeam>
  /** What folders own, and the keys that are held to it. */
  readonly owns: FolderOwns[]
  readonly keys: NamedKey[]
  /** By form, scope and path. */
  readonly levels: Map<string, DeclaredLevel>
  /** Those that the file at hand speaks of. */
  readonly open: Set<DeclaredLevel>
}

interface Context extends Judging {
  readonly kinds: readonly Managed[]
  readonly all: AllDeclared
  /** Reads a flow map that is the text of a key. */
  readonly flow: (text: string) => unknown
}

const levelOf = (
  { all }: Context,
  form: DeclaredLevel['form'],
  scope: ManagedScope,
  { path, origin, selector }: Pick<DeclaredLevel, 'path' | 'origin' | 'selector'>,
): DeclaredLevel => {
  const key = `${form} ${scope} ${path.toLowerCase()}`
  const head = form === 'below' ? `${path}/**` : path
  const text = form === 'defaults' || scope === 'site' ? form.replace('exact', 'site') : head
  all.keys.push({ origin, text, regions: regionsOf({ form, scope, path, selector }) })
  const level = all.levels.get(key) ?? new DeclaredLevel({ form, scope, path, origin, selector })
  level.unpack()
  all.levels.set(key, level)
  all.open.add(level)
  return level
}

/** The map that stands at a key; undefined where something else does, which is reported. */
const mapOf = ({ key, value }: WrittenEntry, { mistakes }: Judging): WrittenMap | undefined => {
  if (value.is === 'map') return value
  const isNothing = value.is === 'scalar' && value.value === null
  mistakes.add(
    value.origin,
    `${quoteText(key)} takes a map, not ${quoteText(sort(value))}`,
    isNothing ? 'What has nothing to say is written {}.' : undefined,
  )
  return undefined
}

const takeVersion = (map: WrittenMap, { mistakes }: Judging): void => {
  const version = map.entries.find(({ key }) => key === 'version')
  if (version === undefined) mistakes.add(map.origin, 'version is missing', 'Write version: 1.')
  else if (version.value.is !== 'scalar' || version.value.value !== 1)
    mistakes.add(
      version.value.origin,
      'version takes the number 1',
      'A newer svcctl may know others.',
    )
}

const takeInstance = ({ value, origin }: WrittenEntry, { all, mistakes }: Context): void => {
  if (value.is !== 'scalar' || typeof value.value !== 'string') {
    mistakes.add(value.origin, `instance takes an address, not ${quoteText(sort(value))}`)
    return
  }
  const { text } = value
  const address = mistakes.tried(value.origin, () =>
    text.startsWith('sandbox:') ? text : normalizeBaseUrl(text),
  )
  if (all.instance !== undefined)
    mistakes.add(
      origin,
      `instance is said a second time, first at ${originText(all.instance.origin)}`,
    )
  else if (address !== undefined) all.instance = { value: address, origin }
}

const takeDefaults = (entry: WrittenEntry, context: Context): void => {
  for (const below of mapOf(entry, context)?.entries ?? []) {
    const map = below.key === 'projects' ? mapOf(below, context) : undefined
    if (map !== undefined)
      takeKinds(
        levelOf(context, 'defaults', 'project', { path: '', origin: below.origin }),
        map,
        context.kinds,
        context,
      )
    else if (below.key !== 'projects')
      context.mistakes.add(
        below.origin,
        `defaults takes projects, not ${quoteText(below.key)}`,
        didYouMean(below.key, ['projects']),
      )
  }
}

/** `group/**`, or `'**'`: the group's projects, its members, and those of the groups below. */
const takeBelow = (path: string, entry: WrittenEntry, context: Context): void => {
  const map = mapOf(entry, context)
  if (map === undefined) return
  const place = { path, origin: entry.origin }
  const projects = map.entries.find(({ key }) => key === 'projects')
  const kinds = projects === undefined ? undefined : mapOf(projects, context)
  if (kinds !== undefined)
    takeKinds(levelOf(context, 'below', 'project', place), kinds, context.kinds, context)
  const entries = map.entries.filter(({ key }) => key !== 'projects')
  if (entries.length > 0)
    takeKinds(
      levelOf(context, 'below', 'group', place),
      { ...map, entries },
      context.kinds,
      context,
    )
}

const groupHint =
  "Write group, group/subgroup, 'group/**' for all below it, or '**' for all groups."

const takeGroup = (entry: WrittenEntry, context: Context): void => {
  const { key, origin } = entry
  const path = key === '**' ? '' : key.replace(/\/\*\*$/, '')
  if (key !== '**' && !isPlacePath(path))
    context.mistakes.add(origin, `${quoteText(key)} is no path of a group`, groupHint)
  else if (path === key) takeOneGroup(entry, context)
  else takeBelow(path, entry, context)
}

const takeOneGroup = (entry: WrittenEntry, context: Context): void => {
  const { key, origin } = entry
  const map = mapOf(entry, context)
  const projects = map?.entries.find((below) => below.key === 'projects')
  if (projects !== undefined)
    context.mistakes.add(
      projects.origin,
      'projects does not stand under a group itself',
      `What all projects below it get stands under '${key}/**'.`,
    )
  const entries = map?.entries.filter((below) => below.key !== 'projects') ?? []
  const level = levelOf(context, 'exact', 'group', { path: key, origin })
  if (map !== undefined) takeKinds(level, { ...map, entries }, context.kinds, context)
}

const takeSelected = (entry: WrittenEntry, context: Context): void => {
  const { key, origin } = entry
  const selector = selectorOf(key, origin, context.flow, context.mistakes)
  const map = mapOf(entry, context)
  if (selector === undefined || map === undefined) return
  const level = levelOf(context, 'selector', 'project', { path: key, origin, selector })
  takeKinds(level, map, context.kinds, context)
}

const takeProject = (entry: WrittenEntry, context: Context): void => {
  const { key, origin } = entry
  if (key.includes('*') || key.startsWith('{')) {
    takeSelected(entry, context)
    return
  }
  if (!isPlacePath(key) || !key.includes('/')) {
    const hint = 'Write its full path, group/project.'
    context.mistakes.add(origin, `${quoteText(key)} is no full path of a project`, hint)
    return
  }
  const map = mapOf(entry, context)
  const level = levelOf(context, 'exact', 'project', { path: key, origin })
  if (map !== undefined) takeKinds(level, map, context.kinds, context)
}

const takeSite = (entry: WrittenEntry, context: Context): void => {
  const map = mapOf(entry, context)
  const level = levelOf(context, 'exact', 'site', { path: '', origin: entry.origin })
  if (map !== undefined) takeKinds(level, map, context.kinds, context)
}

const takeEach =
  (take: Take): Take =>
  (entry, context) => {
    for (const below of mapOf(entry, context)?.entries ?? []) take(below, context)
  }

type Take = (entry: WrittenEntry, context: Context) => void

const takers: Readonly<Record<string, Take>> = {
  version: () => {},
  instance: takeInstance,
  defaults: takeDefaults,
  groups: takeEach(takeGroup),
  projects: takeEach(takeProject),
  owns: (entry, { all, mistakes }) => takeOwns(entry, all.owns, mistakes),
  teams: takeEach((entry, { all, mistakes }) => takeTeam(entry, all.teams, mistakes)),
  site: takeSite,
}

const takeUnknown: Take = ({ key, origin }, { mistakes }) => {
  const known = Object.keys(takers)
  mistakes.add(
    origin,
    `${quoteText(key)} is not known here`,
    didYouMean(key, known) ?? `A document has ${known.join(', ')}.`,
  )
}

/** Adds what a document says; what is wrong in it is reported. */
export const takeDocument = (document: Written, context: Context): void => {
  if (document.is !== 'map') {
    context.mistakes.add(
      document.origin,
      `a document is a map with version: 1, not ${quoteText(sort(document))}`,
    )
    return
  }
  takeVersion(document, context)
  // Whatever file was named: its keys may be lines of it.
  if (document.entries.every(({ key }) => !Object.hasOwn(takers, key))) return
  for (const entry of document.entries) {
    const take = Object.hasOwn(takers, entry.key) ? takers[entry.key] : undefined
    ;(take ?? takeUnknown)(entry, context)
  }
}
