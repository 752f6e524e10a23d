/** A document of a file (its version, its instance, its places): its JSON schema for editors, and how it is read. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import {
  isNull,
  type WrittenEntry,
  type WrittenMap,
  type WrittenValue,
} from '../../base/documents/written.js'
import { isObject } from '../../base/objects.js'
import { quoteText } from '../../base/text.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { isPlacePath } from '../address.js'
import type { SourcedValue } from '../state.js'
import { buildKindSchemas, placeSchema, takeKinds } from './kind.js'
import { DeclaredLevel } from './levels.js'
import { inherit, type ReadContext } from './nodes.js'
import { heldSchema, secretSchema } from './secret.js'
import {
  type FolderClaim,
  type LevelKey,
  listKeyRegions,
  type NamedKey,
  ownsSchema,
  parseSelector,
  takeOwns,
} from './selectors.js'
import { type DeclaredTeam, takeTeam, teamsSchema } from './teams.js'

/** The content of all documents. */
export interface DeclaredContent {
  instance?: SourcedValue<string>
  readonly teams: Map<string, DeclaredTeam>
  /** The addresses that folders own, and the keys that are checked against them. */
  readonly owns: FolderClaim[]
  readonly keys: NamedKey[]
  /** By form, scope and path. */
  readonly levels: Map<string, DeclaredLevel>
  /** The levels that the current file has declarations for. */
  readonly open: Set<DeclaredLevel>
}

interface DocumentContext extends ReadContext {
  readonly all: DeclaredContent
  /** Parses the text of a key as a flow map. */
  readonly flow: (text: string) => unknown
}

