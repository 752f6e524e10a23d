/** Serves kinds of records that are only known when the embedded instance starts, such as those of extensions. */
import { type Fields, mapValues } from '../../base/objects.js'
import { toPathPattern } from '../../catalogue/endpoint.js'
import { group, json, type Params, project, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { type FieldSchema, getFieldType, paramsByType } from '../check.js'
import { createRoutes, type ExtraRoute } from '../extra-routes.js'
import { FileReply } from '../reply.js'
import { resource } from '../resource.js'
import { getRoleIn, type Role } from '../rules/access.js'
import type { DeclaredRecord } from '../state/features.js'
import type { TableRecords } from '../state/state.js'

/** The declaration of a kind of records. */
export interface DeclaredResource {
  /** The path of the list below the root of the API: `/projects/:id/hooks`. */
  readonly path: string
  /** The placeholder of a single record, and (`by`) the field that it is compared with, by default `id`. */
  readonly one: string
  readonly by?: string
  /** True if the records are stored and listed. A shape implies it. */
  readonly stored?: true
  /** The JSON Schema of answers, which requests are checked against as well. Without it, any attribute is stored. */
  readonly shape?: { readonly properties: Readonly<Record<string, FieldSchema>> }
  /**
   * The roles that may write, in the words of the catalogue: by default Maintainers. Outside of projects and groups, only administrators
   * write.
   */
  readonly access?: string
  /** The actions on a single record, and the fields that each sets: `{ block: { state: 'blocked' } }`. */
  readonly sets?: Readonly<Record<string, Fields>>
  /** The methods of actions that are not POST. */
  readonly methods?: Readonly<Record<string, 'PUT' | 'PATCH' | 'DELETE'>>
  /** The verbs that read the log of a single record. */
  readonly logs?: readonly string[]
  /** The existing table that has the records. Then only the actions on a single record are added. */
  readonly table?: keyof TableRecords
}

/** The existing tables by the path of their list. */
const tables: Readonly<Record<string, keyof TableRecords>> = {
  '/users': 'users',
  '/projects': 'projects',
  '/groups': 'groups',
  '/runners': 'runners',
  '/projects/:/jobs': 'jobs',
  '/projects/:/pipelines': 'pipelines',
  '/projects/:/issues': 'issues',
  '/projects/:/merge_requests': 'mergeRequests',
  '/projects/:/labels': 'labels',
  '/projects/:/deploy_keys': 'deployKeys',
}

const getTable = ({ path, stored, shape, table }: DeclaredResource): keyof TableRecords =>
  table ??
  (stored === true || shape !== undefined ? undefined : tables[toPathPattern(path)]) ??
  'declared'

type Input = Readonly<Record<string, unknown>>
interface Place {
  /** The path of the list with its placeholders filled. */
  readonly at: string
  /** The ID of the project or group, if the list belongs to one. */
  readonly id?: number
}

/** Finds the place that a path names. Refuses users who may not see it, or who lack the role. */
const findPlace = (call: Call, path: string, input: Input, role: Role | undefined): Place => {
  const fill = (id?: number) =>
    path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? (id ?? input.id) : input[name]))
  const reference = input.id as string | number
  const scope = /^\/(projects|groups)\/:id\//.exec(path)?.[1]
  if (scope === undefined) {
    if (role === undefined) call.requireUser()
    else call.requireAdmin()
    return { at: fill() }
  }
  const { id } =
    scope === 'projects'
      ? call.requireProject(reference, { role })
      : call.requireGroup(reference, { role })
  return { at: fill(id), id }
}

const fixed = ['id', 'created_at', 'updated_at']

/** Returns the parameters of a request that a shape accepts. */
const getParams = ({ properties }: NonNullable<DeclaredResource['shape']>): Params =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !fixed.includes(name))
      .map(([name, schema]) => [
        name,
        { ...(paramsByType[getFieldType(schema) ?? ''] ?? json('')), nullable: true },
      ]),
  )

/** Returns the fields of a record that the shape has; missing ones are null or the default. Without a shape, returns all fields. */
const showRecord = (shape: DeclaredResource['shape'], record: object): Fields => {
  if (shape === undefined)
    return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'at'))
  return mapValues(
    shape.properties,
    (schema, name) => Reflect.get(record, name) ?? schema.default ?? null,
  )
}

