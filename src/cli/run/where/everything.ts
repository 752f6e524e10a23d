/** What a list is asked besides what was said, so that none of its records is left out by itself. */
import type { Endpoint } from '../../../catalogue/endpoint.js'
import { parseWhere } from '../../../fleet/where/index.js'

/** A list of what is somebody's own is no choice among all. */
export const everythingOf = (
  { params }: Pick<Endpoint, 'params'>,
  texts: readonly string[],
): Readonly<Record<string, string>> => {
  const asked = parseWhere(texts).flatMap(({ conditions }) => conditions.map(({ field }) => field))
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      const { everything, default: usual } = param
      const own = everything !== undefined && everything !== usual && !asked.includes(name)
      return own ? [[name, everything] as const] : []
    }),
  )
}
