/** Represents the content of an exported file, with comments for people, and writes it as YAML or JSON. */

import { randomUUID } from 'node:crypto'
import { toYaml, YamlMap } from '../../base/json/yaml-writer.js'
import { isJsonList, type JsonValue } from '../../base/objects.js'
import { getParamFormat, isClearedByEmpty, isListParam, isText } from '../../catalogue/params.js'
import { type Address, listParentGroups, type ManagedPlace, toAddressText } from '../address.js'
import { type Attribute, toNamedValue } from '../attributes.js'
import { isSelected, mayMatch, type SelectionOptions } from '../selection.js'
import type { NameFinder } from '../state.js'
import { compareTexts } from '../values.js'

/** A value of a file. */
export type FileValue = JsonValue | FileMap | readonly (JsonValue | FileMap)[]

/** A map of a file: its entries in order, and remarks below them about values that cannot be entries. */
export class FileMap extends YamlMap<FileValue> {}

/** The content under a place's key. With `all` it applies to everything below a group, and its key ends in `/**`. */
export interface FileSection {
  readonly place: ManagedPlace
  readonly all?: true
  readonly value: FileMap
}

/** Converts a value to JSON, without the remarks for people. */
export const toPlainValue = (value: FileValue): JsonValue => {
  if (value instanceof FileMap)
    return Object.fromEntries([...value.entries].map(([key, one]) => [key, toPlainValue(one)]))
  return Array.isArray(value)
    ? value.map((one: FileValue) => toPlainValue(one))
    : (value as JsonValue)
}

/** Sorts a list by a text of each item. The order is the same on every system. */
export const sortByText = <T>(list: Iterable<T>, by: (one: T) => string): readonly T[] =>
  [...list].sort((a, b) => compareTexts(by(a), by(b)))

/** The marker of a map in packed text; it is random, so that no value of an instance looks like it. */
const isMap = `map ${randomUUID()}`

/** Packs a value into text, which takes a fraction of the memory and can be compared. */
const packFileValue = (value: FileValue): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one instanceof FileMap ? [isMap, [...one.entries], one.remarks] : one,
  )

/** Returns the value of a packed text. */
const parsePackedValue = (text: string): FileValue =>
  JSON.parse(text, (_, one: unknown) =>
    Array.isArray(one) && one[0] === isMap ? new FileMap(one[1], one[2]) : one,
  ) as FileValue

// The values of attributes in files: names in place of numbers, and sets in order.

/** The options of an export. */
export interface ExportOptions {
  readonly names: NameFinder
  /** True if items that are not listed are to be deleted: the export writes `$exact`. */
  readonly exact: boolean
  /** If true, attributes that are not set are written as null where files permit it. */
  readonly unset?: boolean
  /** If true, rules match by ID, since a label may change. */
  readonly byId?: boolean
  /** If true, operational attributes are exported, too. */
  readonly operational: boolean
  /** If true, undocumented settings are exported, too. */
  readonly allSettings: boolean
  /** Called with the number of undocumented settings that are left out. */
  readonly leftOut?: (count: number) => void
  readonly chosen: ChosenParts
  /** True if kinds were named on the command line; then each of them must be read, whatever the token. */
  readonly asked: boolean
}

/** Returns an attribute's value as files write it; undefined if it is not written. */
export const exportValue = (
  attribute: Attribute,
  value: JsonValue | undefined,
  near: ManagedPlace,
  { names, exact, unset }: ExportOptions,
): JsonValue | undefined => {
  const { param, ref } = attribute
  if (value === undefined) return undefined
  // A null is written if the parameter accepts it. For dates that are cleared by an empty text, only exact files have it.
  const writesNull = param.nullable === true || (exact && isClearedByEmpty(param))
  if (value === null && unset === true && isListParam(param)) return []
  if (value === null) return writesNull || (unset === true && isText(param)) ? null : undefined
  // An empty URL means none, and files express that as null.
  if (value === '' && (getParamFormat(param) ?? 'text') !== 'text') return null
  const toNamed = (item: JsonValue): JsonValue => {
    const named = toNamedValue(attribute, item, near, names)
    // A reference without an ID refers to nothing, and no name in a file could express it.
    if (ref !== undefined) return typeof item === 'number' ? named : null
    return typeof named === 'string' ? named.replace(/\r\n?/g, '\n') : named
  }
  if (!isJsonList(value)) return toNamed(value)
  // Lists are sorted as sets, except for lists of objects, whose order may matter.
  const list = value.map(toNamed)
  if (!isListParam(param)) return list
  return sortByText(new Set(list), (item) =>
    typeof item === 'number' ? String(item).padStart(20, '0') : JSON.stringify(item),
  )
}