/** Returns the parameters of a request that name neither a record nor its place. */
const getSent = ({ sent }: Call, { path, one }: DeclaredResource): Fields =>
  Object.fromEntries(
    Object.entries(sent.params).filter(
      ([name]) => ![...fixed, one].includes(name) && !path.includes(`/:${name}`),
    ),
  )

/** The largest number of lines in a log, which has one line for each second. */
const mostLines = 60

/** Creates the log of a record: a line for each second that it ran, and its final status. */
const createLog = (call: Call, record: object): string => {
  const [status = '', name = '', started = '', finished = ''] = [
    'status',
    'name',
    'started_at',
    'finished_at',
  ].map((field) => String(Reflect.get(record, field) ?? ''))
  const begun = Date.parse(started)
  const end = finished === '' ? call.clock.now().getTime() : Date.parse(finished)
  const seconds = Number.isNaN(begun) ? 0 : Math.min(mostLines, Math.floor((end - begun) / 1000))
  const lines = Array.from({ length: Math.max(0, seconds) }, (_, i) => `step ${i + 1}\n`)
  const head = Number.isNaN(begun) ? '' : `Running ${name} on the embedded instance\n`
  return `${head}${lines.join('')}${finished === '' ? '' : `Job ended: ${status}\n`}`
}

/** Finds the handler that shows a single record; undefined if the instance has none. */
export type ReaderFinder = (path: string) => ExtraRoute['handle'] | undefined

/** Declares the records of a kind. */
const declareRecords = (declared: DeclaredResource) => {
  const { path, one, by = 'id', shape, access = 'Maintainers' } = declared
  const table = getTable(declared)
  const params = shape === undefined ? {} : getParams(shape)
  return resource({
    table: table as 'declared',
    parent: (call, input: Input) => findPlace(call, path, input, undefined),
    managed: (call, input) => findPlace(call, path, input, getRoleIn(access) ?? 'maintainer'),
    key: [one, by, ...(table === 'users' ? ['username'] : [])],
    holds: (row, { at, id }) =>
      table === 'declared' ? row.at === at : id === undefined || row.project_id === id,
    present: (_, record) => showRecord(shape, record),
    attributes: params,
    accept: (call, given) =>
      shape === undefined
        ? getSent(call, declared)
        : Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(params, name))),
    defaults: (call, { at }) => ({ at, created_at: call.clock.iso() }),
  })
}

/** Creates the routes of a declared kind. */
export const declareRoutes = (
  declared: DeclaredResource,
  findReader: ReaderFinder,
): readonly ExtraRoute[] => {
  const { path, one, shape, sets = {}, methods = {}, logs = [], access = 'Maintainers' } = declared
  const table = getTable(declared)
  const records = declareRecords(declared)
  const reader = findReader(`${path}/:${one}`)
  const find = (call: Call, input: Input): DeclaredRecord => {
    const reference = input[one] as string | number
    const role = getRoleIn(access) ?? 'maintainer'
    if (path === '/projects') return call.requireProject(reference, { role }) as never
    if (path === '/groups') return call.requireGroup(reference, { role }) as never
    return records.managed(call, input as never)
  }
  const createAction = (changes: Fields) => (call: Call, input: Input) => {
    const record = find(call, input)
    call.state[table as 'declared'].change(record.id, changes)
    return reader === undefined || shape !== undefined
      ? showRecord(shape, record)
      : reader(call, input as never)
  }
  const read = (call: Call, input: Input) =>
    new FileReply(Buffer.from(createLog(call, find(call, input))), 'text/plain')
  const of = table === 'declared' && declared.table === undefined ? records : undefined
  const createChangeMethod = (verb: string) =>
    methods[verb] === undefined ? {} : { method: methods[verb], status: 200 }
  const actions = Object.fromEntries([
    ...Object.entries(sets).map(([verb, fields]) => [
      verb,
      [createAction(fields), createChangeMethod(verb)] as const,
    ]),
    ...logs.map((verb) => [verb, [read, { method: 'GET', status: 200 }] as const]),
  ])
  const some = shape === undefined && of !== undefined ? { ...of, attributes: {} } : of
  const isScope = path === '/projects' || path === '/groups'
  const single = isScope ? (path === '/projects' ? project() : group()) : string('')
  return createRoutes({ path, one: { [one]: single }, access, of: some, actions })
}
