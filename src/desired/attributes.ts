/** Derives the attributes of managed kinds from the catalogue, and compares and hashes their values. */

import { isObject, type JsonValue } from '../base/objects.js'
import { isSecret } from '../base/secrets/mask.js'
import { isSecretName } from '../base/secrets/names.js'
import type { IntegrationFamily } from '../catalogue/areas/integrations.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import type { Managed, Referent } from '../catalogue/managed.js'
import {
  getParamFormat,
  isClearedByEmpty,
  isListParam,
  type Param,
  type Params,
} from '../catalogue/params.js'
import { type ManagedPlace, toReferenceText } from './address.js'
import type { CurrentItem, NameFinder } from './state.js'
import { hashBytes, isSameValue, normalizeValue, toCanonical, type ValueType } from './values.js'

/** A parameter that files can declare. */
export interface Attribute {
  readonly name: string
  readonly param: Param
  /** The path of the field that shows the attribute (`users[].id`); undefined if no answer shows it. */
  readonly field: string | undefined
  /** True if the attribute is a secret, which cannot be read back and is never shown. */
  readonly secret: boolean
  /** The source that files may give instead of the value: a secret's source, or the file of a key or certificate. */
  readonly source?: 'secret' | 'file'
  /** The kind of object that the number refers to, if files may use its name instead. */
  readonly ref?: Referent
  /** True if creation requires the attribute. */
  readonly required: boolean
  /** True if the attribute can be set only at creation. */
  readonly fixed: boolean
  /** True if the attribute concerns the operation of an object, not its configuration. It is only exported on request. */
  readonly operational: boolean
}

const listShapeFields = (endpoint: Endpoint | undefined): readonly string[] =>
  Object.keys(getProperties(endpoint?.returns.shape) ?? {})

/** Lists the fields of a kind's records: `id`, and those that its `read` or its `each` returns. */
export const listKindFields = ({ read, each }: Managed): readonly string[] => [
  ...new Set(['id', ...listShapeFields(read), ...listShapeFields(each)]),
]

/** Returns all parameters that write an item of a kind. */
export const getKindParams = ({ create, update }: Managed): Params => ({
  ...create?.params,
  ...update?.params,
})

const findAttributeField = (kind: Managed, name: string): string | undefined => {
  const from = kind.from?.[name]
  if (from !== undefined) return from
  if ([...listShapeFields(kind.read), ...listShapeFields(kind.each)].includes(name)) return name
  const echo = kind.update?.echo
  return echo === undefined ? undefined : `${echo}.${name}`
}

/** True if the value may come from a file of its own. A wrong file name or a wrong paste there may contain a secret. */
export const mayComeFromFile = (param: Param): boolean =>
  ['pem', 'public-key'].includes(getParamFormat(param) ?? '')

/** Returns the value of an attribute as it was read; undefined if no answer shows it. */
export const getCurrentValue = (
  kind: Managed,
  item: CurrentItem | undefined,
  name: string,
  attribute: Attribute | undefined,
): JsonValue | undefined => {
  if (item === undefined || attribute?.secret === true) return undefined
  const read = item.attributes[name]
  if (read !== undefined) return read
  if (attribute === undefined) {
    const echo = item.record[kind.update?.echo ?? '']
    // The record is parsed JSON, although its documented type is wider.
    return ((isObject(echo) ? echo[name] : undefined) ?? item.record[name]) as JsonValue | undefined
  }
  // An omitted field means a list without members, a date that is not set, or a certificate that is not attached.
  const { param } = attribute
  if (name === kind.pair?.shown && !isObject(item.record[name])) return null
  if (isListParam(param)) return []
  return param.nullable === true || isClearedByEmpty(param) ? null : undefined
}

/** True if an item has the wanted value. An unset attribute may show the value of another attribute, which counts as unset. */
export const matchesWanted = (
  { unsetShows = {} }: Managed,
  attribute: { readonly name: string } & ValueType,
  { attributes }: Pick<CurrentItem, 'attributes'>,
  wanted: JsonValue,
  now: JsonValue | undefined,
): boolean => {
  if (isSameValue(attribute, now, wanted)) return true
  const other = unsetShows[attribute.name]
  const isUnset = wanted === null || wanted === ''
  return isUnset && other !== undefined && isSameValue(attribute, now, attributes[other])
}

/** Lists the parameters that every update sends: the required ones, and those that the instance would clear if they were omitted. */
export const listAlwaysSentParams = (kind: Managed): ReadonlySet<string> => {
  const required = Object.entries(kind.update?.params ?? {}).filter(([, p]) => p.required === true)
  return new Set([...required.map(([name]) => name), ...(kind.keep ?? [])])
}

/** Returns the name of the attribute that lists the approving users; undefined if the kind has none. */
export const findApproversAttribute = ({ after, refs = {} }: Managed): string | undefined =>
  after?.includes('members') === true
    ? Object.keys(refs).find((name) => refs[name] === 'user')
    : undefined