/** Adds what a key says to its level. @param map undefined where the key has no map, which is a mistake */
const takeLevel = (context: DocumentContext, key: LevelKey, map: WrittenMap | undefined): void => {
  const { all } = context
  const { form, scope, path, origin } = key
  const head = form === 'below' ? `${path}/**` : path
  const text = form === 'defaults' || scope === 'site' ? form.replace('exact', 'site') : head
  all.keys.push({ origin, text, regions: listKeyRegions(key) })
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

type EntryReader = (entry: WrittenEntry, context: DocumentContext) => void

const takeInstance: EntryReader = ({ value, origin }, { all, mistakes }) => {
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

const takeDefaults: EntryReader = (below, context) => {
  const { key, origin } = below
  const text = `defaults can contain only projects, not ${quoteText(key)}`
  if (key !== 'projects') return context.mistakes.unknown(below, ['projects'], undefined, text)
  const map = mapOf(below, context)
  if (map !== undefined)
    takeLevel(context, { form: 'defaults', scope: 'project', path: '', origin }, map)
}

const groupHint =
  "Write group, group/subgroup, 'group/**' for all below it, or '**' for all groups."

/** `group`, or `group/**` and `'**'`: the group's projects, its members, and those of the groups below. */
const takeGroup: EntryReader = (entry, context) => {
  const { key, origin } = entry
  const { mistakes } = context
  const path = key === '**' ? '' : key.replace(/\/\*\*$/, '')
  if (key !== '**' && !isPlacePath(path))
    return mistakes.add(origin, `${quoteText(key)} is not the path of a group`, groupHint)
  const map = mapOf(entry, context)
  const projects = map?.entries.find((below) => below.key === 'projects')
  const own = map && { ...map, entries: map.entries.filter((below) => below !== projects) }
  if (path === key) {
    const hint = `Put settings for all its projects under '${key}/**'.`
    if (projects !== undefined)
      mistakes.add(projects.origin, 'projects is not allowed under a group', hint)
    return takeLevel(context, { form: 'exact', scope: 'group', path, origin }, own)
  }
  const below = projects && mapOf(projects, context)
  if (below !== undefined)
    takeLevel(context, { form: 'below', scope: 'project', path, origin }, below)
  if (own !== undefined && own.entries.length > 0)
    takeLevel(context, { form: 'below', scope: 'group', path, origin }, own)
}

const takeProject: EntryReader = (entry, context) => {
  const { key: path, origin } = entry
  const { flow, mistakes } = context
  if (path.includes('*') || path.startsWith('{')) {
    const selector = parseSelector(path, origin, flow, mistakes)
    const map = mapOf(entry, context)
    if (selector !== undefined && map !== undefined)
      takeLevel(context, { form: 'selector', scope: 'project', path, origin, selector }, map)
  } else if (isPlacePath(path) && path.includes('/'))
    takeLevel(context, { form: 'exact', scope: 'project', path, origin }, mapOf(entry, context))
  else {
    const hint = 'Write its full path, group/project.'
    mistakes.add(origin, `${quoteText(path)} is not the full path of a project`, hint)
  }
}

const takeEach =
  (take: EntryReader): EntryReader =>
  (entry, context) => {
    for (const below of mapOf(entry, context)?.entries ?? []) take(below, context)
  }

// Where paths may stand, for editors.

const segment = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+'
const path = `${segment}(?:/${segment})*`
const createReference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

/** `'**'` and `group/**`: the projects below as well. */
const buildBelowSchema = (): JsonSchema => {
  const kinds = Object.keys(buildKindSchemas('group'))
  const own = Object.fromEntries(
    kinds.map((name) => [name, createReference(`group/properties/${name}`)]),
  )
  const properties = { $inherit: inherit, ...own, projects: createReference('project') }
  return { type: 'object', properties, additionalProperties: false }
}

/** The keys of a document: how editors know each, and how it is taken. */
const documentKeys: Readonly<Record<string, { schema(): JsonSchema; readonly take: EntryReader }>> =
  {
    version: {
      schema: () => ({ const: 1, description: 'version of the file format' }),
      take: () => {},
    },
    instance: {
      schema: () => ({
        type: 'string',
        description: 'URL of the only instance that the file applies to',
      }),
      take: takeInstance,
    },
    owns: {
      schema: () => ownsSchema,
      take: (entry, { all, mistakes }) => takeOwns(entry, all.owns, mistakes),
    },
    teams: {
      schema: () => teamsSchema,
      take: takeEach((entry, { all, mistakes }) => takeTeam(entry, all.teams, mistakes)),
    },
    defaults: {
      schema: () => ({
        type: 'object',
        properties: { projects: createReference('project') },
        additionalProperties: false,
        description: 'settings of every project that another key names or matches',
      }),
      take: takeEach(takeDefaults),
    },
    groups: {
      schema: () => ({
        type: 'object',
        propertyNames: { pattern: `^(?:\\*\\*|${path}(?:/\\*\\*)?)$` },
        patternProperties: { '\\*\\*$': buildBelowSchema() },
        additionalProperties: createReference('group'),
        description:
          "groups by full path; 'group/**' matches the group and everything below it, '**' everything",
      }),
      take: takeEach(takeGroup),
    },
    projects: {
      schema: () => ({
        type: 'object',
        propertyNames: { pattern: `^(?:${segment}/${path}|\\{.*\\}|(?=.*\\*)[\\w.*/-]+)$` },
        additionalProperties: createReference('project'),
        description:
          "projects by full path, by a glob ('group/*'), or by '{topic: name, visibility: public, path: glob, not: glob}'",
      }),
      take: takeEach(takeProject),
    },
    site: {
      schema: () => ({ ...createReference('site'), description: 'the instance itself' }),
      take: (entry, context) => {
        const site = { form: 'exact', scope: 'site', path: '', origin: entry.origin } as const
        takeLevel(context, site, mapOf(entry, context))
      },
    },
  }

/** Adds the content of a document; what is wrong in it is reported. */
export const takeDocument = (document: WrittenValue, context: DocumentContext): undefined => {
  const { mistakes } = context
  if (document.is !== 'map')
    return mistakes.mistyped(document, 'a document must be a map with version: 1')
  const { entries, origin } = document
  const version = entries.find(({ key }) => key === 'version')?.value
  if (version === undefined) mistakes.add(origin, 'version is missing', 'Write version: 1.')
  else if (version.is !== 'scalar' || version.value !== 1) {
    const hint = 'A newer svcctl may support other versions.'
    mistakes.add(version.origin, 'version must be the number 1', hint)
  }
  const known = Object.keys(documentKeys)
  // Any file may have been named: its keys may be lines of it.
  if (entries.every(({ key }) => !known.includes(key))) return undefined
  for (const entry of entries) {
    const form = known.includes(entry.key) ? documentKeys[entry.key] : undefined
    if (form !== undefined) form.take(entry, context)
    else mistakes.unknown(entry, known, `The keys of a document are ${known.join(', ')}.`)
  }
}

// The format of the files as JSON Schema, for editors.

const title = 'svcctl: an instance as code'

/** True if a text is a schema of these files, of any version. */
export const isConfigSchema = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && value.title === title
  } catch {
    return false
  }
}

/** The schema that a file of declared state keeps. It has no address: it stands beside the files. */
export const buildConfigSchema = (): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(documentKeys).map(([name, key]) => [name, key.schema()]),
  ),
  required: ['version'],
  additionalProperties: false,
  $defs: {
    site: placeSchema('site'),
    group: placeSchema('group'),
    project: placeSchema('project'),
    name: {
      type: ['string', 'integer'],
      description: "a name or an ID; write '@123' for a name of digits",
    },
    held: heldSchema,
    secret: secretSchema,
  },
})
