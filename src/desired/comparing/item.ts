/** One item: what has to be done that it becomes what is wanted. */

import type { JsonValue } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type ActionStep, actionId, type Change, type PlanFinding, type Verb } from '../actions.js'
import { type Address, addressText } from '../address.js'
import { alwaysSent, attributesOf, digestOf } from '../attributes.js'
import type { SeenItem } from '../instance.js'
import type { DesiredItem, Origin, SecretSource } from '../state.js'
import { judged, numberOf, overridden, readValue } from './judging.js'
import { itemAddress, paired, seenAddress } from './pairing.js'
import {
  asItShould,
  type Comparing,
  type Draft,
  found,
  type Judged,
  nothing,
  type Upshot,
} from './types.js'

/** What is to be done in the manner of drafts. */
export const draft = (
  c: Comparing,
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

export const changeOf = ({ name, shown, secret, within, origin }: Judged): Change => ({
  attribute: name,
  ...shown,
  secret,
  within,
  origin,
})

/** Something to say of an item. */
export const saying = (
  is: PlanFinding['is'],
  address: Address,
  text: string,
  origin?: Origin,
): PlanFinding => ({ is, address, text, origin })

/** An item is to go: the verb of the kind, and what is lost with it. */
export const removal = (
  c: Comparing,
  item: SeenItem,
  origin: Origin,
  address: Address = seenAddress(c, item),
): Upshot => {
  const { remove } = c.kind
  if (remove === undefined) return nothing
  const loses = remove.destructive
  return found({
    drafts: [
      draft(c, 'delete', address, origin, {
        before: item,
        step: stepAt(c, remove, item),
        loses,
      }),
    ],
  })
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** What cannot be read back, and is left as it is: people are told, since nobody knows. */
const unknowns = (
  c: Comparing,
  address: Address,
  desired: DesiredItem,
  item: SeenItem,
  all: readonly Judged[],
  acted: boolean,
): readonly PlanFinding[] => {
  const also = alsoSent(c, desired, item)
  const left = all.filter((one) => one.verdict === 'unknown' && !(acted && also.has(one.name)))
  const [first] = left
  if (first === undefined) return []
  const when = left.every(({ name }) => also.has(name))
    ? 'set when something else changes'
    : left.every(({ secret }) => secret !== undefined)
      ? 'set when its value changes'
      : 'the instance does not show it'
  const names = listed(left.map(({ name }) => name))
  return [saying('unknown', address, `${names} cannot be read back; ${when}`, first.origin)]
}

const fixedOnes = (address: Address, all: readonly Judged[]): readonly PlanFinding[] =>
  all
    .filter(({ verdict }) => verdict === 'fixed')
    .map(({ name, shown, origin }) =>
      saying(
        'impossible',
        { ...address, attribute: name },
        `can be given at creation only; it is ${JSON.stringify(shown.now)}`,
        origin,
      ),
    )

/** A draft, unless it cannot be done here. */
export const possible = async (
  c: Comparing,
  made: Draft,
  desired?: DesiredItem,
): Promise<Upshot> => {
  const why = await c.hooks.impossible?.(c, made, desired)
  return why === undefined
    ? found({ drafts: [made] })
    : found({ findings: [saying('impossible', made.address, why, made.origin)] })
}

const renaming = (c: Comparing, desired: DesiredItem, item: SeenItem): readonly Change[] =>
  c.kind.renames === true &&
  item.identity !== desired.identity &&
  typeof desired.identity === 'string'
    ? [
        {
          attribute: c.kind.identity ?? 'name',
          now: item.identity,
          wanted: desired.identity,
          origin: desired.origin,
        },
      ]
    : []

/** What is there, held against what is wanted. */
const updated = async (
  c: Comparing,
  desired: DesiredItem,
  item: SeenItem,
  renamed: boolean,
): Promise<Upshot> => {
  const address = itemAddress(c.desired, desired.identity)
  const all = await judged(c, address, desired, item)
  const differing = all.filter(({ verdict }) => verdict === 'differs')
  const changes = [...(renamed ? renaming(c, desired, item) : []), ...differing.map(changeOf)]
  const fixed = [...fixedOnes(address, all), ...overridden(address, desired, c.kind)]
  const { update } = c.kind
  if (changes.length === 0 || update === undefined)
    return found({
      findings: [...fixed, ...unknowns(c, address, desired, item, all, false)],
      same: fixed.some(({ is }) => is === 'impossible') ? 0 : 1,
    })
  const also = alsoSent(c, desired, item)
  const resent = all.filter(
    ({ name, secret, verdict }) => secret !== undefined && verdict !== 'differs' && also.has(name),
  )
  const made = draft(c, 'update', address, desired.origin, {
    before: item,
    changes: [...changes, ...resent.map(changeOf)],
    step: updateStep(c, update, item, desired, all, renamed ? desired.identity : item.identity),
  })
  const done = await possible(c, made, desired)
  const said = unknowns(c, address, desired, item, all, done.drafts.length > 0)
  return { ...done, findings: [...done.findings, ...fixed, ...said] }
}

/** What creation cannot do without. */
const lacking = (c: Comparing, all: readonly Judged[]): readonly string[] =>
  [...attributesOf(c.kind).values()]
    .filter(({ required, name }) => required && !all.some((one) => one.name === name))
    .map(({ name }) => name)

/** An item that is not there is created. */
const created = async (c: Comparing, desired: DesiredItem): Promise<Upshot> => {
  const address = itemAddress(c.desired, desired.identity)
  const { create, by } = c.kind
  const impossible = async (): Promise<Upshot> => {
    const made = draft(c, 'create', address, desired.origin, { step: stepOf(c.kind.read, {}) })
    const why = (await c.hooks.impossible?.(c, made, desired)) ?? 'it is not there'
    return found({ findings: [saying('impossible', address, why, desired.origin)] })
  }
  if (create === undefined) return impossible()
  const all = (await judged(c, address, desired, undefined)).filter(({ wanted }) => wanted !== null)
  const missing = lacking(c, all)
  if (missing.length > 0) {
    c.mistaken(
      desired.origin,
      `${addressText(address)} is not there yet: it needs ${listed(missing)}`,
    )
    return nothing
  }
  const number =
    by === undefined ? undefined : await numberOf(c, by, desired.identity, desired.origin)
  if (by !== undefined && number === undefined) return nothing
  const leading = {
    ...identityValue(c, create, desired.identity),
    ...(number === undefined ? atIdentity(c, desired) : atNumber(c, number)),
    ...placeValues(c),
  }
  const step = stepOf(create, leading, all)
  return possible(
    c,
    draft(c, 'create', address, desired.origin, { changes: all.map(changeOf), step }),
    desired,
  )
}

/** Placeholders that the identity itself fills. */
const atIdentity = ({ kind }: Comparing, { identity }: DesiredItem): Record<string, string> =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === kind.identity ? [[name, String(identity)]] : [],
    ),
  )

