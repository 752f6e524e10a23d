/** `--watch`: a command again and again, redrawn on a terminal, one answer after the other in a pipe. */
import type { Services } from '../../commands/services.js'
import { exitCodes, Failure } from '../../errors.js'

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

/**
 * Repeats `round` every so many seconds until the run is interrupted, which is how a watch ends. What
 * is only passing (no connection, too many requests) is told, and the next round tries again.
 */
export const watch = async (
  { answer, person, place: { clock } }: Services,
  seconds: number,
  rounds: Rounds,
  round: () => Promise<void>,
): Promise<void> => {
  try {
    for (let count = 0; ; count++) {
      if (count > 0) await rounds.between()
      try {
        await round()
      } catch (error) {
        if (count === 0 || !passing(error)) throw error
        person.warn(error.message)
      }
      await rounds.end(`${timeOf(clock.now())}, every ${seconds} s; Ctrl-C ends`)
      await clock.sleep(seconds * 1000)
    }
  } catch (error) {
    if (!clock.signal.aborted) throw error
    answer.exit(exitCodes.interrupted)
  }
}
