/** Kinds of a place, as JSON Schema: objects, sets of items, rules. */
import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import { propertiesOf } from '../../catalogue/shapes/properties.js'
import { attributesOf, shortAttribute } from '../attributes.js'
import { either, filled, type JsonSchema, valueSchema } from './value.js'

const flag = (description: string): JsonSchema => ({ type: 'boolean', description })
export const inherit = flag('false leaves out what less specific levels say of it')

const attributesIn = (kind: Managed, family?: IntegrationFamily): JsonSchema =>
  Object.fromEntries(
    [...attributesOf(kind, family)].map(([name, attribute]) => [name, valueSchema(attribute)]),
  )

/** The words of files that stand beside the attributes of an item. */
const wordsOf = ({ renames, open, families = [] }: Managed): JsonSchema => ({
  $inherit: inherit,
  ...(open === true
    ? {}
    : { $other: { type: 'object', description: 'attributes that only the instance knows' } }),
  ...(renames === true
    ? {
        previously: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
          description: 'names that it had before',
        },
      }
    : {}),
  ...(families.length === 0
    ? {}
    : {
        family: {
          enum: families.map(({ name }) => name),
          description: 'whose parameters it takes, where its name does not say it',
        },
      }),
})

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
const knownItems = (kind: Managed, gone: readonly JsonSchema[]): JsonSchema =>
  Object.fromEntries(
    (kind.families ?? []).flatMap((family) =>
      family.slugs.map((slug) => {
        const words = { ...wordsOf(kind), family: { const: family.name } }
        const properties = { ...attributesIn(kind, family), ...words }
        return [slug, either({ type: 'object', properties, additionalProperties: false }, ...gone)]
      }),
    ),
  )

const setOf = (kind: Managed): JsonSchema => {
  const isRemovable = kind.remove !== undefined
  const gone: readonly JsonSchema[] = isRemovable
    ? [{ type: 'null', description: kind.remove?.destructive ?? '' }]
    : []
  const words = isRemovable ? 'exact$|inherit$' : 'inherit$'
  const short = shortAttribute(kind)
  return {
    type: 'object',
    properties: {
      ...(isRemovable ? { $exact: flag('true: what is not listed is deleted') } : {}),
      $inherit: inherit,
      ...knownItems(kind, gone),
    },
    // `$$` stands for a `$` that begins a name.
    propertyNames: { pattern: `^(?!\\$(?!\\$|${words}))` },
    additionalProperties: either(
      bodyOf(kind),
      ...(short === undefined ? [] : [valueSchema(short)]),
      ...gone,
    ),
  }
}

const rulesOf = (kind: Managed): JsonSchema => {
  const shapes = [kind.read, kind.each].map((endpoint) => propertiesOf(endpoint?.returns.shape))
  const fields = ['id', ...shapes.flatMap((shape) => Object.keys(shape ?? {}))]
  const wanted: JsonSchema = { type: ['string', 'number', 'boolean'] }
  const value = either(wanted, { type: 'array', items: wanted })
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        match: {
          type: 'object',
          properties: Object.fromEntries([...new Set(fields)].map((name) => [name, value])),
          additionalProperties: false,
          minProperties: 1,
          description: 'which it is for, all of this; * stands for anything in a text',
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
