/** What is wrong in files, told all at once. */
import { type Failure, usage } from '../../errors.js'
import { byText } from './order.js'
import type { Mistake } from './types.js'

const textOf = ({ origin: { file, line, column }, text }: Mistake): string =>
  `${file}:${line}:${column}: ${text}`

const inOrder = (a: Mistake, b: Mistake): number =>
  byText(a.origin.file, b.origin.file) ||
  a.origin.line - b.origin.line ||
  a.origin.column - b.origin.column ||
  byText(a.text, b.text)

/** All mistakes as one failure: each with its file, line and column; hints once. */
export const mistakesOf = (mistakes: readonly Mistake[]): Failure => {
  const sorted = [...mistakes].sort(inOrder)
  const lines = [...new Set(sorted.map(textOf))]
  const hints = [...new Set(sorted.flatMap(({ hint }) => (hint === undefined ? [] : [hint])))]
  return usage(lines.join('\n'), hints.length === 0 ? undefined : hints.join('\n'))
}
