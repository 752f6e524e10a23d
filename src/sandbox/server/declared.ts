/** Serves kinds of records that are only known when the instance starts: what an extension declares is answered without code. */
import type { Fields } from '../../base/objects.js'
import type { Params } from '../../catalogue/params.js'
import { json, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { type FieldSchema, getFieldType, paramsByType } from '../check.js'
import { createRoutes, type ExtraRoute } from '../extra-routes.js'
import { resource } from '../resource.js'
import { getRoleIn, type Role } from '../rules/access.js'
import type { DeclaredRecord } from '../state/features.js'
import type { TableRecords } from '../state/state.js'

/** A kind of record. */
export interface DeclaredResource {
  /** The path of its list below the root of the API: `/projects/:id/hooks`. */
  readonly path: string
  /** The placeholder of a single one, and the field that it is compared with: `id` unless given. */
  readonly one: string
  readonly by?: string
  /** The JSON Schema of an answer; requests are checked against it, too. */
  readonly shape: { readonly properties: Readonly<Record<string, FieldSchema>> }
  /** The roles that may write, in the words of the catalogue; Maintainers unless given, elsewhere administrators. */
  readonly access?: string
  /** The actions on a single record, and the fields that each sets: `{ block: { state: 'blocked' } }`. */
  readonly sets?: Readonly<Record<string, Fields>>
  /** Its records are those of a table that the instance has anyway: only what is done with a single one is added. */
  readonly table?: keyof TableRecords
}

type Input = Readonly<Record<string, unknown>>
interface Place {
  /** The path of the list, its placeholders filled. */
  readonly at: string
  /** The project or group, where it belongs to one. */
  readonly id?: number
}

/** Finds the place that a path names. Refuses users who may not see it, or lack the role. */
const findPlace = (call: Call, path: string, input: Input, role: Role | undefined): Place => {
  const fill = (id?: number) =>
    path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? (id ?? input.id) : input[name]))
  const reference = input.id as string | number
  const scope = /^\/(projects|groups)\/:id\//.exec(path)?.[1]
  if (scope === undefined) {
    if (role === undefined) call.signedIn()
    else call.admin()
    return { at: fill() }
  }
  const { id } =
    scope === 'projects' ? call.project(reference, { role }) : call.group(reference, { role })
  return { at: fill(id), id }
}

const fixed = ['id', 'created_at', 'updated_at']

/** Returns the parameters of a request that a shape accepts. */
const getParams = ({ properties }: DeclaredResource['shape']): Params =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !fixed.includes(name))
      .map(([name, schema]) => [
        name,
        { ...(paramsByType[getFieldType(schema) ?? ''] ?? json('')), nullable: true },
      ]),
  )

/** Shows a record in its shape: a field that it does not have is null. */
const showRecord = ({ properties }: DeclaredResource['shape'], record: object): Fields =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      Reflect.get(record, name) ?? schema.default ?? null,
    ]),
  )

/** The routes of a declared kind. */
export const declareRoutes = (declared: DeclaredResource): readonly ExtraRoute[] => {
  const { path, one, by = 'id', shape, sets = {}, access = 'Maintainers' } = declared
  const { table = 'declared' } = declared
  const params = getParams(shape)
  const records = resource({
    table: table as 'declared',
    parent: (call, input: Input) => findPlace(call, path, input, undefined),
    managed: (call, input) => findPlace(call, path, input, getRoleIn(access) ?? 'maintainer'),
    key: [one, by],
    holds: (row, { at, id }) =>
      table === 'declared' ? row.at === at : id === undefined || row.project_id === id,
    present: (_, record) => showRecord(shape, record),
    attributes: params,
    accept: (_, given) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(params, name))),
    defaults: (call, { at }) => ({ at, created_at: call.clock.iso() }),
  })
  const act = (changes: Fields) => (call: Call, input: Input) => {
    const record: DeclaredRecord = records.managed(call, input as never)
    call.state[table as 'declared'].change(record.id, changes)
    return showRecord(shape, record)
  }
  const actions = Object.fromEntries(
    Object.entries(sets).map(([verb, changes]) => [verb, [act(changes)] as const]),
  )
  const of = table === 'declared' ? records : undefined
  return createRoutes({ path, one: { [one]: string('') }, access, of, actions })
}
