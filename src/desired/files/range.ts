/** `{ min }`, `{ max }` and `{ one_of }` in place of a value: what is inside is left as it is. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Attribute } from '../attributes.js'
import type { ValueRange } from '../wishes.js'
import type { Mistakes } from './mistakes.js'
import { attributeValue } from './value.js'
import type { Written, WrittenEntry } from './written.js'

const words = ['min', 'max', 'one_of']

/** Which of the words an attribute takes; lists have words of their own. */
const wordsFor = ({ param, ref }: Attribute): readonly string[] => {
  if (param.type === 'integer' && ref === undefined) return words
  return param.type === 'enum' ? ['one_of'] : []
}

const textOf = (written: Written): string => {
  if (written.is === 'list') return written.items.map(textOf).join(', ')
  return written.is === 'scalar' ? quoted(written.text) : ''
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
    mistakes.add(value.origin, `${key} of ${attribute.name} takes ${takes}`)
    return undefined
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
    const text = `${name} takes a value, or ${known.join(', ')}`
    const what = stray === undefined ? text : `${text}, not ${quoted(stray.key)}`
    mistakes.add(stray?.origin ?? origin, what, stray && didYouMean(stray.key, known))
    return 'wrong'
  }
  if (entries.length > 1 && entries.some(({ key }) => key === 'one_of')) {
    mistakes.add(origin, `${name} takes one_of alone, without min and max`)
    return 'wrong'
  }
  const values = new Map(entries.map((one) => [one.key, valuesOf(attribute, one, mistakes)]))
  if ([...values.values()].includes(undefined)) return 'wrong'
  const [min, max] = [values.get('min')?.[0], values.get('max')?.[0]].map((one) =>
    typeof one === 'number' ? one : undefined,
  )
  if (min !== undefined && max !== undefined && min > max) {
    mistakes.add(origin, `min of ${name} is more than its max`)
    return 'wrong'
  }
  const texts = new Map(entries.map(({ key, value }) => [key, textOf(value)]))
  return { is: 'range', min, max, oneOf: values.get('one_of'), text: saidOf(texts) }
}
