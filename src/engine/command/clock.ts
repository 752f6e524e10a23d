/** Provides the clock of a run to commands. */

import { type Clock, sleep, toClock } from '../../base/async.js'
import type { Io } from '../../base/io.js'
import type { SnapshotReader } from '../../client/snapshot-answers.js'

/** The clock and the randomness of a command. An interruption of the run ends every wait. */
export interface RunClock {
  readonly now: () => Date
  /** Returns the time of a monotonic clock in milliseconds, for durations. */
  readonly uptime: () => number
  /** Returns the time that ages count from: when the answering snapshot was taken, else now. */
  readonly asOf: () => Promise<Date>
  /** Waits. @throws Failure `interrupted` as soon as the run is interrupted */
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly signal: AbortSignal
  /** Returns unpredictable bytes. */
  readonly randomBytes: Io['randomBytes']
  /** The clock and the timers of the line, for modules that time their own work. */
  readonly timers: Clock
}

/**
 * Creates the clock of a run.
 * @param findSnapshot finds the snapshot that answers instead of the instance, if there is one
 */
export const createClock = (
  io: Pick<Io, 'after' | 'now' | 'random' | 'randomBytes' | 'uptime'>,
  signal: AbortSignal,
  findSnapshot: () => Promise<SnapshotReader | undefined> = async () => undefined,
): RunClock => {
  const { now, uptime, randomBytes } = io
  const timers = toClock(io)
  return {
    now,
    uptime,
    randomBytes,
    asOf: async () => {
      const snapshot = await findSnapshot()
      return snapshot === undefined ? now() : new Date(snapshot.manifest.ended)
    },
    sleep: (milliseconds) => sleep(milliseconds, signal, timers),
    signal,
    timers,
  }
}
