/** Whether what was read from a folder is a state: what is wrong with it is said before anything is built of it. */
import { isObject, objects } from '../../base/objects.js'

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const isTable = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.next) &&
  Array.isArray(value.rows) &&
  objects(value.rows).length === value.rows.length &&
  objects(value.rows).every(({ id }) => isCount(id))

/** Whether each group stands in one that is not in it: whoever goes up from one comes to an end. */
const isTree = (groups: unknown): boolean => {
  const rows = isObject(groups) ? objects(groups.rows) : []
  const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
  return rows.every(({ id }) => {
    let at: unknown = id
    for (let steps = 0; at !== null && at !== undefined; at = parents.get(at))
      if (steps++ > rows.length) return false
    return true
  })
}

/** Whether a value is a saved state with these tables; one that an older state lacks may be absent. */
export const isSavedState = (value: unknown, tables: readonly string[]): boolean =>
  isObject(value) &&
  isObject(value.config) &&
  (value.settings === undefined || isObject(value.settings)) &&
  tables.every((name) => value[name] === undefined || isTable(value[name])) &&
  isTree(value.groups)
