/**
 * Checks a CI configuration (API document 2, "CI configuration lint"): its YAML, what it includes
 * and extends, its keywords, and how its jobs hang together.
 */
import { withExtends, withReferences } from './expand.js'
import { type Files, withIncludes } from './include.js'
import { checkBetween, checkEach, isVisible, warningsOf } from './jobs.js'
import { root } from './keywords.js'
import { type Occasion, simulate } from './simulate.js'
import { type Hash, readTree, Unreadable, writeTree } from './tree.js'

export type { Files } from './include.js'
export type { Occasion } from './simulate.js'

export interface Setting {
  /** Where local and other projects' files come from; absent where there is no project at hand. */
  readonly files?: Files
  /** For whom a pipeline is to be simulated. */
  readonly occasion?: Occasion
}

export interface Verdict {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** The expanded configuration; absent when the text could not be read. */
  readonly merged?: string
}

const checkRoot = (tree: Hash): string[] =>
  Object.entries(tree).flatMap(([name, value]) => {
    const check = Object.hasOwn(root, name) ? root[name] : undefined
    return check === undefined || value === null ? [] : check(value, name)
  })

const reserved = ['true', 'false', 'nil', 'null']
const checkNames = (tree: Hash): string[] => {
  const names = Object.keys(tree).filter(isVisible)
  if (names.length === 0) return ['jobs config should contain at least one visible job']
  return names
    .filter((name) => name.trim() === '' || reserved.includes(name))
    .map((name) => `jobs:${name} config name is reserved or blank`)
}

/** Errors in the order of the stages: a later one only makes sense where the earlier are clean. */
const check = (tree: Hash, lenient: boolean, occasion: Occasion | undefined): string[] => {
  const own = [...checkNames(tree), ...checkRoot(tree), ...checkEach(tree)]
  if (own.length > 0) return own
  const between = checkBetween(tree, lenient)
  if (between.length > 0 || occasion === undefined) return between
  return simulate(tree, occasion)
}

/**
 * The verdict on a configuration. Without a project at hand the expanded text keeps `extends` as
 * it stands, as the documents say of it.
 */
export const lint = async (content: string, { files, occasion }: Setting): Promise<Verdict> => {
  let tree: Hash
  try {
    tree = await readTree(content)
  } catch (error) {
    if (error instanceof Unreadable) return { errors: error.problems, warnings: [] }
    throw error
  }
  const included = await withIncludes(tree, files)
  const lenient = included.left.length > 0
  const extended = withExtends(included.tree, lenient)
  const resolved = withReferences(extended.tree, lenient)
  const early = [...included.errors, ...extended.errors, ...resolved.errors]
  const shown = files === undefined ? withReferences(included.tree, true).tree : resolved.tree
  return {
    errors: early.length > 0 ? early : check(resolved.tree, lenient, occasion),
    warnings: [
      ...included.left.map(
        (name) => `include \`${name}\` is not fetched here; what it holds is not checked`,
      ),
      ...warningsOf(resolved.tree),
    ],
    merged: await writeTree(shown),
  }
}
