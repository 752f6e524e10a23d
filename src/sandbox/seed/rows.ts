/** Adds records to an instance for tests. It checks them against the sample data, from which it also takes missing attributes. */
import { type Fields, isObject, listObjects } from '../../base/objects.js'
import { suggestSimilar } from '../../base/suggest.js'
import { usage } from '../../errors.js'
import { getTable, type State, type TableRecords, tableNames } from '../state/state.js'
import { deriveRecords } from '../state/stored.js'

/** Returns the personal access token of a sample user. */
export const getSampleToken = (username: string): string => `sandbox-${username}-token`

const records = deriveRecords<TableRecords>()
type Records = typeof records

/** The rows to add, by table. Each needs at least one attribute. `settings` has the settings to change. */
export type SeedRows = {
  readonly [K in keyof Records]?: readonly Partial<Records[K]>[]
} & { readonly settings?: Fields }
/** The records that were created from rows, by table. */
export type SeedRecords<R> = {
  readonly [K in keyof R & keyof Records]: readonly Records[K][]
}

const getKind = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))

/** The tables of records to which fields refer, if the name of the table is not the plural of the field's name. */
const owners: Readonly<Record<string, keyof TableRecords>> = {
  author_id: 'users',
  creator_id: 'users',
  merge_request_id: 'mergeRequests',
  epic_id: 'epics',
}

const findOwnersTable = (field: string): keyof TableRecords | undefined =>
  owners[field] ?? tableNames.find((name) => `${name.slice(0, -1)}_id` === field)

/** Attributes that no record of the sample data has, with a value of their type. */
const furtherAttributes: Readonly<Record<string, Fields>> = {
  runners: { concurrent: 1 } satisfies Partial<Records['runners']>,
}

/** Returns a description of the fault of a field's value; undefined if the value is valid. */
const findFault = (state: State, samples: readonly Fields[], field: string, value: unknown) => {
  const known = samples.map((sample) => sample[field]).filter((one) => one !== undefined)
  if (known.length === 0) {
    const names = samples.flatMap((sample) => Object.keys(sample))
    return `there is no such attribute. ${suggestSimilar(field, names) ?? ''}`.trim()
  }
  const kinds = [...new Set(known.map(getKind))]
  // A field that is null in all samples may have any value.
  if (!kinds.includes(getKind(value)) && kinds.join() !== 'null')
    return `it must be ${kinds.join(' or ')}, not ${getKind(value)}`
  if (value !== null && known.some(isTime) && !isTime(value))
    return 'it must be a time such as 2026-11-02T09:00:00Z'
  const table = findOwnersTable(field)
  return typeof value === 'number' && table !== undefined && state[table].get(value) === undefined
    ? `${table} has no record ${value}`
    : undefined
}

/** Finds the sample that has most attributes in common with a row. Of several, the first one counts. */
const findClosest = (samples: readonly Fields[], row: Fields): Fields => {
  const countEqual = (sample: Fields): number =>
    Object.entries(row).filter(([field, value]) => sample[field] === value).length
  return samples.reduce((best, one) => (countEqual(one) > countEqual(best) ? one : best))
}

/** True if a text field identifies its record, since no two samples have the same value. */
const isName = (samples: readonly Fields[], field: string): boolean => {
  const values = samples.map((sample) => sample[field])
  const texts = values.every((value) => typeof value === 'string' && !isTime(value))
  return texts && new Set(values).size === values.length
}

/** Derives further attributes from those of a row. */
const deriveAttributes = (table: string, row: Fields, state: State): Fields => {
  const path = table === 'projects' ? row.path_with_namespace : row.full_path
  const safe = table === 'users' ? { admin: false, external: false, state: 'active' } : {}
  if (typeof path !== 'string' || !['projects', 'groups'].includes(table)) return safe
  const at = path.lastIndexOf('/')
  const parent = state.groups.find(({ full_path }) => full_path === path.slice(0, Math.max(0, at)))
  const name = path.slice(at + 1)
  const names = { path: name, name }
  if (table === 'groups') return { ...names, full_name: path, parent_id: parent?.id ?? null }
  const namespace = parent === undefined ? {} : { namespace_id: parent.id, namespace_kind: 'group' }
  return { ...names, name_with_namespace: path, ...namespace }
}

/** Adds all missing attributes to a row. */
const fillRow = (
  table: string,
  given: Fields,
  samples: readonly Fields[],
  state: State,
): Fields => {
  const row = { ...deriveAttributes(table, given, state), ...given }
  const { id: _, ...rest } = findClosest(samples, row)
  const iids = samples.flatMap(({ iid, project_id }) =>
    typeof iid === 'number' && project_id === (row.project_id ?? rest.project_id) ? [iid] : [],
  )
  const next = Math.max(0, ...samples.map(({ id }) => Number(id))) + 1
  const fresh = Object.entries(rest).map(([field, value]) => {
    if (field === 'iid') return [field, Math.max(0, ...iids) + 1]
    return [field, isName(samples, field) ? `${value}-${next}` : value]
  })
  return { ...structuredClone(Object.fromEntries(fresh)), ...row }
}

const addRow = (state: State, name: keyof TableRecords, row: Fields): Fields => {
  const table = getTable(state, name)
  const samples = table.all()
  if (samples.length === 0) throw usage(`seed(): ${name} can only be made by requests`)
  for (const [field, value] of Object.entries(row)) {
    const wrong = findFault(state, [...samples, furtherAttributes[name] ?? {}], field, value)
    if (wrong !== undefined) throw usage(`seed(): ${field} of ${name}: ${wrong}`)
    if (field === 'id' && table.get(Number(value)) !== undefined)
      throw usage(`seed(): ${name} has a record ${value} already`)
  }
  const added = table.add(structuredClone(fillRow(name, row, samples, state)))
  if (name === 'users') {
    const token = { user_id: added.id, value: getSampleToken(String(added.username)) }
    const scopes = ['api', 'read_user']
    const created_at = '2026-11-02T09:00:00.000Z'
    addRow(state, 'tokens', { ...token, kind: 'personal', scopes, created_at, revoked: false })
  }
  return structuredClone(added)
}

/**
 * Adds records to a state.
 * @returns the records with their IDs
 * @throws Failure `usage` if a table, an attribute or a value is invalid
 */
export const addRows = (state: State, rows: unknown): Record<string, readonly Fields[]> => {
  if (!isObject(rows)) throw usage('seed() takes rows by table')
  const { settings, ...tables } = rows
  const known: readonly string[] = tableNames
  for (const [name, list] of Object.entries(tables)) {
    if (!known.includes(name)) {
      const near = suggestSimilar(name, ['settings', ...known])
      throw usage(`seed(): there is no table ${name}. ${near ?? ''}`.trim())
    }
    if (!Array.isArray(list) || listObjects(list).length < list.length)
      throw usage(`seed(): ${name} must be a list of rows`)
  }
  if (isObject(settings)) state.settings.change(settings)
  // Tables are filled in the order in which they refer to each other.
  return Object.fromEntries(
    tableNames.flatMap((name) =>
      Object.hasOwn(tables, name)
        ? [[name, listObjects(tables[name]).map((row) => addRow(state, name, row))]]
        : [],
    ),
  )
}
