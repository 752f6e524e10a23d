/** Creates drafts of actions with the requests that they send, and explains why a draft cannot be carried out. */

import { toDay } from '../../base/dates.js'
import type { JsonValue } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { isText } from '../../catalogue/params.js'
import { type ActionStep, type Change, type Draft, getActionId, type Verb } from '../actions.js'
import type { Address } from '../address.js'
import {
  computeItemDigest,
  getAttributes,
  getCurrentValue,
  listAlwaysSentParams,
  selectFamily,
} from '../attributes.js'
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
import { isNamespaceOwner } from './member-levels.js'

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
  digest: computeItemDigest(c.kind, rest.before),
  origin,
  ...rest,
})

export const toChange = ({ name, shown, secret, within, origin }: AttributeDiff): Change => ({
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

/** Adds a draft, or reports why it cannot be carried out. @returns true if it was added */
export const addIfPossible = (c: DiffContext, made: Draft, desired?: DesiredItem): boolean => {
  const why = explainImpossible(c, made, desired)
  if (why === undefined) c.diff.drafts.push(made)
  else c.diff.addFinding('impossible', made.address, why, made.origin)
  return why === undefined
}

// The requests of actions.

type Values = Record<string, JsonValue>

/** Returns the placeholder of the place. */
export const getPlaceValues = ({
  place,
  placeId,
}: Pick<DiffContext, 'place' | 'placeId'>): Values =>
  place.scope === 'site' ? {} : { id: placeId }

/**
 * Builds the request of an action.
 * @param leading the placeholders and parameters that identify the item; the endpoint takes those it has
 * @param diffs the attributes to send
 */
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
    // Undocumented attributes are sent as declared.
    if (attribute !== undefined && !Object.hasOwn(endpoint.params, name)) continue
    if (secret !== undefined) secrets[name] = secret
    else if (wanted !== undefined) values[name] = wanted
  }
  return { endpoint, values, secrets }
}

/** Builds a request that has only the placeholders of its item. */
export const buildItemStep = (c: DiffContext, endpoint: Endpoint, item: CurrentItem): ActionStep =>
  buildStep(endpoint, { ...getPlaceValues(c), ...item.at })

/** Lists the parameters that creation requires for the item's family. */
const listFamilyRequired = (
  { kind }: WithKind,
  { identity, family }: DesiredItem,
): readonly string[] => {
  const { params = {} } = selectFamily(kind, String(identity), family?.value) ?? {}
  return Object.keys(params).filter((name) => params[name]?.required === true)
}

/** Lists the attributes that an update sends even if they do not differ: those of the kind, and those that the item requires. */
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
    ...listAlwaysSentParams(c.kind),
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

/** Returns the identity as a parameter, if a write has one of its name. */
export const getIdentityValue = (
  { kind: { identity: name, label } }: WithKind,
  endpoint: Endpoint,
  identity: string | number,
): Values =>
  name !== undefined && label === undefined && Object.hasOwn(endpoint.params, name)
    ? { [name]: String(identity) }
    : {}

/**
 * Builds the request of an update: the attributes that differ, and those that have to be sent along with their desired or current value.
 */
export const buildUpdateStep = (
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
    const value = getCurrentValue(c.kind, item, name, getAttributes(c.kind).get(name))
    if (value !== undefined) kept[name] = value
  }
  const isNamed =
    identity !== item.identity || listAlwaysSentParams(c.kind).has(c.kind.identity ?? '')
  const own = isNamed ? getIdentityValue(c, endpoint, identity) : {}
  return buildStep(endpoint, { ...kept, ...own, ...getPlaceValues(c), ...item.at }, sent)
}

/** Returns the placeholders and parameters of an item of which only the number is known. */
export const getNumberValues = ({ kind }: WithKind, number: number): Values =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === 'id' ? [[name, number]] : [],
    ),
  )

// The reasons why an action is impossible.

/** Returns the reason why a date would be refused: an expiry must be after today. Undefined if all dates are accepted. */
const explainPastDay = (c: DiffContext, { step }: Draft): string | undefined => {
  const today = toDay(c.options.now?.() ?? new Date())
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
  const isDeclared = (name: string): boolean => desired.attributes.has(name)
  const [hidden] = Object.keys(mask).filter(
    (name) => before?.record[mask[name] ?? ''] === true && !isDeclared(name),
  )
  if (verb === 'update' && hidden !== undefined)
    return `the rule has ${refs?.[hidden]}s that you cannot see, which a change would remove: declare ${hidden}`
  const isShown = changes.some(({ attribute }) => attribute === pair?.shown)
  if (pair !== undefined && isShown && !isDeclared(pair.hidden))
    return 'a certificate requires its private key, which the files do not contain'
  const hasShown = pair && (isDeclared(pair.shown) || before?.attributes[pair.shown] !== undefined)
  if (pair !== undefined && hasShown === false && step.secrets[pair.hidden] !== undefined)
    return 'a private key requires its certificate, which the files do not contain'
  // The required parameters that neither the files nor the record have.
  const missing = listFamilyRequired(c, desired).filter(
    (name) => !isDeclared(name) && (before?.attributes[name] ?? '') === '',
  )
  if (verb !== 'delete' && missing.length > 0)
    return `cannot be set without ${missing.join(', ')}, which the files do not contain`
  return explainPastDay(c, made)
}

/**
 * Returns the reason why a draft is impossible; undefined if it is possible.
 * @param desired the item of the files; undefined if it is not listed
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
