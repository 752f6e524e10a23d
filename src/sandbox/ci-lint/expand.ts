/** What a configuration takes from elsewhere: included files, then `extends` and `!reference`. */
import {
  Budget,
  describeChange,
  type Hash,
  isHash,
  isKnown,
  type JudgedVersion,
  KeywordReference,
  UnreadableError,
} from './grammar/types.js'
import { mergeHashes, readTree } from './tree.js'

// The files that it includes.

/** Where included files come from. */
export interface Files {
  /** The text of a file of the project at hand; undefined when it is not there. */
  local(path: string): Promise<string | undefined>
  /** Paths of the project at hand that a pattern with `*` matches. */
  matching(pattern: string): Promise<readonly string[]>
  /** The text of a file of another project; undefined when it or its project does not show. */
  other(project: string, path: string, ref: string | undefined): Promise<string | undefined>
}

interface Run {
  readonly files: Files | undefined
  readonly seen: Set<string>
  readonly errors: string[]
  readonly numeric: string[]
  readonly budget: Budget
  readonly asOf: JudgedVersion
  /** Those that are hashes. */
  readonly entries: Hash[]
  /** Includes that are not fetched: remote files, templates, components, paths with variables. */
  readonly left: string[]
}

interface IncludedTree {
  /** Everything merged; the including file wins. Without `include`. */
  readonly tree: Hash
  readonly errors: readonly string[]
  readonly left: readonly string[]
  /** What was said of each file, where it was more than its name. */
  readonly entries: readonly Hash[]
  /** Outermost keys of included files that are numbers. */
  readonly numeric: readonly string[]
}

const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path)
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const nested = async (run: Run, source: string, path: string, inputs: Hash): Promise<Hash> => {
  try {
    const { tree, numeric } = await readTree(source, inputs, run.asOf)
    run.numeric.push(...numeric)
    return await expand(run, tree)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    const problems = error.problems.map(
      (p) => `Included file \`${path}\` does not have valid YAML syntax! ${p}`,
    )
    run.errors.push(...problems)
    return {}
  }
}

/** One file, once; a second include of it changes nothing. */
const load = async (
  run: Run,
  key: string,
  path: string,
  read: () => Promise<string | undefined>,
  absent: string,
  inputs: Hash,
): Promise<Hash> => {
  if (!isYaml(path)) {
    run.errors.push(`Included file \`${path}\` does not have YAML extension!`)
    return {}
  }
  if (run.seen.has(key)) return {}
  const most = isKnown({ since: '15.10' }, run.asOf) ? 150 : 100
  if (run.seen.size >= most) {
    run.errors.push(`Maximum of ${most} nested includes are allowed!`)
    return {}
  }
  run.seen.add(key)
  const source = await read()
  if (source === undefined) {
    run.errors.push(absent)
    return {}
  }
  return nested(run, source, path, inputs)
}

