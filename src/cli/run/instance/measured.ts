/** Clients as a run uses them: their work on its meter, their failures in its words. */
import { Failure } from '../../../errors.js'
import type { Client, ListOptions } from '../../../http/types.js'
import type { Meter } from '../../../terminal/streams/meter.js'

/** What is said of a request that changes nothing, though its method may: nothing about its outcome. */
const certain = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.details.unknownOutcome !== true) return error
  return error.details.cause instanceof Failure ? error.details.cause : error
}

/** A client for requests that only look, by whichever method (`POST /ci/lint`). */
export const looking = (client: Client): Client => {
  const rethrown = (error: unknown): never => {
    throw certain(error)
  }
  return {
    list: (request, options) => client.list(request, options),
    close: () => client.close(),
    open: (request) => client.open(request).catch(rethrown),
    call: (request) => client.call(request).catch(rethrown),
  }
}

/** The same client; one request counts as work that goes on, a list by its records. */
export const measured = (client: Client, meter: Pick<Meter, 'begin'>): Client => {
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const tally = meter.begin()
    return work.finally(tally.end)
  }
  return {
    open: (request) => during(client.open(request)),
    call: (request) => during(client.call(request)),
    list: async function* (request, options) {
      const tally = meter.begin()
      let before = 0
      const told: ListOptions['told'] = (records, total) => {
        tally.add(records - before)
        before = records
        const most = Math.min(
          total ?? Number.POSITIVE_INFINITY,
          options.limit ?? Number.POSITIVE_INFINITY,
        )
        if (total !== undefined) tally.total(most)
      }
      try {
        return yield* client.list(request, { ...options, told })
      } finally {
        tally.end()
      }
    },
    close: () => client.close(),
  }
}
