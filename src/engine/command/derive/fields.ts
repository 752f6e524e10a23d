/** The fields that a command's answers have, by the catalogue: for completion and suggestions. */
import type { Endpoint } from '../../../catalogue/endpoint.js'
import { shownFields } from '../../../catalogue/kinds.js'
import { propertiesOf } from '../../../catalogue/shapes/properties.js'

/** The column that says which object a row is about, where several were given. */
export const objectColumn = 'object'

/** The field that a dotted name begins with. */
export const firstOf = (path: string): string => path.split('.')[0] ?? path

/** Field names of the answers of these endpoints, each once. */
export const fieldsOf = (endpoints: readonly Endpoint[]): readonly string[] => {
  const own = new Set(endpoints.flatMap((e) => Object.keys(propertiesOf(e.returns.shape) ?? {})))
  const shown = Object.entries(shownFields).filter(([, path]) => own.has(firstOf(path)))
  const made = endpoints.flatMap((e) => e.made ?? [])
  return [...own, ...shown.map(([name]) => name), ...made]
}
