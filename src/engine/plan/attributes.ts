/**
 * The attributes of a call: flags over `--input` over nothing, `--param` beside them, and the
 * checks that need no instance.
 */
import type { JsonValue, JsonValues } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { type Endpoint, getPlace } from '../../catalogue/endpoint.js'
import { joinItems } from '../../catalogue/formats.js'
import type { Param } from '../../catalogue/params.js'
import { isObjectFailure, usage } from '../../errors.js'
import { flagName, getCommandName, getScope } from '../command/derive/index.js'
import type { Plan } from '../command/described.js'
import type { Command, Flag, Given, Operation } from '../command/types.js'
import { spelled, spelledIn } from './spellings.js'
import { parseParam, parseValue } from './values.js'

// Requests made complete, one object at a time: what is wrong with one is what became of it.

/**
 * Completes a plan; one that cannot be completed is not sent. Where all are made before the first is sent, none is then; of
 * several projects or groups each is for itself.
 */
export const completing =
  ({ complete, planFirst }: Pick<Operation, 'complete' | 'planFirst'>) =>
  async (plan: Plan): Promise<Plan> => {
    if (complete === undefined || plan.refused !== undefined) return plan
    try {
      return await complete(plan)
    } catch (error) {
      const ofAll = planFirst === true && plan.parent === undefined
      if (ofAll || !isObjectFailure(error)) throw error
      return { ...plan, refused: error }
    }
  }

/** Told of a name that is sent though the catalogue does not have it. */
export type Unknown = (endpoint: Endpoint, name: string) => void

export const flagValues = (
  command: Command,
  endpoint: Endpoint,
  given: Given,
): Record<string, JsonValue | undefined> => {
  const values: Record<string, JsonValue | undefined> = {}
  for (const flag of command.flags) {
    const value = given.flags[flag.name]
    if (value === undefined || flag.parameter === undefined || flag.path === true) continue
    if (endpoint.refuses?.includes(flag.parameter))
      throw usage(`${getCommandName(command)} does not support ${spelled(flag)} in this form`)
    const param = endpoint.params[flag.parameter]
    if (param?.type === 'enum') checkEnum(param, value, flag)
    values[flag.parameter] = value
  }
  return values
}

/** The flag accepts what any of the command's endpoints knows; this one may know less. */
const checkEnum = (param: Param, value: unknown, flag: Flag): void => {
  const { parameter } = flag
  if (typeof value === 'string') parseValue(param, [value], spelled(flag), { parameter })
}

/** Scope and other placeholders of the path, as far as flags give them. */
export const pathValues = (
  endpoint: Endpoint,
  given: Given,
): Record<string, JsonValue | undefined> => {
  const scope = getScope(endpoint)
  const values: Record<string, JsonValue | undefined> = {}
  for (const [name, param] of Object.entries(endpoint.path)) {
    const flag = scope?.placeholder === name ? scope.kind : flagName(name, param)
    if (endpoint.args?.includes(name)) continue
    if (given.flags[flag] !== undefined) values[name] = given.flags[flag]
  }
  return values
}

/** `--param` by where it travels: JSON in a body, text in a query; a JSON list is a list there. */
export const extraValues = (endpoint: Endpoint, given: Given, unknown: Unknown) => {
  const extra: Record<string, JsonValue | undefined> = {}
  for (const [name, text] of Object.entries(given.extra)) {
    const param = endpoint.params[name]
    if (param === undefined && endpoint.path[name] === undefined) unknown(endpoint, name)
    const body = getPlace(endpoint, param ?? { type: 'string', help: '' }) === 'body'
    const one = (t: string): JsonValue => (body ? parseParam(t) : queryParam(t, name))
    extra[name] = typeof text === 'string' ? one(text) : text.map(one)
  }
  return extra
}

const queryParam = (text: string, name: string): JsonValue => {
  if (text === 'null') throw usage(`--param ${name}=null: query parameters cannot be null`)
  if (!/^\[.*\]$/s.test(text)) return text
  const list = parseParam(text)
  return Array.isArray(list) ? list : text
}

export const inputValues = (endpoint: Endpoint, given: Given, unknown: Unknown) => {
  for (const name of Object.keys(given.input ?? {}))
    if (endpoint.params[name] === undefined) unknown(endpoint, name)
  return Object.fromEntries(
    Object.entries(given.input ?? {}).map(([name, v]) => [name, joined(endpoint.params[name], v)]),
  )
}

/** A list where the documents have one string of several items. */
const joined = (param: Param | undefined, value: JsonValue | undefined): JsonValue | undefined =>
  param === undefined || !Array.isArray(value)
    ? value
    : (joinItems(param, value.map(String)) ?? value)

export const checkExclusive = (command: Command, endpoint: Endpoint, values: JsonValues): void => {
  for (const names of endpoint.exclusive ?? []) {
    const both = names.filter((name) => values[name] !== undefined)
    if (both.length < 2) continue
    const flags = both.map((name) => {
      const param = endpoint.params[name]
      return spelledIn(command, param === undefined ? name : flagName(name, param))
    })
    throw usage(`${flags.join(' and ')} exclude each other`)
  }
}

/** Hash flags merge over the input's key by key. */
export const mergeInput = (
  input: JsonValues,
  flags: JsonValues,
): Record<string, JsonValue | undefined> => {
  const values: Record<string, JsonValue | undefined> = { ...input }
  for (const [name, value] of Object.entries(flags)) {
    const below = input[name]
    values[name] = isObject(value) && isObject(below) ? { ...below, ...value } : value
  }
  return values
}
