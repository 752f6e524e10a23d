/** Reads the kinds in a file (sets of items, single objects, and rules), and builds their schema for editors. */

import {
  describeWritten,
  isNull,
  toPlain,
  type WrittenEntry,
  type WrittenMap,
  type WrittenValue,
} from '../../base/documents/written.js'
import type { JsonValue } from '../../base/objects.js'
import { quoteText } from '../../base/text.js'
import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { createAnyOf, type JsonSchema, omitUndefined } from '../../catalogue/schema.js'
import { foldName, type Reference } from '../address.js'
import { findScalarAttribute, listKindFields } from '../attributes.js'
import { type DesiredItem, formatOrigin } from '../state.js'
import { toCanonical } from '../values.js'
import { buildAttributeSchema } from './attribute.js'
import { buildItemSchema, createItem, readAttributeEntry } from './item.js'
import type { DeclaredKind, DeclaredLevel } from './levels.js'
import {
  createFlagSchema,
  inherit,
  type ReadContext,
  removeEmptyEntries,
  textSchema,
} from './nodes.js'
import { getTeamName } from './teams.js'

// The JSON Schema of kinds.

const buildSetSchema = (kind: Managed): JsonSchema => {
  const isRemovable = kind.remove !== undefined
  const gone = kind.remove && { type: 'null', description: kind.remove.destructive ?? '' }
  const words = isRemovable ? 'exact$|inherit$' : 'inherit$'
  const short = findScalarAttribute(kind)
  // Items whose names imply their family.
  const known = (kind.families ?? []).flatMap((family) =>
    family.slugs.map((slug) => [slug, createAnyOf(buildItemSchema(kind, family), gone)] as const),
  )
  return {
    type: 'object',
    properties: omitUndefined({
      $exact: isRemovable ? createFlagSchema('true: what is not listed is deleted') : undefined,
      $inherit: inherit,
      ...Object.fromEntries(known),
    }),
    // `$$` is an escaped `$` at the beginning of a name.
    propertyNames: { pattern: `^(?!\\$(?!\\$|${words}))` },
    additionalProperties: createAnyOf(
      buildItemSchema(kind),
      short && buildAttributeSchema(short),
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
        },
        set: buildItemSchema(kind),
      },
      required: ['match', 'set'],
      additionalProperties: false,
    },
  }
}

/** Builds the schemas of all kinds of a scope, by name. */
export const buildKindSchemas = (scope: ManagedScope): JsonSchema => {
  const kinds = managedKinds.filter((kind) => kind.scope === scope)
  const buildKindSchema = (kind: Managed): JsonSchema => {
    if (kind.holds === 'rules') return buildRulesSchema(kind)
    const schema = kind.holds === 'one' ? buildItemSchema(kind) : buildSetSchema(kind)
    return { ...schema, description: kind.read.summary }
  }
  return Object.fromEntries(kinds.map((kind) => [kind.name, buildKindSchema(kind)]))
}

/** Builds the schema of a place of a scope, which contains its kinds. */
export const buildPlaceSchema = (scope: ManagedScope): JsonSchema => ({
  type: 'object',
  properties: { $inherit: inherit, ...buildKindSchemas(scope) },
  additionalProperties: false,
})

// Rules: `match` selects the items, and `set` has their attributes.

/** Parses the fields that a rule matches; returns undefined if they are wrong, which is reported. */
const parseMatch = (
  kind: Managed,
  { origin, entries }: WrittenMap,
  { mistakes }: ReadContext,
): Readonly<Record<string, JsonValue>> | undefined => {
  const fields = listKindFields(kind)
  const right = entries.filter((entry) => {
    const { key, value } = entry
    const isField = fields.includes(key)
    const texts = value.is === 'list' ? value.items : [value]
    const fits = texts.every((text) => text.is === 'scalar' && text.value !== null)
    const text = `${quoteText(key)} is not a field of ${kind.name}`
    if (!isField) mistakes.unknown(entry, fields, `Its fields are ${fields.join(', ')}.`, text)
    else if (!fits) mistakes.add(value.origin, `${key} must be a value to match`)
    return isField && fits
  })
  if (entries.length === 0)
    return mistakes.add(origin, 'a rule needs match', 'To match everything, write {id: "*"}.')
  if (right.length < entries.length) return undefined
  return Object.fromEntries(right.map(({ key, value }) => [key, toPlain(value, mistakes)]))
}

/** Adds a rule. Later rules win; a rule with the same match as an earlier one extends it. */
const addRule = (declared: DeclaredKind, rule: WrittenValue, context: ReadContext): undefined => {
  const { mistakes } = context
  const { origin } = rule
  if (rule.is !== 'map') {
    const text = `a rule has match and set, and cannot be ${quoteText(describeWritten(rule))}`
    return mistakes.add(origin, text)
  }
  for (const entry of rule.entries)
    if (entry.key !== 'match' && entry.key !== 'set')
      mistakes.unknown(entry, ['match', 'set'], 'A rule has match and set.')
  const parts = new Map(rule.entries.map(({ key, value }) => [key, value]))
  const [match, set] = [parts.get('match'), parts.get('set')]
  if (match?.is !== 'map' || set?.is !== 'map')
    return mistakes.add(origin, 'match and set of a rule must be maps')
  const fields = parseMatch(declared.kind, match, context)
  const key = fields === undefined ? `?${formatOrigin(origin)}` : `=${toCanonical(fields)}`
  const item = declared.items.get(key) ?? createItem(key.slice(1), origin, fields ?? {})
  declared.items.set(key, item)
  addBody(declared.kind, item, set, origin, context)
}

