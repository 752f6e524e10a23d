/** What a tool was given, each part of the kind that it takes. */
import { type JsonValues, jsonFields } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { didYouMean } from '../../base/suggest.js'
import { usage } from '../../errors.js'

/** What a tool was given, by name. */
export interface ToolInput {
  readonly [name: string]: unknown
}

export const textIn = (input: ToolInput, name: string): string | undefined => {
  const value = input[name]
  if (value === undefined || typeof value === 'string') return value
  throw usage(`${name} must be a string`)
}

export const fieldsIn = ({ fields }: ToolInput): readonly string[] | undefined => {
  if (fields === undefined) return undefined
  const texts = Array.isArray(fields) ? fields.filter((one) => typeof one === 'string') : []
  if (Array.isArray(fields) && texts.length === fields.length && texts.length > 0) return texts
  throw usage('fields must be a list of names')
}

export const argumentsIn = ({ arguments: values = {} }: ToolInput): JsonValues => {
  if (isObject(values)) return jsonFields(values)
  throw usage('arguments must be an object')
}

/** @throws Failure `usage` for what a tool does not take */
export const checkInput = (input: ToolInput, tool: string, takes: readonly string[]): void => {
  const strange = Object.keys(input).find((name) => !takes.includes(name))
  if (strange === undefined) return
  const all = takes.join(', ')
  throw usage(
    `${tool} has no argument "${strange}"; its arguments are ${all}`,
    didYouMean(strange, takes),
  )
}

/** Names of one or more things, each a text or a number. */
export const namesIn = (input: ToolInput, name: string): readonly string[] | undefined => {
  const value = input[name]
  if (value === undefined) return undefined
  const texts = Array.isArray(value)
    ? value.flatMap((one: unknown) =>
        typeof one === 'string' || Number.isSafeInteger(one) ? [String(one)] : [],
      )
    : []
  if (Array.isArray(value) && texts.length === value.length && texts.length > 0) return texts
  throw usage(`${name} must be a list of names or IDs`)
}
