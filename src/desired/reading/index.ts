/** Reads the instance for declared state: its places, kinds, names and IDs. Everything is read at most once. */

import { getFields, toText } from '../../base/objects.js'
import { groupMembers, type Managed } from '../../catalogue/managed.js'
import { account } from '../../catalogue/undocumented.js'
import { Breaker } from '../../engine/work/report.js'
import { Failure, isUnoffered, recoverFrom } from '../../errors.js'
import { isNumericPath, type ManagedPlace, toPlaceText } from '../address.js'
import { lower, PlaceChoice, type SelectionOptions } from '../selection.js'
import type { CurrentKind, KnownPlaces, ReadableInstance } from '../state.js'
import { NameIndex } from './names.js'
import { PlaceFinder, Places } from './places.js'
import { AnswerCache, hasList, type KindReader, readRecords, toCurrentItem } from './records.js'

/** From this number of projects on, one list of the whole instance is cheaper than a request for each project. */
const manyProjects = 4

const getPlaceKey = (place: ManagedPlace): string => lower(toPlaceText(place))

/** A cached view of the instance: each request is sent at most once a run. */
export class InstanceView {
  /** Notes for people about how the instance was read. */
  readonly notes: string[] = []
  readonly names: NameIndex
  readonly #choice: PlaceChoice
  readonly #once = new AnswerCache()
  readonly #breaker = new Breaker()
  readonly #listing: PlaceFinder
  /** The IDs of places, by their text in lower case. */
  readonly #numbers = new Map<string, number>()
  readonly #reader: KindReader
  #projects = 0
  /** The places that may have changed since lists of the whole instance were read. */
  readonly #forgotten = new Set<string>()

  constructor(
    private readonly instance: ReadableInstance,
    private readonly selection: SelectionOptions,
  ) {
    this.#choice = new PlaceChoice(selection)
    this.#reader = {
      instance,
      once: this.#once,
      note: (text) => {
        if (!this.notes.includes(text)) this.notes.push(text)
      },
      id: (place) => this.#numbers.get(getPlaceKey(place)) ?? place.path,
      isOneOfMany: (place) =>
        this.#projects >= manyProjects && !this.#forgotten.has(getPlaceKey(place)),
    }
    this.names = new NameIndex(
      this.#reader,
      (place, kind) => this.readKind(place, kind),
      () => this.#listing.all(),
    )
    this.#listing = new PlaceFinder(this.#reader, this.names, selection.withArchived === true)
  }

  /** Returns the existing places that are selected, sorted by path, and the places that could not be read. */
  async places(reach: KnownPlaces | 'everything') {
    const readMembers = (place: ManagedPlace): Promise<CurrentKind> =>
      this.readKind(place, groupMembers)
    const places = new Places(reach, this.#choice, this.#listing, readMembers)
    const found = await places.find(this.selection.missing === 'skip')
    for (const place of [...found.projects, ...found.groups])
      if (place.id !== undefined) this.#numbers.set(getPlaceKey(place), place.id)
    this.#projects = Math.max(this.#projects, found.projects.length)
    return found
  }

  /** True if the selection includes a kind in its place. */
  selected(place: ManagedPlace, kind: Managed): boolean {
    if (place.scope === 'site' && this.#choice.narrowed) return false
    return this.#choice.kind(place, kind)
  }

  /**
   * Reads a kind in its place.
   * @param keys the identities of the items to read, for kinds without a list and for desired items that the list lacks
   */
  readKind(place: ManagedPlace, kind: Managed, keys?: readonly string[]): Promise<CurrentKind> {
    const keyText = hasList(kind) ? '' : JSON.stringify(keys ?? null)
    return this.#once.ask(getPlaceKey(place), `${kind.name} ${keyText}`, () =>
      this.#readKindOnce(place, kind, keys),
    )
  }

  /** Forgets everything that was read of a place. */
  forget(place: ManagedPlace): void {
    const text = getPlaceKey(place)
    this.#once.forget(text)
    this.#forgotten.add(text)
    this.names.forget(place)
  }

  /** Returns the token's user; undefined if the instance does not say. */
  self(): Promise<{ readonly id: number; readonly username: string } | undefined> {
    return this.#once.ask('', 'self', async () => {
      try {
        const { data } = await this.instance.get({ endpoint: account, values: {} })
        const { id, username: name } = getFields(data)
        const username = toText(name)
        return username && Number.isInteger(id) ? { id: Number(id), username } : undefined
      } catch (error) {
        recoverFrom(error)
        return undefined
      }
    })
  }

  /** Finds the ID of a group whose path a request would read as an ID. @throws Failure if the ID is unknown */
  async #resolvePlaceId(place: ManagedPlace): Promise<void> {
    const text = getPlaceKey(place)
    if (!isNumericPath(place) || this.#numbers.has(text)) return
    const number = await this.names.number('group', place.path, place)
    if (number === undefined)
      throw new Failure('not_found', `cannot tell the ID of the group ${place.path}`, {
        lacks: 'record',
      })
    this.#numbers.set(text, number)
  }

  async #readKindOnce(
    place: ManagedPlace,
    kind: Managed,
    keys: readonly string[] | undefined,
  ): Promise<CurrentKind> {
    const { cause } = this.#breaker
    if (cause !== undefined) throw cause
    try {
      await this.#resolvePlaceId(place)
      const records = await readRecords(this.#reader, place, kind, keys)
      // Pages may shift while they are read, so a record can come twice. It counts as one item.
      const items = new Map(
        records.map((record) => {
          const item = toCurrentItem(kind, record)
          return [JSON.stringify([item.at, item.identity, record.id]), item]
        }),
      )
      const current: CurrentKind = { place, kind, is: 'read', items: [...items.values()] }
      await this.names.learnKind(current)
      this.#breaker.countOutcome(undefined)
      return current
    } catch (error) {
      const failure: Failure = recoverFrom(error)
      if (isUnoffered(failure)) return { place, kind, is: 'unsupported' }
      this.#breaker.countOutcome(failure)
      return { place, kind, is: 'unreadable', failure }
    }
  }
}

/** Opens a view of an instance. @param instance sends only reads */
export const openView = (
  instance: ReadableInstance,
  scoping: SelectionOptions = {},
): InstanceView => new InstanceView(instance, scoping)
