/** A value of an attribute, as a file has it: names for numbers, sets in order. */
import type { JsonValue } from '../../base/json/value.js'
import type { Referent } from '../../catalogue/managed/managed.js'
import type { Param } from '../../catalogue/params.js'
import type { ManagedPlace } from '../address.js'
import type { Attribute } from '../attributes.js'
import { type CalledBy, referenceText } from '../references.js'
import type { ChosenParts } from './chosen.js'
import { sorted } from './model.js'

/** What is written, where it is not the same for everybody. */
export interface Exporting {
  readonly names: CalledBy
  /** What is not listed is to be deleted. */
  readonly exact: boolean
  /** Exporting things are run, too. */
  readonly operational: boolean
  /** Settings that the documents do not have, too. */
  readonly allSettings: boolean
  readonly chosen: ChosenParts
  /** Whether kinds were named: then each is to be read, whatever the token. */
  readonly asked: boolean
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

const named = (
  ref: Referent,
  value: JsonValue,
  near: ManagedPlace,
  { names }: Exporting,
): JsonValue => {
  // What is no ID is nobody's: it is no name that a file may say, either.
  if (typeof value !== 'number') return null
  const name = names.name(ref, value, near)
  return (name === undefined ? undefined : referenceText(name)) ?? value
}

/** A whole number by the name that the catalogue has for it. */
const levelled = (param: Param, value: JsonValue): JsonValue => {
  if (param.type !== 'integer' && param.type !== 'list') return value
  const known = Object.entries(param.names ?? {}).find(([, number]) => number === value)
  return known?.[0] ?? value
}

const lines = (value: JsonValue): JsonValue =>
  typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value

const orderOf = (value: JsonValue): string =>
  typeof value === 'number' ? String(value).padStart(20, '0') : JSON.stringify(value)

/** Lists are sets, but for those of objects, whose order may mean something. */
const inOrder = (param: Param, list: readonly JsonValue[]): JsonValue =>
  param.type === 'list' ? sorted(new Set(list), orderOf) : list

/** Whether an attribute that is not set is said: where files may say so, of dates in exact files only. */
const saysNull = (param: Param, { exact }: Exporting): boolean =>
  param.nullable === true || (exact && param.type === 'string' && param.clears === true)

/** An attribute's value as files have it; undefined where none is written. */
export const fileValue = (
  { param, ref }: Attribute,
  value: JsonValue | undefined,
  near: ManagedPlace,
  how: Exporting,
): JsonValue | undefined => {
  if (value === undefined) return undefined
  if (value === null) return saysNull(param, how) ? null : undefined
  const one = (item: JsonValue): JsonValue =>
    ref === undefined ? lines(levelled(param, item)) : named(ref, item, near, how)
  return isList(value) ? inOrder(param, value.map(one)) : one(value)
}
