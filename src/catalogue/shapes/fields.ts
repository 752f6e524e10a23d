/** Shapes as people read them: a row a field, and the titled shapes that stand in others. */
import { type Fields, isObject } from '../../base/objects.js'
import { propertiesOf } from './properties.js'

/** The type of a field in words: `string or null`, `list of User summary`. */
export const typeWords = (schema: unknown): string => {
  if (!isObject(schema)) return 'any'
  const union = schema.anyOf
  if (Array.isArray(union)) return [...new Set(union.map(typeWords))].join(' or ')
  if (schema.type === 'array') return `list of ${typeWords(schema.items)}`
  if (schema.type === 'object') return String(schema.title ?? 'object')
  if (schema.format === 'date-time') return 'timestamp'
  if (schema.format === 'date') return 'date'
  if (schema.format === 'version') return 'version'
  return String(schema.type ?? 'any')
}

export interface Field {
  /** Dotted where it stands inside another. */
  readonly field: string
  readonly type: string
  /** False where some answers leave it out. */
  readonly always: boolean
  readonly notes: string
}

/** Fields of a shape, dotted into plain nested objects; nested titled ones are shapes of their own. */
export const fieldsOf = (schema: unknown, prefix = ''): Field[] => {
  if (!isObject(schema)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(propertiesOf(schema) ?? {}).flatMap(([name, field]) => {
    const notes = isObject(field)
      ? [field.description, Array.isArray(field.examples) ? field.examples.join(', ') : undefined]
      : []
    const row = {
      field: prefix + name,
      type: typeWords(field),
      always: required.includes(name),
      notes: notes.filter((n) => n !== undefined).join('; '),
    }
    const nested =
      isObject(field) && field.title === undefined ? fieldsOf(field, `${prefix}${name}.`) : []
    return [row, ...nested]
  })
}

/** Every titled shape within these, by title, in the order in which they are met. */
export const titled = (shapes: Iterable<unknown>): Map<string, Fields> => {
  const found = new Map<string, Fields>()
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) for (const item of schema) visit(item)
    else if (isObject(schema)) {
      const title = schema.title
      if (typeof title === 'string' && !found.has(title)) found.set(title, schema)
      for (const value of Object.values(schema)) visit(value)
    }
  }
  for (const shape of shapes) visit(shape)
  return found
}
