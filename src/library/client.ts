/** `svcctl/client`: the catalogue as functions, typed; how they travel is as in the tool. */
import type { Endpoints } from '../catalogue/endpoint.js'
import { areas } from './areas.js'
import { openConnection } from './connection.js'
import type { ConnectOptions } from './types.js'
import { type EndpointFunction, verbOf } from './verbs.js'

export { type Category, Failure, type FailureDetails } from '../errors.js'
export type { ByAddress, ByProfile, ConnectOptions } from './types.js'
export type { Download, How, ListHow, RecordList } from './verbs.js'

/** The areas as functions. What declarations show is made of this, so it has no name of its own. */
const functionsOf = <A extends Readonly<Record<string, Endpoints>>>(
  of: A,
  make: (endpoint: Endpoints[string]) => unknown,
) =>
  Object.fromEntries(
    Object.entries(of).map(([area, endpoints]) => [
      area,
      Object.fromEntries(Object.entries(endpoints).map(([name, e]) => [name, make(e)])),
    ]),
  ) as { readonly [N in keyof A]: { readonly [K in keyof A[N]]: EndpointFunction<A[N][K]> } }

/**
 * An instance as functions, `api.<area>.<verb>(input)`: inputs and answers in the API's own names, lists
 * as async iterables. Nothing is read or sent before the first call, but for a profile that is asked for.
 *
 *     const api = connect({ baseUrl: 'https://code.example', token })
 *     await api.runners.update({ id: 7, active: false })
 *     for await (const job of api.jobs.list({ id: 'platform/app' })) …
 *     await api.close()
 *
 * @throws Failure `usage` for an address, token or profile that is none
 */
export const connect = (options: ConnectOptions) => {
  const connection = openConnection(options)
  const close = (): Promise<void> => connection.close()
  return {
    ...functionsOf(areas, (endpoint) => verbOf(endpoint, connection)),
    /** Ends what is under way and closes every connection. */
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** What `connect()` gives. */
export type Api = ReturnType<typeof connect>
