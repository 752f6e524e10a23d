/** What is wrong in files, as only the instance shows it, told like all else that is wrong in them. */
import { collected } from '../files/mistakes.js'
import { byText } from './order.js'
import type { Mistake } from './types.js'

const inOrder = (a: Mistake, b: Mistake): number =>
  byText(a.origin.file, b.origin.file) || byText(a.text, b.text)

/**
 * Tells all mistakes at once, each with its file, line and column.
 * @throws Failure `usage` where there is any
 */
export const refuseMistakes = (mistakes: readonly Mistake[]): void => {
  const sorted = [...mistakes].sort(inOrder)
  const all = collected([...new Set(sorted.map(({ origin }) => origin.file))])
  for (const { origin, text, hint } of sorted) all.add(origin, text, hint)
  all.refuse()
}
