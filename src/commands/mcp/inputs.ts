/** What a call brings along, each part of the kind that its tool takes. */
import { type JsonValues, jsonFields } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { didYouMean } from '../../base/suggest.js'
import { usage } from '../../errors.js'
import type { Offer } from './offers.js'

/** What a tool was given, by name. */
export interface ToolInput {
  readonly [name: string]: unknown
}

/** A query, and where its answer goes on. */
export interface Query {
  readonly offer: Offer
  readonly values: JsonValues
  readonly fields?: readonly string[]
  readonly cursor?: string
}

export const textIn = (input: ToolInput, name: string): string | undefined => {
  const value = input[name]
  if (value === undefined || typeof value === 'string') return value
  throw usage(`${name} takes a text`)
}

const fieldsIn = ({ fields }: ToolInput): readonly string[] | undefined => {
  if (fields === undefined) return undefined
  const texts = Array.isArray(fields) ? fields.filter((one) => typeof one === 'string') : []
  if (Array.isArray(fields) && texts.length === fields.length && texts.length > 0) return texts
  throw usage('fields takes a list of names')
}

export const argumentsIn = ({ arguments: values = {} }: ToolInput): JsonValues => {
  if (isObject(values)) return jsonFields(values)
  throw usage('arguments takes an object')
}

/** @throws Failure `usage` for what a tool does not take */
export const checkInput = (input: ToolInput, tool: string, takes: readonly string[]): void => {
  const strange = Object.keys(input).find((name) => !takes.includes(name))
  if (strange === undefined) return
  const all = takes.join(', ')
  throw usage(`${tool} has no argument "${strange}"; it takes ${all}`, didYouMean(strange, takes))
}

export const queryOf = (offer: Offer, input: ToolInput, values: JsonValues): Query => {
  const fields = fieldsIn(input)
  const cursor = textIn(input, 'cursor')
  return {
    offer,
    values,
    fields,
    cursor,
  }
}

/** Of a command that is a tool of its own: its values stand beside `fields` and `cursor`. */
export const queryBeside = (offer: Offer, input: ToolInput): Query => {
  const { fields: _, cursor: __, ...values } = input
  return queryOf(offer, input, jsonFields(values))
}
