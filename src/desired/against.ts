/** A plan held against that of the same files at another commit: what changed, and what is no longer declared. */
import { type Address, addressText, placeText } from './address.js'
import type { PlanEntry } from './entries.js'
import type { DesiredPlace } from './files/index.js'
import type { Wish, WishedItem } from './wishes.js'

export interface PlanComparison {
  /** What is shown: what the files did not want alike before. */
  readonly entries: readonly PlanEntry[]
  /** How many actions they wanted before as well. */
  readonly standing: number
  /** Actions that they wanted before, and no longer. */
  readonly dropped: readonly string[]
  /** What they declared, and no longer do: it is left as it is. */
  readonly undeclared: readonly string[]
}

/** What a plan says of an item, wherever it is said. */
const textOf = ({ is, full, text, changes }: PlanEntry): string =>
  JSON.stringify([
    ...[is, full, text],
    changes.map(({ attribute, wanted, secret, within }) => [
      ...[attribute, wanted, within],
      secret !== undefined && ('literal' in secret ? 'literal' : secret),
    ]),
  ])

const nameOf = ({ identity }: WishedItem): string => String(identity).toLowerCase()

/** What an item of before is called, and what of it is no longer declared. */
const missing = (wish: Wish, item: WishedItem, now: WishedItem | undefined): readonly string[] => {
  const { place, kind } = wish
  const of: Address = {
    ...place,
    kind: kind.name,
    ...(item.identity === '' ? {} : { item: String(item.identity) }),
  }
  const left = item.origin.team === undefined ? '' : ` (left team ${item.origin.team.name})`
  if (now === undefined && item.identity !== '') return [`${addressText(of)}${left}`]
  if (now?.gone === true) return []
  const attributes = [...item.attributes.keys(), ...item.other.keys()]
  return attributes
    .filter((name) => now?.attributes.has(name) !== true && now?.other.has(name) !== true)
    .map((attribute) => addressText({ ...of, attribute }))
}

const undeclaredAt = (now: readonly Wish[], former: readonly Wish[]): readonly string[] =>
  former.flatMap((wish) => {
    const same = now.find(({ kind }) => kind === wish.kind)
    const items = new Map(same?.items.map((item) => [nameOf(item), item]))
    return wish.items.flatMap((item) => {
      const next = items.get(nameOf(item))
      if (item.gone || (next === undefined && same?.exact?.value === true)) return []
      return missing(wish, item, next)
    })
  })

interface Planned {
  readonly entries: readonly PlanEntry[]
  readonly places: readonly DesiredPlace[]
}

const isAction = ({ id }: PlanEntry): boolean => id !== undefined

/** What became of a plan since the files were as they were. */
export const comparePlans = (now: Planned, former: Planned): PlanComparison => {
  const before = new Set(former.entries.map(textOf))
  const entries = now.entries.filter((one) => one.is === 'unread' || !before.has(textOf(one)))
  const acted = new Set(now.entries.filter(isAction).map(({ full }) => full))
  const keyOf = ({ place }: DesiredPlace): string => placeText(place).toLowerCase()
  const known = new Map(now.places.map((one) => [keyOf(one), one]))
  const undeclared = former.places
    .flatMap((one) => undeclaredAt(known.get(keyOf(one))?.wishes() ?? [], one.wishes()))
    .filter((text) => !acted.has(text))
  const gone = new Set(undeclared.map((text) => text.replace(/ \(.*\)$|#.*$/g, '')))
  return {
    entries,
    standing: now.entries.filter(isAction).length - entries.filter(isAction).length,
    dropped: former.entries
      .filter((one) => isAction(one) && !acted.has(one.full) && !gone.has(one.full))
      .map(({ id = '' }) => id),
    undeclared,
  }
}
