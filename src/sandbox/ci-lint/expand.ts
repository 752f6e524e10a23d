/** Expands a configuration: first the files that it includes, then `extends` and `!reference`. */

import { toText } from '../../base/objects.js'
import { describeInclude } from './inputs.js'
import type { OddKeys } from './read.js'
import { expandExtends, expandReferences } from './references.js'
import { mergeHashes, readTree } from './tree.js'
import { Budget, type Hash, isHash, isKnown, type JudgedVersion, UnreadableError } from './types.js'

/** Reads the files of a project at a commit that a configuration may include. */
export interface Files {
  /** The path of the project. */
  readonly project: string
  /** Reads a file of this project; returns undefined if it does not exist. */
  local(path: string): Promise<string | undefined>
  /** Lists the paths of this project that match a pattern with `*`. */
  matching(pattern: string): Promise<readonly string[]>
  /** Returns the files of another project, or which of the two is missing. A project that the user may not see is missing, too. */
  other(project: string, ref: string | undefined): Promise<Files | 'project' | 'reference'>
}

/** Tests whether the rules of an include apply. */
export type RulesTest = (entry: Hash) => Promise<boolean>

interface Run {
  /** The project of the file that is expanded. Its local includes are files of that project. */
  readonly files: Files | undefined
  /** The keys of all includes so far. */
  readonly included: string[]
  readonly errors: Set<string>
  readonly odd: Map<string, 'number' | 'word'>
  readonly budget: Budget
  readonly asOf: JudgedVersion
  /** True if the rules of an include apply; absent without the project that decides them. */
  readonly applies: RulesTest | undefined
  /** The entries of `include` that are hashes. */
  readonly entries: Hash[]
  /** The includes that are not fetched: remote files, templates, components, and paths with variables. */
  readonly left: string[]
}

interface IncludedTree {
  /** The merged configuration without `include`. Keys of the including file replace those of included files. */
  readonly tree: Hash
  readonly errors: readonly string[]
  readonly left: readonly string[]
  /** The entries of `include` that are hashes. */
  readonly entries: readonly Hash[]
  /** The top-level keys of included files that are not texts. */
  readonly odd: OddKeys
}

const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path)

const expandNested = async (
  run: Run,
  source: string,
  path: string,
  inputs: Hash,
): Promise<Hash> => {
  try {
    const { tree, odd, left } = await readTree(source, inputs, run.asOf)
    if (Object.keys(tree).length === 0)
      run.errors.add(`Included file \`${path}\` does not have valid YAML syntax!`)
    for (const [key, kind] of odd) run.odd.set(key, kind)
    run.left.push(...left)
    return await expand(run, tree)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    for (const problem of error.problems) run.errors.add(`\`${path}\`: ${problem}`)
    return {}
  }
}

/** The text of a file, with the files that it may include; or why there is none. */
type ReadFile =
  | { readonly text: string; readonly files: Files | undefined }
  | { readonly problem: string }

/** A file that an `include` names. */
interface FileReader {
  readonly key: string
  readonly path: string
  readonly read: () => Promise<ReadFile>
}

interface IncludedFile extends FileReader {
  readonly inputs: Hash
  /** True if the include has rules, and no project decides them. */
  readonly isUndecided: boolean
}

/** Counts an include. @returns false if there are too many */
const countInclude = ({ included, asOf, errors }: Run, key: string): boolean => {
  const most = isKnown({ since: '15.10' }, asOf) ? 150 : 100
  if (included.push(key) <= most) return true
  errors.add(`Maximum of ${most} nested includes are allowed!`)
  return false
}

/** Loads a file. After the first error, it reads no further file, as instances do. */
const load = async (
  run: Run,
  { key, path, inputs, isUndecided, read }: IncludedFile,
): Promise<Hash> => {
  if (run.errors.size > 0 || !countInclude(run, key)) return {}
  if (!isYaml(path)) {
    run.errors.add(`Included file \`${path}\` does not have YAML extension!`)
    return {}
  }
  const source = await read()
  if ('text' in source)
    return expandNested({ ...run, files: source.files }, source.text, path, inputs)
  if (isUndecided) run.left.push(path)
  else run.errors.add(source.problem)
  return {}
}

