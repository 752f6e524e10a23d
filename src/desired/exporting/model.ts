/** What stands in a file, before it is text: values in their order, with lines for people. */

import { randomUUID } from 'node:crypto'
import { isJsonList, type JsonValue } from '../../base/json/value.js'
import { YamlMap } from '../../base/json/yaml-writer.js'
import { emptyClears, type Param, takesSeveral } from '../../catalogue/params.js'
import { type Address, addressText, groupsAbove, type ManagedPlace } from '../address.js'
import { type Attribute, namedValue } from '../attributes.js'
import { mayMean, meant, type Scoping } from '../selection.js'
import type { CalledBy } from '../state.js'
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
  readonly names: CalledBy
  /** What is not listed is to be deleted. */
  readonly exact: boolean
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

const lines = (value: JsonValue): JsonValue =>
  typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value

const orderOf = (value: JsonValue): string =>
  typeof value === 'number' ? String(value).padStart(20, '0') : JSON.stringify(value)

/** Lists are sets, but for those of objects, whose order may mean something. */
const listInOrder = (param: Param, list: readonly JsonValue[]): JsonValue =>
  takesSeveral(param) ? sorted(new Set(list), orderOf) : list

/** Whether an attribute that is not set is said: where files may say so, of dates in exact files only. */
const saysNull = (param: Param, { exact }: ExportOptions): boolean =>
  param.nullable === true || (exact && emptyClears(param))

/** An attribute's value as files have it; undefined where none is written. */
export const fileValue = (
  attribute: Attribute,
  value: JsonValue | undefined,
  near: ManagedPlace,
  how: ExportOptions,
): JsonValue | undefined => {
  const { param, ref } = attribute
  if (value === undefined) return undefined
  if (value === null) return saysNull(param, how) ? null : undefined
  const one = (item: JsonValue): JsonValue => {
    const named = namedValue(attribute, item, near, how.names)
    // What is no ID is nobody's: it is no name that a file may say, either.
    return ref === undefined ? lines(named) : typeof item === 'number' ? named : null
  }
  return isJsonList(value) ? listInOrder(param, value.map(one)) : one(value)
}

// What of a kind is written, where items or attributes are selected by themselves.

/** What is written of a kind. */
export interface ChosenParts {
  readonly item: (address: Address) => boolean
  /** Whether the whole of a kind is: then what is not listed may be said to be gone. */
  readonly wholly: (kind: Address) => boolean
}

/** What `--only` and `--except` say of items and attributes. */
export const chosenBy = (selection: Pick<Scoping, 'only' | 'except'>): ChosenParts => ({
  item: (address) => meant(selection, address),
  wholly: (kind) => {
    const text = addressText(kind)
    const touched = selection.except?.some((glob) => mayMean(glob, `${text}/`))
    return touched !== true && meant(selection, kind)
  },
})

// What all projects below a group share, said once for all of them.

/** The entries of a kind, by their keys, as texts. */
type Entries = ReadonlyMap<string, string>

const entriesOf = (value: FileValue): Entries =>
  new Map(
    value instanceof FileMap ? [...value.entries].map(([key, one]) => [key, packed(one)]) : [],
  )

/** What the projects below a group have alike, as far as they were looked at. */
class Alike {
  readonly group: ManagedPlace
  #projects = 0
  #kinds: ReadonlyMap<string, Entries> = new Map()

  constructor(group: ManagedPlace) {
    this.group = group
  }

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

/** Outer groups come before those within them. */
const outward = ({ path }: ManagedPlace): string =>
  `${String(path.split('/').length).padStart(3, '0')} ${path}`

/**
 * Moves what all projects below a group share up to `group/**`: of a single object its attributes, of sets
 * whole items. A group with one project below it keeps nothing. Projects are taken in one by one, and kept as
 * text, so that thousands take little room.
 */
export class Factoring {
  readonly #groups: ReadonlyMap<string, Alike>
  readonly #kept = new Map<string, string>()

  /** @param groups those of which all projects are looked at */
  constructor(groups: readonly ManagedPlace[]) {
    this.#groups = new Map(
      sorted(groups, outward).map((group) => [group.path.toLowerCase(), new Alike(group)]),
    )
  }

  /** Adds a project, also one of which nothing is written. */
  add({ path }: ManagedPlace, value: FileMap): void {
    const kinds = new Map([...value.entries].map(([kind, one]) => [kind, entriesOf(one)]))
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
