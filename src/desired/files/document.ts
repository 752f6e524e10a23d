/** Builds the JSON Schema of a declared file, and reads its documents: their version, instance and places. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { isRefused } from '../../base/documents/sentences.js'
import {
  getWrittenText,
  listEntries,
  type WrittenEntry,
  type WrittenValue,
} from '../../base/documents/written.js'
import { getFields, isObject, mapValues, tryParseJson } from '../../base/objects.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { isPlacePath } from '../address.js'
import type { SourcedValue } from '../state.js'
import { addKinds, buildPlaceSchema } from './kind.js'
import { DeclaredLevel } from './levels.js'
import { type ReadContext, textSchema } from './nodes.js'
import { buildSecretSchema, heldSchema } from './secret.js'
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

/** Adds the declarations under a key to its level. */
const addLevel = (
  context: DocumentContext,
  key: LevelKey,
  entries: readonly WrittenEntry[],
): void => {
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
  addKinds(level, entries, context)
}

type EntryReader = (entry: WrittenEntry, context: DocumentContext) => void

const readInstance: EntryReader = ({ value, origin }, { all, mistakes }) => {
  const text = getWrittenText(value)
  const address = mistakes.tried(value.origin, () =>
    text.startsWith('sandbox:') ? text : normalizeBaseUrl(text),
  )
  if (all.instance !== undefined)
    mistakes.addDuplicate(origin, 'instance is declared twice', all.instance.origin)
  else if (address !== undefined) all.instance = { value: address, origin }
}

const readDefaults: EntryReader = ({ origin, value }, context) =>
  addLevel(context, { form: 'defaults', scope: 'project', path: '', origin }, listEntries(value))

/** Adds the declarations of a group. `group/**` and `'**'` declare the projects, the members, and those of the groups below. */
const readGroup: EntryReader = ({ key, origin, value }, context) => {
  const path = key === '**' ? '' : key.replace(/\/\*\*$/, '')
  const entries = listEntries(value)
  if (path === key)
    return addLevel(context, { form: 'exact', scope: 'group', path, origin }, entries)
  const projects = entries.find((below) => below.key === 'projects')
  const own = entries.filter((below) => below !== projects)
  const below = { form: 'below', path, origin } as const
  if (projects !== undefined)
    addLevel(context, { ...below, scope: 'project' }, listEntries(projects.value))
  if (own.length > 0) addLevel(context, { ...below, scope: 'group' }, own)
}

const readProject: EntryReader = ({ key: path, origin, value }, context) => {
  const { flow, mistakes } = context
  const isExact = isPlacePath(path)
  const selector = isExact ? undefined : parseSelector(path, origin, flow, mistakes)
  const form = isExact ? 'exact' : 'selector'
  if (isExact || selector !== undefined)
    addLevel(context, { form, scope: 'project', path, origin, selector }, listEntries(value))
}

const readEach =
  (read: EntryReader): EntryReader =>
  ({ value }, context) => {
    for (const below of listEntries(value)) read(below, context)
  }

// Patterns of paths.

const segment = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9_.-]+'
const path = `${segment}(?:/${segment})*`
const createReference = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` })

/** Builds the schema of `'**'` and `group/**`: that of a group, with the projects below. */
const buildBelowSchema = (): JsonSchema => {
  const { properties, ...place } = buildPlaceSchema('group')
  const own = Object.entries(getFields(properties)).map(([name, schema]) =>
    // A refused key keeps its schema, by which messages know that it is no choice.
    isObject(schema) && isRefused(schema)
      ? [name, schema]
      : [name, createReference(`group/properties/${name}`)],
  )
  const projects = createReference('project')
  return { ...place, properties: { ...Object.fromEntries(own), projects } }
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
        propertyNames: {
          pattern: `^(?:\\*\\*|${path}(?:/\\*\\*)?)$`,
          title: 'path of a group',
          description: "group, group/subgroup, 'group/**' for all below it, or '**' for all groups",
        },
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
        propertyNames: {
          pattern: `^(?:${segment}/${path}|\\{.*\\}|(?=.*\\*)[\\w.*/-]+)$`,
          title: 'path or pattern of projects',
          description: `group/project, a glob such as 'group/*', or '{topic: name, path: "group/**"}'`,
        },
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
        addLevel(context, site, listEntries(entry.value))
      },
    },
  }

/** Adds the content of a document, which matches the schema, and reports mistakes in its meaning. */
export const readDocument = (document: WrittenValue, context: DocumentContext): void => {
  for (const entry of listEntries(document)) documentKeys[entry.key]?.take(entry, context)
}

// The format of the files as JSON Schema: files are read by it, and editors use it.

const title = 'a file of declared state'
/** The title of the schema that former versions wrote beside the files. */
const formerTitle = 'svcctl: an instance as code'

/** True if a text is a schema of these files, of any version. */
export const isConfigSchema = (text: string): boolean => {
  const value = getFields(tryParseJson(text))
  return value.title === title || value.title === formerTitle
}

/**
 * Builds the schema of declared files. It has no `$id`, since it is not published under an address.
 * @param allowsLiterals true if secrets may be written out in files
 */
export const buildConfigSchema = (allowsLiterals = false): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: mapValues(documentKeys, (key) => key.schema()),
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
    secret: buildSecretSchema(allowsLiterals),
  },
})

const known = new Map<boolean, JsonSchema>()

/** Returns the schema that files are read by. It is built once, so that it is compiled once. */
export const getConfigSchema = (allowsLiterals: boolean): JsonSchema => {
  const schema = known.get(allowsLiterals) ?? buildConfigSchema(allowsLiterals)
  known.set(allowsLiterals, schema)
  return schema
}
