/** How a run of several instances ends. */
import { Failure } from '../../../errors.js'
import type { MostFailures } from '../../../fleet/report.js'

/** What one of them came to. */
export interface Ending {
  readonly name: string
  readonly code: number
  readonly failure?: Failure
}

const unreachable = 7
/** These say more than how many failed. */
const foremost = [130, 9]

/** Whether it is noted only. */
export const isNoted = ({ failure, code }: Ending, tolerant: boolean): boolean =>
  tolerant && code === unreachable && failure !== undefined

/**
 * The exit code of several: that of all, where they are alike.
 * @param tolerant those that cannot be reached do not count, while one can
 */
export const codeOf = (endings: readonly Ending[], tolerant: boolean): number => {
  const all = endings.map(({ code }) => code)
  const first = foremost.find((code) => all.includes(code))
  if (first !== undefined) return first
  const counted = endings.filter((ending) => !isNoted(ending, tolerant)).map(({ code }) => code)
  const [code = unreachable, ...others] = counted
  return others.every((other) => other === code) ? code : 8
}

/** Whether so many failed that no further one is begun; without a word about it the first is too many. */
export const isEnough = (failed: number, of: number, most: MostFailures | undefined): boolean => {
  if (most === undefined) return failed > 0
  return 'count' in most ? failed >= most.count : failed > 0 && (failed / of) * 100 >= most.percent
}

/** What was wrong with the line for each of them in the same words; undefined where something else was. */
export const sameMistake = (endings: readonly Ending[]): Failure | undefined => {
  const [first] = endings
  const failure = first?.failure
  if (failure?.category !== 'usage') return undefined
  const same = endings.every(
    (one) => one.failure?.category === 'usage' && one.failure.message === failure.message,
  )
  return same ? new Failure('usage', failure.message, failure.details) : undefined
}
