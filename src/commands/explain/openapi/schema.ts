/** Parameters of the catalogue → JSON Schema. */
import type { Param, Params } from '../../../catalogue/params.js'

export type Json = Record<string, unknown>

const spread = (name: string, value: unknown): Json =>
  value === undefined ? {} : { [name]: value }

/** `help`, and what to use instead of what is deprecated. */
export const descriptionOf = (param: Param): string =>
  param.deprecated === undefined ? param.help : `${param.help} (deprecated: ${param.deprecated})`

/** JSON Schema of a parameter's value. */
export const schemaOf = (param: Param): Json => {
  const base = baseSchema(param)
  const words = param.words === undefined ? base : { anyOf: [base, { enum: [...param.words] }] }
  const open = param.nullable === true ? { anyOf: [words, { type: 'null' }] } : words
  return {
    ...open,
    description: descriptionOf(param),
    ...spread('default', param.default),
    ...spread('deprecated', param.deprecated === undefined ? undefined : true),
    ...spread(
      'x-deprecated-values',
      'deprecatedValues' in param ? param.deprecatedValues : undefined,
    ),
    ...spread('x-edition', param.edition),
  }
}

/** An object of parameters. */
export const objectOf = (params: Params): Json => {
  const entries = Object.entries(params)
  const required = entries.filter(([, p]) => p.required === true).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, p]) => [name, schemaOf(p)])),
    ...spread('required', required.length === 0 ? undefined : required),
  }
}

const baseSchema = (param: Param): Json => {
  switch (param.type) {
    case 'integer':
      return { type: 'integer', ...spread('minimum', param.min), ...spread('maximum', param.max) }
    case 'boolean':
      return { type: 'boolean' }
    case 'enum':
      return {
        type: 'string',
        enum: [...param.values, ...Object.keys(param.deprecatedValues ?? {})],
      }
    case 'list':
      return listSchema(param)
    case 'hash':
      return param.keys === undefined
        ? { type: 'object', additionalProperties: true }
        : objectOf(param.keys)
    case 'json':
      return param.items === undefined ? {} : { type: 'array', items: objectOf(param.items) }
    case 'project':
    case 'group':
      return { anyOf: [{ type: 'integer' }, { type: 'string' }] }
    default:
      return {
        type: 'string',
        ...(param.format === 'datetime' ? { format: 'date-time' } : {}),
        ...(param.format === 'date' ? { format: 'date' } : {}),
      }
  }
}

const listSchema = (param: Param & { type: 'list' }): Json => {
  const values = param.values && [...param.values, ...Object.keys(param.deprecatedValues ?? {})]
  const item: Json =
    param.of === 'integer' ? { type: 'integer' } : { type: 'string', ...spread('enum', values) }
  const list = { type: 'array', items: item, ...spread('maxItems', param.max) }
  return param.single === true ? { anyOf: [item, list] } : list
}
