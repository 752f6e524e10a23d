/** `--watch`: a command again and again, redrawn on a terminal, one answer after the other in a pipe. */

import { exitCodes, Failure } from '../errors.js'
import type { RunClock, Services } from './command/services.js'
import type { Until } from './until.js'

/** Failures that a later round may not have. */
const passing = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.category === 'unreachable' || error.category === 'rate_limited')

/** How the rounds of a run are shown. */
export interface Rounds {
  /** Between two answers, where nothing is redrawn. */
  between(): Promise<void>
  /** The answer is complete. */
  end(status: string): Promise<void>
}

const timeOf = (now: Date): string => now.toTimeString().slice(0, 8)

/** What ends a watch before somebody interrupts it. */
type AwaitedState = Pick<Until, 'holds' | 'late' | 'timeout'>

interface Watching {
  /** Seconds from round to round. */
  readonly seconds: number
  readonly rounds: Rounds
  /** Is told of each round: the last one counts alone, for the exit code as well. */
  readonly printing: { readonly begin: () => void }
  readonly until?: AwaitedState | undefined
}

/** One round. @returns whether what is waited for is so */
const oneRound = async (
  { ui, place: { clock } }: Pick<Services, 'ui' | 'place'>,
  { until, first }: { readonly until: AwaitedState | undefined; readonly first: boolean },
  round: () => Promise<void>,
): Promise<boolean> => {
  try {
    await round()
  } catch (error) {
    // Who waits for something waits for the network, too.
    if ((first && until === undefined) || !passing(error)) throw error
    ui.warn(error.message)
    return false
  }
  return until?.holds(clock.now()) === true
}

/** Milliseconds until the time is up. */
const left = (end: number | undefined, clock: RunClock): number =>
  end === undefined ? Number.POSITIVE_INFINITY : end - clock.now().getTime()

/**
 * Repeats `round` every so many seconds until the run is interrupted, or what is waited for is so. What
 * is only passing (no connection, too many requests) is told, and the next round tries again.
 * @throws Failure `failed` where the time for it is up
 */
export const watch = async (
  services: Services,
  { seconds, rounds, printing, until }: Watching,
  round: () => Promise<void>,
): Promise<void> => {
  const { clock } = services.place
  const end =
    until?.timeout === undefined ? undefined : clock.now().getTime() + until.timeout * 1000
  try {
    for (let count = 0; ; count++) {
      if (count > 0) await rounds.between()
      printing.begin()
      const held = await oneRound(services, { until, first: count === 0 }, round)
      await rounds.end(`${timeOf(clock.now())}, every ${seconds} s; press Ctrl-C to stop`)
      if (held) return
      if (until !== undefined && left(end, clock) <= 0) throw until.late()
      await clock.sleep(Math.min(seconds * 1000, left(end, clock)))
    }
  } catch (error) {
    if (!clock.signal.aborted) throw error
    services.answer.exit(exitCodes.interrupted)
  }
}
