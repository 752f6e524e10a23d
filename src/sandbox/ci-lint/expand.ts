/** Resolves `extends` and `!reference`. */
import { type Hash, isHash, merged, Reference } from './tree.js'

const deepestExtends = 11
const deepestReference = 10

export interface Expanded {
  readonly tree: Hash
  readonly errors: readonly string[]
}

/** The names that a job extends; undefined when that is no string or list of strings. */
export const parentsOf = (job: Hash): readonly string[] | undefined => {
  if (job.extends === undefined) return []
  const names = [job.extends].flat()
  return names.every((name) => typeof name === 'string') ? (names as string[]) : undefined
}

/**
 * Every job with what it extends, nearest last. With `lenient` parents that are not there are
 * passed over: a file that was not fetched may hold them.
 */
export const withExtends = (tree: Hash, lenient: boolean): Expanded => {
  const errors: string[] = []
  const done = new Map<string, Hash>()
  const visit = (name: string, job: Hash, above: readonly string[]): Hash => {
    const known = done.get(name)
    if (known !== undefined) return known
    if (above.includes(name)) {
      errors.push(`${above[0]}: circular dependency detected in \`extends\``)
      return job
    }
    if (above.length >= deepestExtends) {
      errors.push(`${above[0]}: nesting too deep in \`extends\``)
      return job
    }
    const parents = parentsOf(job) ?? []
    const missing = parents.filter((parent) => !isHash(tree[parent]))
    if (missing.length > 0 && !lenient)
      errors.push(
        `${name}: unknown keys in \`extends\` (${missing.map((m) => `\`${m}\``).join(', ')})`,
      )
    let base: Hash = {}
    for (const parent of parents) {
      const found = tree[parent]
      if (isHash(found)) base = merged(base, visit(parent, found, [...above, name]))
    }
    const { extends: _, ...own } = job
    const result = merged(base, own)
    done.set(name, result)
    return result
  }
  const entries = Object.entries(tree).map(([name, value]) => [
    name,
    isHash(value) && 'extends' in value ? visit(name, value, []) : value,
  ])
  return { tree: Object.fromEntries(entries) as Hash, errors: [...new Set(errors)] }
}

const lookUp = (tree: unknown, path: readonly string[]): unknown => {
  let at = tree
  for (const key of path) {
    if (!isHash(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

/** The tree with every `!reference` replaced by what it names. */
export const withReferences = (tree: Hash, lenient: boolean): Expanded => {
  const errors: string[] = []
  const resolve = (value: unknown, depth: number): unknown => {
    if (value instanceof Reference) {
      if (depth >= deepestReference) {
        errors.push(`${value} is nested too deep`)
        return []
      }
      const found = lookUp(tree, value.path)
      if (found === undefined && !lenient) errors.push(`${value} could not be found`)
      return resolve(found ?? [], depth + 1)
    }
    if (Array.isArray(value)) return value.map((item) => resolve(item, depth))
    if (!isHash(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, resolve(item, depth)]),
    )
  }
  return { tree: resolve(tree, 0) as Hash, errors: [...new Set(errors)] }
}
