/** A client whose work shows on the meter of the run. */
import type { Client, ListOptions } from '../http/types.js'
import type { Meter } from '../terminal/meter.js'

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
