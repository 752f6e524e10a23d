/** Reads an item in a file: its attributes, and the keywords beside them such as `previously`. */

import type { WrittenEntry } from '../../base/documents/written.js'
import { suggestSimilar } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { IntegrationFamily } from '../../catalogue/areas/integrations.js'
import type { Managed } from '../../catalogue/managed.js'
import { createAnyOf, type JsonSchema, listOf } from '../../catalogue/schema.js'
import type { Reference } from '../address.js'
import { canBeAttributeName, getAttributes, getKindParams } from '../attributes.js'
import type { DesiredItem, DesiredValue, Origin } from '../state.js'
import {
  buildAttributeSchema,
  filled,
  parseDeclaredValue,
  parseUndocumentedValue,
} from './attribute.js'
import { inherit, type ReadContext, textSchema } from './nodes.js'

/** The item that an entry belongs to, and its kind. */
interface ItemContext extends ReadContext {
  readonly kind: Managed
  readonly item: DesiredItem
}

type EntryReader = (entry: WrittenEntry, context: ItemContext) => void

// The keywords beside attributes.

/** `previously`: the former names of an item. */
const readPreviously: EntryReader = ({ key, origin, value: written }, { item, mistakes }) => {
  const items = written.is === 'list' ? written.items : [written]
  const value = items.flatMap((one) =>
    one.is === 'scalar' && one.value !== null && one.text !== '' ? [one.text] : [],
  )
  if (value.length < items.length)
    return mistakes.add(written.origin, `${key} must be a list of names`)
  const name = String(item.identity)
  if (value.includes(name)) mistakes.add(origin, `${key} contains ${quoteText(name)} itself`)
  item.previously = mistakes.once(item.previously, { value, origin }, key)
}

/** `family`: the integration family of an item, if its name does not imply one. */
const readFamily: EntryReader = ({ key, origin, value }, { kind, item, mistakes }) => {
  const names = (kind.families ?? []).map(({ name }) => name)
  const text = value.is === 'scalar' ? value.text : ''
  if (names.includes(text)) item.family = mistakes.once(item.family, { value: text, origin }, key)
  else
    mistakes.mistyped(
      value,
      `family must be one of ${names.join(', ')}`,
      suggestSimilar(text, names),
    )
}

/** `$other`: attributes that the documented API lacks. */
const readOther: EntryReader = ({ value }, context) => {
  const { kind, mistakes } = context
  if (value.is !== 'map') return mistakes.mistyped(value, '$other must be a map')
  for (const entry of value.entries) {
    const { key, origin } = entry
    if (!canBeAttributeName(key)) mistakes.add(origin, `${quoteText(key)} is unknown`)
    else if (getAttributes(kind).has(key))
      mistakes.add(origin, `${key} is a known attribute: move it out of $other`)
    else addAttribute(entry, parseUndocumentedValue(entry, context), context)
  }
}

/** A keyword: the kinds that have it, its schema, and its reader. */
interface ItemWord {
  readonly isOf: (kind: Managed) => boolean
  /** Returns the reason why other kinds do not have the keyword. */
  readonly whyNot?: (kind: Managed) => string
  readonly schema: (kind: Managed) => JsonSchema
  readonly take: EntryReader
}

const keywords: Readonly<Record<string, ItemWord>> = {
  $inherit: {
    isOf: () => true,
    schema: () => inherit,
    take: (entry, { item, mistakes }) => {
      item.inherit = mistakes.switched(item.inherit, entry)
    },
  },
  $other: {
    isOf: ({ open }) => open !== true,
    whyNot: ({ name }) =>
      `${name} does not need $other: it accepts every attribute of the response`,
    schema: () => ({ type: 'object', description: 'attributes that the documented API lacks' }),
    take: readOther,
  },
  previously: {
    isOf: ({ renames }) => renames === true,
    whyNot: ({ name, label }) =>
      `${name} cannot be renamed${label === undefined ? '' : `: change its ${label}`}`,
    schema: () => ({
      ...createAnyOf(textSchema, listOf(textSchema)),
      description: 'previous names',
    }),
    take: readPreviously,
  },
  family: {
    isOf: ({ families }) => families !== undefined,
    schema: ({ families = [] }) => ({
      enum: families.map(({ name }) => name),
      description: 'family of the integration, if its name does not imply one',
    }),
    take: readFamily,
  },
}

const listKeywords = (kind: Managed): readonly string[] =>
  Object.keys(keywords).filter((name) => keywords[name]?.isOf(kind) === true)

// The JSON Schema of items.

