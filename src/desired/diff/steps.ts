/** Drafts of actions, and the requests that they send. */

import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type ActionStep, actionId, type Change, type Verb } from '../actions.js'
import type { Address } from '../address.js'
import { alwaysSent, attributesOf, digestOf } from '../attributes.js'
import type { CurrentItem, DesiredItem, Origin, SecretSource } from '../state.js'
import { readValue } from './attributes.js'
import { goesAlong, whyImpossible } from './facts.js'
import { currentAddress } from './matching.js'
import type { AttributeDiff, DiffContext, Draft } from './types.js'

/** What is to be done in the manner of drafts. */
export const draft = (
  c: DiffContext,
  verb: Verb,
  address: Address,
  origin: Origin,
  rest: Pick<Draft, 'step'> & Partial<Pick<Draft, 'changes' | 'before' | 'loses' | 'replaces'>>,
): Draft => ({
  id: actionId({ verb, address }),
  waitsFor: [],
  verb,
  address,
  kind: c.kind,
  changes: [],
  digest: digestOf(c.kind, rest.before),
  origin,
  ...rest,
})

export const changeOf = ({ name, shown, secret, within, origin }: AttributeDiff): Change => ({
  attribute: name,
  ...shown,
  secret,
  within,
  origin,
})

/** The draft that deletes an item; undefined where nothing of its kind can be deleted. */
export const removal = (
  c: DiffContext,
  item: CurrentItem,
  origin: Origin,
  address: Address = currentAddress(c, item),
): Draft | undefined => {
  const { remove } = c.kind
  if (remove === undefined) return undefined
  const step = stepAt(c, remove, item)
  return draft(c, 'delete', address, origin, { before: item, step, loses: remove.destructive })
}

/** Adds a draft, or says why it cannot be done here. @returns whether it was added */
export const propose = (c: DiffContext, made: Draft, desired?: DesiredItem): boolean => {
  const why = whyImpossible(c, made, desired)
  if (why === undefined) c.diff.drafts.push(made)
  else c.diff.say('impossible', made.address, why, made.origin)
  return why === undefined
}

// What an action sends.

type Values = Record<string, JsonValue>

/** The placeholder of the place. */
export const placeValues = ({ place, placeId }: Pick<DiffContext, 'place' | 'placeId'>): Values =>
  place.scope === 'site' ? {} : { id: placeId }

const taken = (endpoint: Endpoint, values: Readonly<Values>): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name in endpoint.path || name in endpoint.params),
  )

/** The request of an action: the diffs of the item's attributes, and what leads to the item. */
export const stepOf = (
  endpoint: Endpoint,
  leading: Readonly<Values>,
  diffs: readonly AttributeDiff[] = [],
): ActionStep => {
  const values: Values = taken(endpoint, leading)
  const secrets: Record<string, SecretSource> = {}
  for (const { name, attribute, wanted, secret } of diffs) {
    // What no document knows goes as it is given.
    if (attribute !== undefined && !(name in endpoint.params)) continue
    if (secret !== undefined) secrets[name] = secret
    else if (wanted !== undefined) values[name] = wanted
  }
  return { endpoint, values, secrets }
}

/** A request that only has to find its item. */
export const stepAt = (c: DiffContext, endpoint: Endpoint, item: CurrentItem): ActionStep =>
  stepOf(endpoint, { ...placeValues(c), ...item.at })

/** Attributes that a change sends whether they differ or not. */
export const alsoSent = (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): ReadonlySet<string> => {
  const identity = c.kind.label === undefined ? c.kind.identity : undefined
  const names = [...alwaysSent(c.kind), ...goesAlong(c, desired, item)]
  return new Set(names.filter((name) => name !== identity))
}

/** The identity, where a write has a parameter of its name. */
export const identityValue = (
  { kind }: Pick<DiffContext, 'kind'>,
  endpoint: Endpoint,
  identity: string | number,
): Values => {
  const { identity: name, label } = kind
  if (name === undefined || label !== undefined || !(name in endpoint.params)) return {}
  return { [name]: String(identity) }
}

/** A change: what differs, what has to go along, as it is wanted or else as it is. */
export const updateStep = (
  c: DiffContext,
  endpoint: Endpoint,
  item: CurrentItem,
  desired: DesiredItem,
  all: readonly AttributeDiff[],
  identity: string | number = item.identity,
): ActionStep => {
  const also = alsoSent(c, desired, item)
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
export const atNumber = ({ kind }: Pick<DiffContext, 'kind'>, number: number): Values =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === 'id' ? [[name, number]] : [],
    ),
  )
