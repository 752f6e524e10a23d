/** Drafts of actions: the requests that they send, and why one cannot be done. */

import type { JsonValue } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { isText } from '../../catalogue/params.js'
import { type ActionStep, type Change, type Draft, getActionId, type Verb } from '../actions.js'
import type { Address } from '../address.js'
import { digestOf, getAttributes, listAlwaysSent, readValue, selectFamily } from '../attributes.js'
import {
  type CurrentItem,
  type DesiredItem,
  getPlainValue,
  type Origin,
  type SecretSource,
} from '../state.js'
import {
  type AttributeDiff,
  type DiffContext,
  getCurrentAddress,
  type WithKind,
} from './context.js'
import { isNamespaceOwner } from './members.js'

/** Creates a draft of an action; the digest is that of the item before the action. */
export const createDraft = (
  c: WithKind,
  verb: Verb,
  address: Address,
  origin: Origin,
  rest: Pick<Draft, 'step'> & Partial<Pick<Draft, 'changes' | 'before' | 'loses' | 'replaces'>>,
): Draft => ({
  id: getActionId({ verb, address }),
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

/** Creates the draft that deletes an item; undefined if the kind cannot be deleted. */
export const createRemoval = (
  c: DiffContext,
  item: CurrentItem,
  origin: Origin,
  address: Address = getCurrentAddress(c, item),
): Draft | undefined => {
  const { remove } = c.kind
  if (remove === undefined) return undefined
  const step = buildItemStep(c, remove, item)
  return createDraft(c, 'delete', address, origin, {
    before: item,
    step,
    loses: remove.destructive,
  })
}

/** Adds a draft, or says why it cannot be done here. @returns whether it was added */
export const propose = (c: DiffContext, made: Draft, desired?: DesiredItem): boolean => {
  const why = explainImpossible(c, made, desired)
  if (why === undefined) c.diff.drafts.push(made)
  else c.diff.say('impossible', made.address, why, made.origin)
  return why === undefined
}

// What an action sends.

type Values = Record<string, JsonValue>

/** The placeholder of the place. */
export const placeValues = ({ place, placeId }: Pick<DiffContext, 'place' | 'placeId'>): Values =>
  place.scope === 'site' ? {} : { id: placeId }

/** The request of an action: the diffs of the item's attributes, and what leads to the item. */
export const buildStep = (
  endpoint: Endpoint,
  leading: Readonly<Values>,
  diffs: readonly AttributeDiff[] = [],
): ActionStep => {
  const taken = Object.entries(leading).filter(
    ([name]) => Object.hasOwn(endpoint.path, name) || Object.hasOwn(endpoint.params, name),
  )
  const values: Values = Object.fromEntries(taken)
  const secrets: Record<string, SecretSource> = {}
  for (const { name, attribute, wanted, secret } of diffs) {
    // What no document knows goes as it is given.
    if (attribute !== undefined && !Object.hasOwn(endpoint.params, name)) continue
    if (secret !== undefined) secrets[name] = secret
    else if (wanted !== undefined) values[name] = wanted
  }
  return { endpoint, values, secrets }
}

/** A request that only has to find its item. */
export const buildItemStep = (c: DiffContext, endpoint: Endpoint, item: CurrentItem): ActionStep =>
  buildStep(endpoint, { ...placeValues(c), ...item.at })

/** Lists the parameters that creation requires for the item's family. */
const listFamilyRequired = (
  { kind }: WithKind,
  { identity, family }: DesiredItem,
): readonly string[] => {
  const { params = {} } = selectFamily(kind, String(identity), family?.value) ?? {}
  return Object.keys(params).filter((name) => params[name]?.required === true)
}

/** Attributes that a change sends whether they differ or not: those of its kind, and what this item needs. */
export const listAlsoSent = (
  c: WithKind,
  desired: DesiredItem,
  item: CurrentItem,
): ReadonlySet<string> => {
  const { keepAny = [], requires = {}, pair, label, identity } = c.kind
  const { attributes } = desired
  const both = pair === undefined ? [] : [pair.shown, pair.hidden]
  const hasAny = (value: JsonValue | undefined) => Array.isArray(value) && value.length > 0
  const names = [
    ...listAlwaysSent(c.kind),
    ...listFamilyRequired(c, desired),
    ...keepAny.filter((name) => hasAny(item.attributes[name])),
    ...(both.every((name) => attributes.has(name)) ? both : []),
    ...Object.entries(requires).flatMap(([name, other]) => {
      const isOn = getPlainValue(desired, name) === true && item.attributes[name] !== true
      return isOn && attributes.has(other) ? [other] : []
    }),
  ]
  return new Set(names.filter((name) => label !== undefined || name !== identity))
}

/** The identity, where a write has a parameter of its name. */
export const getIdentityValue = (
  { kind: { identity: name, label } }: WithKind,
  endpoint: Endpoint,
  identity: string | number,
): Values =>
  name !== undefined && label === undefined && Object.hasOwn(endpoint.params, name)
    ? { [name]: String(identity) }
    : {}

/** A change: what differs, what has to go along, as it is wanted or else as it is. */
export const updateStep = (
  c: DiffContext,
  endpoint: Endpoint,
  item: CurrentItem,
  desired: DesiredItem,
  all: readonly AttributeDiff[],
  identity: string | number = item.identity,
): ActionStep => {
  const also = listAlsoSent(c, desired, item)
  const sent = all.filter(({ name, verdict }) => verdict === 'differs' || also.has(name))
  const kept: Values = {}
  for (const name of also) {
    const value = readValue(c.kind, item, name, getAttributes(c.kind).get(name))
    if (value !== undefined) kept[name] = value
  }
  const isNamed = identity !== item.identity || listAlwaysSent(c.kind).has(c.kind.identity ?? '')
  const own = isNamed ? getIdentityValue(c, endpoint, identity) : {}
  return buildStep(endpoint, { ...kept, ...own, ...placeValues(c), ...item.at }, sent)
}

/** The placeholders and parameters that a field of a record fills, where only its number is known. */
export const getNumberValues = ({ kind }: WithKind, number: number): Values =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === 'id' ? [[name, number]] : [],
    ),
  )

