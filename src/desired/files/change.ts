/** `$add` and `$remove`: what is to change of a list, whatever else is in it. */
import type { JsonValue } from '../../base/json/value.js'
import { didYouMean } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { Referent } from '../../catalogue/managed/managed.js'
import { foldedName } from '../address.js'
import type { Attribute } from '../attributes.js'
import type { DesiredValue, ValueRange } from '../state.js'
import { canonical } from '../values.js'
import { attributeValue } from './value.js'
import type { Mistakes, Written, WrittenEntry } from './written.js'

type ListDelta = Extract<DesiredValue, { is: 'change' }>

/** What makes two members of a list the same. */
const keyOf = (of: Referent | undefined, member: JsonValue): string =>
  canonical(of !== undefined && typeof member === 'string' ? foldedName(of, member) : member)

const without = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => {
  const left = new Set(others.map((other) => keyOf(of, other)))
  return members.filter((member) => !left.has(keyOf(of, member)))
}

const together = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => [...members, ...without(others, members, of)]

/** A list after changes to it. */
export const changedList = (
  members: readonly JsonValue[],
  { add, remove }: ListDelta,
  of: Referent | undefined,
): readonly JsonValue[] => together(without(members, remove, of), add, of)

/** Changes after changes. */
export const changedChange = (
  before: ListDelta,
  next: ListDelta,
  of: Referent | undefined,
): ListDelta => ({
  is: 'change',
  add: changedList(before.add, next, of),
  remove: together(without(before.remove, next.add, of), next.remove, of),
})

const isChange = (written: Written): boolean =>
  written.is === 'map' && written.entries.some(({ key }) => key === '$add' || key === '$remove')

/**
 * The changes that a map says of a list.
 * @returns undefined where it is no such map; `wrong` where it is, and has mistakes, which are reported
 */
export const listChange = (
  attribute: Attribute,
  written: Written,
  mistakes: Mistakes,
): ListDelta | 'wrong' | undefined => {
  if (written.is !== 'map') return undefined
  if (attribute.param.type !== 'list') {
    if (!isChange(written)) return undefined
    mistakes.add(
      written.origin,
      `${attribute.name} is not a list, so $add and $remove do not apply`,
    )
    return 'wrong'
  }
  const parts = written.entries.map(
    (entry) => [entry.key, part(attribute, entry, mistakes)] as const,
  )
  if (parts.length === 0)
    mistakes.add(written.origin, `${attribute.name} must be a list, or $add and $remove`)
  if (parts.length === 0 || parts.some(([, members]) => members === undefined)) return 'wrong'
  const members = new Map(parts)
  const [add, remove] = [members.get('$add') ?? [], members.get('$remove') ?? []]
  const of = attribute.ref
  if (without(add, remove, of).length < add.length) {
    mistakes.add(written.origin, `${attribute.name} adds and removes the same member`)
    return 'wrong'
  }
  return { is: 'change', add, remove }
}

const part = (
  attribute: Attribute,
  { key, origin, value }: WrittenEntry,
  mistakes: Mistakes,
): readonly JsonValue[] | undefined => {
  if (key !== '$add' && key !== '$remove') {
    const text = `${attribute.name} must be a list, or $add and $remove, not ${quoteText(key)}`
    return mistakes.add(origin, text, didYouMean(key, ['$add', '$remove']))
  }
  const members = attributeValue(attribute, value, mistakes)
  return Array.isArray(members) ? members : undefined
}

// `{ min }`, `{ max }` and `{ one_of }` in place of a value: what is inside is left as it is.

const words = ['min', 'max', 'one_of']

/** Which of the words an attribute takes; lists have words of their own. */
const wordsFor = ({ param, ref }: Attribute): readonly string[] => {
  if (param.type === 'integer' && ref === undefined) return words
  return param.type === 'enum' ? ['one_of'] : []
}

const textOf = (written: Written): string => {
  if (written.is === 'list') return written.items.map(textOf).join(', ')
  return written.is === 'scalar' ? quoteText(written.text) : ''
}

/** The values behind a word; undefined where they are wrong, which is reported. */
const valuesOf = (
  attribute: Attribute,
  { key, value }: WrittenEntry,
  mistakes: Mistakes,
): readonly JsonValue[] | undefined => {
  const isList = value.is === 'list'
  if (isList !== (key === 'one_of') || (isList && value.items.length === 0)) {
    const takes = key === 'one_of' ? 'a list of values' : 'one value'
    return mistakes.add(value.origin, `${key} of ${attribute.name} must be ${takes}`)
  }
  const members = isList ? value.items : [value]
  const values = members.map((one) =>
    one.is === 'scalar' && one.value !== null ? attributeValue(attribute, one, mistakes) : null,
  )
  if (values.includes(null)) mistakes.add(value.origin, `${key} of ${attribute.name} has no value`)
  return values.every((one) => one !== undefined && one !== null) ? values : undefined
}

const saidOf = (texts: ReadonlyMap<string, string>): string => {
  const [min, max, oneOf] = words.map((word) => texts.get(word))
  if (oneOf !== undefined) return `one of ${oneOf}`
  if (min !== undefined && max !== undefined) return `from ${min} to ${max}`
  return min === undefined ? `at most ${max}` : `at least ${min}`
}

/**
 * The range that a map says.
 * @returns undefined where it says none; `wrong` where it does, and has mistakes, which are reported
 */
export const rangeOf = (
  attribute: Attribute,
  written: Written,
  mistakes: Mistakes,
): ValueRange | 'wrong' | undefined => {
  const known = wordsFor(attribute)
  if (written.is !== 'map' || known.length === 0) return undefined
  const { entries, origin } = written
  const { name } = attribute
  // Words of lists are told of by those.
  if (entries.some(({ key }) => key === '$add' || key === '$remove')) return undefined
  const stray = entries.find(({ key }) => !known.includes(key))
  const [first] = entries
  if (stray !== undefined || first === undefined) {
    const text = `${name} must be a value, or ${known.join(', ')}`
    const what = stray === undefined ? text : `${text}, not ${quoteText(stray.key)}`
    mistakes.add(stray?.origin ?? origin, what, stray && didYouMean(stray.key, known))
    return 'wrong'
  }
  if (entries.length > 1 && entries.some(({ key }) => key === 'one_of')) {
    mistakes.add(origin, `${name} cannot combine one_of with min or max`)
    return 'wrong'
  }
  const values = new Map(entries.map((one) => [one.key, valuesOf(attribute, one, mistakes)]))
  if ([...values.values()].includes(undefined)) return 'wrong'
  const [min, max] = [values.get('min')?.[0], values.get('max')?.[0]].map((one) =>
    typeof one === 'number' ? one : undefined,
  )
  if (min !== undefined && max !== undefined && min > max) {
    mistakes.add(origin, `the minimum of ${name} is greater than its maximum`)
    return 'wrong'
  }
  const texts = new Map(entries.map(({ key, value }) => [key, textOf(value)]))
  return { is: 'range', min, max, oneOf: values.get('one_of'), text: saidOf(texts) }
}
