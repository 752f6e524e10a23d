/** Resolves `extends` and `!reference`, and fills in the inputs of included files. */

import { compileRegex, readyRegexes } from '../expression.js'
import { checkNode } from '../grammar/findings.js'
import { header } from '../grammar/table/others.js'
import { type AsOf, describeChange } from '../grammar/values.js'
import { Budget, type Hash, isHash, KeywordReference, Unreadable } from '../values.js'
import { mergeHashes } from './tree.js'

const deepestExtends = 11
const deepestReference = 10

export interface Expanded {
  readonly tree: Hash
  readonly errors: readonly string[]
}

/** How a tree is expanded. */
export interface Expansion {
  /** What is not there is passed over: a file that was not fetched may hold it. */
  readonly lenient: boolean
  readonly budget: Budget
  readonly asOf: AsOf
}

const isStrings = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string')

/** The names that a job extends; undefined when that is no string or list of strings. */
const getParents = (job: Hash): readonly string[] | undefined => {
  if ((job.extends ?? null) === null) return []
  const names = [job.extends].flat()
  return isStrings(names) ? names : undefined
}

/** Jobs with what they extend, each worked out once. */
class Family {
  readonly errors = new Set<string>()
  readonly #done = new Map<string, Hash>()
  readonly #tree: Hash
  readonly #expansion: Expansion

  constructor(tree: Hash, expansion: Expansion) {
    this.#tree = tree
    this.#expansion = expansion
  }

  /** @param above the jobs that lead to it by `extends`, outermost first */
  whole(name: string, job: Hash, above: readonly string[] = []): Hash {
    const known = this.#done.get(name)
    if (known !== undefined) return known
    const wrong = tooDeep(name, above)
    if (wrong !== undefined) {
      this.errors.add(`${above[0]}: ${wrong} in \`extends\``)
      return job
    }
    const { budget } = this.#expansion
    const parents = getParents(job)
    let base: Hash = {}
    for (const [parent, found] of this.#found(name, parents ?? []))
      base = mergeHashes(base, this.whole(parent, found, [...above, name]), budget)
    const { extends: given, ...own } = job
    const result = mergeHashes(
      base,
      parents === undefined ? { ...own, extends: given } : own,
      budget,
    )
    this.#done.set(name, result)
    return result
  }

  /** The parents that are there; the others are said once, unless they may be elsewhere. */
  #found(name: string, parents: readonly string[]): readonly (readonly [string, Hash])[] {
    const found = parents.map((parent) => {
      const job = Object.hasOwn(this.#tree, parent) ? this.#tree[parent] : undefined
      return [parent, isHash(job) ? job : undefined] as const
    })
    const missing = found.flatMap(([parent, job]) => (job === undefined ? [`\`${parent}\``] : []))
    if (missing.length > 0 && !this.#expansion.lenient)
      this.errors.add(`${name}: unknown keys in \`extends\` (${missing.join(', ')})`)
    return found.flatMap(([parent, job]) => (job === undefined ? [] : [[parent, job] as const]))
  }
}

const tooDeep = (name: string, above: readonly string[]): string | undefined => {
  if (above.includes(name)) return 'circular dependency detected'
  return above.length >= deepestExtends ? 'nesting too deep' : undefined
}

/** Every job with what it extends, nearest last. */
export const withExtends = (tree: Hash, expansion: Expansion): Expanded => {
  const family = new Family(tree, expansion)
  const change = describeChange('`extends`', { since: '11.3' }, expansion.asOf)
  const entries = Object.entries(tree).map(([name, value]) => [
    name,
    isHash(value) && 'extends' in value && change === '' ? family.whole(name, value) : value,
  ])
  return { tree: Object.fromEntries(entries) as Hash, errors: [...family.errors] }
}

const lookUp = (tree: unknown, path: readonly string[]): unknown => {
  let at = tree
  for (const key of path) {
    if (!isHash(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

/** The tree with every `!reference` replaced by what it names; one that stays is not there. */
export const withReferences = (tree: Hash, { lenient, budget, asOf }: Expansion): Expanded => {
  const errors = new Set<string>()
  const follow = (reference: KeywordReference, above: readonly string[]): unknown => {
    const shown = reference.toString()
    const change = describeChange('`!reference`', { since: '13.9' }, asOf)
    if (change !== '') errors.add(`${shown} could not be read: ${change}`)
    if (above.includes(shown)) {
      errors.add(`${shown} is part of a circular chain`)
      return []
    }
    if (above.length >= deepestReference) {
      errors.add(`${shown} is nested too deep`)
      return []
    }
    const found = lookUp(tree, reference.path)
    if (found !== undefined) return resolve(found, [...above, shown])
    if (!lenient) errors.add(`${shown} could not be found`)
    return lenient ? reference : []
  }
  const resolve = (value: unknown, above: readonly string[]): unknown => {
    budget.spend(1)
    if (value instanceof KeywordReference) return follow(value, above)
    if (Array.isArray(value)) return value.map((item) => resolve(item, above))
    if (!isHash(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolve(item, above)]),
    )
  }
  const resolved = resolve(tree, [])
  return { tree: isHash(resolved) ? resolved : {}, errors: [...errors] }
}

// A header with `spec: inputs:`, and what stands for `$[[ inputs.name ]]` in what follows it.

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
const getInputs = (declared: Values, given: Values): Map<string, unknown> => {
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
  const values = getInputs(await declaredIn(spec, asOf), given)
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