/** The diff of one desired item, and the current item that it means. */
export const compareItem = async (
  c: Comparing,
  given: DesiredItem,
): Promise<{ readonly found: Upshot; readonly item: SeenItem | undefined }> => {
  const pairing = await (c.hooks.pair ?? paired)(c, given)
  if (pairing === 'mistaken') return { found: nothing, item: undefined }
  const { item } = pairing
  const desired = c.hooks.understood?.(c, given, item) ?? given
  if (desired.gone !== undefined) {
    if (item === undefined) return { found: asItShould, item }
    const [made] = removal(c, item, desired.origin).drafts
    return { found: made === undefined ? nothing : await possible(c, made, desired), item }
  }
  if (item !== undefined)
    return { found: await updated(c, desired, item, c.kind.renames === true), item }
  return { found: (await c.hooks.absent?.(c, desired)) ?? (await created(c, desired)), item }
}

// What an action sends.

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
const alsoSent = (
  c: Comparing,
  desired: DesiredItem,
  item: SeenItem | undefined,
): ReadonlySet<string> => {
  const identity = c.kind.label === undefined ? c.kind.identity : undefined
  const names = [...alwaysSent(c.kind), ...(c.hooks.needs?.(c, desired, item) ?? [])]
  return new Set(names.filter((name) => name !== identity))
}

/** The identity, where a write has a parameter of its name. */
const identityValue = (
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
  desired: DesiredItem,
  all: readonly Judged[],
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
export const atNumber = ({ kind }: Pick<Comparing, 'kind'>, number: number): Values =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).flatMap(([name, field]) =>
      field === 'id' ? [[name, number]] : [],
    ),
  )