// What cannot be done here.

/** Why a day that would be sent is refused: it is over, or is today, when what ends with it ends at once. */
const explainPastDay = (c: DiffContext, { step }: Draft): string | undefined => {
  const today = (c.how.now?.() ?? new Date()).toISOString().slice(0, 10)
  for (const [name, { param }] of getAttributes(c.kind)) {
    const day = step.values[name]
    if (!isText(param) || param.ahead !== true || typeof day !== 'string') continue
    if (day !== '' && day <= today) return `${name} must be a day after today, not ${day}`
  }
  return undefined
}

const explainNotSent = (c: DiffContext, made: Draft, desired: DesiredItem): string | undefined => {
  const { verb, before, changes, step } = made
  const { pair, refs, mask = {} } = c.kind
  const isSaid = (name: string): boolean => desired.attributes.has(name)
  const [hidden] = Object.keys(mask).filter(
    (name) => before?.record[mask[name] ?? ''] === true && !isSaid(name),
  )
  if (verb === 'update' && hidden !== undefined)
    return `the rule has ${refs?.[hidden]}s that you cannot see, which a change would remove: declare ${hidden}`
  const isShown = changes.some(({ attribute }) => attribute === pair?.shown)
  if (pair !== undefined && isShown && !isSaid(pair.hidden))
    return 'a certificate requires its private key, which the files do not contain'
  const hasShown = pair && (isSaid(pair.shown) || before?.attributes[pair.shown] !== undefined)
  if (pair !== undefined && hasShown === false && step.secrets[pair.hidden] !== undefined)
    return 'a private key requires its certificate, which the files do not contain'
  // Required parameters that neither the files nor the record give.
  const lacks = listFamilyRequired(c, desired).filter(
    (name) => !isSaid(name) && (before?.attributes[name] ?? '') === '',
  )
  if (verb !== 'delete' && lacks.length > 0)
    return `cannot be set without ${lacks.join(', ')}, which the files do not contain`
  return explainPastDay(c, made)
}

/**
 * Returns the reason why a draft is impossible; undefined if it is possible. @param desired the item of the files; undefined if it is not
 * listed
 */
export const explainImpossible = (
  c: DiffContext,
  made: Draft,
  desired: DesiredItem | undefined,
): string | undefined => {
  const { by, onlyIf } = c.kind
  if (onlyIf !== undefined && made.verb === 'create') return onlyIf.why
  if (by === 'user' && isNamespaceOwner(c, made.before?.identity ?? desired?.identity ?? ''))
    return "the project is in the user's own namespace, so the user stays its owner"
  return desired && explainNotSent(c, made, desired)
}
