/** Compares the desired value of each attribute with its current value. */

import { isJsonList, isObject, type JsonValue } from '../../base/objects.js'
import { holdText } from '../../base/secrets/redact.js'
import { suggestSimilar } from '../../base/suggest.js'
import { describeSize, quoteText } from '../../base/text.js'
import { getProperties } from '../../catalogue/fields.js'
import type { Referent } from '../../catalogue/managed.js'
import {
  boolean,
  getNumberNames,
  getParamFormat,
  isListParam,
  isNumeric,
  isSwitch,
  isText,
  type Param,
} from '../../catalogue/params.js'
import { findRefusal } from '../../catalogue/refusals.js'
import { joinItems } from '../../catalogue/values.js'
import { recoverFrom } from '../../errors.js'
import { type Address, formatReference, type Reference } from '../address.js'
import {
  type Attribute,
  getAttributes,
  getCurrentValue,
  isSecretValue,
  matchesWanted,
  mayComeFromFile,
  toNamedValue,
} from '../attributes.js'
import { isSelected } from '../selection.js'
import {
  type CurrentItem,
  type DesiredItem,
  type DesiredValue,
  formatOrigin,
  type Origin,
  type SecretSource,
  type SourcedValue,
  type ValueRange,
} from '../state.js'
import { applyListDelta, normalizeValue, toCanonical } from '../values.js'
import { type AttributeDiff, type DiffContext, reportUnplannable } from './context.js'

/** An attribute that a file declares. */
interface DeclaredAttribute {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly declared: SourcedValue<DesiredValue>
}

/** Returns a value in the form in which it is sent: levels as numbers, and lists that are sent as text joined. */
const toSentValue = (param: Param | undefined, value: JsonValue): JsonValue => {
  if (param === undefined || value === null) return value
  const isTyped = isNumeric(param) || isSwitch(param) || getNumberNames(param).length > 0
  if (isTyped) return normalizeValue({ param }, value)
  return Array.isArray(value) ? (joinItems(param, value.map(String)) ?? value) : value
}

/** True if a value is inside a range. */
const isInside = ({ min, max, oneOf }: ValueRange, value: JsonValue): boolean => {
  if (oneOf !== undefined) return oneOf.includes(value)
  const number = Number(value)
  return number >= (min ?? number) && number <= (max ?? number)
}

/** Returns the current value if it is inside the range, else the nearest bound or the first of the list. */
const fitToRange = (range: ValueRange, param: Param | undefined, now: JsonValue | undefined) => {
  const { min, max, oneOf } = range
  const current = now === undefined ? undefined : normalizeValue({ param }, now)
  if (current !== undefined && isInside(range, current)) return current
  const bound =
    current !== undefined && Number(current) > (max ?? Number(current)) ? max : (min ?? max)
  return oneOf?.[0] ?? bound ?? null
}

/** Warns of plain values that override a range and are outside of it. */
export const reportOverridden = (c: DiffContext, address: Address, desired: DesiredItem): void => {
  for (const [attribute, { value, origin, over = [] }] of desired.attributes) {
    const [before] = over
    if (value.is !== 'value' || before?.value.is !== 'range') continue
    const param = getAttributes(c.kind).get(attribute)?.param
    if (isInside(before.value, normalizeValue({ param }, value.value))) continue
    const text = `overrides ${before.value.text}, set at ${formatOrigin(before.origin)}`
    c.diff.addFinding('warning', { ...address, attribute }, text, origin)
  }
}

/** Returns the wanted value as it is sent; undefined for a secret, or if the file is wrong, which is reported. */
const resolveWanted = async (
  c: DiffContext,
  { name, attribute, declared: { value: wanted, origin } }: DeclaredAttribute,
  now: JsonValue | undefined,
): Promise<JsonValue | undefined> => {
  const param = attribute?.param
  const toNumbers = (value: JsonValue) => resolveNames(c, attribute, value, origin)
  if (wanted.is === 'secret') return undefined
  if (wanted.is === 'range') return fitToRange(wanted, param, now)
  if (wanted.is === 'change') {
    const [add, remove] = [await toNumbers(wanted.add), await toNumbers(wanted.remove)]
    if (!isJsonList(add) || !isJsonList(remove)) return undefined
    // One member may be added by its name and removed by its ID.
    if (add.some((one) => remove.includes(one)))
      return c.mistakes.add(origin, `${name} adds and removes the same member`)
    const delta = { is: 'change', add: removeRepeats(add), remove } as const
    return applyListDelta(isJsonList(now) ? now : [], delta, undefined)
  }
  if (wanted.value === null) {
    if (param === undefined || param.nullable === true) return null
    return isText(param) ? '' : c.mistakes.add(origin, `${name} cannot be unset`)
  }
  const numbers = await toNumbers(wanted.value)
  if (!isJsonList(numbers)) return numbers === undefined ? undefined : toSentValue(param, numbers)
  return toSentValue(param, isListParam(param) ? removeRepeats(numbers) : numbers)
}

