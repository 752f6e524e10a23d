/** What of the files is meant: by --only and --except, and less what is ignored. */
import { type Address, matches } from '../address.js'
import { itemText, type Reference, writtenReference } from '../references.js'
import type { SeenItem } from '../seen.js'
import type { Wish, WishedItem } from '../wishes.js'
import { named } from './pairing.js'
import type { Comparing, ComparingOptions } from './types.js'

/** Whether an address, with all that is below it, is meant. */
export const meant = (
  { selection, ignore = [] }: Pick<ComparingOptions, 'selection' | 'ignore'>,
  address: Address,
): boolean => {
  const { only = [], except = [] } = selection ?? {}
  const among = only.length === 0 || only.some((glob) => matches(glob, address))
  return among && ![...except, ...ignore].some((glob) => matches(glob, address))
}

const attributesIn = ({ attributes, other }: WishedItem): readonly string[] => [
  ...attributes.keys(),
  ...other.keys(),
]

/** Whether an item, or any of its attributes, is meant. */
export const itemMeant = (how: ComparingOptions, address: Address, wished: WishedItem): boolean =>
  meant(how, address) ||
  attributesIn(wished).some((attribute) => meant(how, { ...address, attribute }))

/** Where an item of a wish stands, called as in files. */
export const itemAddress = (
  { place, kind }: Pick<Wish, 'place' | 'kind'>,
  identity: Reference,
): Address => ({
  ...place,
  kind: kind.name,
  ...(identity === ''
    ? {}
    : { item: kind.by === undefined ? String(identity) : writtenReference(identity) }),
})

/** Where an item that was seen stands: by its identity where what it is called is not its own alone. */
export const seenAddress = (c: Comparing, item: SeenItem): Address => {
  const name = itemText(c.kind, item, c.place, c.sight.names)
  const own = c.kind.by !== undefined || named(c, name).length < 2
  return { ...c.place, kind: c.kind.name, item: own ? name : item.identity }
}

/** Whether anything that a wish says is meant, so that its kind has to be read. */
export const wishMeant = (how: ComparingOptions, wish: Wish): boolean =>
  meant(how, { ...wish.place, kind: wish.kind.name }) ||
  wish.items.some((item) => itemMeant(how, itemAddress(wish, item.identity), item))
