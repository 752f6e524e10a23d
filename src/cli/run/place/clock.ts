/** Waiting that an interruption ends. */
import type { RunClock } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'

/** Waits so long; rejects with a Failure `interrupted` where that comes first. */
const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new Failure('interrupted', 'interrupted'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/** The waiting of a run. */
export const clockOf = (signal: AbortSignal): RunClock => ({
  now: () => new Date(),
  sleep: (milliseconds) => sleep(milliseconds, signal),
  signal,
})