/** Removes repeated members of a list whose order has no meaning. */
const removeRepeats = (members: readonly JsonValue[]): readonly JsonValue[] => [
  ...new Map(members.map((member) => [toCanonical(member), member])).values(),
]

/** Returns the source of a secret; undefined if the attribute is not secret. */
const findSecretSource = ({ name, attribute, declared: { value } }: DeclaredAttribute) => {
  if (value.is === 'secret') return value.source
  const isSecret = value.is === 'value' && isSecretValue(attribute, name, value.value)
  return isSecret ? { literal: holdText(String(value.value)) } : undefined
}

const compareSecret = async (
  { secrets }: DiffContext['options'],
  address: Address,
  source: SecretSource,
  item: CurrentItem | undefined,
): Promise<AttributeDiff['verdict']> => {
  if (item === undefined || secrets?.set === 'always') return 'differs'
  const changed = secrets?.set === 'changed' ? await secrets.changed(address, source) : undefined
  if (changed === undefined) return 'unknown'
  return changed ? 'differs' : 'same'
}

/** Reports a level that the documents do not offer for the scope of the kind. */
const checkOffered = (
  c: DiffContext,
  address: Address,
  { name, attribute, declared: { origin } }: DeclaredAttribute,
  wanted: JsonValue,
): void => {
  const param = attribute?.param
  if (!isNumeric(param) || param.offers === undefined || param.names === undefined) return
  const { offers, names } = param
  if (offers.some((offer) => names[offer] === wanted)) return
  const shown = quoteText(String(toFileValue(c, attribute, wanted)))
  const scope = c.kind.scope === 'site' ? 'the instance' : `a ${c.kind.scope}`
  if (c.options.isNewer === true && Object.values(names).some((value) => value === wanted)) {
    const text = `the documented API does not offer ${shown} in ${scope}, but this instance is newer`
    c.diff.addFinding('note', address, text, origin)
  } else {
    const text = `${name} in ${scope} must be one of ${offers.join(', ')}, not ${shown}`
    c.mistakes.add(origin, text)
  }
}

const formatShown = (value: JsonValue): string => {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (value === '' || value.length > 60) return describeSize(value)
  const quoted = quoteText(value)
  return quoted.startsWith('"') ? quoted : `"${quoted}"`
}

/** Reports a value that the instance would refuse, so that no planned action is certain to fail. */
export const checkAccepted = (
  { mistakes }: Pick<DiffContext, 'mistakes'>,
  name: string,
  param: Param | undefined,
  { value, origin }: { readonly value: JsonValue; readonly origin: Origin },
): void => {
  const refusal = param && findRefusal(param, value)
  if (param === undefined || refusal === undefined) return
  const shown = mayComeFromFile(param) ? describeSize(String(value)) : formatShown(value)
  const { expected, nearest } = refusal
  const hint = nearest === undefined ? undefined : `Did you mean ${nearest}?`
  mistakes.add(origin, `${quoteText(name)} must be ${expected}, not ${shown}`, hint)
}

const typeNames: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  number: 'a number',
  integer: 'a number',
  list: 'a list',
  array: 'a list',
}

const typeChecks: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  'true or false': (value) => typeof normalizeValue({ param: boolean('') }, value) === 'boolean',
  'a number': (value) =>
    value !== '' && typeof value !== 'object' && Number.isFinite(Number(value)),
  'a list': (value) => value !== '' && (isJsonList(value) || typeof value === 'string'),
}

/** Returns the JSON type of a documented field, apart from null. */
const getFieldType = (schema: unknown): string | undefined => {
  if (!isObject(schema)) return undefined
  if (!Array.isArray(schema.anyOf)) return typeof schema.type === 'string' ? schema.type : undefined
  return schema.anyOf.map(getFieldType).find((type) => type !== undefined && type !== 'null')
}

/** Reports an undocumented attribute whose value has another type than the instance shows. */
const checkShown = (
  { kind, mistakes }: DiffContext,
  { name, attribute, declared: { origin } }: DeclaredAttribute,
  wanted: JsonValue,
  now: JsonValue | undefined,
): void => {
  if (attribute !== undefined) return
  const shown = isJsonList(now) ? 'list' : now === null ? undefined : typeof now
  const type = shown ?? getFieldType(getProperties(kind.read.returns.shape)?.[name]) ?? ''
  if (wanted === null && type === 'boolean') mistakes.add(origin, `${name} cannot be unset`)
  const typeName = wanted === null ? undefined : typeNames[type]
  if (typeName !== undefined && typeChecks[typeName]?.(wanted) === false)
    mistakes.add(origin, `${name} must be ${typeName}, not ${formatShown(wanted)}`)
}

