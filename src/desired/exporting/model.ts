/** The content of a file: values in their order, with comments for people, and the text that is made of them. */

import { randomUUID } from 'node:crypto'
import { YamlMap, yamlText } from '../../base/json/yaml-writer.js'
import { isJsonList, type JsonValue } from '../../base/objects.js'
import { emptyClears, formatOf, isText, takesSeveral } from '../../catalogue/params.js'
import { type Address, addressText, groupsAbove, type ManagedPlace } from '../address.js'
import { type Attribute, namedValue } from '../attributes.js'
import { mayMean, meant, type SelectionOptions } from '../selection.js'
import type { NameFinder } from '../state.js'
import { byText } from '../values.js'

/** A value of a file. */
export type FileValue = JsonValue | FileMap | readonly (JsonValue | FileMap)[]

/** A map of a file: its entries in order, and below them what cannot be an entry. */
export class FileMap extends YamlMap<FileValue> {}

/** What stands under a place's key. `all`: of what is below a group, its key ends in `/**`. */
export interface FileSection {
  readonly place: ManagedPlace
  readonly all?: true
  readonly value: FileMap
}

/** The value as JSON has it: what is said to people is left out. */
export const plain = (value: FileValue): JsonValue => {
  if (value instanceof FileMap)
    return Object.fromEntries([...value.entries].map(([key, one]) => [key, plain(one)]))
  return Array.isArray(value) ? value.map((one: FileValue) => plain(one)) : (value as JsonValue)
}

/** Sorted by a text of each, the same wherever it runs. */
export const sorted = <T>(list: Iterable<T>, by: (one: T) => string): readonly T[] =>
  [...list].sort((a, b) => byText(by(a), by(b)))

/** What a map is in a text that is kept: no value of an instance looks so. */
const isMap = `map ${randomUUID()}`

/** A value as text, which takes a fraction of the room, and tells it apart from others. */
const packed = (value: FileValue): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one instanceof FileMap ? [isMap, [...one.entries], one.remarks] : one,
  )

/** The value of a text that was made here. */
const unpacked = (text: string): FileValue =>
  JSON.parse(text, (_, one: unknown) =>
    Array.isArray(one) && one[0] === isMap ? new FileMap(one[1], one[2]) : one,
  ) as FileValue

// A value of an attribute, as a file has it: names for numbers, sets in order.

/** What is written, where it is not the same for everybody. */
export interface ExportOptions {
  readonly names: NameFinder
  /** What is not listed is to be deleted. */
  readonly exact: boolean
  /** Whatever is not set is said to be so, where files may say that. */
  readonly unset?: boolean
  /** Exporting things are run, too. */
  readonly operational: boolean
  /** Settings that the documents do not have, too. */
  readonly allSettings: boolean
  /** Told how many undocumented settings are left out. */
  readonly leftOut?: (count: number) => void
  readonly chosen: ChosenParts
  /** Whether kinds were named: then each is to be read, whatever the token. */
  readonly asked: boolean
}

/** An attribute's value as files have it; undefined where none is written. */
export const fileValue = (
  attribute: Attribute,
  value: JsonValue | undefined,
  near: ManagedPlace,
  { names, exact, unset }: ExportOptions,
): JsonValue | undefined => {
  const { param, ref } = attribute
  if (value === undefined) return undefined
  // What is not set is said where files may say so, of dates in exact files only.
  const saysNull = param.nullable === true || (exact && emptyClears(param))
  if (value === null && unset === true && takesSeveral(param)) return []
  if (value === null) return saysNull || (unset === true && isText(param)) ? null : undefined
  // An empty URL is none, and files take no empty text for null.
  if (value === '' && (formatOf(param) ?? 'text') !== 'text') return null
  const one = (item: JsonValue): JsonValue => {
    const named = namedValue(attribute, item, near, names)
    // What is no ID is nobody's: it is no name that a file may say, either.
    if (ref !== undefined) return typeof item === 'number' ? named : null
    return typeof named === 'string' ? named.replace(/\r\n?/g, '\n') : named
  }
  if (!isJsonList(value)) return one(value)
  // Lists are sets, but for those of objects, whose order may mean something.
  const list = value.map(one)
  if (!takesSeveral(param)) return list
  return sorted(new Set(list), (item) =>
    typeof item === 'number' ? String(item).padStart(20, '0') : JSON.stringify(item),
  )
}

