/** Columns for records whose endpoint answers with one of them: those of a list of the same area. */
import type { Endpoint } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import { fieldsOf } from './fields.js'

/** The columns of the area's list whose every column the endpoint's shape has; else its first fields. */
export const columnsFor = async (area: string, endpoint: Endpoint): Promise<readonly string[]> => {
  if (endpoint.columns !== undefined) return endpoint.columns
  const fields = fieldsOf([endpoint])
  const endpoints = (await areas.find((a) => a.name === area)?.load()) ?? {}
  const list = Object.values(endpoints).find(
    (e) => e.columns?.every((column) => fields.includes(column.split('.')[0] ?? '')) === true,
  )
  return list?.columns ?? fields.slice(0, 8)
}
