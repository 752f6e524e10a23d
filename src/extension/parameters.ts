/** Turns type words and JSON Schemas of an extension into parameters of the catalogue. */
import { getFields, getOwn, isObject } from '../base/objects.js'
import { isSecretName } from '../base/secrets/names.js'
import type { Param } from '../catalogue/params.js'
import { toPlainText } from './operation.js'

/** A JSON Schema that is not checked. */
export type LooseSchema = Readonly<Record<string, unknown>>

const getType = ({ type }: LooseSchema): string | undefined => {
  const types = [type].flat().filter((one) => typeof one === 'string' && one !== 'null')
  return types.length === 1 ? String(types[0]) : undefined
}

const listWords = (values: unknown): readonly string[] | undefined => {
  const all = (Array.isArray(values) ? values : []).filter((one) => one !== null)
  const words = all.filter((one) => typeof one === 'string' && /^[^,|\s\p{C}]+$/u.test(one))
  return words.length > 0 && words.length === all.length ? words.map(String) : undefined
}

/** Creates a list of scalars; a list of anything else becomes a JSON parameter. */
const toListParam = ({ items, enum: words }: LooseSchema): object => {
  const schema = getFields(items)
  // Some documents list the words of the items beside them.
  const values = listWords(schema.enum ?? words)
  if (values !== undefined) return { type: 'list', of: 'enum', values }
  const of = getType(schema) ?? (isObject(schema.properties) ? 'object' : 'string')
  if (of === 'object' || of === 'array') return { type: 'json' }
  return { type: 'list', of: of === 'integer' ? 'integer' : 'string' }
}

/** Creates the parameter of an object: pairs of any key with texts, or JSON. */
const toObjectParam = ({ properties, additionalProperties: rest }: LooseSchema): object => {
  const isText = rest === true || (isObject(rest) && (getType(rest) ?? 'string') === 'string')
  return { type: isObject(properties) || !isText ? 'json' : 'hash' }
}

/** Creates the type part of a parameter from a schema, without help and other facts. */
const toBareParam = (schema: LooseSchema, nests: boolean): object => {
  const type = getType(schema) ?? (isObject(schema.properties) ? 'object' : 'string')
  if (type === 'array') return toListParam(schema)
  const words = listWords(schema.enum)
  if (words !== undefined) return { type: 'enum', values: words }
  if (type === 'object') return nests ? { type: 'hash' } : toObjectParam(schema)
  if (type === 'integer' || type === 'boolean') return { type }
  // A number that has decimals is text to the catalogue, which a body would quote.
  if (type === 'number' && !nests) return { type: 'json', placeholder: 'number' }
  const format = schema.format === 'date-time' ? 'datetime' : schema.format
  return format === 'date' || format === 'datetime'
    ? { type: 'string', format }
    : { type: 'string' }
}

/** The facts of a parameter besides its type. */
interface ParamFacts {
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  readonly secret?: boolean | undefined
  readonly flag?: string | undefined
  readonly in?: 'query' | 'body' | undefined
  readonly deprecated?: boolean | undefined
  /** The form of a list in a query. */
  readonly join?: 'comma' | 'repeat' | undefined
  /** True in a query, where an object is written as `name[key]`. */
  readonly nests?: boolean | undefined
}

/** Returns the help of a parameter: the first sentence of its description, else its name in words. */
const describe = (name: string, description: string | undefined): string => {
  const text = toPlainText(description ?? '', 160).replace(/(?<=\S)\.(?:\s.*)?$/, '')
  return text === '' ? name.replace(/[_[\]-]+/g, ' ').trim() : text
}

/** Creates a parameter of the catalogue. It is a secret if its name looks like one, unless the facts say otherwise. */
export const createParam = (name: string, schema: LooseSchema, facts: ParamFacts): Param => {
  const bare = toBareParam(schema, facts.nests === true)
  const param: object = {
    ...bare,
    ...('of' in bare && facts.join !== undefined && { join: facts.join }),
    help: describe(name, facts.description),
    ...(facts.required === true && { required: true }),
    ...((facts.secret ?? isSecretName(name)) && { secret: true }),
    ...(facts.flag !== undefined && { name: facts.flag }),
    ...(facts.in !== undefined && { in: facts.in }),
    ...(facts.deprecated === true && { deprecated: 'another parameter' }),
  }
  return param as Param
}

/** The schema of each type word of a file of commands. */
const typeWords: Readonly<Record<string, LooseSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  json: { type: 'object' },
}

/** Creates a parameter from a type word: `string!`, `a|b|c`, `integer[]`. */
export const parseTypeWord = (name: string, word: string): Param => {
  const [, base = '', list, required] = /^(.*?)(\[\])?(!)?$/.exec(word) ?? []
  const one = getOwn(typeWords, base) ?? { type: 'string', enum: base.split('|') }
  const schema = list === undefined ? one : { type: 'array', items: one }
  return createParam(name, schema, { required: required !== undefined })
}
