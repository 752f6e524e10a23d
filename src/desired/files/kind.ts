/** Builds the JSON Schema of the kinds in a file (sets of items, single objects, and rules), and reads them. */

import {
  isNull,
  listEntries,
  listItems,
  toPlain,
  type WrittenEntry,
  type WrittenValue,
} from '../../base/documents/written.js'
import { joinWords, quoteText } from '../../base/text.js'
import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { createAnyOf, type JsonSchema } from '../../catalogue/schema.js'
import { foldName, type Reference } from '../address.js'
import { findScalarAttribute, listKindFields } from '../attributes.js'
import type { DesiredItem } from '../state.js'
import { toCanonical } from '../values.js'
import { buildScalarSchema } from './attribute.js'
import { buildItemSchema, createItem, readAttributeEntry } from './item.js'
import type { DeclaredKind, DeclaredLevel } from './levels.js'
import { inherit, type ReadContext, refusedExact, refuseKey, textSchema } from './nodes.js'
import { getTeamName } from './teams.js'

// The JSON Schema of kinds.

const exact: JsonSchema = {
  type: 'boolean',
  description: 'true: what is not listed is deleted',
}

const buildSetSchema = (kind: Managed): JsonSchema => {
  const isRemovable = kind.remove !== undefined
  const gone = kind.remove && { type: 'null', description: kind.remove.destructive ?? '' }
  const short = findScalarAttribute(kind)
  // Items whose names imply their family.
  const known = (kind.families ?? []).flatMap((family) =>
    family.slugs.map((slug) => [slug, createAnyOf(buildItemSchema(kind, family), gone)] as const),
  )
  return {
    type: 'object',
    ...(isRemovable && { hints: { null: 'To remove all items, write {$exact: true}.' } }),
    properties: {
      $exact: isRemovable ? exact : refusedExact,
      $inherit: inherit,
      ...Object.fromEntries(known),
    },
    // `$$` is an escaped `$` at the beginning of a name.
    propertyNames: {
      pattern: '^(?!\\$(?!\\$|exact$|inherit$))',
      title: 'name of an item',
      description: '$exact, $inherit, or $$name for a name that begins with $',
    },
    additionalProperties: createAnyOf(
      buildItemSchema(kind),
      short && buildScalarSchema(short),
      gone,
    ),
  }
}

const buildRulesSchema = (kind: Managed): JsonSchema => {
  const value = createAnyOf(textSchema, { type: 'array', items: textSchema })
  return {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        match: {
          type: 'object',
          properties: Object.fromEntries(listKindFields(kind).map((name) => [name, value])),
          additionalProperties: false,
          minProperties: 1,
          description: 'conditions that must all match; * matches anything in text',
          hints: { empty: 'To match everything, write {id: "*"}.' },
        },
        set: buildItemSchema(kind),
      },
      required: ['match', 'set'],
      additionalProperties: false,
    },
  }
}

/** Builds the schemas of all kinds of a scope, by name. */
const buildKindSchemas = (scope: ManagedScope): JsonSchema => {
  const kinds = managedKinds.filter((kind) => kind.scope === scope)
  const buildKindSchema = (kind: Managed): JsonSchema => {
    if (kind.holds === 'rules') return buildRulesSchema(kind)
    const schema = kind.holds === 'one' ? buildItemSchema(kind) : buildSetSchema(kind)
    return { ...schema, description: kind.read.summary }
  }
  return Object.fromEntries(kinds.map((kind) => [kind.name, buildKindSchema(kind)]))
}

/** The schemas of all kinds for places that do not have them: they say where a kind belongs. */
const refusedKinds: JsonSchema = Object.fromEntries(
  managedKinds.map(({ name }) => {
    const places = managedKinds.flatMap((kind) => {
      if (kind.name !== name) return []
      return kind.scope === 'site' ? 'site' : `${kind.scope}s`
    })
    return [name, refuseKey(`${name} belongs under ${joinWords(places, 'and')}.`)]
  }),
)

/** Builds the schema of a place of a scope, which contains its kinds. */
export const buildPlaceSchema = (scope: ManagedScope): JsonSchema => ({
  type: 'object',
  properties: {
    ...refusedKinds,
    ...buildKindSchemas(scope),
    ...(scope === 'group' && { projects: refuseKey(belowHint) }),
    $inherit: inherit,
  },
  additionalProperties: false,
})

const belowHint = "Put settings for all projects of the group under 'group/**'."

// Rules: `match` selects the items, and `set` has their attributes.

