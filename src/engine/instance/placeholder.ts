/** What stands for an answer that nobody asked for: each field by its own name, `<name>`. */
import { isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'

/** Deeper than this no field of an answer is looked at. */
const deepest = 5

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'

const standIn = (schema: unknown, path: readonly string[]): unknown => {
  if (isObject(schema) && path.length < deepest) {
    const { anyOf, items, properties } = schema
    if (isObject(properties))
      return Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, standIn(field, [...path, name])]),
      )
    if (schema.type === 'array') return [standIn(items, path)]
    if (Array.isArray(anyOf))
      return standIn(
        anyOf.find((one) => !isNull(one)),
        path,
      )
  }
  return `<${path.join('.')}>`
}

/** The data that an endpoint would answer with; of a list, one record. */
export const createPlaceholder = ({ returns: { kind, shape } }: Endpoint): unknown => {
  const one = standIn(shape, [])
  return kind === 'many' ? [one] : one
}

/** A request with its placeholders as they are read, which an address writes in percents. */
export const readable = <R extends { readonly path: string }>(request: R): R => ({
  ...request,
  path: request.path.replace(/%3C([a-z_][\w.]*)%3E/g, '<$1>'),
})