const diffAttribute = async (
  c: DiffContext,
  address: Address,
  toNamed: DeclaredAttribute,
  item: CurrentItem | undefined,
): Promise<AttributeDiff | undefined> => {
  const { name, attribute, declared } = toNamed
  const base = { name, attribute, origin: declared.origin }
  const secret = findSecretSource(toNamed)
  if (secret !== undefined) {
    const verdict = await compareSecret(c.options, address, secret, item)
    return { ...base, secret, shown: {}, verdict }
  }
  const now = getCurrentValue(c.kind, item, name, attribute)
  const wanted = await resolveWanted(c, toNamed, now)
  if (wanted === undefined) return undefined
  const typed = { name, param: attribute?.param }
  const isSame =
    now !== undefined && item !== undefined && matchesWanted(c.kind, typed, item, wanted, now)
  const other = attribute?.fixed === true ? 'fixed' : 'differs'
  const verdict = now === undefined ? 'unknown' : isSame ? 'same' : other
  const isSent = item === undefined || verdict === 'differs'
  if (isSent) {
    checkOffered(c, address, toNamed, wanted)
    checkAccepted(c, name, attribute?.param, { value: wanted, origin: declared.origin })
    checkShown(c, toNamed, wanted, now)
  }
  return {
    ...base,
    wanted,
    shown: {
      now: now === undefined ? undefined : toFileValue(c, attribute, now),
      wanted: toFileValue(c, attribute, wanted),
    },
    verdict: isSent ? 'differs' : verdict,
    within: declared.value.is === 'range' ? declared.value.text : undefined,
  }
}

/** Compares all declared and selected attributes with their current values. */
export const diffAttributes = async (
  c: DiffContext,
  at: Address,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): Promise<readonly AttributeDiff[]> => {
  const known = getAttributes(c.kind)
  const all = [...desired.attributes]
  // Undocumented attributes come last. If the kind is open, the record of the instance must have them.
  const others = all.filter(([name, { origin }]) => {
    const isOne = c.kind.open !== true || item === undefined || item.record[name] !== undefined
    if (known.has(name) || isOne) return !known.has(name)
    const text = `unknown to the documented API and to the instance: ${c.kind.name}#${name}`
    const names = [...known.keys(), ...Object.keys(item.record)]
    return c.mistakes.add(origin, text, suggestSimilar(name, names))
  })
  const diffs: AttributeDiff[] = []
  for (const [name, declared] of [...all.filter(([one]) => known.has(one)), ...others]) {
    const address = { ...at, attribute: name }
    if (!isSelected(c.options, address)) continue
    const one = { name, declared, attribute: known.get(name) }
    const diff = await diffAttribute(c, address, one, item)
    if (diff !== undefined) diffs.push(diff)
  }
  return diffs
}

// The conversion of names in files to numbers of the instance, and of numbers back to names for output.

/** Returns the number that a reference in a file means. Returns undefined for an unknown name, which is reported. */
export const resolveNumber = async (
  c: DiffContext,
  of: Referent,
  reference: Reference,
  origin: Origin,
): Promise<number | undefined> => {
  const { names } = c.view
  const report = (text: string, hint?: string): undefined =>
    reportUnplannable(c, { ...c.place, kind: c.kind.name }, origin, text, hint)
  if (typeof reference === 'number') {
    if ((await names.exists?.(of, reference, c.place)) !== false) return reference
    const what = of === 'runner' ? 'runner of projects' : of
    return report(`there is no ${what} with the ID ${reference}`)
  }
  try {
    const number = await names.number(of, reference, c.place)
    if (number !== undefined) return number
  } catch (error) {
    const { category, message, details } = recoverFrom(error)
    if (category !== 'usage') throw error
    return report(message, details.hint)
  }
  const near = suggestSimilar(reference, names.known?.(of, c.place) ?? [])
  return report(
    `there is no ${of} ${quoteText(formatReference(reference))} that this token can see`,
    near === undefined
      ? 'Write its ID instead of its name.'
      : `${near} Otherwise, write the ID instead of the name.`,
  )
}

/** Replaces names by numbers if the attribute is a reference; returns undefined if a name is unknown. */
const resolveNames = async (
  c: DiffContext,
  attribute: Attribute | undefined,
  value: JsonValue,
  origin: Origin,
): Promise<JsonValue | undefined> => {
  const ref = attribute?.ref
  if (ref === undefined) return value
  const numbers: JsonValue[] = []
  for (const one of isJsonList(value) ? value : [value]) {
    const isNamed = typeof one === 'string' || typeof one === 'number'
    const number = isNamed ? await resolveNumber(c, ref, one, origin) : one
    if (number === undefined) return undefined
    numbers.push(number)
  }
  return isJsonList(value) ? numbers : numbers[0]
}

/** Returns a value as files write it: known names instead of numbers. */
const toFileValue = (c: DiffContext, attribute: Attribute | undefined, value: JsonValue) => {
  if (attribute === undefined) return value
  // An empty text is not a valid day or URL: it means that there is none.
  if (value === '' && (getParamFormat(attribute.param) ?? 'text') !== 'text') return null
  const toNamed = (member: JsonValue) => toNamedValue(attribute, member, c.place, c.view.names)
  return isJsonList(value) ? value.map(toNamed) : toNamed(value)
}