const attributeCache = new WeakMap<Managed, Map<IntegrationFamily | undefined, AttributesByName>>()
type AttributesByName = ReadonlyMap<string, Attribute>

/**
 * Returns the attributes of a kind: its parameters of create and update without identity, placeholders and deprecated ones. If the kind has
 * families and the item's family is known, they are the attributes of that family.
 */
export const getAttributes = (kind: Managed, family?: IntegrationFamily): AttributesByName => {
  const families =
    attributeCache.get(kind) ?? new Map<IntegrationFamily | undefined, AttributesByName>()
  attributeCache.set(kind, families)
  const known = families.get(family) ?? buildAttributes(kind, family)
  families.set(family, known)
  return known
}

const buildAttributes = (
  kind: Managed,
  family: IntegrationFamily | undefined,
): AttributesByName => {
  const { update, create, at = {}, without = [], refs, operational, label, identity } = kind
  // Files refer to an item with a label by the label, so its identity is an ordinary attribute.
  const named = label === undefined ? [identity] : []
  const excluded = new Set([...named, ...Object.keys(at), ...without])
  const required = family?.params ?? create?.params
  const all = Object.entries(family?.params ?? getKindParams(kind)).filter(
    ([name, param]) => !excluded.has(name) && param.deprecated === undefined,
  )
  const createAttribute = (name: string, param: Param): Attribute => ({
    name,
    param,
    field: param.secret === true ? undefined : findAttributeField(kind, name),
    secret: param.secret === true,
    source: param.secret === true ? 'secret' : mayComeFromFile(param) ? 'file' : undefined,
    ref: refs?.[name],
    required: required?.[name]?.required === true,
    fixed: update !== undefined && !Object.hasOwn(update.params, name),
    operational: operational?.includes(name) === true,
  })
  return new Map(all.map(([name, param]) => [name, createAttribute(name, param)]))
}

/** Returns the family whose documented slugs include the item, else the family that the file names. */
export const selectFamily = (
  { families }: Pick<Managed, 'families'>,
  item: string,
  declaredFamily?: string,
): IntegrationFamily | undefined =>
  families?.find(({ slugs }) => slugs.includes(item)) ??
  families?.find(({ name }) => name === declaredFamily)

/** Returns the attribute that a scalar in place of an item's map sets: the only attribute that creation requires. */
export const findScalarAttribute = (kind: Managed): Attribute | undefined => {
  const all = [...getAttributes(kind).values()].filter(
    (attribute) => attribute.required && attribute.name !== kind.label,
  )
  return kind.families === undefined && kind.holds === 'set' && all.length === 1
    ? all[0]
    : undefined
}

/** Returns a value as files write it: a number that has a name is replaced by the name. */
export const toNamedValue = (
  { param, ref }: Pick<Attribute, 'param' | 'ref'>,
  value: JsonValue,
  near: ManagedPlace,
  names: NameFinder,
): JsonValue => {
  if (ref !== undefined)
    return typeof value === 'number'
      ? (toReferenceText(names.name(ref, value, near) ?? '') ?? value)
      : value
  const known = 'names' in param ? Object.entries(param.names ?? {}) : []
  return known.find(([, number]) => number === value)?.[0] ?? value
}

/** True if an undocumented attribute may have this name; names that every JavaScript object has are excluded. */
export const canBeAttributeName = (name: string): boolean => /^\w+$/.test(name) && !(name in {})

/**
 * True if a value stands under the name of a secret. A number or boolean there describes how a secret is used, and is no secret.
 */
export const isValueUnderSecretName = (name: string, value: unknown): boolean =>
  isSecretName(name) && typeof value !== 'number' && typeof value !== 'boolean'

/** True if a value that was read is secret: it is declared as one, or it is masked wherever else it is shown. */
export const isSecretValue = (
  attribute: Pick<Attribute, 'secret'> | undefined,
  name: string,
  value: JsonValue,
): boolean => attribute?.secret === true || isSecret(name, value)

// Digests of the current state: SHA-256 of all managed attributes that can be read and are not secret. A later write compares them with the
// state at that time.

const hashValue = (value: JsonValue): string => hashBytes(toCanonical(value))

/** The digest of an item that does not exist. */
export const absentDigest = hashValue(null)

/** Returns the digest of an item; `absent` if there is no item. */
export const computeItemDigest = (
  kind: Managed,
  item: Pick<CurrentItem, 'identity' | 'attributes'> | undefined,
): string => {
  if (item === undefined) return absentDigest
  const known = getAttributes(kind)
  const values = Object.entries(item.attributes)
    .filter(([name, value]) => !isSecretValue(known.get(name), name, value))
    .map(
      ([name, value]) => [name, normalizeValue({ param: known.get(name)?.param }, value)] as const,
    )
  return hashValue({ identity: item.identity, attributes: Object.fromEntries(values) })
}

/** Returns the digest of a set's identities: adding or removing an item changes it, and changing an item does not. */
export const computeSetDigest = (items: readonly Pick<CurrentItem, 'identity'>[]): string =>
  hashValue(items.map(({ identity }) => identity).sort())
