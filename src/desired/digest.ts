/**
 * Digests of what an instance has: SHA-256 over what is managed, can be read and is no secret. Whoever
 * writes later compares them with what is there then.
 */
import { createHash } from 'node:crypto'
import type { JsonValue } from '../base/json/value.js'
import type { Managed } from '../catalogue/managed/managed.js'
import { attributesOf, isSecretValue } from './attributes.js'
import type { SeenItem } from './seen.js'
import { canonical, normalised } from './values.js'

const sha256 = (value: JsonValue): string =>
  createHash('sha256').update(canonical(value)).digest('hex')

/** What an item that is not there has. */
export const absent = sha256(null)

/** The digest of an item; `absent` of one that is not there. */
export const digestOf = (
  kind: Managed,
  item: Pick<SeenItem, 'identity' | 'attributes'> | undefined,
): string => {
  if (item === undefined) return absent
  const known = attributesOf(kind)
  const values = Object.entries(item.attributes)
    .filter(([name, value]) => !isSecretValue(known.get(name), name, value))
    .map(([name, value]) => [name, normalised({ param: known.get(name)?.param }, value)] as const)
  return sha256({ identity: item.identity, attributes: Object.fromEntries(values) })
}

/** The digest of a whole set: an item that comes or goes makes it another, a change of one does not. */
export const digestOfSet = (items: readonly Pick<SeenItem, 'identity'>[]): string =>
  sha256(items.map(({ identity }) => identity).sort())
