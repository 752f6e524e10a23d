/** `svcctl/client`: the catalogue as functions, typed; how they travel is as in the tool. */

import { approvals } from '../catalogue/areas/approvals.js'
import { artifacts } from '../catalogue/areas/artifacts.js'
import { ci } from '../catalogue/areas/ci.js'
import { commits } from '../catalogue/areas/commits.js'
import { dependencies } from '../catalogue/areas/dependencies.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import { events } from '../catalogue/areas/events.js'
import { geo } from '../catalogue/areas/geo.js'
import { integrations } from '../catalogue/areas/integrations.js'
import { issues } from '../catalogue/areas/issues.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { members } from '../catalogue/areas/members.js'
import { mr } from '../catalogue/areas/mr.js'
import { pagesDomains } from '../catalogue/areas/pages-domains.js'
import { projects } from '../catalogue/areas/projects.js'
import { resourceGroups } from '../catalogue/areas/resource-groups.js'
import { runners } from '../catalogue/areas/runners.js'
import { settings } from '../catalogue/areas/settings.js'
import { storageMove } from '../catalogue/areas/storage-move.js'
import { vulnerabilities } from '../catalogue/areas/vulnerabilities.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { openConnection } from './connection.js'
import type { ConnectOptions } from './types.js'
import { type EndpointFunction, verbOf } from './verbs.js'

// The catalogue's areas by the names that the client has for them.

const areas = {
  approvals,
  artifacts,
  ci,
  commits,
  dependencies,
  deployKeys,
  errorTracking,
  events,
  geo,
  integrations,
  issues,
  jobs,
  members,
  mr,
  pagesDomains,
  projects,
  resourceGroups,
  runners,
  settings,
  storageMove,
  vulnerabilities,
}

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
