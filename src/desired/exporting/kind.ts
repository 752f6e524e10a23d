/** A kind in its place, as it stands in a file. */
import type { Managed } from '../../catalogue/managed/managed.js'
import { itemText } from '../references.js'
import type { SeenItem, SeenKind } from '../seen.js'
import { itemMap, type WrittenIn } from './item.js'
import { isOmitted } from './kinds/index.js'
import { FileMap, type FileValue, sorted } from './model.js'
import type { Exporting } from './values.js'

/** A key of a set that begins like a word of ours is written with one sign more. */
const escaped = (key: string): string => (key.startsWith('$') ? `$${key}` : key)

/** A key that no item before has: ` (2)` behind it where one does. */
const free = (key: string, taken: ReadonlySet<string>): string => {
  for (let n = 1; ; n++) {
    const tried = n === 1 ? key : `${key} (${n})`
    if (!taken.has(tried)) return tried
  }
}

const keyed = (items: readonly SeenItem[], within: WrittenIn): readonly [string, SeenItem][] => {
  const list = items.map((item): [string, SeenItem] => [
    itemText(within.kind, item, within.place, within.how.names),
    item,
  ])
  const ordered = sorted(list, ([key, { identity }]) => `${key}\0${identity}`)
  const taken = new Set(list.map(([key]) => key))
  const used = new Set<string>()
  return ordered.map(([key, item]) => {
    const own = used.has(key) ? free(key, taken) : key
    used.add(own)
    taken.add(own)
    return [own, item]
  })
}

/** What a map's key says of its item. */
const saidBy = ({ label }: Managed, key: string) => (label === undefined ? {} : { [label]: key })

/** Whether what is not listed is to be deleted: only what is read and written as a whole can say so. */
const isExact = ({ kind, place, how }: WrittenIn): boolean =>
  how.exact &&
  kind.remove !== undefined &&
  how.chosen.wholly({ scope: place.scope, path: place.path, kind: kind.name })

const setOf = (items: readonly SeenItem[], within: WrittenIn): FileMap | undefined => {
  const exact = isExact(within)
  const entries = keyed(items, within).flatMap(([key, item]): (readonly [string, FileMap])[] => {
    const map = itemMap(item, within, saidBy(within.kind, key))
    return map === undefined ? [] : [[escaped(key), map]]
  })
  if (entries.length === 0 && !exact) return undefined
  return new FileMap([...(exact ? [['$exact', true] as const] : []), ...entries])
}

/**
 * The rule of one item: by what people call it where that is it alone, else by its number.
 * @param alone whether no other item is called so
 */
const ruleOf = (
  item: SeenItem,
  within: WrittenIn,
  alone: (name: string) => boolean,
): readonly FileMap[] => {
  const { label, identity = 'id' } = within.kind
  const name = item.label ?? ''
  const named = label !== undefined && name !== '' && !name.includes('*') && alone(name)
  const match: FileMap = new FileMap([named ? [label, name] : [identity, Number(item.identity)]])
  const set = itemMap(item, within, named ? { [label]: name } : {})
  if (set === undefined) return []
  return [
    new FileMap([
      ['match', match],
      ['set', set],
    ]),
  ]
}

const rulesOf = (items: readonly SeenItem[], within: WrittenIn): readonly FileMap[] | undefined => {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const { label = '' } of items)
    (once.has(label.toLowerCase()) ? again : once).add(label.toLowerCase())
  const alone = (name: string): boolean => !again.has(name.toLowerCase())
  const inOrder = sorted(items, ({ identity }) => identity.padStart(20, '0'))
  const rules = inOrder.flatMap((item) => ruleOf(item, within, alone))
  return rules.length === 0 ? undefined : rules
}

const oneOf = ([item]: readonly SeenItem[], within: WrittenIn): FileMap | undefined => {
  const map = item === undefined ? undefined : itemMap(item, within)
  return map?.entries.size === 0 ? undefined : map
}

const holdings = { one: oneOf, set: setOf, rules: rulesOf } as const

/** A kind as it was read, as a file has it; undefined where there is nothing to say. */
export const kindValue = (seen: SeenKind, how: Exporting): FileValue | undefined => {
  if (seen.is !== 'read') return undefined
  const { kind, place } = seen
  const items = seen.items.filter((item) => !isOmitted(kind.name, item))
  return holdings[kind.holds](items, { kind, place, how })
}
