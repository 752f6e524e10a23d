/** Reads a document of a declared file (its version, instance and places), and builds its JSON Schema for editors. */
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
import { addKinds, buildKindSchemas, buildPlaceSchema } from './kind.js'
import { DeclaredLevel } from './levels.js'
import { inherit, type ReadContext, textSchema } from './nodes.js'
import { heldSchema, secretSchema } from './secret.js'
import {
  type FolderClaim,
  type LevelKey,
  listKeyRegions,
  type NamedKey,
  ownsSchema,
  parseSelector,
  readOwns,
} from './selectors.js'
import { type DeclaredTeam, readTeam, teamsSchema } from './teams.js'

/** The content of all documents. */
export interface DeclaredContent {
  instance?: SourcedValue<string>
  readonly teams: Map<string, DeclaredTeam>
  /** The addresses that folders own, and the keys that are checked against them. */
  readonly owns: FolderClaim[]
  readonly keys: NamedKey[]
  /** The declarations by form, scope and path of their key. */
  readonly levels: Map<string, DeclaredLevel>
  /** The levels that the current file has declarations for. */
  readonly open: Set<DeclaredLevel>
}

interface DocumentContext extends ReadContext {
  readonly all: DeclaredContent
  /** Parses the text of a key as a flow map. */
  readonly flow: (text: string) => unknown
}

/** Adds the declarations under a key to its level. @param map undefined if the key has no map, which was reported */
const addLevel = (context: DocumentContext, key: LevelKey, map: WrittenMap | undefined): void => {
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
  if (map !== undefined) addKinds(level, map, context)
}

/** Returns the map under a key; undefined for any other value, which is reported. */
const requireMap = (
  { key, value }: WrittenEntry,
  { mistakes }: ReadContext,
): WrittenMap | undefined => {
  if (value.is === 'map') return value
  const hint = isNull(value) ? 'Write {} for an empty map.' : undefined
  return mistakes.mistyped(value, `${quoteText(key)} must be a map`, hint)
}

type EntryReader = (entry: WrittenEntry, context: DocumentContext) => void

const readInstance: EntryReader = ({ value, origin }, { all, mistakes }) => {
  if (value.is !== 'scalar' || typeof value.value !== 'string')
    return mistakes.mistyped(value, 'instance must be a URL')
  const { text } = value
  const address = mistakes.tried(value.origin, () =>
    text.startsWith('sandbox:') ? text : normalizeBaseUrl(text),
  )
  if (all.instance !== undefined)
    mistakes.addDuplicate(origin, 'instance is declared twice', all.instance.origin)
  else if (address !== undefined) all.instance = { value: address, origin }
}

const readDefaults: EntryReader = (below, context) => {
  const { key, origin } = below
  const text = `defaults can contain only projects, not ${quoteText(key)}`
  if (key !== 'projects') return context.mistakes.unknown(below, ['projects'], undefined, text)
  const map = requireMap(below, context)
  if (map !== undefined)
    addLevel(context, { form: 'defaults', scope: 'project', path: '', origin }, map)
}

const groupHint =
  "Write group, group/subgroup, 'group/**' for all below it, or '**' for all groups."

/** Adds the declarations of a group. `group/**` and `'**'` declare the projects, the members, and those of the groups below. */
const readGroup: EntryReader = (entry, context) => {
  const { key, origin } = entry
  const { mistakes } = context
  const path = key === '**' ? '' : key.replace(/\/\*\*$/, '')
  if (key !== '**' && !isPlacePath(path))
    return mistakes.add(origin, `${quoteText(key)} is not the path of a group`, groupHint)
  const map = requireMap(entry, context)
  const projects = map?.entries.find((below) => below.key === 'projects')
  const own = map && { ...map, entries: map.entries.filter((below) => below !== projects) }
  if (path === key) {
    const hint = `Put settings for all its projects under '${key}/**'.`
    if (projects !== undefined)
      mistakes.add(projects.origin, 'projects is not allowed under a group', hint)
    return addLevel(context, { form: 'exact', scope: 'group', path, origin }, own)
  }
  const below = projects && requireMap(projects, context)
  if (below !== undefined)
    addLevel(context, { form: 'below', scope: 'project', path, origin }, below)
  if (own !== undefined && own.entries.length > 0)
    addLevel(context, { form: 'below', scope: 'group', path, origin }, own)
}

