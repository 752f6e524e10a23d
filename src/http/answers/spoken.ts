/** Answers in the words of their instance, for readers who know those of the catalogue. */
import { Exact } from '../../base/json/json.js'
import type { Words } from '../../catalogue/words.js'
import type { AnswerHeaders } from './headers.js'

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Exact)

/** Gives each field of an object its other name, which is not listed. */
const rename = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name === own || Object.hasOwn(record, name)) continue
    Object.defineProperty(record, name, { value, enumerable: false, configurable: true })
  }
}

/**
 * The same value, in which every field is found by the name of the documents, too. What is written of it
 * shows the fields as they came: the other names are not listed.
 */
export const legible = (value: unknown, { neutral }: Pick<Words, 'neutral'>): unknown => {
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isHolder(next)) continue
    if (!Array.isArray(next)) rename(next, neutral)
    for (const inner of Object.values(next)) if (isHolder(inner)) open.push(inner)
  }
  return value
}

/** Headers by their names in the documents as well; where both came, the instance's own counts. */
export const legibleHeaders = (
  headers: AnswerHeaders,
  names: readonly string[],
  { header }: Pick<Words, 'header'>,
): AnswerHeaders => {
  const found = names.flatMap((name) => {
    const own = header(name)
    const value = own === name ? undefined : headers[own]
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === 0 ? headers : { ...headers, ...Object.fromEntries(found) }
}

/** The headers of answers that anything depends on. */
export const readHeaders: readonly string[] = [
  'link',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-next-page',
  'x-page',
  'x-per-page',
  'x-prev-page',
  'x-request-id',
  'x-total',
  'x-total-pages',
]
