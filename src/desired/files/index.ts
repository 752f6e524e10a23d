/**
 * Reads files into the desired state. Documents are read with their positions, and keys and values are checked against the catalogue. All
 * mistakes are reported at once, and levels that apply to one place are merged.
 */

import { checkWritten } from '../../base/documents/index.js'
import { listEntries, type WrittenValue } from '../../base/documents/written.js'
import { loadFlowReader, parseDocuments } from '../../base/documents/yaml.js'
import { openHeld } from '../../base/secrets/redact.js'
import { quoteText } from '../../base/text.js'
import { decodeUtf8, findEncodingFault } from '../../base/utf8.js'
import { managedKinds } from '../../catalogue/managed.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import type { ManagedPlace } from '../address.js'
import { type DesiredKind, formatOrigin, type KnownPlaces, type SourcedValue } from '../state.js'
import { hashBytes } from '../values.js'
import { type DeclaredContent, getConfigSchema, readDocument } from './document.js'
import {
  buildLevels,
  createGroupTest,
  type DeclaredLevel,
  type ExistingPlaces,
  type Levels,
} from './levels.js'
import { checkMerged, checkRivals, type MergedKind, mergeLevels } from './merge.js'
import { Mistakes, type NamingOptions, removeEmptyValues, type SourceRules } from './nodes.js'
import { formatPath, type PathOptions, type ReadText, readNamedFiles } from './paths.js'
import { checkOwns } from './selectors.js'
import { expandTeams } from './teams.js'

/** The options for reading files. */
export interface FileOptions extends PathOptions, NamingOptions {
  /** If true, files may name other files outside of the given folder. */
  readonly allowOutside?: boolean
}

/** A place that files declare. */
export interface DesiredPlace {
  readonly place: ManagedPlace
  /** Returns the desired state of the place; it is merged anew at each call. */
  desired(): readonly DesiredKind[]
}

/** The declarations of files, independent of the places that exist. */
export interface DeclaredState {
  /** The only instance that the files apply to, if they name one. */
  readonly instance: SourcedValue<string> | undefined
  /** All files that were read, including those that files name. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[]
  readonly reach: KnownPlaces
  /** Notes for people, each with its position. */
  readonly notes: readonly string[]
  /** Lists the declared places among the existing ones, by their full paths. */
  places(known: ExistingPlaces): readonly DesiredPlace[]
  /** Lists the declarations for projects that match no existing project. */
  idle(known: ExistingPlaces): readonly string[]
}

/** True if a document is the file of a plan, which `svcctl apply` takes and which declares nothing. */
const isPlanFile = (document: WrittenValue): boolean => {
  const keys = new Set(listEntries(document).map(({ key }) => key))
  return keys.has('plan') && keys.has('actions')
}

const planHint =
  'Apply the JSON file of svcctl plan --out with svcctl apply <file>, and keep it out of folders of declared state.'

/** @param schema of documents */
const addFile = async (
  { path, bytes }: ReadText,
  schema: JsonSchema,
  all: DeclaredContent,
  rules: SourceRules,
  mistakes: Mistakes,
): Promise<void> => {
  const file = formatPath(path)
  const first = { file, line: 1, column: 1 }
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) {
    mistakes.add(first, `the file ${fault}`)
    return
  }
  const text = decodeUtf8(bytes)
  const documents = await parseDocuments(text, file, mistakes)
  if (path === '-' && documents.length > 1)
    mistakes.add(documents[1]?.origin ?? first, 'standard input must contain a single document')
  const flow = await loadFlowReader()
  for (const document of documents) {
    if (isPlanFile(document)) {
      mistakes.add(document.origin, 'this is a plan, not declared state', planHint)
      continue
    }
    const written = removeEmptyValues(document, mistakes)
    const found = mistakes.size
    checkWritten(schema, written, mistakes, text.length)
    // The rules about families have no sentences in the schema, since merging knows more about them.
    if (mistakes.size === found) readDocument(written, { mistakes, rules, all, flow })
  }
  // A name that is written with escapes does not appear in the text.
  const mayNameTeams = /team:|\\/.test(text)
  for (const level of all.open) {
    level.mayNameTeams ||= mayNameTeams
    level.pack()
  }
  all.open.clear()
}

/** Creates a function that merges levels. Places with the same levels share one result. */
const createMerger = (): ((levels: readonly DeclaredLevel[]) => readonly MergedKind[]) => {
  const ids = new Map<DeclaredLevel, number>()
  const known = new Map<string, readonly MergedKind[]>()
  return (levels) => {
    const [first] = levels
    if (first === undefined) return []
    for (const level of levels) if (!ids.has(level)) ids.set(level, ids.size)
    const key = levels.map((level) => ids.get(level)).join(' ')
    const ofScope = managedKinds.filter(({ scope }) => scope === first.key.scope)
    const merged = known.get(key) ?? mergeLevels(levels, ofScope)
    // The levels of a single place are merged only once, so that caching them would only cost memory.
    if (levels.every((level) => level.key.form !== 'exact')) known.set(key, merged)
    return merged
  }
}

