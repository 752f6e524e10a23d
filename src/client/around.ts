/** What is laid around a client of the HTTP layer: its work as progress, its failures as they are meant. */
import { Failure } from '../errors.js'
import type { Client, ListOptions } from '../http/types.js'

/** Work that goes on, its parts counted. */
interface Work {
  /** So many more are done. */
  add(count: number): void
  /** How many there will be. */
  total(count: number): void
  end(): void
}

/** Told of what goes on. */
export interface WorkMeter {
  begin(): Work
}

/** What is said of a request that changes nothing, though its method may: nothing about its outcome. */
export const certain = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.details.unknownOutcome !== true) return error
  return error.details.cause instanceof Failure ? error.details.cause : error
}

/** The same client, its failures changed. */
export const rethrowing = (client: Client, changed: (error: unknown) => unknown): Client => {
  const rethrown = (error: unknown): never => {
    throw changed(error)
  }
  return {
    open: (request) => client.open(request).catch(rethrown),
    call: (request) => client.call(request).catch(rethrown),
    list: async function* (request, options) {
      try {
        return yield* client.list(request, options)
      } catch (error) {
        return rethrown(error)
      }
    },
    close: () => client.close(),
  }
}

/** Tells how far a list is, at most up to its limit. */
const counting = (
  work: Work,
  limit = Number.POSITIVE_INFINITY,
): NonNullable<ListOptions['told']> => {
  let before = 0
  return (records, total) => {
    work.add(records - before)
    before = records
    if (total !== undefined) work.total(Math.min(total, limit))
  }
}

/** The same client; one request counts as work that goes on, a list by its records. */
export const measured = (client: Client, progress: WorkMeter): Client => {
  const during = async <T>(doing: Promise<T>): Promise<T> => {
    const work = progress.begin()
    return doing.finally(() => work.end())
  }
  return {
    open: (request) => during(client.open(request)),
    call: (request) => during(client.call(request)),
    list: async function* (request, options) {
      const work = progress.begin()
      try {
        return yield* client.list(request, { ...options, told: counting(work, options.limit) })
      } finally {
        work.end()
      }
    },
    close: () => client.close(),
  }
}
