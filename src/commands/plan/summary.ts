/** What a plan comes to, in a sentence. */
import { grouped } from '../../base/numbers.js'
import type { PlanCounts } from '../../desired/planfile/document.js'

/** What making a plan took. */
export interface Worked {
  readonly requests: number
  readonly seconds: number
}

const part = (n: number, words: string): readonly string[] =>
  n === 0 ? [] : [`${grouped(n)} ${words}`]

/** What there is to do, and what else was found. */
export const countWords = (counts: PlanCounts) => ({
  todo: [
    ...part(counts.create, 'to create'),
    ...part(counts.enable, 'to enable'),
    ...part(counts.update, 'to change'),
    ...part(counts.replace, 'to replace'),
    ...part(counts.delete, 'to delete'),
  ],
  rest: [
    ...part(counts.impossible, 'impossible'),
    ...part(counts.unsupported, 'not offered by the instance'),
    ...part(counts.leftover, 'left over'),
    ...part(counts.secret, counts.secret === 1 ? 'secret missing' : 'secrets missing'),
    ...part(counts.unread, 'not read'),
    `${grouped(counts.same)} ${counts.same === 1 ? 'object as it' : 'objects as they'} should be`,
  ],
})

/** `Plan: 1 to create, 2 to change; 1 impossible; 12 objects as they should be (20 requests, 1 s).` */
export const summaryOf = (counts: PlanCounts, { requests, seconds }: Worked): string => {
  const { todo, rest } = countWords(counts)
  const took = `${grouped(requests)} request${requests === 1 ? '' : 's'}, ${grouped(Math.round(seconds))} s`
  const what = todo.length === 0 ? 'nothing to do' : todo.join(', ')
  return `Plan: ${[what, ...rest].join('; ')} (${took}).`
}
