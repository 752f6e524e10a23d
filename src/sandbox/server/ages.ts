/**
 * Gives the instance the routes, parameters, fields and values that a version has. The rows come from the history in the service's public
 * API documentation. Without a row, all versions have a route, field or value.
 */
import { isObject } from '../../base/objects.js'
import { boolean, type Param, type Params } from '../../catalogue/params.js'
import { apiRoot } from '../call.js'
import { isKnown, type Span, type Version } from '../ci-lint/index.js'
import { gone } from '../reply.js'
import type { ServedRoute } from './routes.js'

type Fields = Readonly<Record<string, unknown>>

/** The span of a row, and the public text that documents it. */
interface DocumentedSpan extends Span {
  /** A page of the service's documentation below `doc/api/`, or `#` and the number of an issue of its public tracker. */
  readonly page: string
}
interface RouteSpan extends DocumentedSpan {
  /** A path below the root of the API, which includes all paths below it. With a method in front, it is only that one route. */
  readonly route: string
  /** The method of the documented route that answers in the same way, if the documented API does not have this one. */
  readonly like?: string
}
interface RecordSpan extends DocumentedSpan {
  /** The paths of the lists of the records. */
  readonly of: readonly string[]
}
interface FieldSpan extends RecordSpan {
  /** The name of a field, and of the parameter that sets it. The name of a field in an object follows a dot. */
  readonly field: string
  /** Computes the field from others, if the documented API does not have it. */
  readonly from?: (record: Fields) => unknown
}
interface ValueSpan extends RecordSpan {
  /** A field, and the parameter that filters by it, which accepts the words in addition to its own. */
  readonly field: string
  /** The word that a version has instead of a documented one. */
  readonly words: Readonly<Record<string, string>>
}
/** A parameter that the documented API does not have, or (without `type`) one that only later versions have at this method. */
interface ParamSpan extends RecordSpan {
  readonly param: string
  readonly method?: string
  readonly type?: Param
  /** Returns the documented parameters of a reading (`GET`) or writing request that mean the same. */
  readonly to?: (value: unknown, method: string) => Fields
}

const requests = ['/projects/:id/merge_requests', '/merge_requests']
const tracking = '/projects/:id/error_tracking/settings'
const versions = ['/version', '/metadata']
const runners = ['/runners', '/runners/all', '/projects/:id/runners', '/groups/:id/runners']

const routeAges: readonly RouteSpan[] = [
  { route: '/projects/:id/integrations', since: '14.4', page: 'integrations' },
  { route: '/projects/:id/error_tracking/client_keys', since: '14.3', page: 'error_tracking' },
  { route: 'GET /metadata', since: '15.2', page: 'metadata' },
  { route: 'GET /personal_access_tokens/self', since: '15.5', page: 'personal_access_tokens' },
  { route: `PUT ${tracking}`, like: 'PATCH', since: '15.10', page: 'error_tracking' },
  { route: 'POST /ci/lint', until: '16.0', page: '#410516' },
]

const getMerger = ({ merged_by }: Fields): unknown => merged_by

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
  { of: ['/projects', '/users/:/projects'], field: 'topics', since: '14.0', page: '#328226' },
  { of: [tracking], field: 'integrated', since: '14.2', page: 'error_tracking' },
  { of: ['/projects/:id/pipelines'], field: 'iid', since: '14.6', page: 'pipelines' },
  { of: requests, field: 'merge_user', since: '14.7', page: 'merge_requests', from: getMerger },
  { of: runners, field: 'paused', since: '14.8', page: 'runners', from: ({ active }) => !active },
  { of: ['/version'], field: 'kas', since: '15.5', page: 'version' },
  { of: versions, field: 'enterprise', since: '15.6', page: 'metadata' },
  {
    of: requests,
    field: 'detailed_merge_status',
    since: '15.6',
    page: 'merge_requests',
    from: getDetailedStatus,
  },
  { of: versions, field: 'kas.externalK8sProxyUrl', since: '17.6', page: 'metadata' },
]

const statusWords = { not_connected: 'never_contacted' }
const valueAges: readonly ValueSpan[] = [
  { of: runners, field: 'status', since: '15.0', page: '#347305', words: statusWords },
]

/** The parameters of a protected branch that could not be changed when only the approval of code owners could. */
const fixedProtection = [
  'push_access_level',
  'merge_access_level',
  'unprotect_access_level',
  'allow_force_push',
]

const paramAges: readonly ParamSpan[] = [
  {
    of: runners,
    param: 'paused',
    since: '14.8',
    page: 'runners',
    type: boolean(''),
    to: (paused, method) =>
      method === 'GET' ? { scope: paused === true ? 'paused' : 'active' } : { active: !paused },
  },
  ...fixedProtection.map((param) => ({
    of: ['/projects/:id/protected_branches'],
    method: 'PATCH',
    param,
    since: '15.6',
    page: 'protected_branches',
  })),
]

/** Returns the path of a route below the root of the API. All placeholders except `:id` lose their names. */
const getPath = ({ url }: ServedRoute): string =>
  String(url)
    .slice(apiRoot.length)
    .replace(/:(?!id\b)\w+/g, ':')

