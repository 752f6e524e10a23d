/** Reads an item in a file: its attributes, and the keywords beside them such as `previously`. */

import {
  getWrittenText,
  listEntries,
  listItems,
  type WrittenEntry,
} from '../../base/documents/written.js'
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
import { inherit, type ReadContext, refusedExact, refuseKey, textSchema } from './nodes.js'

/** The item that an entry belongs to, and its kind. */
interface ItemContext extends ReadContext {
  readonly kind: Managed
  readonly item: DesiredItem
}

type EntryReader = (entry: WrittenEntry, context: ItemContext) => void

// The keywords beside attributes.

/** `previously`: the former names of an item. */
const readPreviously: EntryReader = ({ key, origin, value: written }, { item, mistakes }) => {
  const value = listItems(written).map(getWrittenText)
  const name = String(item.identity)
  if (value.includes(name)) mistakes.add(origin, `${key} contains ${quoteText(name)} itself`)
  item.previously = mistakes.once(item.previously, { value, origin }, key)
}

/** `$other`: attributes that the documented API lacks. */
const readOther: EntryReader = ({ value }, context) => {
  for (const entry of listEntries(value))
    if (getAttributes(context.kind).has(entry.key))
      context.mistakes.add(entry.origin, `${entry.key} is a known attribute: move it out of $other`)
    else addUndocumented(entry, context)
}

/** A keyword: the kinds that have it, its schema, and its reader. */
interface ItemWord {
  readonly isOf: (kind: Managed) => boolean
  /** Returns the reason why other kinds do not have the keyword. */
  readonly whyNot?: (kind: Managed) => string
  readonly schema: (kind: Managed) => JsonSchema
  readonly take: EntryReader
}

const name: JsonSchema = { ...textSchema, minLength: 1 }

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
    whyNot: ({ name }) => `${name} accepts every attribute of the response without $other.`,
    schema: () => ({ type: 'object', description: 'attributes that the documented API lacks' }),
    take: readOther,
  },
  previously: {
    isOf: ({ renames }) => renames === true,
    whyNot: ({ name, label }) =>
      `${name} cannot be renamed${label === undefined ? '' : `: change the ${label}`}.`,
    schema: () => ({ ...createAnyOf(name, listOf(name)), description: 'previous names' }),
    take: readPreviously,
  },
  family: {
    isOf: ({ families }) => families !== undefined,
    schema: ({ families = [] }) => ({
      enum: families.map(({ name }) => name),
      description: 'family of the integration, if its name does not imply one',
    }),
    take: ({ key, origin, value }, { item, mistakes }) => {
      item.family = mistakes.once(item.family, { value: getWrittenText(value), origin }, key)
    },
  },
}

const listKeywords = (kind: Managed): readonly string[] =>
  Object.keys(keywords).filter((name) => keywords[name]?.isOf(kind) === true)

// The JSON Schema of items.

/** Builds the schemas of keys that an item cannot have, although the API or other kinds have them. */
const buildRefusedKeys = (kind: Managed): JsonSchema => {
  const { present = '', identity = '', holds, without = [] } = kind
  const known = getAttributes(kind)
  const params = Object.entries(getKindParams(kind)).filter(
    ([key]) => !known.has(key) && !without.includes(key),
  )
  const isPresent = `A listed item is always ${present}. To delete it, write null instead of its attributes.`
  const reasons = [
    ...Object.entries(keywords).map(([key, { isOf, whyNot }]) => {
      return [key, isOf(kind) ? undefined : whyNot?.(kind)] as const
    }),
    [identity, keyReason],
    ...params.map(([key, { deprecated: next }]) => {
      return [key, next === undefined ? keyReason : `It is deprecated: use ${next}.`] as const
    }),
    [present, isPresent],
  ] as const
  const refused = reasons.flatMap(([key, reason]) =>
    key === '' || reason === undefined ? [] : [[key, refuseKey(reason)]],
  )
  return { ...Object.fromEntries(refused), ...(holds !== 'set' && { $exact: refusedExact }) }
}

const keyReason = 'The key of the item determines it.'

/** Builds the schemas of an item's attributes and keywords. */
const buildProperties = (kind: Managed, family?: IntegrationFamily): JsonSchema => ({
  ...buildRefusedKeys(kind),
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
  const closed: JsonSchema = {
    additionalProperties: false,
    hints: { unknown: 'Put attributes of newer instances under $other.' },
  }
  if (family !== undefined) return { type: 'object', properties, ...closed }
  const { open, families } = kind
  const others = {
    propertyNames: { pattern: '^(?!\\$(?!inherit$|exact$|other$))', title: 'setting' },
  }
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

/** Adds an attribute that the documented API lacks. Whether the instance has it is known only when it answers. */
const addUndocumented: EntryReader = (entry, context) => {
  if (canBeAttributeName(entry.key))
    addAttribute(entry, parseUndocumentedValue(entry, context), context)
  else context.mistakes.add(entry.origin, `${quoteText(entry.key)} is unknown`)
}

/** Reads an entry of an item. */
export const readAttributeEntry: EntryReader = (entry, context) => {
  const { key, value } = entry
  const attribute = getAttributes(context.kind).get(key)
  const word = Object.hasOwn(keywords, key) ? keywords[key] : undefined
  if (attribute !== undefined)
    addAttribute(entry, parseDeclaredValue(attribute, value, context), context)
  else if (word?.isOf(context.kind) === true) word.take(entry, context)
  else addUndocumented(entry, context)
}

/** Creates an item without declarations. */
export const createItem = (
  identity: Reference,
  origin: Origin,
  match?: DesiredItem['match'],
): DesiredItem => ({ identity, origin, attributes: new Map(), match })
