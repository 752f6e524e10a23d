/** When a run ends early: as many failures as may be, or answers that cannot be printed any more. */
import { Failure } from '../../errors.js'
import { ClosedPipe } from '../../terminal/streams/stdout.js'
import { type MostFailures, parseMostFailures, type Report, verdict } from '../work/report.js'
import type { Engine } from './each.js'

/**
 * How many failures there may be.
 * @throws Failure `usage`
 */
export const mostOf = ({ globals }: Pick<Engine, 'globals'>): { mostFailures?: MostFailures } =>
  globals.maxFailures === undefined ? {} : { mostFailures: parseMostFailures(globals.maxFailures) }

/** What becomes of writes whose answers cannot be printed any more; undefined where that is not it. */
export const unfinished = (report: Report, lost: unknown): Failure | undefined => {
  const closed = lost instanceof ClosedPipe
  if (!closed && !(lost instanceof Failure && lost.category === 'failed')) return undefined
  const { counts } = report
  const done = counts.done + counts.unchanged
  const failed = counts.failed + counts.unknown
  const left = counts.not_tried
  const said = [
    `${done} of ${done + failed + left} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(left === 0 ? [] : [`${left} not tried`]),
  ].join(', ')
  if (!closed) return unprinted(lost, said)
  if (left === 0) return verdict(report)
  return new Failure('partial', `standard output was closed: ${said}`)
}

/** The failure of an answer's printing, once something was written. */
export const unprinted = ({ category, message, details }: Failure, done: string): Failure =>
  new Failure(category, `${message}; ${done}`, {
    cause: details.cause,
    hint: 'Look at what is there before you send it again.',
  })