// What of a kind is written, where items or attributes are selected by themselves.

/** What is written of a kind. */
export interface ChosenParts {
  readonly item: (address: Address) => boolean
  /** Whether the whole of a kind is: then what is not listed may be said to be gone. */
  readonly wholly: (kind: Address) => boolean
}

/** What `--only` and `--except` say of items and attributes. */
export const chosenBy = (selection: Pick<SelectionOptions, 'only' | 'except'>): ChosenParts => ({
  item: (address) => meant(selection, address),
  wholly: (kind) => {
    const text = addressText(kind)
    const touched = selection.except?.some((glob) => mayMean(glob, `${text}/`))
    return touched !== true && meant(selection, kind)
  },
})

// The text of a document.

/**
 * The schema beside the files of a folder, where editors find what they may hold; what begins with a dot is no
 * file that declares anything.
 */
export const schemaFile = '.schema.json'

/** What files say that were written here: such a one may be written anew. */
export const writtenHere = '# written by svcctl export'

/**
 * What a document of YAML begins with.
 * @param path of its file below the folder of an export; undefined of one by itself
 */
export const openingOf = (path?: string): string => {
  // For editors: the schema beside it, or, of a document by itself, where there is one.
  const schema =
    path === undefined
      ? '# what may stand here: svcctl explain --config-schema'
      : `# yaml-language-server: $schema=${'../'.repeat(path.split('/').length - 1)}${schemaFile}`
  return `${schema}\n${writtenHere}\nversion: 1\n`
}

/** The keys of a document, in their order. */
const sections = { site: 'site', group: 'groups', project: 'projects' } as const

const keyOf = ({ place, all }: FileSection): string =>
  all === true ? `${place.path}/**` : place.path

/** Writes a document section by section, in the order of its keys. */
export interface DocumentWriter {
  /** The text of the next section; sections of one scope follow each other. */
  add(section: FileSection): string
  /** What ends the document. */
  end(): string
}

/** YAML, with what is said to people. @param path of its file, where it is one of a folder */
export const yamlWriter = (path?: string): DocumentWriter => {
  const opening = openingOf(path)
  let scope: ManagedPlace['scope'] | undefined
  return {
    add: (section) => {
      const begun = scope === undefined ? opening : ''
      const heading = scope === section.place.scope ? '' : `${sections[section.place.scope]}:\n`
      scope = section.place.scope
      const { value } = section
      const body = scope === 'site' ? value : new FileMap([[keyOf(section), value]])
      // Below a key each line stands further in.
      const text = yamlText(body, { shortList: 72 }).replace(/^(?=[^\n])/gm, '  ')
      return `${begun}${heading}${text}`
    },
    end: () => (scope === undefined ? opening : ''),
  }
}

/** JSON: pretty where people read it. */
export const jsonWriter = (pretty: boolean): DocumentWriter => {
  const space = pretty ? ' ' : ''
  const line = (depth: number): string => (pretty ? `\n${'  '.repeat(depth)}` : '')
  const json = (value: FileValue, depth: number): string =>
    JSON.stringify(plain(value), null, pretty ? 2 : 0).replaceAll('\n', line(depth))
  const field = (name: string, text: string): string => `${JSON.stringify(name)}:${space}${text}`
  let scope: ManagedPlace['scope'] | undefined
  const closed = (): string => (scope === undefined || scope === 'site' ? '' : `${line(1)}}`)
  return {
    add: (section) => {
      const before = scope === undefined ? `{${line(1)}${field('version', '1')}` : ''
      const same = scope === section.place.scope
      const heading = same ? ',' : `${closed()},${line(1)}`
      scope = section.place.scope
      if (scope === 'site') return `${before}${heading}${field('site', json(section.value, 1))}`
      const opened = same ? '' : field(sections[scope], '{')
      return `${before}${heading}${opened}${line(2)}${field(keyOf(section), json(section.value, 2))}`
    },
    end: () =>
      scope === undefined
        ? `{${line(1)}${field('version', '1')}${line(0)}}\n`
        : `${closed()}${line(0)}}\n`,
  }
}

