/** What all projects below a group share, said once for all of them. */
import { groupsAbove, type ManagedPlace } from '../address.js'
import type { FileSection } from './document.js'
import { comparable, FileMap, type FileValue, packed, sorted, unpacked } from './model.js'

/** The entries of a kind, by their keys, each with the text that it is compared by. */
type Entries = Map<string, { readonly value: FileValue; readonly text: string }>

const entriesOf = (value: FileValue): Entries =>
  new Map(
    value instanceof FileMap
      ? [...value.entries].map(([key, one]) => [key, { value: one, text: comparable(one) }])
      : [],
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
        const left = [...entries].filter(([key, { text }]) => others?.get(key)?.text === text)
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
        return [[kind, new FileMap(left.map(([key, { value }]) => [key, value]))]]
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
