/** Expands the references of a configuration to its own jobs: `extends` and `!reference`. */

import { mapValues } from '../../base/objects.js'
import { findRootKey } from './schema.js'
import { mergeHashes } from './tree.js'
import {
  type Budget,
  describeChange,
  type Hash,
  isHash,
  type JudgedVersion,
  KeywordReference,
} from './types.js'

const deepestExtends = 11
const deepestReference = 10

interface ExpandedTree {
  readonly tree: Hash
  readonly errors: readonly string[]
}

/** The options for the expansion. */
export interface Expansion {
  /** True if unknown names are not errors, since a file that was not fetched may declare them. */
  readonly lenient: boolean
  readonly budget: Budget
  readonly asOf: JudgedVersion
}

const isStrings = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string')

/** Returns the names of the jobs that a job extends; undefined if the value is neither a text nor a list of texts. */
const getParents = (job: Hash): readonly string[] | undefined => {
  if ((job.extends ?? null) === null) return []
  const names = [job.extends].flat()
  return isStrings(names) ? names : undefined
}

/** A job with all that it inherits. */
interface ExpandedJob {
  readonly value: Hash
  /** The number of `extends` in the longest chain that begins with this job. */
  readonly height: number
}

/** Expands the `extends` of jobs, each only once. */
class Family {
  readonly errors = new Set<string>()
  readonly #done = new Map<string, ExpandedJob>()
  readonly #tree: Hash
  readonly #expansion: Expansion

  constructor(tree: Hash, expansion: Expansion) {
    this.#tree = tree
    this.#expansion = expansion
  }

  /** Returns a job with all that it inherits. @param above the jobs whose `extends` lead to it, the outermost first */
  whole(name: string, job: Hash, above: readonly string[] = []): ExpandedJob {
    if (!('extends' in job)) return { value: job, height: 0 }
    const known = this.#done.get(name)
    const wrong = findDepthProblem(name, above, known?.height ?? 1)
    if (wrong !== undefined) {
      this.errors.add(`${name}: ${wrong} in \`extends\``)
      return { value: job, height: 1 }
    }
    if (known !== undefined) return known
    const { budget } = this.#expansion
    const parents = getParents(job)
    let base: ExpandedJob = { value: {}, height: 0 }
    for (const [parent, found] of this.#findParents(name, parents ?? [])) {
      const { value, height } = this.whole(parent, found, [...above, name])
      base = {
        value: mergeHashes(base.value, value, budget),
        height: Math.max(base.height, height),
      }
    }
    const { extends: given, ...own } = job
    const keepsGiven = parents === undefined || findRootKey(name) !== undefined
    const result = {
      value: mergeHashes(base.value, keepsGiven ? { ...own, extends: given } : own, budget),
      height: base.height + 1,
    }
    this.#done.set(name, result)
    return result
  }

  /** Returns the parents that exist and are hashes. It reports all others, except unknown names in a lenient expansion. */
  #findParents(name: string, parents: readonly string[]): readonly (readonly [string, Hash])[] {
    const missing: string[] = []
    const unfit: string[] = []
    const found: (readonly [string, Hash])[] = []
    for (const parent of parents) {
      const job = Object.hasOwn(this.#tree, parent) ? this.#tree[parent] : undefined
      if (isHash(job)) found.push([parent, job])
      else (job === undefined ? missing : unfit).push(`\`${parent}\``)
    }
    if (missing.length > 0 && !this.#expansion.lenient)
      this.errors.add(`${name}: unknown keys in \`extends\` (${missing.join(', ')})`)
    else if (unfit.length > 0)
      this.errors.add(`${name}: invalid base hashes in \`extends\` (${unfit.join(', ')})`)
    return found
  }
}

const findDepthProblem = (
  name: string,
  above: readonly string[],
  height: number,
): string | undefined => {
  if (above.includes(name)) return 'circular dependency detected'
  return above.length + height > deepestExtends ? 'nesting too deep' : undefined
}

/** Expands the `extends` of all jobs. A job's own keys count most, then those of its last parent. */
export const expandExtends = (tree: Hash, expansion: Expansion): ExpandedTree => {
  const family = new Family(tree, expansion)
  const change = describeChange('`extends`', { since: '11.3' }, expansion.asOf)
  const entries = Object.entries(tree).map(([name, value]) => [
    name,
    isHash(value) && 'extends' in value && change === '' ? family.whole(name, value).value : value,
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

/** Replaces each `!reference` in a tree by the value that it names. It keeps references to unknown names. */
export const expandReferences = (
  tree: Hash,
  { lenient, budget, asOf }: Expansion,
): ExpandedTree => {
  const errors = new Set<string>()
  const follow = (reference: KeywordReference, above: readonly string[]): unknown => {
    const shown = reference.toString()
    if (!reference.valid) {
      errors.add(`${shown} is not valid`)
      return []
    }
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
    if (found !== undefined && found !== null && found !== false)
      return resolve(found, [...above, shown])
    if (!lenient) errors.add(`${shown} could not be found`)
    return lenient ? reference : []
  }
  const resolve = (value: unknown, above: readonly string[]): unknown => {
    budget.spend(1)
    if (value instanceof KeywordReference) return follow(value, above)
    if (Array.isArray(value)) return value.map((item) => resolve(item, above))
    if (!isHash(value)) return value
    return mapValues(value, (item) => resolve(item, above))
  }
  const resolved = resolve(tree, [])
  return { tree: isHash(resolved) ? resolved : {}, errors: [...errors] }
}