/** Builds the schemas of an item's attributes and keywords. */
const buildProperties = (kind: Managed, family?: IntegrationFamily): JsonSchema => ({
  ...Object.fromEntries(
    [...getAttributes(kind, family)].map(([name, attribute]) => [
      name,
      buildAttributeSchema(attribute),
    ]),
  ),
  ...Object.fromEntries(
    listKeywords(kind).map((name) => [name, keywords[name]?.schema(kind) ?? {}]),
  ),
  ...(family === undefined ? {} : { family: { const: family.name } }),
})

/** Builds the rule of a family: if it is set, only its attributes are allowed, and its required ones must not be empty. */
const buildFamilyRule = (kind: Managed, family: IntegrationFamily): JsonSchema => {
  const known = getAttributes(kind, family)
  const required = [...known].filter(([, attribute]) => attribute.required)
  return {
    if: { properties: { family: { const: family.name } }, required: ['family'] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema, in a value that nobody awaits.
    then: {
      properties: Object.fromEntries(required.map(([name]) => [name, filled])),
      propertyNames: { enum: [...listKeywords(kind), ...known.keys()] },
    },
  }
}

/** Builds the schema of an item. @param family the family that its name implies */
export const buildItemSchema = (kind: Managed, family?: IntegrationFamily): JsonSchema => {
  const properties = buildProperties(kind, family)
  const closed: JsonSchema = { additionalProperties: false }
  if (family !== undefined) return { type: 'object', properties, ...closed }
  const { open, families } = kind
  const others = { propertyNames: { not: { pattern: '^\\$(?!inherit$)' } } }
  const rules = families && { allOf: families.map((one) => buildFamilyRule(kind, one)) }
  return { type: 'object', properties, ...(open === true ? others : closed), ...rules }
}

// Attributes.

const noChange: DesiredValue = { is: 'change', add: [], remove: [] }

const addAttribute = (
  { key, origin }: WrittenEntry,
  // A value that could not be read changes nothing. It still counts as set, so that a second one is reported.
  value: DesiredValue = noChange,
  { item: { attributes }, mistakes }: ItemContext,
): void => {
  const first = mistakes.once(attributes.get(key), { value, origin }, quoteText(key))
  if (first !== undefined) attributes.set(key, first)
}

/** Reports a key that is not an attribute, with the reason or with a similar key. */
const reportUnknownKey: EntryReader = (entry, { kind, mistakes }) => {
  const { key, origin, value } = entry
  const params = getKindParams(kind)
  const param = Object.hasOwn(params, key) ? params[key] : undefined
  const whyNot = Object.hasOwn(keywords, key) ? keywords[key]?.whyNot?.(kind) : undefined
  if (whyNot !== undefined) return mistakes.add(origin, whyNot)
  if (key === kind.present) {
    const isFalse = value.is === 'scalar' && value.value === false
    const hint = isFalse
      ? 'To delete an item, write null instead of its attributes.'
      : 'Leave it out.'
    return mistakes.add(origin, `${key} is not an attribute: a listed item is always ${key}`, hint)
  }
  if (param?.deprecated !== undefined)
    return mistakes.add(origin, `${key} is deprecated`, `Use ${param.deprecated}.`)
  if (key === kind.identity || (param !== undefined && kind.without?.includes(key) !== true))
    return mistakes.add(origin, `${key} is not an attribute: it comes from the key of the item`)
  const beyond =
    kind.open === true || key.startsWith('$')
      ? undefined
      : 'Put attributes of newer instances under $other.'
  const known = [...getAttributes(kind).keys(), ...listKeywords(kind)]
  mistakes.unknown(entry, known, beyond, `${quoteText(key)} is not an attribute of ${kind.name}`)
}

/** Reads an entry of an item. */
export const readAttributeEntry: EntryReader = (entry, context) => {
  const { key, value } = entry
  const { kind } = context
  const attribute = getAttributes(kind).get(key)
  if (attribute !== undefined)
    return addAttribute(entry, parseDeclaredValue(attribute, value, context), context)
  const word = Object.hasOwn(keywords, key) ? keywords[key] : undefined
  // Whether an open kind has the attribute is known only when the instance answers.
  const isDeprecated = kind.update?.params[key]?.deprecated !== undefined
  const isOpen = kind.open === true && canBeAttributeName(key) && !isDeprecated
  if (word?.isOf(kind) === true) word.take(entry, context)
  else if (word === undefined && isOpen)
    addAttribute(entry, parseUndocumentedValue(entry, context), context)
  else reportUnknownKey(entry, context)
}

/** Creates an item without declarations. */
export const createItem = (
  identity: Reference,
  origin: Origin,
  match?: DesiredItem['match'],
): DesiredItem => ({ identity, origin, attributes: new Map(), match })
