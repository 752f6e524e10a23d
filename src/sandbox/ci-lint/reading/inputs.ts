/** A header with `spec: inputs:`, and what stands for `$[[ inputs.name ]]` in what follows it. */

import { compileRegex, readyRegexes } from '../expression.js'
import { checkNode } from '../grammar/findings.js'
import { header } from '../grammar/table/others.js'
import type { AsOf } from '../grammar/types.js'
import { Budget, Unreadable } from '../values.js'

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype

/** What is written in place of inputs may be longer than they are, by so much. */
const maxWritten = 4 * 1024 * 1024
const place = /\$\[\[\s*inputs\.([\w-]+)(?:\s*\|[^\]]*)?\s*\]\]/g
const whole = new RegExp(`^${place.source}$`)

/** Whether a document is the header of the next one. */
export const isHeader = (document: unknown): document is { readonly spec: unknown } =>
  isObject(document) && Object.keys(document).join() === 'spec'

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
}

/** What is wrong with the value of an input; `which` of its values it is. */
const valueProblem = (options: Values, value: unknown, which: string): string | undefined => {
  const { type = 'string', options: choices, regex } = options
  if (isOfType[String(type)]?.(value) === false) return `${which} value is not a ${type}`
  const other = Array.isArray(choices) && [value].flat().find((one) => !choices.includes(one))
  if (other !== undefined && other !== false)
    return `\`${other}\` cannot be used because it is not in the list of allowed options`
  if (typeof regex !== 'string' || typeof value !== 'string') return undefined
  const pattern = compileRegex(regex.startsWith('/') ? regex : `/${regex}/`)
  return pattern?.matcher(value).find() === false
    ? `${which} value does not match required RE2 regex pattern`
    : undefined
}

/**
 * The value of each input: what was given, else its default.
 * @throws Unreadable for one that has neither, that is none, or that is not as its options say
 */
const inputsOf = (declared: Values, given: Values): Map<string, unknown> => {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name))
  const problems = unknown.map((name) => `unknown input arguments: ${name}`)
  const values = new Map<string, unknown>()
  for (const [name, its] of Object.entries(declared)) {
    const options = isObject(its) ? its : {}
    const isGiven = Object.hasOwn(given, name)
    const value = isGiven ? given[name] : (options.default ?? null)
    if (isGiven || 'default' in options) values.set(name, value)
    else problems.push(`\`${name}\` input: required value has not been provided`)
    const which = isGiven ? 'provided' : 'default'
    const wrong = value === null ? undefined : valueProblem(options, value, which)
    if (wrong !== undefined) problems.push(`\`${name}\` input: ${wrong}`)
  }
  if (problems.length > 0) throw new Unreadable(problems)
  return values
}

/**
 * What a header declares.
 * @throws Unreadable for what no version, or not this one, declares so
 */
const declaredIn = async (spec: unknown, asOf: AsOf): Promise<Values> => {
  const inputs = isObject(spec) ? (spec.inputs ?? null) : spec
  const found = checkNode(header, { spec: isObject(spec) ? { inputs } : spec }, 'header', asOf)
  const wrong = found.filter(({ advice }) => advice !== true)
  if (wrong.length > 0) throw new Unreadable(wrong.map(({ text }) => text))
  const declared = isObject(inputs) ? inputs : {}
  await readyRegexes(Object.values(declared).some((its) => isObject(its) && 'regex' in its))
  return declared
}

/**
 * A document with the inputs of its header in their places; a text that is nothing but a place
 * becomes the value itself.
 */
export const withInputs = async (
  { spec }: { readonly spec: unknown },
  document: unknown,
  given: Values,
  asOf: AsOf,
): Promise<unknown> => {
  const values = inputsOf(await declaredIn(spec, asOf), given)
  const budget = new Budget(maxWritten)
  const inputOf = (name: string): unknown => {
    if (values.has(name)) return values.get(name)
    throw new Unreadable([`unknown interpolation key: \`${name}\``])
  }
  const written = (text: string): string =>
    text.replace(place, (_, name: string) => {
      const value = inputOf(name)
      const shown = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      budget.spend(shown.length)
      return shown
    })
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const name = whole.exec(value)?.[1]
      return name === undefined ? written(value) : inputOf(name)
    }
    if (Array.isArray(value)) return value.map(fill)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [written(k), fill(v)]))
  }
  return fill(document)
}
