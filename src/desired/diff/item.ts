/** One item: what has to be done that it becomes what is wanted. */

import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type ActionStep, actionId, type Change, type Verb } from '../actions.js'
import { type Address, addressText } from '../address.js'
import { alwaysSent, attributesOf, digestOf } from '../attributes.js'
import type { CurrentItem, DesiredItem, Origin, SecretSource } from '../state.js'
import { diffAttributes, numberOf, readValue, sayOverridden } from './attributes.js'
import { currentAddress, itemAddress, paired } from './matching.js'
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
export const propose = async (
  c: DiffContext,
  made: Draft,
  desired?: DesiredItem,
): Promise<boolean> => {
  const why = await c.hooks.impossible?.(c, made, desired)
  if (why === undefined) c.diff.drafts.push(made)
  else c.diff.say('impossible', made.address, why, made.origin)
  return why === undefined
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Reports what cannot be read back, and is not sent: nobody knows whether it is as desired. */
const sayUnknown = (
  c: DiffContext,
  address: Address,
  left: readonly AttributeDiff[],
  also: ReadonlySet<string>,
): void => {
  const [first] = left
  if (first === undefined) return
  const when = left.every(({ name }) => also.has(name))
    ? 'it is sent when another attribute changes'
    : left.every(({ secret }) => secret !== undefined)
      ? 'it is sent when its value changes'
      : 'the instance does not return it'
  const names = listed(left.map(({ name }) => name))
  c.diff.say('unknown', address, `${names} cannot be read back: ${when}`, first.origin)
}

const renaming = (c: DiffContext, desired: DesiredItem, item: CurrentItem): readonly Change[] => {
  const { identity: wanted, origin } = desired
  if (c.kind.renames !== true || item.identity === wanted || typeof wanted !== 'string') return []
  return [{ attribute: c.kind.identity ?? 'name', now: item.identity, wanted, origin }]
}

/** The diff of an item that exists. */
const updateItem = async (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem,
): Promise<void> => {
  const address = itemAddress(c.desired, desired.identity)
  const all = await diffAttributes(c, address, desired, item)
  const isOf = (verdict: AttributeDiff['verdict']) => all.filter((one) => one.verdict === verdict)
  const changes = [...renaming(c, desired, item), ...isOf('differs').map(changeOf)]
  const also = alsoSent(c, desired, item)
  const { update, renames } = c.kind
  let isSent = false
  if (changes.length > 0 && update !== undefined) {
    const resent = all.filter(
      ({ name, secret, verdict }) =>
        secret !== undefined && verdict !== 'differs' && also.has(name),
    )
    const identity = renames === true ? desired.identity : item.identity
    const made = draft(c, 'update', address, desired.origin, {
      before: item,
      changes: [...changes, ...resent.map(changeOf)],
      step: updateStep(c, update, item, desired, all, identity),
    })
    isSent = await propose(c, made, desired)
  } else if (isOf('fixed').length === 0) c.diff.same++
  for (const { name, shown, origin } of isOf('fixed')) {
    const text = `can only be set on creation; the value is ${JSON.stringify(shown.now)}`
    c.diff.say('impossible', { ...address, attribute: name }, text, origin)
  }
  sayOverridden(c, address, desired)
  const unknown = isOf('unknown').filter(({ name }) => !(isSent && also.has(name)))
  sayUnknown(c, address, unknown, also)
}

/** What creation cannot do without. */
const lacking = (c: DiffContext, all: readonly AttributeDiff[]): readonly string[] =>
  [...attributesOf(c.kind).values()]
    .filter(({ required, name }) => required && !all.some((one) => one.name === name))
    .map(({ name }) => name)

/** The diff of an item that does not exist. */
const createItem = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { identity, origin } = desired
  const address = itemAddress(c.desired, identity)
  const { create, by } = c.kind
  if (create === undefined) {
    const made = draft(c, 'create', address, origin, { step: stepOf(c.kind.read, {}) })
    const why = (await c.hooks.impossible?.(c, made, desired)) ?? 'the object does not exist'
    c.diff.say('impossible', address, why, origin)
    return
  }
  const all = (await diffAttributes(c, address, desired, undefined)).filter(
    ({ wanted }) => wanted !== null,
  )
  const missing = lacking(c, all)
  if (missing.length > 0) {
    const text = `${addressText(address)} does not exist yet, and creating it requires ${listed(missing)}`
    c.mistakes.add(origin, text)
    return
  }
  const number = by === undefined ? undefined : await numberOf(c, by, identity, origin)
  if (by !== undefined && number === undefined) return
  const leading = {
    ...identityValue(c, create, identity),
    ...(number === undefined ? atIdentity(c, desired) : atNumber(c, number)),
    ...placeValues(c),
  }
  const step = stepOf(create, leading, all)
  await propose(
    c,
    draft(c, 'create', address, origin, { changes: all.map(changeOf), step }),
    desired,
  )
}

/** Placeholders that the identity itself fills. */
const atIdentity = ({ kind }: DiffContext, { identity }: DesiredItem): Record<string, string> =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === kind.identity ? [[name, String(identity)]] : [],
    ),
  )

/** Adds the diff of one desired item. @returns the current item that it means */
export const diffItem = async (
  c: DiffContext,
  given: DesiredItem,
): Promise<CurrentItem | undefined> => {
  const pairing = await (c.hooks.pair ?? paired)(c, given)
  if (pairing === 'mistaken') return undefined
  const { item } = pairing
  const desired = c.hooks.understood?.(c, given, item) ?? given
  if (desired.gone === undefined) {
    if (item !== undefined) await updateItem(c, desired, item)
    else if ((await c.hooks.absent?.(c, desired)) !== true) await createItem(c, desired)
  } else if (item === undefined) c.diff.same++
  else {
    const made = removal(c, item, desired.origin)
    if (made !== undefined) await propose(c, made, desired)
  }
  return item
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
const alsoSent = (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): ReadonlySet<string> => {
  const identity = c.kind.label === undefined ? c.kind.identity : undefined
  const names = [...alwaysSent(c.kind), ...(c.hooks.needs?.(c, desired, item) ?? [])]
  return new Set(names.filter((name) => name !== identity))
}

/** The identity, where a write has a parameter of its name. */
const identityValue = (
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