/** Adds a rule. Later rules win; a rule with the same match as an earlier one extends it. */
const addRule = (declared: DeclaredKind, rule: WrittenValue, context: ReadContext): void => {
  const parts = new Map(listEntries(rule).map(({ key, value }) => [key, value]))
  const [match, set] = [parts.get('match'), parts.get('set')]
  if (match === undefined || set === undefined) return
  const fields = Object.fromEntries(
    listEntries(match).map(({ key, value }) => [key, toPlain(value, context.mistakes)]),
  )
  const text = toCanonical(fields)
  const item = declared.items.get(`=${text}`) ?? createItem(text, rule.origin, fields)
  declared.items.set(`=${text}`, item)
  addBody(declared.kind, item, listEntries(set), rule.origin, context)
}

/** Adds attributes to an item, which other files may declare at the same level. */
const addBody = (
  kind: Managed,
  item: DesiredItem,
  entries: readonly WrittenEntry[],
  origin: DesiredItem['origin'],
  context: ReadContext,
): void => {
  item.body ??= origin
  for (const entry of entries) readAttributeEntry(entry, { ...context, kind, item })
}

// Sets, and kinds of a single object.

const getOrCreateItem = (
  declared: DeclaredKind,
  identity: Reference,
  origin: DesiredItem['origin'],
): DesiredItem => {
  // The names of teams are case-sensitive.
  const by = getTeamName(identity) === undefined ? declared.kind.by : undefined
  const name = String(identity)
  const folded = declared.kind.ignoresCase === true ? name.toLowerCase() : foldName(by, name)
  const key = typeof identity === 'number' ? `#${identity}` : `=${folded}`
  const item = declared.items.get(key) ?? createItem(identity, origin)
  declared.items.set(key, item)
  return item
}

const addItem = (declared: DeclaredKind, entry: WrittenEntry, context: ReadContext): undefined => {
  const { kind } = declared
  const { mistakes } = context
  const { key, origin, value } = entry
  // `$$` is an escaped `$` at the beginning of a name.
  const name = key.startsWith('$$') ? key.slice(1) : key
  const identity = kind.by === undefined ? name : mistakes.reference(origin, name)
  if (identity === undefined) return undefined
  const item = getOrCreateItem(declared, identity, origin)
  const short = value.is === 'scalar' ? findScalarAttribute(kind) : undefined
  if (isNull(value)) {
    if (item.gone !== undefined)
      mistakes.addDuplicate(origin, `${quoteText(key)} is null twice at this level`, item.gone)
    item.gone ??= origin
  } else {
    const own = short && [{ key: short.name, origin: value.origin, value }]
    addBody(kind, item, own ?? listEntries(value), origin, context)
  }
  const { gone, body } = item
  if (gone === undefined || body === undefined) return undefined
  const text = `${quoteText(String(identity))} is both null and has attributes at the same level`
  return mistakes.addDuplicate(origin, text, gone === origin ? body : gone)
}

/** Adds the entries of a set: its items, and the words about all of them. */
const addSet = (
  declared: DeclaredKind,
  entries: readonly WrittenEntry[],
  context: ReadContext,
): void => {
  const { mistakes } = context
  for (const entry of entries) {
    if (entry.key === '$inherit') declared.inherit = mistakes.switched(declared.inherit, entry)
    else if (entry.key === '$exact') declared.exact = mistakes.switched(declared.exact, entry)
    else addItem(declared, entry, context)
  }
}

/** Adds the declarations of a kind's entry to those of other files at the same level. */
const addKind = (
  level: DeclaredLevel,
  kind: Managed,
  { value, origin }: WrittenEntry,
  context: ReadContext,
): void => {
  const declared = level.kinds.get(kind.name) ?? { kind, origin, items: new Map() }
  level.kinds.set(kind.name, declared)
  if (kind.holds === 'rules') for (const rule of listItems(value)) addRule(declared, rule, context)
  else if (kind.holds === 'set') addSet(declared, listEntries(value), context)
  else {
    const item = getOrCreateItem(declared, '', declared.origin)
    addBody(kind, item, listEntries(value), value.origin, context)
  }
}

/** Adds the declarations of kinds to a level. */
export const addKinds = (
  level: DeclaredLevel,
  entries: readonly WrittenEntry[],
  context: ReadContext,
): void => {
  for (const entry of entries) {
    const kind = managedKinds.find(
      ({ name, scope }) => name === entry.key && scope === level.key.scope,
    )
    if (kind !== undefined) addKind(level, kind, entry, context)
    else level.inherit = context.mistakes.switched(level.inherit, entry)
  }
}
