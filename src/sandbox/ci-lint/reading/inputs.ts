/** A header with `spec: inputs:`, and what stands for `$[[ inputs.name ]]` in what follows it. */
import { Budget, Unreadable } from '../problem.js'

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype

/** What is written in place of inputs may be longer than they are, by so much. */
const mostWritten = 4 * 1024 * 1024
const place = /\$\[\[\s*inputs\.([\w-]+)(?:\s*\|[^\]]*)?\s*\]\]/g
const whole = new RegExp(`^${place.source}$`)

/** Whether a document is the header of the next one. */
export const isHeader = (document: unknown): document is { readonly spec: unknown } =>
  isObject(document) && Object.keys(document).join() === 'spec'

/**
 * The value of each input: what was given, else its default.
 * @throws Unreadable for one that has neither, and for a given one that is none
 */
const inputsOf = ({ spec }: { readonly spec: unknown }, given: Values): Map<string, unknown> => {
  const declared = isObject(spec) && isObject(spec.inputs) ? spec.inputs : {}
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name))
  const problems = unknown.map((name) => `unknown input arguments: ${name}`)
  const values = new Map<string, unknown>()
  for (const [name, options] of Object.entries(declared)) {
    if (Object.hasOwn(given, name)) values.set(name, given[name])
    else if (isObject(options) && 'default' in options) values.set(name, options.default)
    else problems.push(`\`${name}\` input: required value has not been provided`)
  }
  if (problems.length > 0) throw new Unreadable(problems)
  return values
}

/**
 * A document with the inputs of its header in their places; a text that is nothing but a place
 * becomes the value itself.
 */
export const withInputs = (
  header: { readonly spec: unknown },
  document: unknown,
  given: Values,
): unknown => {
  const values = inputsOf(header, given)
  const budget = new Budget(mostWritten)
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
