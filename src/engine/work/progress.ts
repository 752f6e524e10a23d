/** What a run says at its end. */
import { grouped } from '../../base/numbers.js'
import type { Category } from '../../errors.js'
import type { Failed, Report } from './report.js'

const categoryWords: Readonly<Partial<Record<Category, string>>> = {
  failed: 'refused as they are',
  auth: 'refused',
  not_found: 'not found',
  conflict: 'in conflict',
  rate_limited: 'too many requests',
  unreachable: 'unreachable',
}

/** `2 not found, 1 refused`: only where all that failed are in hand. */
const kindsOf = (failures: readonly Failed[], count: number): string => {
  if (failures.length !== count) return ''
  const kinds = new Map<string, number>()
  for (const { failure } of failures) {
    const word = categoryWords[failure.category] ?? failure.category
    kinds.set(word, (kinds.get(word) ?? 0) + 1)
  }
  const words = [...kinds].map(([word, times]) => `${grouped(times)} ${word}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** What going on with a run would do; nothing where that could only fail again. */
const remainderText = ({ counts, mayHelp }: Report): string => {
  const failed = mayHelp ? counts.failed + counts.unknown : counts.unknown
  const rest = counts.not_tried
  if (rest > 0)
    return failed > 0 ? 'does the rest, and tries the failed ones again' : 'does the rest'
  return failed > 0 ? 'tries the failed ones again' : ''
}

/** Where a run is written down. */
export interface Kept {
  readonly file: string
  /** The line that goes on with it; undefined where that cannot be. */
  readonly again: string | undefined
  /** The input was not read to its end: it is to be given again. */
  readonly cut?: boolean
}

/**
 * `9,994 done, 3 already so, 3 failed (2 not found, 1 refused). Journal: … — svcctl runners pause
 * --resume last tries the failed ones again`
 */
export const closingLine = (report: Report, kept?: Kept): string => {
  const { counts, failures } = report
  const wrong = counts.failed + counts.unknown
  const parts = [
    `${grouped(counts.done)} done`,
    ...(counts.unchanged === 0 ? [] : [`${grouped(counts.unchanged)} already so`]),
    ...(counts.failed === 0
      ? []
      : [
          `${grouped(counts.failed)} failed${counts.unknown === 0 ? kindsOf(failures, wrong) : ''}`,
        ]),
    ...(counts.unknown === 0 ? [] : [`${grouped(counts.unknown)} not known`]),
    ...(counts.not_tried === 0 ? [] : [`${grouped(counts.not_tried)} not tried`]),
  ].join(', ')
  if (kept === undefined) return parts
  const { file, again, cut = false } = kept
  if (cut && again !== undefined)
    return `${parts}. Journal: ${file} — svcctl ${again} - does the rest, given the same input again`
  const remainder = remainderText(report)
  const how = remainder === '' || again === undefined ? '' : ` — svcctl ${again} ${remainder}`
  return `${parts}. Journal: ${file}${how}`
}
