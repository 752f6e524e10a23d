/** What all parts of reading a file share: where mistakes go, and what may be said once only. */

import { quoted } from '../../base/quoted.js'
import { originText, type SaidOnce } from '../wishes.js'
import type { Mistakes } from './mistakes.js'
import type { SourceRules } from './secret.js'
import { sort, type WrittenEntry } from './written.js'

/** What reading a file's values takes. */
export interface Judging {
  readonly mistakes: Mistakes
  readonly rules: SourceRules
}

/** Something said twice at one level is a mistake even where both are equal. */
export const onlyOnce = <T>(
  known: SaidOnce<T> | undefined,
  said: SaidOnce<T>,
  name: string,
  { mistakes }: Judging,
): SaidOnce<T> => {
  if (known === undefined) return said
  mistakes.add(
    said.origin,
    `${name} is said a second time at this level, first at ${originText(known.origin)}`,
  )
  return known
}

/** `true` or `false` of a word of ours. */
export const switched = (
  { key, origin, value }: WrittenEntry,
  { mistakes }: Judging,
): SaidOnce<boolean> | undefined => {
  if (value.is === 'scalar' && typeof value.value === 'boolean')
    return { value: value.value, origin }
  mistakes.add(value.origin, `${key} takes true or false, not ${quoted(sort(value))}`)
  return undefined
}