const hasRules = ({ rules }: Hash): boolean => Array.isArray(rules) && rules.length > 0

/** Loads files in their order. The keys of a later one replace those of earlier ones. */
const loadAll = async (run: Run, entry: Hash, files: readonly FileReader[]): Promise<Hash> => {
  const options = {
    inputs: isHash(entry.inputs) ? entry.inputs : {},
    isUndecided: hasRules(entry) && run.applies === undefined,
  }
  let tree: Hash = {}
  for (const file of files)
    tree = mergeHashes(tree, await load(run, { ...file, ...options }), run.budget)
  return tree
}

/** Reads a file of a project. `name` names the file in messages. */
const readFrom = async (files: Files, path: string, name: string): Promise<ReadFile> => {
  const text = await files.local(path)
  if (text === undefined) return { problem: `${name} does not exist!` }
  return text.trim() === '' ? { problem: `${name} is empty!` } : { text, files }
}

/** Loads a file of the same project, or all that match a pattern and are not included yet. */
const loadLocal = async (run: Run, path: string, entry: Hash): Promise<Hash> => {
  const { files } = run
  const plain = path.replace(/^\/+/, '')
  const toKey = (one: string): string => `${files?.project}:${one}`
  const matched = plain.includes('*') ? await files?.matching(plain) : undefined
  const paths = matched?.filter((one) => !run.included.includes(toKey(one))) ?? [plain]
  const read = async (one: string): Promise<ReadFile> => {
    const name = `Local file \`${one === plain ? path : one}\``
    if (files === undefined) return { problem: `${name} does not have project!` }
    return readFrom(files, one, name)
  }
  return loadAll(
    run,
    entry,
    paths.map((one) => ({ key: toKey(one), path: one, read: () => read(one) })),
  )
}

/** Reads a file of another project. Without a project of its own, a configuration has no access to others. */
const readOther = async (
  run: Run,
  entry: Hash,
  project: string,
  path: string,
): Promise<ReadFile> => {
  const ref = toText(entry.ref)
  const name = `Project \`${project}\``
  const found = (await run.files?.other(project, ref)) ?? 'project'
  if (found === 'project')
    return {
      problem: `${name} not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    }
  return found === 'reference'
    ? { problem: `${name} reference \`${ref ?? 'HEAD'}\` does not exist!` }
    : readFrom(found, path.replace(/^\/+/, ''), `${name} file \`${path}\``)
}

/** Loads files of another project. The check of the keywords reports those whose path is invalid. */
const loadFromProject = (run: Run, entry: Hash, project: string): Promise<Hash> =>
  loadAll(
    run,
    entry,
    [entry.file].flat().flatMap((name) => {
      const path = toText(name)
      const read = () => readOther(run, entry, project, path ?? '')
      return path === undefined ? [] : [{ key: `${project}:${path}`, path, read }]
    }),
  )

/** True if a path contains a variable, so that the file is only known when a pipeline is created. */
const hasVariablePath = (entry: Hash): boolean =>
  [entry.local, entry.project, entry.ref, entry.file]
    .flat()
    .some((part) => typeof part === 'string' && part.includes('$'))

const accessors = ['local', 'project', 'remote', 'template', 'component', 'artifact'] as const
const accessorNames = accessors.map((name) => `\`${name}\``).join(', ')

/** Returns the problem with the keys by which an include names its file; undefined if there is none. */
const findAccessProblem = (entry: Hash): string | undefined => {
  const used = accessors.filter((name) => (entry[name] ?? null) !== null)
  if (used.length > 1) return `Each include must use only one of: ${accessorNames}`
  const [name = 'artifact'] = used
  return name !== 'artifact' && toText(entry[name]) !== undefined
    ? undefined
    : `\`${JSON.stringify(entry)}\` does not have a valid subkey for include. Valid subkeys are: ${accessorNames}`
}

/** The kinds of includes that this instance cannot fetch. */
const unfetchedKinds = ['remote', 'template', 'component'] as const