/** The whole text of a document. */
export const documentOf = (writer: DocumentWriter, list: readonly FileSection[]): string =>
  list.map((section) => writer.add(section)).join('') + writer.end()

// What all projects below a group share, said once for all of them.

/** The entries of a kind, by their keys, as texts. */
type Entries = ReadonlyMap<string, string>

/** The entries that all projects below a group have in common, of those that were added so far. */
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

  /** Their keys by kinds. What one project is says nothing of its group. */
  get kinds(): ReadonlyMap<string, Entries> {
    return this.#projects > 1 ? this.#kinds : new Map()
  }
}

/**
 * Moves what all projects below a group share up to `group/**`: of a single object its attributes, of sets
 * whole items. A group with one project below it keeps nothing. Projects are taken in one by one, and kept as
 * text, so that thousands take little room.
 */
export class CommonItemFinder {
  readonly #groups: ReadonlyMap<string, CommonEntries>
  readonly #kept = new Map<string, string>()

  /** @param groups those of which all projects are looked at */
  constructor(groups: readonly ManagedPlace[]) {
    // Outer groups come before those within them.
    const outward = ({ path }: ManagedPlace): string =>
      `${String(path.split('/').length).padStart(3, '0')} ${path}`
    this.#groups = new Map(
      sorted(groups, outward).map((group) => [group.path.toLowerCase(), new CommonEntries(group)]),
    )
  }

  /** Adds a project, also one of which nothing is written. */
  add({ path }: ManagedPlace, value: FileMap): void {
    const textsOf = (one: FileValue): Entries => {
      const entries = one instanceof FileMap ? [...one.entries] : []
      return new Map(entries.map(([key, inner]) => [key, packed(inner)]))
    }
    const kinds = new Map([...value.entries].map(([kind, one]) => [kind, textsOf(one)]))
    for (const group of groupsAbove(path.toLowerCase())) this.#groups.get(group)?.add(kinds)
    this.#kept.set(path, packed(value))
  }

  /** What is said of groups, the outer ones first. */
  shared(): readonly FileSection[] {
    return [...this.#groups.values()].flatMap((alike): FileSection[] => {
      const kinds = [...alike.kinds].flatMap(([kind, entries]): [string, FileMap][] => {
        const said = this.#saidAbove(alike.group, kind)
        const left = [...entries].filter(([key]) => !said.has(key))
        if (left.length === 0) return []
        return [[kind, new FileMap(left.map(([key, text]) => [key, unpacked(text)]))]]
      })
      if (kinds.length === 0) return []
      const value = new FileMap([['projects', new FileMap(kinds)]])
      return [{ place: alike.group, all: true, value }]
    })
  }

  /** What is left to say of a project; undefined where its groups say it all. */
  own(place: ManagedPlace): FileSection | undefined {
    const kept = this.#kept.get(place.path)
    this.#kept.delete(place.path)
    const whole = kept === undefined ? undefined : unpacked(kept)
    if (!(whole instanceof FileMap)) return undefined
    const kinds = [...whole.entries].flatMap(([kind, value]): [string, FileValue][] => {
      if (!(value instanceof FileMap)) return [[kind, value]]
      const said = this.#saidAbove(place, kind)
      const rest = [...value.entries].filter(([key]) => !said.has(key))
      if (said.size === 0) return [[kind, value]]
      return rest.length === 0 ? [] : [[kind, new FileMap(rest, value.remarks)]]
    })
    return kinds.length === 0 ? undefined : { place, value: new FileMap(kinds) }
  }

  /** The keys that the groups above a place say of a kind. */
  #saidAbove(place: ManagedPlace, kind: string): ReadonlySet<string> {
    const groups = groupsAbove(place.path.toLowerCase()).flatMap(
      (path) => this.#groups.get(path) ?? [],
    )
    return new Set(groups.flatMap(({ kinds }) => [...(kinds.get(kind)?.keys() ?? [])]))
  }
}
