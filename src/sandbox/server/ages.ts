/**
 * Restricts the instance to the routes, parameters and fields that a version has. The rows come from the documented API, or from the
 * history in the service's public API documentation. Without a row, all versions have a route or field.
 */
import { isObject } from '../../base/objects.js'
import { apiRoot } from '../call.js'
import { isKnown, type Span } from '../ci-lint/index.js'
import type { ServedRoute } from './routes.js'

type Version = NonNullable<Span['since']>
type Fields = Readonly<Record<string, unknown>>

interface RouteSpan extends Span {
  /** A path below the root of the API, which includes all paths below it. With a method in front, it is only that one route. */
  readonly route: string
}
interface FieldSpan extends Span {
  /** The path of the list of the records. */
  readonly of: string
  /** The name of a field, and of the parameter that sets it. */
  readonly field: string
  /** Computes the field from others, if the documented API does not have it. */
  readonly from?: (record: Fields) => unknown
}

const requests = '/projects/:id/merge_requests'
const tracking = '/projects/:id/error_tracking/settings'

const routeAges: readonly RouteSpan[] = [
  { route: '/projects/:id/integrations', since: '14.4' },
  { route: 'GET /metadata', since: '15.2' },
  { route: 'GET /personal_access_tokens/self', since: '15.5' },
  { route: 'PATCH /projects/:id/protected_branches/:', since: '15.6' },
  { route: 'POST /ci/lint', until: '16.0' },
]

const mergeability: Readonly<Record<string, string>> = {
  can_be_merged: 'mergeable',
  cannot_be_merged: 'conflict',
  checking: 'checking',
}

/** Returns the reason why a merge request cannot be merged, as a single word. */
const getDetailedStatus = ({ state, draft, merge_status }: Fields): string | undefined => {
  if (merge_status === undefined) return undefined
  if (state !== 'opened') return 'not_open'
  return draft === true ? 'draft_status' : (mergeability[String(merge_status)] ?? 'unchecked')
}

const fieldAges: readonly FieldSpan[] = [
  { of: '/projects', field: 'topics', since: '14.0' },
  { of: tracking, field: 'integrated', since: '14.2' },
  { of: '/projects/:id/pipelines', field: 'iid', since: '14.6' },
  { of: requests, field: 'merge_user', since: '14.7', from: ({ merged_by }) => merged_by },
  { of: requests, field: 'detailed_merge_status', since: '15.6', from: getDetailedStatus },
]

/** Returns the path of a route below the root of the API. All placeholders except `:id` lose their names. */
const getPath = ({ url }: ServedRoute): string =>
  String(url)
    .slice(apiRoot.length)
    .replace(/:(?!id\b)\w+/g, ':')

/** True for the route of a list, of a single record in it, or of an action on one. */
const isWithin = (path: string, list: string): boolean =>
  path === list || path.startsWith(`${list}/`)

/** True for a route that returns records of the list, a single one, or the same records of all projects. */
const isOf = (path: string, { of }: FieldSpan): boolean =>
  [of, `${of}/:`, `${of}/:id`, of.replace('/projects/:id/', '/')].includes(path)

/** Selects the routes and the parameters that a version has. */
export const selectRoutes = (
  routes: readonly ServedRoute[],
  asOf: Version | undefined,
): readonly ServedRoute[] => {
  if (asOf === undefined) return routes
  const isGone = (route: ServedRoute): boolean =>
    routeAges.some(
      (age) =>
        !isKnown(age, asOf) &&
        (age.route.startsWith('/')
          ? isWithin(getPath(route), age.route)
          : `${route.method} ${getPath(route)}` === age.route),
    )
  return routes
    .filter((route) => !isGone(route))
    .map((route) => {
      if (route.accepts === undefined) return route
      const ages = fieldAges.filter((age) => isOf(getPath(route), age) && !isKnown(age, asOf))
      const params = Object.entries(route.accepts.params).filter(
        ([name]) => !ages.some(({ field }) => field === name),
      )
      return { ...route, accepts: { ...route.accepts, params: Object.fromEntries(params) } }
    })
}

/** Converts a record, or a list of records, to the fields that a version has. */
export const showAsOf = (body: unknown, route: ServedRoute, asOf: Version | undefined): unknown => {
  if (asOf === undefined) return body
  const ages = fieldAges.filter((age) => isOf(getPath(route), age))
  const show = (record: unknown): unknown => {
    if (!isObject(record)) return record
    const made = ages.flatMap((age) => {
      const value = age.from?.(record)
      return isKnown(age, asOf) && value !== undefined ? [[age.field, value] as const] : []
    })
    const kept = Object.entries(record).filter(
      ([name]) => !ages.some((age) => age.field === name && !isKnown(age, asOf)),
    )
    return Object.fromEntries([...kept, ...made])
  }
  if (ages.length === 0) return body
  return Array.isArray(body) ? body.map(show) : show(body)
}
