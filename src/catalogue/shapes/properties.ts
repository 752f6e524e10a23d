/** Looking into a shape: a JSON Schema, as the API's records have it. */
import { type Fields, isObject } from '../../base/objects.js'

/** The schemas of an object's fields by name; undefined where the shape does not list them. */
export const getProperties = (schema: unknown): Fields | undefined =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : undefined
