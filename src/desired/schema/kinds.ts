/** Kinds of a place, as JSON Schema: objects, sets of items, rules. */

import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import {
  type EnumParam,
  emptyClears,
  formatOf,
  type IntegerParam,
  type ListParam,
  type Param,
  type StringParam,
} from '../../catalogue/params.js'
import {
  allValues,
  defined,
  either,
  type JsonSchema,
  listOf,
  rangeOf,
  type SchemaWays,
  valueSchema,
} from '../../catalogue/schema.js'
import { type Attribute, attributesOf, fieldsOfKind, shortAttribute } from '../attributes.js'

const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const inherit = flag('false ignores the values of less specific levels')

const attributesIn = (kind: Managed, family?: IntegrationFamily): JsonSchema =>
  Object.fromEntries(
    [...attributesOf(kind, family)].map(([name, attribute]) => [name, attributeSchema(attribute)]),
  )

/** The words of files that stand beside the attributes of an item. */
const wordsOf = ({ renames, open, families }: Managed): JsonSchema => {
  const other = { type: 'object', description: 'attributes that the documented API lacks' }
  const string: JsonSchema = { type: 'string' }
  const names = either(string, listOf(string))
  return defined({
    $inherit: inherit,
    $other: open === true ? undefined : other,
    previously: renames === true ? { ...names, description: 'previous names' } : undefined,
    family: families && {
      enum: families.map(({ name }) => name),
      description: 'family of the integration, if its name does not imply one',
    },
  })
}

/** Only what an item's family takes, and what it requires, as soon as the family is known. */
const narrowed = (kind: Managed, family: IntegrationFamily): JsonSchema => ({
  properties: Object.fromEntries(
    [...attributesOf(kind, family)].flatMap(([name, { required }]) =>
      required ? [[name, filled]] : [],
    ),
  ),
  propertyNames: { enum: [...Object.keys(wordsOf(kind)), ...attributesOf(kind, family).keys()] },
})

const familyRules = (kind: Managed): JsonSchema => {
  const rules = (kind.families ?? []).map((family) => ({
    if: { properties: { family: { const: family.name } }, required: ['family'] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema, in a value that nobody awaits.
    then: narrowed(kind, family),
  }))
  return rules.length === 0 ? {} : { allOf: rules }
}

const closed = ({ open }: Managed): JsonSchema =>
  open === true
    ? { propertyNames: { not: { pattern: '^\\$(?!inherit$)' } } }
    : { additionalProperties: false }

const bodyOf = (kind: Managed): JsonSchema => ({
  type: 'object',
  properties: { ...attributesIn(kind), ...wordsOf(kind) },
  ...closed(kind),
  ...familyRules(kind),
})

/** Items whose names say their family. */
const knownItems = (kind: Managed, gone: JsonSchema | undefined): JsonSchema =>
  Object.fromEntries(
    (kind.families ?? []).flatMap((family) =>
      family.slugs.map((slug) => {
        const words = { ...wordsOf(kind), family: { const: family.name } }
        const properties = { ...attributesIn(kind, family), ...words }
        return [slug, either({ type: 'object', properties, additionalProperties: false }, gone)]
      }),
    ),
  )

const setOf = (kind: Managed): JsonSchema => {
  const isRemovable = kind.remove !== undefined
  const gone = kind.remove && { type: 'null', description: kind.remove.destructive ?? '' }
  const words = isRemovable ? 'exact$|inherit$' : 'inherit$'
  const short = shortAttribute(kind)
  return {
    type: 'object',
    properties: defined({
      $exact: isRemovable ? flag('true: what is not listed is deleted') : undefined,
      $inherit: inherit,
      ...knownItems(kind, gone),
    }),
    // `$$` stands for a `$` that begins a name.
    propertyNames: { pattern: `^(?!\\$(?!\\$|${words}))` },
    additionalProperties: either(bodyOf(kind), short && attributeSchema(short), gone),
  }
}

const rulesOf = (kind: Managed): JsonSchema => {
  const wanted: JsonSchema = { type: ['string', 'number', 'boolean'] }
  const value = either(wanted, { type: 'array', items: wanted })
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        match: {
          type: 'object',
          properties: Object.fromEntries(fieldsOfKind(kind).map((name) => [name, value])),
          additionalProperties: false,
          minProperties: 1,
          description: 'conditions that must all match; * matches anything in text',
        },
        set: bodyOf(kind),
      },
      required: ['match', 'set'],
      additionalProperties: false,
    },
  }
}

const schemaOf = (kind: Managed): JsonSchema => {
  if (kind.holds === 'rules') return rulesOf(kind)
  return { ...(kind.holds === 'one' ? bodyOf(kind) : setOf(kind)), description: kind.read.summary }
}

/** The kinds of a scope by name. */
export const kindsOf = (scope: ManagedScope): JsonSchema =>
  Object.fromEntries(
    managedKinds.filter((kind) => kind.scope === scope).map((kind) => [kind.name, schemaOf(kind)]),
  )

