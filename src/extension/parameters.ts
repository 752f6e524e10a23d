/** Parameters of an extension: type words and JSON Schemas become parameters of the catalogue. */
import { getOwn, isObject } from '../base/objects.js'
import { isSecretName } from '../base/secrets/names.js'
import type { Param } from '../catalogue/params.js'
import { toPlainText } from './operation.js'

/** A JSON Schema, as far as it is looked at. */
export type LooseSchema = Readonly<Record<string, unknown>>

const getType = ({ type }: LooseSchema): string | undefined => {
  const types = [type].flat().filter((one) => typeof one === 'string' && one !== 'null')
  return types.length === 1 ? String(types[0]) : undefined
}

const listWords = (values: unknown): readonly string[] | undefined => {
  const all = Array.isArray(values) ? values : []
  const words = all.filter((one) => typeof one === 'string' && /^[^,|\s]+$/.test(one))
  return words.length > 0 && words.length === all.length ? words.map(String) : undefined
}

/** A list of scalars; a list of anything else is JSON. */
const toListParam = ({ items }: LooseSchema): object => {
  const schema = isObject(items) ? items : {}
  const values = listWords(schema.enum)
  if (values !== undefined) return { type: 'list', of: 'enum', values }
  const of = getType(schema)
  if (of === 'object' || of === 'array') return { type: 'json' }
  return { type: 'list', of: of === 'integer' ? 'integer' : 'string' }
}

/** The kind of value that a schema takes, without what is said of it. */
const toBareParam = (schema: LooseSchema): object => {
  const type = getType(schema)
  const words = listWords(schema.enum)
  if (words !== undefined) return { type: 'enum', values: words }
  if (type === 'array') return toListParam(schema)
  if (type === 'object')
    return {
      type:
        isObject(schema.properties) || schema.additionalProperties === undefined ? 'json' : 'hash',
    }
  if (type === 'integer' || type === 'boolean') return { type }
  const format = schema.format === 'date-time' ? 'datetime' : schema.format
  if (format === 'date' || format === 'datetime') return { type: 'string', format }
  return type === undefined && isObject(schema.properties) ? { type: 'json' } : { type: 'string' }
}

/** What is said of a parameter besides its type. */
interface ParamFacts {
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  readonly secret?: boolean | undefined
  readonly flag?: string | undefined
  readonly in?: 'query' | 'body' | undefined
  readonly deprecated?: boolean | undefined
}

/** Returns what help says of a parameter: the beginning of its description, else its name in words. */
const describe = (name: string, description: string | undefined): string => {
  const text = toPlainText(description ?? '', 160).replace(/(?<=\S)\.(?:\s.*)?$/, '')
  return text === '' ? name.replace(/[_[\]-]+/g, ' ').trim() : text
}

/** Makes a parameter of the catalogue. What is called like a secret is one. */
export const createParam = (name: string, schema: LooseSchema, facts: ParamFacts): Param => {
  const param: object = {
    ...toBareParam(schema),
    help: describe(name, facts.description),
    ...(facts.required === true && { required: true }),
    ...((facts.secret ?? isSecretName(name)) && { secret: true }),
    ...(facts.flag !== undefined && { name: facts.flag }),
    ...(facts.in !== undefined && { in: facts.in }),
    ...(facts.deprecated === true && { deprecated: 'another parameter' }),
  }
  return param as Param
}

/** The types of a file of commands that a word stands for. */
const typeWords: Readonly<Record<string, LooseSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  json: { type: 'object' },
}

/** Makes a parameter of a type word: `string!`, `a|b|c`, `integer[]`. */
export const parseTypeWord = (name: string, word: string): Param => {
  const [, base = '', list, required] = /^(.*?)(\[\])?(!)?$/.exec(word) ?? []
  const one = getOwn(typeWords, base) ?? { type: 'string', enum: base.split('|') }
  const schema = list === undefined ? one : { type: 'array', items: one }
  return createParam(name, schema, { required: required !== undefined })
}
