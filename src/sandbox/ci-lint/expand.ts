/** Resolves `extends` and `!reference`. */
import type { Budget } from './problem.js'
import { type Hash, isHash, merged, Reference } from './tree.js'

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
}

const isStrings = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string')

/** The names that a job extends; undefined when that is no string or list of strings. */
const parentsOf = (job: Hash): readonly string[] | undefined => {
  if ((job.extends ?? null) === null) return []
  const names = [job.extends].flat()
  return isStrings(names) ? names : undefined
}

/** Every job with what it extends, nearest last. */
export const withExtends = (tree: Hash, { lenient, budget }: Expansion): Expanded => {
  const errors = new Set<string>()
  const done = new Map<string, Hash>()
  const visit = (name: string, job: Hash, above: readonly string[]): Hash => {
    const known = done.get(name)
    if (known !== undefined) return known
    if (above.includes(name)) {
      errors.add(`${above[0]}: circular dependency detected in \`extends\``)
      return job
    }
    if (above.length >= deepestExtends) {
      errors.add(`${above[0]}: nesting too deep in \`extends\``)
      return job
    }
    const parents = parentsOf(job) ?? []
    const missing = parents.filter(
      (parent) => !Object.hasOwn(tree, parent) || !isHash(tree[parent]),
    )
    if (missing.length > 0 && !lenient)
      errors.add(
        `${name}: unknown keys in \`extends\` (${missing.map((m) => `\`${m}\``).join(', ')})`,
      )
    let base: Hash = {}
    for (const parent of parents) {
      const found = Object.hasOwn(tree, parent) ? tree[parent] : undefined
      if (isHash(found)) base = merged(base, visit(parent, found, [...above, name]), budget)
    }
    const { extends: given, ...own } = job
    const result = merged(
      base,
      parentsOf(job) === undefined ? { ...own, extends: given } : own,
      budget,
    )
    done.set(name, result)
    return result
  }
  const entries = Object.entries(tree).map(([name, value]) => [
    name,
    isHash(value) && 'extends' in value ? visit(name, value, []) : value,
  ])
  return { tree: Object.fromEntries(entries) as Hash, errors: [...errors] }
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
export const withReferences = (tree: Hash, { lenient, budget }: Expansion): Expanded => {
  const errors = new Set<string>()
  const follow = (reference: Reference, above: readonly string[]): unknown => {
    const shown = reference.toString()
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
    if (value instanceof Reference) return follow(value, above)
    if (Array.isArray(value)) return value.map((item) => resolve(item, above))
    if (!isHash(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolve(item, above)]),
    )
  }
  const resolved = resolve(tree, [])
  return { tree: isHash(resolved) ? resolved : {}, errors: [...errors] }
}
