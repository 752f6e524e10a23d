/** Brings in the files that a configuration includes. */
import { type AsOf, isKnown } from '../grammar/types.js'
import { type Budget, type Hash, isHash, Unreadable } from '../values.js'
import { mergeHashes, readTree } from './tree.js'

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
  readonly asOf: AsOf
  /** Those that are hashes. */
  readonly entries: Hash[]
  /** Includes that are not fetched: remote files, templates, components, paths with variables. */
  readonly left: string[]
}

export interface Included {
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
    if (!(error instanceof Unreadable)) throw error
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
export const withIncludes = async (
  tree: Hash,
  files: Files | undefined,
  budget: Budget,
  asOf: AsOf,
): Promise<Included> => {
  const found = { errors: [], left: [], entries: [], numeric: [] }
  const whole = await expand({ files, seen: new Set(), asOf, budget, ...found }, tree)
  return { tree: whole, ...found }
}