const listPlaces = (
  levels: Levels,
  { projects, groups, about }: ExistingPlaces,
  mistakes: Mistakes,
): readonly DesiredPlace[] => {
  const merge = createMerger()
  const isInGroup = createGroupTest(groups)
  const at = (place: ManagedPlace, applying: readonly DeclaredLevel[]): readonly DesiredPlace[] => {
    if (applying.length === 0) return []
    const desired = () => merge(applying).map((kind) => ({ place, ...kind }))
    if (applying.some(({ key }) => key.form === 'selector'))
      for (const kind of desired()) {
        checkRivals(place, kind, mistakes)
        checkMerged(kind, mistakes)
      }
    return [{ place, desired }]
  }
  const all = [
    ...at({ scope: 'site', path: '' }, levels.site),
    ...groups.flatMap((path) => at({ scope: 'group', path }, levels.ofGroup(path))),
    ...projects.flatMap((path) =>
      at({ scope: 'project', path }, levels.ofProject(path, isInGroup(path), about?.(path))),
    ),
  ]
  mistakes.refuse()
  return all
}

const listIdle = (
  all: readonly DeclaredLevel[],
  levels: Levels,
  { projects, groups, about }: ExistingPlaces,
): readonly string[] => {
  const isInGroup = createGroupTest(groups)
  const reached = new Set(
    projects.flatMap((path) => levels.ofProject(path, isInGroup(path), about?.(path))),
  )
  return all.flatMap((level) => {
    const { form, scope, path, origin } = level.key
    if (form === 'exact' || scope !== 'project' || reached.has(level)) return []
    const at = `${formatOrigin(origin)}: `
    const below = path === '' ? '**' : `${path}/**`
    if (form !== 'defaults')
      return [`${at}${quoteText(form === 'selector' ? path : below)} matches no project`]
    const why = 'they apply only to projects under projects: or matched by a group/** key'
    return [`${at}defaults matches no project: ${why}`]
  })
}

/** Reports mistakes that only several levels together show, independently of the places that exist. */
const checkTogether = (levels: Levels, mistakes: Mistakes): void => {
  const merge = createMerger()
  for (const kind of merge(levels.site)) checkMerged(kind, mistakes)
  const { projects, below } = levels.reach
  // Each declared group is checked with an invented project below it, since the real ones are not known yet.
  const within = below.map((path) => (path === '' ? '\0/\0' : `${path}/\0`))
  for (const path of [...projects, ...within]) {
    const all = levels.ofProject(path, true)
    const own = levels.ofProject(path, false)
    for (const applying of own.length === all.length ? [all] : [all, own])
      if (applying.some((level) => level.isCheckedTogether))
        for (const kind of merge(applying)) checkMerged(kind, mistakes)
  }
}

/** Reads files and folders (`-` is standard input). @throws Failure `usage` with every mistake, each with file, line and column */
export const readFiles = async (
  paths: readonly string[],
  options: FileOptions,
): Promise<DeclaredState> => readDeclared(await readNamedFiles(paths, options), options)

/** Reads the desired state from files that were read already. @throws as `readFiles` */
export const readDeclared = async (
  texts: readonly ReadText[],
  options: FileOptions,
): Promise<DeclaredState> => {
  const held = new Map<string, string>()
  const mistakes = new Mistakes(texts.map(({ path }) => formatPath(path)))
  const folders = new Map(texts.map(({ path, folder }) => [formatPath(path), folder]))
  const rules: SourceRules = {
    ...options,
    within: (file) => (options.allowOutside === true ? undefined : (folders.get(file) ?? '.')),
    held: (path, text) => held.set(path, hashBytes(Buffer.from(openHeld(text)))),
  }
  const all: DeclaredContent = {
    levels: new Map(),
    teams: new Map(),
    owns: [],
    keys: [],
    open: new Set(),
  }
  const schema = getConfigSchema(options.allowLiteralSecrets === true)
  for (const text of texts) await addFile(text, schema, all, rules, mistakes)
  mistakes.refuse()
  expandTeams(all.levels.values(), all.teams, { owns: all.owns, mistakes })
  checkOwns(all.owns, all.keys, mistakes)
  const levels = buildLevels([...all.levels.values()])
  checkTogether(levels, mistakes)
  mistakes.refuse()
  const read = texts.map(({ path, bytes }) => ({ path, sha256: hashBytes(bytes) }))
  return {
    instance: all.instance,
    files: [...read, ...[...held].map(([path, hash]) => ({ path, sha256: hash }))],
    reach: levels.reach,
    notes: mistakes.notes,
    places: (known) => listPlaces(levels, known, mistakes),
    idle: (known) => listIdle([...all.levels.values()], levels, known),
  }
}
