/**
 * Users, groups, branches and runners as files call them: by a name or by an ID. Which of the two is decided
 * once, when a file is read; no later step looks at a name to find out what it means.
 */

import { quoted } from '../base/quoted.js'
import type { Managed, Referent } from '../catalogue/managed/managed.js'
import { usage } from '../errors.js'
import type { ManagedPlace } from './address.js'
import type { SeenItem } from './seen.js'

/** A number is an ID, a text is a name, whatever it looks like. */
export type Reference = string | number

const digits = /^\d+$/

/**
 * What a text of a file means: digits are an ID, `@` before them makes them a name.
 * @throws Failure `usage` for digits that are no ID
 */
export const referenceOf = (text: string): Reference => {
  if (/^@\d+$/.test(text)) return text.slice(1)
  if (!digits.test(text)) return text
  const id = Number(text)
  if (Number.isSafeInteger(id) && String(id) === text) return id
  throw usage(`${quoted(text)} is no ID`, `A name of digits only is written '@${quoted(text)}'.`)
}

/** How files write a name; undefined where no text of a file means it. */
export const referenceText = (name: string): string | undefined => {
  if (/^@\d+$/.test(name) || name === '') return undefined
  return digits.test(name) ? `@${name}` : name
}

/** How files write a reference, and addresses with them. */
export const writtenReference = (reference: Reference): string =>
  typeof reference === 'number' ? String(reference) : (referenceText(reference) ?? reference)

/** What makes two names the same: those of users and groups are, whatever their case. */
export const foldedName = (of: Referent | undefined, name: string): string =>
  of === 'user' || of === 'group' ? name.toLowerCase() : name

/** Who knows what numbers are called. */
export interface CalledBy {
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
}

/** The ID of an item, where its endpoints go by one. */
const idOf = ({ at }: SeenItem): number | undefined =>
  Object.values(at).find((value) => typeof value === 'number')

type Called = Pick<Managed, 'by' | 'label'>

/** The name of an item; undefined of one that only its ID tells apart from others. */
export const itemName = ({ by, label }: Called, item: SeenItem): string | undefined =>
  item.label || (by !== undefined && label !== undefined ? undefined : item.identity)

/** What files call an item that was seen: its name where that means it alone, else its ID. */
export const itemText = (
  kind: Called,
  item: SeenItem,
  near: ManagedPlace,
  names: CalledBy,
): string => {
  const { by, label } = kind
  const name = itemName(kind, item)
  if (by === undefined) return name ?? item.identity
  const id = idOf(item)
  // Whether a label is one item's alone is known to who has seen all of them.
  const own = label === undefined || id === undefined ? name : names.name(by, id, near)
  return (own === undefined ? undefined : referenceText(own)) ?? String(id ?? item.identity)
}