// The parts of a kind that are written if items or attributes are selected one by one.

/** The selected parts of a kind. */
export interface ChosenParts {
  readonly item: (address: Address) => boolean
  /** True if a kind is selected as a whole; then the file may say that items not listed are to be deleted. */
  readonly wholly: (kind: Address) => boolean
}

/** Returns the items and attributes that `--only` and `--except` select. */
export const createChosenParts = (
  selection: Pick<SelectionOptions, 'only' | 'except'>,
): ChosenParts => ({
  item: (address) => isSelected(selection, address),
  wholly: (kind) => {
    const text = toAddressText(kind)
    const excludesItems = selection.except?.some((glob) => mayMatch(glob, `${text}/`))
    return excludesItems !== true && isSelected(selection, kind)
  },
})

// The text of a document.

/** The name of the schema file for editors. The reader of folders skips it, since its name begins with a dot. */
export const schemaFile = '.schema.json'

/** The line that marks a file as written by export; only such a file may be overwritten. */
export const writtenHere = '# written by svcctl export'

/**
 * Returns the first lines of a YAML document.
 * @param path of its file below the export folder; undefined for a single document
 */
export const createOpening = (path?: string): string => {
  // The comment refers editors to the schema in the folder. A single document names the command that prints it.
  const schema =
    path === undefined
      ? '# what may stand here: svcctl explain --config-schema'
      : `# yaml-language-server: $schema=${'../'.repeat(path.split('/').length - 1)}${schemaFile}`
  return `${schema}\n${writtenHere}\nversion: 1\n`
}

/** The keys of a document, in their order. */
const sections = { site: 'site', group: 'groups', project: 'projects' } as const

const getSectionKey = ({ place, all }: FileSection): string =>
  all === true ? `${place.path}/**` : place.path

/** Writes a document section by section, in the order of its keys. */
export interface DocumentWriter {
  /** Returns the text of the next section. Sections of one scope must follow each other. */
  add(section: FileSection): string
  /** Returns the text that ends the document. */
  end(): string
}

/** Creates a writer of YAML with remarks for people. @param path of the file, if it is one of a folder */
export const createYamlWriter = (path?: string): DocumentWriter => {
  const opening = createOpening(path)
  let scope: ManagedPlace['scope'] | undefined
  return {
    add: (section) => {
      const begun = scope === undefined ? opening : ''
      const heading = scope === section.place.scope ? '' : `${sections[section.place.scope]}:\n`
      scope = section.place.scope
      const { value } = section
      const body = scope === 'site' ? value : new FileMap([[getSectionKey(section), value]])
      // The content of a key is indented.
      const text = toYaml(body, { shortList: 72 }).replace(/^(?=[^\n])/gm, '  ')
      return `${begun}${heading}${text}`
    },
    end: () => (scope === undefined ? opening : ''),
  }
}

/** Creates a writer of JSON. @param pretty true to indent it for people */
export const createJsonWriter = (pretty: boolean): DocumentWriter => {
  const space = pretty ? ' ' : ''
  const breakLine = (depth: number): string => (pretty ? `\n${'  '.repeat(depth)}` : '')
  const formatJson = (value: FileValue, depth: number): string =>
    JSON.stringify(toPlainValue(value), null, pretty ? 2 : 0).replaceAll('\n', breakLine(depth))
  const field = (name: string, text: string): string => `${JSON.stringify(name)}:${space}${text}`
  let scope: ManagedPlace['scope'] | undefined
  const closeScope = (): string =>
    scope === undefined || scope === 'site' ? '' : `${breakLine(1)}}`
  return {
    add: (section) => {
      const before = scope === undefined ? `{${breakLine(1)}${field('version', '1')}` : ''
      const same = scope === section.place.scope
      const heading = same ? ',' : `${closeScope()},${breakLine(1)}`
      scope = section.place.scope
      if (scope === 'site')
        return `${before}${heading}${field('site', formatJson(section.value, 1))}`
      const opened = same ? '' : field(sections[scope], '{')
      return `${before}${heading}${opened}${breakLine(2)}${field(getSectionKey(section), formatJson(section.value, 2))}`
    },
    end: () =>
      scope === undefined
        ? `{${breakLine(1)}${field('version', '1')}${breakLine(0)}}\n`
        : `${closeScope()}${breakLine(0)}}\n`,
  }
}

/** Returns the whole text of a document. */
export const formatDocument = (writer: DocumentWriter, list: readonly FileSection[]): string =>
  list.map((section) => writer.add(section)).join('') + writer.end()