const readProject: EntryReader = (entry, context) => {
  const { key: path, origin } = entry
  const { flow, mistakes } = context
  if (path.includes('*') || path.startsWith('{')) {
    const selector = parseSelector(path, origin, flow, mistakes)
    const map = requireMap(entry, context)
    if (selector !== undefined && map !== undefined)
      addLevel(context, { form: 'selector', scope: 'project', path, origin, selector }, map)
  } else if (isPlacePath(path) && path.includes('/'))
    addLevel(context, { form: 'exact', scope: 'project', path, origin }, requireMap(entry, context))
  else {
    const hint = 'Write its full path, group/project.'
    mistakes.add(origin, `${quoteText(path)} is not the full path of a project`, hint)
  }
}

const readEach =
  (read: EntryReader): EntryReader =>
  (entry, context) => {
    for (const below of requireMap(entry, context)?.entries ?? []) read(below, context)
  }

// Patterns of paths, for editors.

const segment = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+'
const path = `${segment}(?:/${segment})*`
const createReference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

/** Builds the schema of `'**'` and `group/**`, which also have the projects below. */
const buildBelowSchema = (): JsonSchema => {
  const kinds = Object.keys(buildKindSchemas('group'))
  const own = Object.fromEntries(
    kinds.map((name) => [name, createReference(`group/properties/${name}`)]),
  )
  const properties = { $inherit: inherit, ...own, projects: createReference('project') }
  return { type: 'object', properties, additionalProperties: false }
}

/** The keys of a document, each with its schema and its reader. */
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
      take: readInstance,
    },
    owns: {
      schema: () => ownsSchema,
      take: (entry, { all, mistakes }) => readOwns(entry, all.owns, mistakes),
    },
    teams: {
      schema: () => teamsSchema,
      take: readEach((entry, { all, mistakes }) => readTeam(entry, all.teams, mistakes)),
    },
    defaults: {
      schema: () => ({
        type: 'object',
        properties: { projects: createReference('project') },
        additionalProperties: false,
        description: 'settings of every project that another key names or matches',
      }),
      take: readEach(readDefaults),
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
      take: readEach(readGroup),
    },
    projects: {
      schema: () => ({
        type: 'object',
        propertyNames: { pattern: `^(?:${segment}/${path}|\\{.*\\}|(?=.*\\*)[\\w.*/-]+)$` },
        additionalProperties: createReference('project'),
        description:
          "projects by full path, by a glob ('group/*'), or by '{topic: name, visibility: public, path: glob, not: glob}'",
      }),
      take: readEach(readProject),
    },
    site: {
      schema: () => ({ ...createReference('site'), description: 'the instance itself' }),
      take: (entry, context) => {
        const site = { form: 'exact', scope: 'site', path: '', origin: entry.origin } as const
        addLevel(context, site, requireMap(entry, context))
      },
    },
  }

/** Adds the content of a document, and reports its mistakes. */
export const readDocument = (document: WrittenValue, context: DocumentContext): undefined => {
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
  // The file may not be a declaration at all. Its keys may then be secret lines, so they are not quoted.
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

/** Builds the schema that export writes beside the files. It has no `$id`, since it is not published under an address. */
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
    site: buildPlaceSchema('site'),
    group: buildPlaceSchema('group'),
    project: buildPlaceSchema('project'),
    name: {
      ...textSchema,
      minLength: 1,
      description: "a name or an ID; write '@123' for a name of digits",
    },
    held: heldSchema,
    secret: secretSchema,
  },
})
