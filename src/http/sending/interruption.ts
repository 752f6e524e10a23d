/** The interruption of a run, as requests that are under way hear of it. */
import { Failure } from '../../errors.js'
import type { OnInterrupt } from '../gate.js'

/** @param request what was under way */
export const interrupted = (request?: string): Failure =>
  new Failure('interrupted', 'interrupted', request === undefined ? {} : { request })

/** One listener on the signal, however many requests are under way. */
export const interruptions = (signal: AbortSignal | undefined): OnInterrupt => {
  const waiting = new Set<() => void>()
  signal?.addEventListener('abort', () => {
    for (const stop of waiting) stop()
  })
  return (stop) => {
    if (signal?.aborted === true) stop()
    else waiting.add(stop)
    return () => waiting.delete(stop)
  }
}
