/** A document of a file: its version, its instance, and the places that it speaks of. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { quoteText } from '../../base/text.js'
import { isPlacePath } from '../address.js'
import type { Said } from '../state.js'
import { takeKinds } from './kind.js'
import { DeclaredLevel } from './levels.js'
import {
  type FolderOwns,
  type LevelKey,
  type NamedKey,
  regionsOf,
  selectorOf,
  takeOwns,
} from './selectors.js'
import { type DeclaredTeam, takeTeam } from './teams.js'
import {
  isNull,
  type ReadContext,
  type Written,
  type WrittenEntry,
  type WrittenMap,
} from './written.js'

/** The content of all documents. */
export interface AllDeclared {
  instance?: Said<string>
  readonly teams: Map<string, DeclaredTeam>
  /** What folders own, and the keys that are checked against it. */
  readonly owns: FolderOwns[]
  readonly keys: NamedKey[]
  /** By form, scope and path. */
  readonly levels: Map<string, DeclaredLevel>
  /** Those that the current file speaks of. */
  readonly open: Set<DeclaredLevel>
}

interface DocumentContext extends ReadContext {
  readonly all: AllDeclared
  /** Parses the text of a key as a flow map. */
  readonly flow: (text: string) => unknown
}

/** Adds what a key says to its level. @param map undefined where the key has no map, which is a mistake */
const takeLevel = (context: DocumentContext, key: LevelKey, map: WrittenMap | undefined): void => {
  const { all } = context
  const { form, scope, path, origin } = key
  const head = form === 'below' ? `${path}/**` : path
  const text = form === 'defaults' || scope === 'site' ? form.replace('exact', 'site') : head
  all.keys.push({ origin, text, regions: regionsOf(key) })
  const id = `${form} ${scope} ${path.toLowerCase()}`
  const level = all.levels.get(id) ?? new DeclaredLevel(key)
  level.unpack()
  all.levels.set(id, level)
  all.open.add(level)
  if (map !== undefined) takeKinds(level, map, context)
}

/** The map that stands at a key; undefined where something else does, which is reported. */
const mapOf = ({ key, value }: WrittenEntry, { mistakes }: ReadContext): WrittenMap | undefined => {
  if (value.is === 'map') return value
  const hint = isNull(value) ? 'Write {} for an empty map.' : undefined
  return mistakes.mistyped(value, `${quoteText(key)} must be a map`, hint)
}

const takeVersion = (map: WrittenMap, { mistakes }: ReadContext): void => {
  const version = map.entries.find(({ key }) => key === 'version')
  if (version === undefined) mistakes.add(map.origin, 'version is missing', 'Write version: 1.')
  else if (version.value.is !== 'scalar' || version.value.value !== 1)
    mistakes.add(
      version.value.origin,
      'version must be the number 1',
      'A newer svcctl may support other versions.',
    )
}

type Take = (entry: WrittenEntry, context: DocumentContext) => void

const takeInstance: Take = ({ value, origin }, { all, mistakes }) => {
  if (value.is !== 'scalar' || typeof value.value !== 'string')
    return mistakes.mistyped(value, 'instance must be a URL')
  const { text } = value
  const address = mistakes.tried(value.origin, () =>
    text.startsWith('sandbox:') ? text : normalizeBaseUrl(text),
  )
  if (all.instance !== undefined)
    mistakes.twice(origin, 'instance is declared twice', all.instance.origin)
  else if (address !== undefined) all.instance = { value: address, origin }
}

const takeDefaults: Take = (entry, context) => {
  for (const below of mapOf(entry, context)?.entries ?? []) {
    const { key, origin } = below
    const map = key === 'projects' ? mapOf(below, context) : undefined
    if (map !== undefined)
      takeLevel(context, { form: 'defaults', scope: 'project', path: '', origin }, map)
    else if (key !== 'projects') {
      const text = `defaults can contain only projects, not ${quoteText(key)}`
      context.mistakes.unknown(below, ['projects'], undefined, text)
    }
  }
}

const groupHint =
  "Write group, group/subgroup, 'group/**' for all below it, or '**' for all groups."

/** `group`, or `group/**` and `'**'`: the group's projects, its members, and those of the groups below. */
const takeGroup: Take = (entry, context) => {
  const { key, origin } = entry
  const path = key === '**' ? '' : key.replace(/\/\*\*$/, '')
  if (key !== '**' && !isPlacePath(path))
    return context.mistakes.add(origin, `${quoteText(key)} is not the path of a group`, groupHint)
  const map = mapOf(entry, context)
  const projects = map?.entries.find((below) => below.key === 'projects')
  const own = map && { ...map, entries: map.entries.filter((below) => below !== projects) }
  if (path === key) {
    if (projects !== undefined)
      context.mistakes.add(
        projects.origin,
        'projects is not allowed under a group',
        `Put settings for all its projects under '${key}/**'.`,
      )
    return takeLevel(context, { form: 'exact', scope: 'group', path, origin }, own)
  }
  const below = projects && mapOf(projects, context)
  if (below !== undefined)
    takeLevel(context, { form: 'below', scope: 'project', path, origin }, below)
  if (own !== undefined && own.entries.length > 0)
    takeLevel(context, { form: 'below', scope: 'group', path, origin }, own)
}

const takeProject: Take = (entry, context) => {
  const { key, origin } = entry
  if (key.includes('*') || key.startsWith('{')) {
    const selector = selectorOf(key, origin, context.flow, context.mistakes)
    const map = mapOf(entry, context)
    if (selector !== undefined && map !== undefined)
      takeLevel(context, { form: 'selector', scope: 'project', path: key, origin, selector }, map)
  } else if (isPlacePath(key) && key.includes('/')) {
    const map = mapOf(entry, context)
    takeLevel(context, { form: 'exact', scope: 'project', path: key, origin }, map)
  } else {
    const hint = 'Write its full path, group/project.'
    context.mistakes.add(origin, `${quoteText(key)} is not the full path of a project`, hint)
  }
}

const takeEach =
  (take: Take): Take =>
  (entry, context) => {
    for (const below of mapOf(entry, context)?.entries ?? []) take(below, context)
  }

const takers: Readonly<Record<string, Take>> = {
  version: () => {},
  instance: takeInstance,
  defaults: takeDefaults,
  groups: takeEach(takeGroup),
  projects: takeEach(takeProject),
  owns: (entry, { all, mistakes }) => takeOwns(entry, all.owns, mistakes),
  teams: takeEach((entry, { all, mistakes }) => takeTeam(entry, all.teams, mistakes)),
  site: (entry, context) => {
    const { origin } = entry
    const map = mapOf(entry, context)
    takeLevel(context, { form: 'exact', scope: 'site', path: '', origin }, map)
  },
}

/** Adds the content of a document; what is wrong in it is reported. */
export const takeDocument = (document: Written, context: DocumentContext): void => {
  const { mistakes } = context
  if (document.is !== 'map') {
    mistakes.mistyped(document, 'a document must be a map with version: 1')
    return
  }
  takeVersion(document, context)
  const known = Object.keys(takers)
  // Any file may have been named: its keys may be lines of it.
  if (document.entries.every(({ key }) => !known.includes(key))) return
  for (const entry of document.entries) {
    const take = known.includes(entry.key) ? takers[entry.key] : undefined
    if (take !== undefined) take(entry, context)
    else mistakes.unknown(entry, known, `The keys of a document are ${known.join(', ')}.`)
  }
}