/** True for the route of a list, of a single record in it, or of an action on one. */
const isWithin = (path: string, list: string): boolean =>
  path === list || path.startsWith(`${list}/`)

/** Returns the rows about the records of a route: those of a list, or a single one in it. */
const selectRows = <R extends RecordSpan>(rows: readonly R[], route: ServedRoute): readonly R[] => {
  const path = getPath(route)
  return rows.filter(({ of }) =>
    of.some((list) => [list, `${list}/:`, `${list}/:id`].includes(path)),
  )
}

const isAbout = (route: string, served: ServedRoute): boolean =>
  route.startsWith('/')
    ? isWithin(getPath(served), route)
    : `${served.method} ${getPath(served)}` === route

/** Returns the parameters that a version of a route has. */
const selectParams = (route: ServedRoute, params: Params, asOf: Version): Params => {
  const ofMethod = selectRows(paramAges, route).filter(
    ({ method = route.method }) => method === route.method,
  )
  const gone = [
    ...selectRows(fieldAges, route).map((age) => ({ ...age, name: age.field })),
    ...ofMethod.map((age) => ({ ...age, name: age.param })),
  ].filter((age) => !isKnown(age, asOf))
  const added = ofMethod.flatMap(({ param, type, ...age }) =>
    type !== undefined && isKnown(age, asOf) ? [[param, type] as const] : [],
  )
  const renamed = selectRows(valueAges, route).filter((age) => isKnown(age, asOf))
  const kept = Object.entries(params)
    .filter(([name]) => !gone.some((age) => age.name === name))
    .map(([name, param]) => {
      const words = renamed.find(({ field }) => field === name)?.words
      if (words === undefined || !('values' in param)) return [name, param] as const
      const values = [...(param.values ?? []), ...Object.values(words)]
      return [name, { ...param, values }] as const
    })
  return Object.fromEntries([...kept, ...added])
}

/** A route that a version no longer has, although earlier ones had it, answers 410 (`lib/api/lint.rb` of 16.0). */
const retireRoute = ({ accepts: _, ...route }: ServedRoute): ServedRoute => ({
  ...route,
  handle: () => {
    throw gone()
  },
})

/** Selects the routes and the parameters that a version has. */
export const selectRoutes = (
  routes: readonly ServedRoute[],
  asOf: Version | undefined,
): readonly ServedRoute[] => {
  if (asOf === undefined) return routes
  const added = routeAges.flatMap(({ like, ...age }) =>
    like === undefined
      ? []
      : routes
          .filter((route) => isAbout(age.route.replace(/^\w+/, like), route))
          .map((route) => ({ ...route, method: age.route.replace(/ .*/, '') })),
  )
  const isOutside = (route: ServedRoute, age: RouteSpan, span: Span): boolean =>
    isAbout(age.route, route) && !isKnown(span, asOf)
  return [...routes, ...added]
    .filter((route) => !routeAges.some((age) => isOutside(route, age, { since: age.since })))
    .map((route) => {
      if (routeAges.some((age) => isOutside(route, age, age))) return retireRoute(route)
      const { accepts } = route
      if (accepts === undefined) return route
      return {
        ...route,
        accepts: { ...accepts, params: selectParams(route, accepts.params, asOf) },
      }
    })
}

/** Converts the parameters that only some versions have to those of the documented API. */
export const acceptAsOf = (
  input: Fields,
  route: ServedRoute,
  asOf: Version | undefined,
): Fields => {
  if (asOf === undefined) return input
  return selectRows(paramAges, route).reduce<Fields>((accepted, { param, to }) => {
    const { [param]: value, ...others } = accepted
    return value === undefined || to === undefined
      ? accepted
      : { ...others, ...to(value, route.method) }
  }, input)
}

/** Returns a record without a field, which may be in an object of the record. */
const dropField = (record: Fields, path: string): Fields => {
  const [name = '', ...rest] = path.split('.')
  const { [name]: value, ...others } = record
  return rest.length > 0 && isObject(value)
    ? { ...record, [name]: dropField(value, rest.join('.')) }
    : others
}

/** Converts a record, or a list of records, to the fields and values that a version has. */
export const showAsOf = (body: unknown, route: ServedRoute, asOf: Version | undefined): unknown => {
  if (asOf === undefined) return body
  const ages = selectRows(fieldAges, route)
  const renamed = selectRows(valueAges, route).filter((age) => isKnown(age, asOf))
  const show = (record: unknown): unknown => {
    if (!isObject(record)) return record
    const made = ages.flatMap((age) => {
      const value = age.from?.(record)
      return isKnown(age, asOf) && value !== undefined ? [[age.field, value] as const] : []
    })
    const kept = ages
      .filter((age) => !isKnown(age, asOf))
      .reduce<Fields>((left, { field }) => dropField(left, field), record)
    const words = renamed.map(({ field, words: own }) => {
      const value = record[field]
      return [field, own[String(value)] ?? value] as const
    })
    return { ...kept, ...Object.fromEntries([...made, ...words]) }
  }
  if (ages.length + renamed.length === 0) return body
  return Array.isArray(body) ? body.map(show) : show(body)
}
