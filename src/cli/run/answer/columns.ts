/** Columns for records whose endpoint answers with one of them: those of a list of the same area. */
import type { Endpoint } from '../../../catalogue/endpoint.js'
import { areas } from '../../../catalogue/index.js'
import { fieldsOf, firstOf } from './fields.js'

/** The columns of the area's list whose every column the endpoint's shape has; else its first fields. */
export const columnsFor = async (area: string, endpoint: Endpoint): Promise<readonly string[]> => {
  if (endpoint.columns !== undefined) return endpoint.columns
  const fields = fieldsOf([endpoint])
  const endpoints = (await areas.find((a) => a.name === area)?.load()) ?? {}
  for (const { columns = [], made = [] } of Object.values(endpoints)) {
    const own = columns.filter((name) => !made.some((one) => one === name))
    if (own.length > 0 && own.every((name) => fields.includes(firstOf(name)))) return own
  }
  return fields.slice(0, 8)
}