/** What stands in a place of a scope: its kinds. */
export const placeOf = (scope: ManagedScope): JsonSchema => ({
  type: 'object',
  properties: { $inherit: inherit, ...kindsOf(scope) },
  additionalProperties: false,
})

// What files may say of an attribute, as JSON Schema: no less than what reading them takes.

const nothing: JsonSchema = { type: 'null' }
/** A text that YAML reads as something else is taken as it is written. */
const text: JsonSchema = { type: ['string', 'number', 'boolean'] }

const wordsIn = (param: EnumParam | ListParam): JsonSchema => ({ enum: allValues(param) })

/** Numbers as texts; where there are few, just those. */
const digitsIn = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined || max === undefined || max - min > 100) return '-?\\d+'
  return Array.from({ length: max - min + 1 }, (_, i) => String(min + i)).join('|')
}

const numberOf = (param: IntegerParam | ListParam): JsonSchema => {
  const [min, max] = param.type === 'integer' ? [param.min, param.max] : []
  const digits: JsonSchema = { type: 'string', pattern: `^(?:${digitsIn(min, max)})$` }
  const names = param.names && { enum: Object.keys(param.names) }
  return either({ type: 'integer', ...rangeOf(param) }, names, digits)
}

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, JsonSchema>>> = {
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  pem: { type: 'string', pattern: '-----BEGIN ' },
  'public-key': { type: 'string', pattern: '^\\s*\\S+ +\\S' },
  csv: either(text, listOf(text)),
  spaced: either(text, listOf(text)),
}

const textOf = (param?: StringParam): JsonSchema => {
  const plain = formats[formatOf(param) ?? 'text'] ?? text
  return either(plain, emptyClears(param) && { const: '' })
}

/** A list, whole or as what changes of it. */
const listIn = (items: JsonSchema, param: ListParam): JsonSchema => {
  const list = listOf(items, param.max)
  const delta: JsonSchema = {
    type: 'object',
    properties: { $add: list, $remove: list },
    additionalProperties: false,
    minProperties: 1,
  }
  return either(list, delta, param.single === true && items)
}

/** In place of a value: what is inside is left as it is. */
const rangesOf = (value: JsonSchema, bounds: boolean): readonly JsonSchema[] => {
  const range = (properties: JsonSchema, more: JsonSchema): JsonSchema => ({
    type: 'object',
    properties,
    additionalProperties: false,
    minProperties: 1,
    ...more,
  })
  const oneOf = { one_of: { type: 'array', items: value, minItems: 1 } }
  return [
    ...(bounds ? [range({ min: value, max: value }, { description: 'minimum and maximum' })] : []),
    range(oneOf, { description: 'allowed values; the first is set if none matches' }),
  ]
}

const name: JsonSchema = { $ref: '#/$defs/name' }

/** What files may say otherwise than the API takes it: ranges, changes of a list, names in place of IDs. */
const inFiles: Partial<SchemaWays> = {
  integer: (param) =>
    param.type === 'list'
      ? numberOf(param)
      : either(numberOf(param), ...rangesOf(numberOf(param), true)),
  choice: (param) =>
    param.type === 'list'
      ? wordsIn(param)
      : either(wordsIn(param), ...rangesOf(wordsIn(param), false)),
  text: textOf,
  list: listIn,
  object: () => ({ type: 'object' }),
  json: () => ({}),
  scope: name,
}

const byName: Partial<SchemaWays> = {
  ...inFiles,
  integer: () => name,
  list: (_, param) => listIn(name, param),
}

const plainOf = (param: Param, named: boolean): JsonSchema =>
  valueSchema(param, () => ({}), named ? byName : inFiles)

/** Whether null, which unsets an attribute, is something that it takes. */
const canBeUnset = (param: Param): boolean =>
  param.nullable === true ||
  param.type === 'json' ||
  emptyClears(param) ||
  (param.type === 'string' && [undefined, 'text', 'csv', 'spaced', 'url'].includes(param.format))

const described = ({ param }: Attribute): string =>
  param.edition === undefined ? param.help : `${param.help} (${param.edition})`

/** What an attribute that nothing is created without may not be. */
const filled: JsonSchema = { not: { enum: [null, '', []] } }

/** What files may say of an attribute. */
const attributeSchema = (attribute: Attribute): JsonSchema => ({
  ...anyValue(attribute),
  ...(attribute.required ? filled : {}),
})

const anyValue = (attribute: Attribute): JsonSchema => {
  const { param, ref, source } = attribute
  const description = described(attribute)
  if (source === 'secret') return { $ref: '#/$defs/secret', description }
  const plain = plainOf(param, ref !== undefined)
  const words = param.words && { enum: param.words }
  const held = source === 'file' && { $ref: '#/$defs/held' }
  return { ...either(plain, words, held, canBeUnset(param) && nothing), description }
}
