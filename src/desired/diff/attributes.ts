/** One attribute: what is wanted of it against what was read. */

import { isJsonList, type JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { holdText } from '../../base/secrets/held.js'
import { didYouMean } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import { joinItems } from '../../catalogue/formats.js'
import type { Referent } from '../../catalogue/managed.js'
import {
  emptyClears,
  isNumeric,
  isSwitch,
  isText,
  namesOf,
  type Param,
  takesSeveral,
} from '../../catalogue/params.js'
import { survived } from '../../errors.js'
import { type Address, type Reference, writtenReference } from '../address.js'
import { type Attribute, attributesOf, isSecretValue, namedValue } from '../attributes.js'
import {
  type CurrentItem,
  type DesiredItem,
  type DesiredValue,
  type ListDelta,
  type Origin,
  originText,
  type Said,
  type ValueRange,
} from '../state.js'
import { changedList, normalised, sameValue } from '../values.js'
import { meant } from './matching.js'
import type { AttributeDiff, DiffContext } from './types.js'

interface DesiredAttribute {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly said: Said<DesiredValue>
}

/** A value as it is sent: levels as numbers, lists that travel as one text as that. */
const sendable = (param: Param | undefined, value: JsonValue): JsonValue => {
  if (param === undefined || value === null) return value
  const isTyped = isNumeric(param) || isSwitch(param) || namesOf(param).length > 0
  if (isTyped) return normalised({ param }, value)
  return Array.isArray(value) ? (joinItems(param, value.map(String)) ?? value) : value
}

/** The value as it was read; undefined where no answer shows it. */
export const readValue = (
  c: DiffContext,
  item: CurrentItem | undefined,
  name: string,
  attribute: Attribute | undefined,
): JsonValue | undefined => {
  if (item === undefined || attribute?.secret === true) return undefined
  const read = item.attributes[name]
  if (read !== undefined) return read
  if (attribute === undefined) {
    const echo = item.record[c.kind.update?.echo ?? '']
    const echoed = isObject(echo) ? echo[name] : undefined
    // Parsed JSON, whatever the documents say of it.
    return (echoed ?? item.record[name]) as JsonValue | undefined
  }
  // What is left out is a list without members, or a date that is not set.
  const { param } = attribute
  if (takesSeveral(param)) return []
  return param.nullable === true || emptyClears(param) ? null : undefined
}

/** The list that members put in, and taken out, make of the one that was read. */
const changedNow = async (
  c: DiffContext,
  { attribute, said }: DesiredAttribute,
  wanted: ListDelta,
  now: JsonValue | undefined,
): Promise<JsonValue | undefined> => {
  const add = await resolved(c, attribute, wanted.add, said.origin)
  const remove = await resolved(c, attribute, wanted.remove, said.origin)
  if (!isJsonList(add) || !isJsonList(remove)) return undefined
  return changedList(isJsonList(now) ? now : [], { is: 'change', add, remove }, undefined)
}

/** Whether a value is one of a range. */
const isInside = ({ min, max, oneOf }: ValueRange, value: JsonValue): boolean => {
  if (oneOf !== undefined) return oneOf.includes(value)
  const number = Number(value)
  return number >= (min ?? number) && number <= (max ?? number)
}

/** What stands already where that is inside, else the nearest bound or the first of the list. */
const inRange = (range: ValueRange, param: Param | undefined, now: JsonValue | undefined) => {
  const { min, max, oneOf } = range
  const is = now === undefined ? undefined : normalised({ param }, now)
  if (is !== undefined && isInside(range, is)) return is
  const bound = is !== undefined && Number(is) > (max ?? Number(is)) ? max : (min ?? max)
  return oneOf?.[0] ?? bound ?? null
}

/** Reports plain values that override a range, and are outside of it. */
export const sayOverridden = (c: DiffContext, address: Address, desired: DesiredItem): void => {
  for (const [attribute, { value, origin, over = [] }] of desired.attributes) {
    const [before] = over
    if (value.is !== 'value' || before?.value.is !== 'range') continue
    const param = attributesOf(c.kind).get(attribute)?.param
    if (isInside(before.value, normalised({ param }, value.value))) continue
    const text = `overrides ${before.value.text}, set at ${originText(before.origin)}`
    c.diff.say('warning', { ...address, attribute }, text, origin)
  }
}

/** What is wanted, as it is sent; undefined where the file is wrong, which is reported. */
const wantedValue = async (
  c: DiffContext,
  spoken: DesiredAttribute,
  now: JsonValue | undefined,
): Promise<JsonValue | undefined> => {
  const { name, attribute, said } = spoken
  if (said.value.is === 'secret') return undefined
  if (said.value.is === 'change') return changedNow(c, spoken, said.value, now)
  if (said.value.is === 'range') return inRange(said.value, attribute?.param, now)
  const { value } = said.value
  const param = attribute?.param
  if (value === null && (param === undefined || param.nullable === true)) return null
  if (value === null)
    return isText(param) ? '' : c.mistakes.add(said.origin, `${name} cannot be unset`)
  const numbers = await resolved(c, attribute, value, said.origin)
  return numbers === undefined ? undefined : sendable(param, numbers)
}

const secretOf = async (
  c: DiffContext,
  address: Address,
  { name, attribute, said }: DesiredAttribute,
  item: CurrentItem | undefined,
): Promise<AttributeDiff | undefined> => {
  const { value: wanted, origin } = said
  const source =
    wanted.is === 'secret'
      ? wanted.source
      : wanted.is === 'value' && isSecretValue(attribute, name, wanted.value)
        ? { literal: holdText(String(wanted.value)) }
        : undefined
  if (source === undefined) return undefined
  const base = { name, attribute, origin, secret: source, shown: {} } as const
  const policy = c.how.secrets
  if (item === undefined || policy?.set === 'always') return { ...base, verdict: 'differs' }
  if (policy === undefined || policy.set === 'never') return { ...base, verdict: 'unknown' }
  const changed = await policy.changed({ ...address, attribute: name }, source)
  if (changed === undefined) return { ...base, verdict: 'unknown' }
  return { ...base, verdict: changed ? 'differs' : 'same' }
}

const verdictOf = (
  attribute: Attribute | undefined,
  item: CurrentItem | undefined,
  now: JsonValue | undefined,
  wanted: JsonValue,
): AttributeDiff['verdict'] => {
  if (item === undefined) return 'differs'
  if (now === undefined) return 'unknown'
  if (sameValue({ param: attribute?.param }, now, wanted)) return 'same'
  return attribute?.fixed === true ? 'fixed' : 'differs'
}

/** A value that the documents do not offer there is not sent; one that is there already stays. */
const checkOffered = (
  c: DiffContext,
  address: Address,
  { name, attribute, said }: DesiredAttribute,
  wanted: JsonValue,
): void => {
  const param = attribute?.param
  if (!isNumeric(param) || param.offers === undefined || param.names === undefined) return
  if (param.offers.some((offer) => param.names?.[offer] === wanted)) return
  const shown = quoteText(String(asInFiles(c, attribute, wanted)))
  const scope = c.kind.scope === 'site' ? 'the instance' : `a ${c.kind.scope}`
  const isKnown = Object.values(param.names).some((value) => value === wanted)
  if (isKnown && c.how.isNewer === true) {
    const text = `the documented API does not offer ${shown} in ${scope}, but this instance is newer`
    c.diff.say('note', { ...address, attribute: name }, text, said.origin)
  } else
    c.mistakes.add(
      said.origin,
      `${name} in ${scope} must be one of ${param.offers.join(', ')}, not ${shown}`,
    )
}

const diffAttribute = async (
  c: DiffContext,
  address: Address,
  spoken: DesiredAttribute,
  item: CurrentItem | undefined,
): Promise<AttributeDiff | undefined> => {
  const { name, attribute, said } = spoken
  const secret = await secretOf(c, address, spoken, item)
  if (secret !== undefined) return secret
  const now = readValue(c, item, name, attribute)
  const wanted = await wantedValue(c, spoken, now)
  if (wanted === undefined) return undefined
  const verdict = verdictOf(attribute, item, now, wanted)
  if (verdict === 'differs') checkOffered(c, address, spoken, wanted)
  const shown = {
    now: now === undefined ? undefined : asInFiles(c, attribute, now),
    wanted: asInFiles(c, attribute, wanted),
  }
  const within = said.value.is === 'range' ? said.value.text : undefined
  return { name, attribute, origin: said.origin, wanted, shown, verdict, within }
}

/** Whether an attribute that no document knows may stand there: the instance itself has it. */
const isAllowed = (
  c: DiffContext,
  item: CurrentItem | undefined,
  name: string,
  origin: Origin,
): boolean => {
  if (c.kind.open !== true || item === undefined || item.record[name] !== undefined) return true
  const names = [...attributesOf(c.kind).keys(), ...Object.keys(item.record)]
  const text = `unknown to the documented API and to the instance: ${c.kind.name}#${name}`
  c.mistakes.add(origin, text, didYouMean(name, names))
  return false
}

/** All attributes that a file speaks of and that are selected, each against what was read. */
export const diffAttributes = async (
  c: DiffContext,
  address: Address,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): Promise<readonly AttributeDiff[]> => {
  const known = attributesOf(c.kind)
  const all = [...desired.attributes].map(([name, said]) => ({
    name,
    said,
    attribute: known.get(name),
  }))
  // Those that no document knows come last.
  const spoken = [true, false].flatMap((isKnown) =>
    all.filter(({ attribute }) => (attribute !== undefined) === isKnown),
  )
  const diffs: AttributeDiff[] = []
  for (const one of spoken) {
    const { name, said, attribute } = one
    if (attribute === undefined && !isAllowed(c, item, name, said.origin)) continue
    if (!meant(c.how, { ...address, attribute: name })) continue
    const verdict = await diffAttribute(c, address, one, item)
    if (verdict !== undefined) diffs.push(verdict)
  }
  return diffs
}

// Names in files, numbers at the instance: the way there, and back for people.

/** The number that a file means; undefined, and reported, where nobody knows the name. */
export const numberOf = async (
  c: DiffContext,
  of: Referent,
  meant: Reference,
  origin: Origin,
): Promise<number | undefined> => {
  if (typeof meant === 'number') return meant
  const number = await c.view.names.number(of, meant, c.place).catch((error: unknown) => {
    const { category, message, details } = survived(error)
    if (category !== 'usage') throw error
    c.mistakes.add(origin, message, details.hint)
    return null
  })
  if (number === null) return undefined
  if (number === undefined) {
    const near = didYouMean(meant, c.view.names.known?.(of, c.place) ?? [])
    c.mistakes.add(
      origin,
      `there is no ${of} ${quoteText(writtenReference(meant))} that this token can see`,
      near === undefined
        ? 'Write its ID instead of its name.'
        : `${near} Otherwise, write the ID instead of the name.`,
    )
  }
  return number
}

/** Names as numbers, where the attribute refers to something; undefined where one is not known. */
const resolved = async (
  c: DiffContext,
  attribute: Attribute | undefined,
  value: JsonValue,
  origin: Origin,
): Promise<JsonValue | undefined> => {
  const ref = attribute?.ref
  if (ref === undefined) return value
  const one = async (member: JsonValue): Promise<JsonValue | undefined> =>
    typeof member === 'string' || typeof member === 'number'
      ? numberOf(c, ref, member, origin)
      : member
  if (!isJsonList(value)) return one(value)
  const numbers: JsonValue[] = []
  for (const member of value) {
    const number = await one(member)
    if (number === undefined) return undefined
    numbers.push(number)
  }
  return numbers
}

/** A value as files have it: names for numbers, where they are known. */
const asInFiles = (
  c: DiffContext,
  attribute: Attribute | undefined,
  value: JsonValue,
): JsonValue => {
  if (attribute === undefined) return value
  const one = (member: JsonValue) => namedValue(attribute, member, c.place, c.view.names)
  return isJsonList(value) ? value.map(one) : one(value)
}
