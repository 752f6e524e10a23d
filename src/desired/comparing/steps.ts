/** What an action sends. */
import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { ActionStep } from '../actions.js'
import { alwaysSent, attributesOf } from '../attributes.js'
import type { SeenItem } from '../seen.js'
import type { SecretSource, WishedItem } from '../wishes.js'
import { readValue } from './judging.js'
import type { Comparing, Judged } from './types.js'

type Values = Record<string, JsonValue>

/** The placeholder of the place. */
export const placeValues = ({ place, placeId }: Pick<Comparing, 'place' | 'placeId'>): Values =>
  place.scope === 'site' ? {} : { id: placeId }

const taken = (endpoint: Endpoint, values: Readonly<Values>): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name in endpoint.path || name in endpoint.params),
  )

/** A request of an action: what is judged of the item, and what leads to it. */
export const stepOf = (
  endpoint: Endpoint,
  leading: Readonly<Values>,
  judged: readonly Judged[] = [],
): ActionStep => {
  const values: Values = taken(endpoint, leading)
  const secrets: Record<string, SecretSource> = {}
  for (const { name, attribute, wanted, secret } of judged) {
    // What no document knows goes as it is given.
    if (attribute !== undefined && !(name in endpoint.params)) continue
    if (secret !== undefined) secrets[name] = secret
    else if (wanted !== undefined) values[name] = wanted
  }
  return { endpoint, values, secrets }
}

/** A request that only has to find its item. */
export const stepAt = (c: Comparing, endpoint: Endpoint, item: SeenItem): ActionStep =>
  stepOf(endpoint, { ...placeValues(c), ...item.at })

/** Attributes that a change sends whether they differ or not. */
export const alsoSent = (
  c: Comparing,
  wished: WishedItem,
  item: SeenItem | undefined,
): ReadonlySet<string> => {
  const identity = c.kind.label === undefined ? c.kind.identity : undefined
  const names = [...alwaysSent(c.kind), ...(c.hooks.needs?.(c, wished, item) ?? [])]
  return new Set(names.filter((name) => name !== identity))
}

/** The identity, where a write has a parameter of its name. */
export const identityValue = (
  { kind }: Pick<Comparing, 'kind'>,
  endpoint: Endpoint,
  identity: string | number,
): Values => {
  const { identity: name, label } = kind
  if (name === undefined || label !== undefined || !(name in endpoint.params)) return {}
  return { [name]: String(identity) }
}

/** A change: what differs, what has to go along, as it is wanted or else as it is. */
export const updateStep = (
  c: Comparing,
  endpoint: Endpoint,
  item: SeenItem,
  wished: WishedItem,
  all: readonly Judged[],
  identity: string | number = item.identity,
): ActionStep => {
  const also = alsoSent(c, wished, item)
  const sent = all.filter(({ name, verdict }) => verdict === 'differs' || also.has(name))
  const attributes = attributesOf(c.kind)
  const kept: Values = {}
  for (const name of also) {
    const value = readValue(c, item, name, attributes.get(name))
    if (value !== undefined) kept[name] = value
  }
  const named = alwaysSent(c.kind).has(c.kind.identity ?? '')
  const renamed = identity !== item.identity
  return stepOf(
    endpoint,
    {
      ...kept,
      ...(named || renamed ? identityValue(c, endpoint, identity) : {}),
      ...placeValues(c),
      ...item.at,
    },
    sent,
  )
}

/** The placeholders and parameters that a field of a record fills, where only its number is known. */
export const atNumber = ({ kind }: Pick<Comparing, 'kind'>, number: number): Values =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === 'id' ? [[name, number]] : [],
    ),
  )