// Common entries: what all projects below a group share is written once for the group.

/** The entries of a kind as packed texts, by their keys. */
type Entries = ReadonlyMap<string, string>

/** Tracks the entries that all projects below a group have in common, among those added so far. */
class CommonEntries {
  #projects = 0
  #kinds: ReadonlyMap<string, Entries> = new Map()

  constructor(readonly group: ManagedPlace) {}

  add(kinds: ReadonlyMap<string, Entries>): void {
    this.#projects += 1
    const before = this.#projects === 1 ? kinds : this.#kinds
    this.#kinds = new Map(
      [...before].flatMap(([kind, entries]) => {
        const others = kinds.get(kind)
        const left = [...entries].filter(([key, text]) => others?.get(key) === text)
        return left.length === 0 ? [] : [[kind, new Map(left)] as const]
      }),
    )
  }

  /** The common entries by kind. A single project does not show what its group has in common, so there are none then. */
  get kinds(): ReadonlyMap<string, Entries> {
    return this.#projects > 1 ? this.#kinds : new Map()
  }
}

/**
 * Moves everything that all projects below a group share up to `group/**`: the attributes of single objects, and whole items of sets. A
 * group with only one project gets nothing. Projects are added one by one and kept as packed text, to save memory.
 */
export class CommonItemFinder {
  readonly #groups: ReadonlyMap<string, CommonEntries>
  readonly #kept = new Map<string, string>()

  /** @param groups the groups whose projects are all exported */
  constructor(groups: readonly ManagedPlace[]) {
    // Outer groups come before the groups inside them.
    const getSortKey = ({ path }: ManagedPlace): string =>
      `${String(path.split('/').length).padStart(3, '0')} ${path}`
    this.#groups = new Map(
      sortByText(groups, getSortKey).map((group) => [
        group.path.toLowerCase(),
        new CommonEntries(group),
      ]),
    )
  }

  /** Adds a project, even if nothing of it is written. */
  add({ path }: ManagedPlace, value: FileMap): void {
    const packEntries = (one: FileValue): Entries => {
      const entries = one instanceof FileMap ? [...one.entries] : []
      return new Map(entries.map(([key, inner]) => [key, packFileValue(inner)]))
    }
    const kinds = new Map([...value.entries].map(([kind, one]) => [kind, packEntries(one)]))
    for (const group of listParentGroups(path.toLowerCase())) this.#groups.get(group)?.add(kinds)
    this.#kept.set(path, packFileValue(value))
  }

  /** Returns the sections of groups, the outer groups first. */
  shared(): readonly FileSection[] {
    return [...this.#groups.values()].flatMap((alike): FileSection[] => {
      const kinds = [...alike.kinds].flatMap(([kind, entries]): [string, FileMap][] => {
        const inherited = this.#listInheritedKeys(alike.group, kind)
        const left = [...entries].filter(([key]) => !inherited.has(key))
        if (left.length === 0) return []
        return [[kind, new FileMap(left.map(([key, text]) => [key, parsePackedValue(text)]))]]
      })
      if (kinds.length === 0) return []
      const value = new FileMap([['projects', new FileMap(kinds)]])
      return [{ place: alike.group, all: true, value }]
    })
  }

  /** Returns the part of a project that its groups do not declare; undefined if they declare all of it. */
  own(place: ManagedPlace): FileSection | undefined {
    const kept = this.#kept.get(place.path)
    this.#kept.delete(place.path)
    const whole = kept === undefined ? undefined : parsePackedValue(kept)
    if (!(whole instanceof FileMap)) return undefined
    const kinds = [...whole.entries].flatMap(([kind, value]): [string, FileValue][] => {
      if (!(value instanceof FileMap)) return [[kind, value]]
      const inherited = this.#listInheritedKeys(place, kind)
      const rest = [...value.entries].filter(([key]) => !inherited.has(key))
      if (inherited.size === 0) return [[kind, value]]
      return rest.length === 0 ? [] : [[kind, new FileMap(rest, value.remarks)]]
    })
    return kinds.length === 0 ? undefined : { place, value: new FileMap(kinds) }
  }

  /** Returns the keys of a kind that the groups above a place already declare. */
  #listInheritedKeys(place: ManagedPlace, kind: string): ReadonlySet<string> {
    const groups = listParentGroups(place.path.toLowerCase()).flatMap(
      (path) => this.#groups.get(path) ?? [],
    )
    return new Set(groups.flatMap(({ kinds }) => [...(kinds.get(kind)?.keys() ?? [])]))
  }
}
