/** Whether an instance has what an action wrote. */
import type { JsonValue } from '../../base/json/value.js'
import { methodOf } from '../../catalogue/endpoint.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { ActionStep, PlannedAction } from '../actions.js'
import { type Attribute, attributesOf } from '../attributes.js'
import type { SeenItem } from '../seen.js'
import { normalised, sameValue } from '../values.js'

// Which items count as being there.

const truth = { param: { type: 'boolean', help: '' } } as const

/** Whether an item counts as being there: an integration that is not active does not. */
const isPresent = ({ present }: Managed, { record }: Pick<SeenItem, 'record'>): boolean => {
  if (present === undefined) return true
  const value = record[present]
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return !plain || normalised(truth, value) !== false
}

/** What an instance has in place of what was written. */
export interface Difference {
  /** Undefined where it is about the item as a whole. */
  readonly attribute: string | undefined
  readonly wanted?: JsonValue
  readonly kept?: JsonValue
  readonly text: string
}

/** Items by a text of each; of a large set every action asks for its own. */
const indexes = new WeakMap<readonly SeenItem[], Map<string, ReadonlyMap<string, SeenItem>>>()

const indexed = (
  items: readonly SeenItem[],
  by: string,
  textOf: (item: SeenItem) => string,
): ReadonlyMap<string, SeenItem> => {
  const known = indexes.get(items) ?? new Map<string, ReadonlyMap<string, SeenItem>>()
  indexes.set(items, known)
  const index = known.get(by) ?? new Map(items.toReversed().map((item) => [textOf(item), item]))
  known.set(by, index)
  return index
}

/** Values as one text, numbers as they are written. */
const joined = (names: readonly string[], values: SeenItem['at'] | ActionStep['values']): string =>
  names.map((name) => String(values[name])).join('\0')

/** The item that an action is about: by what its own endpoints call it, else by its identity. */
export const itemOf = (
  kind: Managed,
  { values }: Pick<ActionStep, 'values'>,
  items: readonly SeenItem[],
): SeenItem | undefined => {
  if (kind.holds === 'one') return items[0]
  const placed = Object.keys(kind.at ?? {}).filter((name) => values[name] !== undefined)
  if (placed.length > 0)
    return indexed(items, placed.join(), ({ at }) => joined(placed, at)).get(joined(placed, values))
  const identity = kind.identity ?? ''
  const wanted = values[identity]
  if (wanted === undefined) return undefined
  const typed = { param: kind.create?.params[identity] }
  const textOf = (value: JsonValue): string => String(normalised(typed, value))
  return indexed(items, 'identity', (item) => textOf(item.identity)).get(textOf(wanted))
}

const shownOf = (
  { name, ref }: Pick<Attribute, 'name' | 'ref'>,
  wanted: JsonValue,
  kept: JsonValue | undefined,
): Difference => {
  const now = kept === undefined ? 'nothing' : JSON.stringify(kept)
  const number = ref === undefined ? '' : ' (by number)'
  return {
    attribute: name,
    wanted,
    kept,
    text: `the instance did not keep ${name}: it has ${now}${number} in place of ${JSON.stringify(wanted)}`,
  }
}

/** Attributes that were sent, and that the item shows otherwise. */
const unkept = (kind: Managed, { values }: ActionStep, item: SeenItem): readonly Difference[] => {
  const found: Difference[] = []
  for (const attribute of attributesOf(kind).values()) {
    const wanted = values[attribute.name]
    if (wanted === undefined || attribute.field === undefined) continue
    const kept = item.attributes[attribute.name]
    if (!sameValue(attribute, wanted, kept)) found.push(shownOf(attribute, wanted, kept))
  }
  return found
}

/** What an instance has otherwise than an action left it. */
export const differences = (
  { kind, step }: Pick<PlannedAction, 'kind' | 'step'>,
  items: readonly SeenItem[],
): readonly Difference[] => {
  const found = itemOf(kind, step, items)
  const item = found !== undefined && isPresent(kind, found) ? found : undefined
  if (methodOf(step.endpoint) === 'DELETE')
    return item === undefined ? [] : [{ attribute: undefined, text: 'it is still there' }]
  if (item === undefined) return [{ attribute: undefined, text: 'it is not there' }]
  return unkept(kind, step, item)
}
