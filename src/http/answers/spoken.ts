/** Headers in the words of their instance, for readers who know those of the documents. */
import type { Words } from '../../catalogue/words.js'
import type { AnswerHeaders } from './headers.js'

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