const local = async (run: Run, path: string, inputs: Hash): Promise<Hash> => {
  const { files } = run
  if (files === undefined) {
    run.errors.push(`Local file \`${path}\` does not have project!`)
    return {}
  }
  const clean = path.replace(/^\//, '')
  const paths = clean.includes('*') ? await files.matching(clean) : [clean]
  if (paths.length === 0) run.errors.push(`Local file \`${path}\` does not exist!`)
  let tree: Hash = {}
  for (const one of paths) {
    const absent = `Local file \`${path}\` does not exist!`
    tree = mergeHashes(
      tree,
      await load(run, one, one, () => files.local(one), absent, inputs),
      run.budget,
    )
  }
  return tree
}

const ofProject = async (run: Run, entry: Hash, project: string): Promise<Hash> => {
  const { files } = run
  const names = [entry.file].flat()
  const inputs = getInputs(entry)
  let tree: Hash = {}
  for (const name of names) {
    const path = text(name)
    // The table of keywords says what is wrong with it.
    if (path === undefined) continue
    const absent = `Project \`${project}\` not found or access denied, or it has no file \`${path}\`!`
    const read = async () => files?.other(project, path.replace(/^\//, ''), text(entry.ref))
    tree = mergeHashes(
      tree,
      await load(run, `${project}:${path}`, path, read, absent, inputs),
      run.budget,
    )
  }
  return tree
}

const getInputs = ({ inputs }: Hash): Hash => (isHash(inputs) ? inputs : {})

/** Which file a path with a variable means, only a pipeline knows. */
const isOpen = (entry: Hash): boolean =>
  [entry.local, entry.project, entry.ref, entry.file]
    .flat()
    .some((part) => typeof part === 'string' && part.includes('$'))

const named = (entry: Hash): string =>
  [entry.local ?? entry.project, entry.local === undefined ? entry.file : undefined]
    .flat()
    .filter((part) => typeof part === 'string')
    .join(' ')

const accessors = ['local', 'project', 'remote', 'template', 'component', 'artifact'] as const
const accessorNames = accessors.map((name) => `\`${name}\``).join(', ')

/** What is wrong with how an include names its file. */
const accessProblem = (entry: Hash): string | undefined => {
  const used = accessors.filter((name) => (entry[name] ?? null) !== null)
  if (used.length > 1) return `Each include must use only one of: ${accessorNames}`
  const { remote } = entry
  const address = text(remote) ?? ''
  if (used.length === 0 || used[0] === 'artifact' || text(entry[used[0] ?? 'local']) === undefined)
    return `\`${JSON.stringify(entry)}\` does not have a valid subkey for include. Valid subkeys are: ${accessorNames}`
  if (remote === undefined || address.includes('$')) return undefined
  if (!isYaml(address)) return `Included file \`${address}\` does not have YAML extension!`
  return /^https?:\/\//i.test(address) && URL.canParse(address)
    ? undefined
    : `Remote file \`${address}\` does not have a valid address!`
}

const one = async (run: Run, given: unknown): Promise<Hash> => {
  const isRemote = typeof given === 'string' && /^https?:\/\//.test(given)
  const entry = typeof given === 'string' ? { [isRemote ? 'remote' : 'local']: given } : given
  if (!isHash(entry)) {
    run.errors.push('include config should be an array of hashes or strings')
    return {}
  }
  if (isHash(given)) run.entries.push(given)
  const wrong = accessProblem(entry)
  if (wrong !== undefined) {
    run.errors.push(wrong)
    return {}
  }
  const elsewhere = text(entry.remote) ?? text(entry.template) ?? text(entry.component)
  if (elsewhere !== undefined || (isOpen(entry) && run.files !== undefined)) {
    run.left.push(elsewhere ?? named(entry))
    return {}
  }
  const path = text(entry.local)
  return path === undefined
    ? ofProject(run, entry, text(entry.project) ?? '')
    : local(run, path, getInputs(entry))
}

const expand = async (run: Run, { include, ...own }: Hash): Promise<Hash> => {
  const entries = include === undefined || include === null ? [] : [include].flat()
  let tree: Hash = {}
  for (const entry of entries) tree = mergeHashes(tree, await one(run, entry), run.budget)
  return mergeHashes(tree, own, run.budget)
}

/** The configuration with all that it includes, as far as this instance can fetch it. */
const withIncludes = async (
  tree: Hash,
  files: Files | undefined,
  budget: Budget,
  asOf: JudgedVersion,
): Promise<IncludedTree> => {
  const found = { errors: [], left: [], entries: [], numeric: [] }
  const whole = await expand({ files, seen: new Set(), asOf, budget, ...found }, tree)
  return { tree: whole, ...found }
}

// `extends` and `!reference`.

const deepestExtends = 11
const deepestReference = 10

interface ExpandedTree {
  readonly tree: Hash
  readonly errors: readonly string[]
}

/** How a tree is expanded. */
interface Expansion {
  /** What is not there is passed over: a file that was not fetched may hold it. */
  readonly lenient: boolean
  readonly budget: Budget
  readonly asOf: JudgedVersion
}

const isStrings = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string')

/** The names that a job extends; undefined when that is no string or list of strings. */
const parentsOf = (job: Hash): readonly string[] | undefined => {
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
    const parents = parentsOf(job)
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
const withExtends = (tree: Hash, expansion: Expansion): ExpandedTree => {
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
const withReferences = (tree: Hash, { lenient, budget, asOf }: Expansion): ExpandedTree => {
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

/** What is built of one configuration: keys that are merged, values that references bring. */
const maxBuilt = 1_000_000

/** A configuration with all that it takes from elsewhere. */
interface WholeTree extends IncludedTree {
  /** As the documents show it where no project is at hand: `extends` stands. */
  readonly unextended: () => Hash
}

/** The configuration with what it includes, extends and refers to. */
export const expandTree = async (
  own: Hash,
  files: Files | undefined,
  asOf: JudgedVersion,
): Promise<WholeTree> => {
  const included = await withIncludes(own, files, new Budget(maxBuilt), asOf)
  const how = { lenient: included.left.length > 0, budget: new Budget(maxBuilt), asOf }
  const extended = withExtends(included.tree, how)
  const resolved = withReferences(extended.tree, how)
  return {
    ...included,
    tree: resolved.tree,
    errors: [...included.errors, ...extended.errors, ...resolved.errors],
    unextended: () =>
      withReferences(included.tree, { lenient: true, budget: new Budget(maxBuilt), asOf }).tree,
  }
}
