/** Answers in the words of their instance, for readers who know those of the catalogue. */
import { ExactNumber } from '../base/json/json.js'
import type { Naming, Words } from './words.js'

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** Gives each field of an object its other name, which is not listed. */
const rename = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name === own || Object.hasOwn(record, name)) continue
    Object.defineProperty(record, name, { value, enumerable: false, configurable: true })
  }
}

type Heard = Pick<Naming, 'neutral' | 'family'>

/** In whose words an answer is. */
const heard = new WeakMap<object, Heard>()

/**
 * The same value, in which every field is found by the name of the documents, too. What is written of it
 * shows the fields as they came: the other names are not listed.
 */
export const legible = (value: unknown, words: Heard): unknown => {
  const { neutral } = words
  if (isHolder(value)) heard.set(value, words)
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isHolder(next)) continue
    if (!Array.isArray(next)) rename(next, neutral)
    for (const inner of Object.values(next)) if (isHolder(inner)) open.push(inner)
  }
  return value
}

/** Keys of custom attributes are their users'. */
const isOpen = (name: string): boolean => name === 'custom_attributes'

/** A field by the name of the documents; of values the slug of an integration that a family has alone. */
const neutralField = (own: string, value: unknown, words: Heard): readonly [string, unknown] => {
  const name = words.neutral(own)
  if (name === 'slug' && typeof value === 'string') return [name, words.family?.(value) ?? value]
  return [name, isOpen(name) ? value : neutrally(value, words)]
}

const neutrally = (value: unknown, words: Heard): unknown => {
  if (!isHolder(value)) return value
  if (Array.isArray(value)) return value.map((item: unknown) => neutrally(item, words))
  const fields = Object.entries(value)
  // Where a record has both names, the instance's own counts.
  const renamed = fields.filter(([own]) => words.neutral(own) !== own)
  return Object.fromEntries(
    [...fields, ...renamed].map(([own, inner]) => neutralField(own, inner, words)),
  )
}

/**
 * A legible answer as the documents would have it, for who never shows what came: every field has its
 * name, and no other. Anything else is left as it is.
 */
export const documented = (value: unknown): unknown => {
  const words = isHolder(value) ? heard.get(value) : undefined
  return words === undefined ? value : neutrally(value, words)
}

/** What the documents call the fields of a legible answer. */
export const meaningIn = (value: object): Words['neutral'] =>
  heard.get(value)?.neutral ?? ((own) => own)
