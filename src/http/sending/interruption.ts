/** The interruption of a run, as requests that are under way hear of it. */
import { Failure } from '../../errors.js'
import type { OnInterrupt } from '../gate.js'

/** @param request what was under way */
export const interrupted = (request?: string): Failure =>
  new Failure('interrupted', 'interrupted', request === undefined ? {} : { request })

/** One listener on each signal, however many requests are under way. */
export const interruptions = (...signals: readonly (AbortSignal | undefined)[]): OnInterrupt => {
  const waiting = new Set<() => void>()
  for (const signal of signals)
    signal?.addEventListener('abort', () => {
      for (const stop of waiting) stop()
    })
  return (stop) => {
    if (signals.some((signal) => signal?.aborted === true)) stop()
    else waiting.add(stop)
    return () => waiting.delete(stop)
  }
}