/** Returns the problem with the name of an include that is not fetched; undefined if there is none. */
const findNameProblem = (kind: (typeof unfetchedKinds)[number], name: string) => {
  if (name.includes('$')) return undefined
  if (kind === 'component')
    return name.includes('@')
      ? undefined
      : `component '${name}' - the component path is not supported`
  if (!isYaml(name)) return `Included file \`${name}\` does not have YAML extension!`
  if (kind === 'template')
    return name.endsWith('.gitlab-ci.yml')
      ? undefined
      : `Template file \`${name}\` is not a valid location!`
  return /^https?:\/\//i.test(name) && URL.canParse(name)
    ? undefined
    : `Remote file \`${name}\` does not have a valid address!`
}

/** Counts an include that is not fetched here. */
const leave = (run: Run, name: string, problem: string | undefined): Hash => {
  if (!countInclude(run, name)) return {}
  if (problem === undefined) run.left.push(name)
  else run.errors.add(problem)
  return {}
}

const loadEntry = async (run: Run, given: unknown): Promise<Hash> => {
  const isRemote = typeof given === 'string' && /^https?:\/\//.test(given)
  const entry = typeof given === 'string' ? { [isRemote ? 'remote' : 'local']: given } : given
  if (!isHash(entry)) {
    run.errors.add('include config should be an array of hashes or strings')
    return {}
  }
  if (isHash(given)) run.entries.push(given)
  if (hasRules(entry) && (await run.applies?.(entry)) === false) return {}
  const wrong = findAccessProblem(entry)
  if (wrong !== undefined) {
    run.errors.add(wrong)
    return {}
  }
  for (const kind of unfetchedKinds) {
    const name = toText(entry[kind])
    if (name !== undefined) return leave(run, name, findNameProblem(kind, name))
  }
  if (hasVariablePath(entry) && run.files !== undefined)
    return leave(run, describeInclude(entry), undefined)
  const path = toText(entry.local)
  return path === undefined
    ? loadFromProject(run, entry, toText(entry.project) ?? '')
    : loadLocal(run, path, entry)
}

const expand = async (run: Run, { include, ...own }: Hash): Promise<Hash> => {
  const entries = [include].flat().filter((entry) => entry !== undefined && entry !== null)
  let tree: Hash = {}
  for (const entry of entries) {
    if (run.errors.size > 0) break
    tree = mergeHashes(tree, await loadEntry(run, entry), run.budget)
  }
  return mergeHashes(tree, own, run.budget)
}

/** Expands the includes of a configuration, except those that this instance cannot fetch. */
const expandIncludes = async (
  tree: Hash,
  files: Files | undefined,
  budget: Budget,
  asOf: JudgedVersion,
  applies: RulesTest | undefined,
): Promise<IncludedTree> => {
  const found = { left: [], entries: [], odd: new Map() }
  const errors = new Set<string>()
  const whole = await expand({ files, included: [], asOf, applies, budget, errors, ...found }, tree)
  return { tree: whole, errors: [...errors], ...found }
}

/** The maximum number of merged keys and referenced values in one expanded configuration. */
const maxBuilt = 1_000_000

/** A completely expanded configuration. */
interface WholeTree extends IncludedTree {
  /** Returns the configuration with its `extends`, which is the documented result of a check without a project. */
  readonly unextended: () => Hash
}

/**
 * Expands the includes, `extends` and references of a configuration.
 * @param applies decides the rules of includes; without it, files with rules are included where they can be read
 */
export const expandTree = async (
  own: Hash,
  files: Files | undefined,
  asOf: JudgedVersion,
  applies?: RulesTest,
): Promise<WholeTree> => {
  const included = await expandIncludes(own, files, new Budget(maxBuilt), asOf, applies)
  const lenient = included.left.length > 0 || included.errors.length > 0
  const how = { lenient, budget: new Budget(maxBuilt), asOf }
  const extended = expandExtends(included.tree, how)
  const resolved = expandReferences(extended.tree, how)
  // A missing name causes an error in each later step, too. Only the first step with errors reports them.
  const steps = [included.errors, extended.errors, resolved.errors]
  return {
    ...included,
    tree: resolved.tree,
    errors: steps.find((errors) => errors.length > 0) ?? [],
    unextended: () =>
      expandReferences(included.tree, { lenient: true, budget: new Budget(maxBuilt), asOf }).tree,
  }
}