/** Adds the attributes in a map to an item, which other files may declare at the same level. */
const addBody = (
  kind: Managed,
  item: DesiredItem,
  { entries }: WrittenMap,
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

const emptyHint = 'Write {} for an empty map.'

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
    if (kind.remove === undefined)
      mistakes.add(origin, `objects of the kind ${kind.name} cannot be deleted`, emptyHint)
    else if (item.gone !== undefined)
      mistakes.addDuplicate(origin, `${quoteText(key)} is null twice at this level`, item.gone)
    item.gone ??= origin
  } else if (value.is === 'map') addBody(kind, item, value, origin, context)
  else if (short !== undefined) {
    const entries = [{ key: short.name, origin: value.origin, value }]
    addBody(kind, item, { is: 'map', origin, entries }, origin, context)
  } else {
    const orNull = kind.remove === undefined ? '' : ', or null'
    return mistakes.mistyped(value, `${quoteText(key)} must be a map of attributes${orNull}`)
  }
  const { gone, body } = item
  if (gone === undefined || body === undefined) return undefined
  const text = `${quoteText(String(identity))} is both null and has attributes at the same level`
  return mistakes.addDuplicate(origin, text, gone === origin ? body : gone)
}

/** Returns a hint that shows a list of names as a map; undefined if the value is not a list of names. */
const createMapHint = (kind: Managed, value: WrittenValue): string | undefined => {
  const texts = value.is === 'list' ? value.items.slice(0, 3) : []
  const names = texts.flatMap((one) =>
    one.is === 'scalar' && /^[\w.-]{1,40}$/.test(one.text) ? [one.text] : [],
  )
  const short = findScalarAttribute(kind)
  if (names.length === 0 || names.length < texts.length) return undefined
  const items = names.map((name) => `${name}: ${short === undefined ? '{}' : `<${short.name}>`}`)
  return `Write ${kind.name}: {${items.join(', ')}}.`
}

const readExact = (
  declared: DeclaredKind,
  entry: WrittenEntry,
  { mistakes }: ReadContext,
): void => {
  const { kind, exact } = declared
  const text = `objects of the kind ${kind.name} cannot be deleted, so the set cannot be exact`
  if (kind.remove === undefined) mistakes.add(entry.origin, text)
  else declared.exact = mistakes.switched(exact, entry)
}

const addSet = (declared: DeclaredKind, map: WrittenMap, context: ReadContext): void => {
  const { mistakes } = context
  for (const entry of map.entries) {
    const { key } = entry
    const hint = `Write an item whose name begins with $ as $${quoteText(key)}.`
    if (key === '$inherit') declared.inherit = mistakes.switched(declared.inherit, entry)
    else if (key === '$exact') readExact(declared, entry, context)
    else if (!key.startsWith('$') || key.startsWith('$$')) addItem(declared, entry, context)
    else mistakes.unknown(entry, ['$exact', '$inherit'], hint)
  }
}

/** Adds the declarations of a kind's entry to those of other files at the same level. */
const addKind = (
  level: DeclaredLevel,
  kind: Managed,
  { value, origin }: WrittenEntry,
  context: ReadContext,
): void => {
  const { mistakes } = context
  const isRules = kind.holds === 'rules'
  if (value.is !== (isRules ? 'list' : 'map')) {
    const none = kind.remove === undefined ? '' : ' To remove all items, write {$exact: true}.'
    const hint = isNull(value) && !isRules ? `${emptyHint}${none}` : createMapHint(kind, value)
    mistakes.mistyped(value, `${kind.name} must be ${isRules ? 'a list of rules' : 'a map'}`, hint)
    return
  }
  const declared = level.kinds.get(kind.name) ?? { kind, origin, items: new Map() }
  level.kinds.set(kind.name, declared)
  const values = removeEmptyEntries(value, mistakes, kind.holds === 'set')
  if (values.is === 'list') for (const rule of values.items) addRule(declared, rule, context)
  else if (values.is === 'map' && kind.holds === 'set') addSet(declared, values, context)
  else if (values.is === 'map') {
    const exact = values.entries.find(({ key }) => key === '$exact')
    if (exact !== undefined) readExact(declared, exact, context)
    const entries = values.entries.filter((entry) => entry !== exact)
    const item = getOrCreateItem(declared, '', declared.origin)
    addBody(kind, item, { ...values, entries }, values.origin, context)
  }
}

/** Adds the declarations of a map of kinds to a level. */
export const addKinds = (level: DeclaredLevel, map: WrittenMap, context: ReadContext): void => {
  const kinds = managedKinds.filter(({ scope }) => scope === level.key.scope)
  const names = kinds.map(({ name }) => name)
  const { mistakes } = context
  for (const entry of map.entries) {
    const { key, origin } = entry
    const kind = kinds.find(({ name }) => name === key)
    const elsewhere = managedKinds
      .filter(({ name }) => name === key)
      .map(({ scope }) => (scope === 'site' ? 'site' : `${scope}s`))
    const text = `${quoteText(key)} is not a kind of object in a ${level.key.scope}`
    if (key === '$inherit') level.inherit = mistakes.switched(level.inherit, entry)
    else if (kind !== undefined) addKind(level, kind, entry, context)
    else if (elsewhere.length === 0)
      mistakes.unknown(entry, names, `Available: ${names.join(', ')}.`, text)
    else mistakes.add(origin, text, `${key} belongs under ${elsewhere.join(' and ')}.`)
  }
}
