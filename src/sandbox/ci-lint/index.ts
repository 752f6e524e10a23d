/**
 * Checks a CI configuration (`catalogue/reference/ci.md`): its YAML, what it includes
 * and extends, its keywords, and how its jobs hang together.
 */
import { checkBetween } from './between.js'
import { checkEach, checkNames, checkRoot, warningsOf } from './jobs.js'
import { Budget, type Finding, Unreadable } from './problem.js'
import { type Expanded, withExtends, withReferences } from './reading/expand.js'
import { type Files, type Included, withIncludes } from './reading/include.js'
import { type Hash, isHash, readTree, type Tree, writeTree } from './reading/tree.js'
import { isDressed, readyRegexes } from './regex.js'
import { type Occasion, simulate } from './simulate.js'

export type { Files } from './reading/include.js'
export type { Occasion } from './simulate.js'

export interface Setting {
  /** Where local and other projects' files come from; absent where there is no project at hand. */
  readonly files?: Files
  /** For whom a pipeline is to be simulated. */
  readonly occasion?: Occasion
}

export interface LintVerdict {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** Writes the expanded configuration; absent when the text could not be read. */
  readonly merged?: () => Promise<string>
}

/** What is built of one configuration: keys that are merged, values that references bring. */
const mostBuilt = 1_000_000
const mostFindings = 100

/** Whether any text in it is a regular expression or compares with one. */
const holdsRegex = (value: unknown): boolean => {
  if (typeof value === 'string') return /[=!]~/.test(value) || isDressed(value)
  if (Array.isArray(value)) return value.some(holdsRegex)
  return isHash(value) && Object.values(value).some(holdsRegex)
}

/** In the order of the stages: a later one only makes sense where the earlier are clean. */
const check = (
  tree: Hash,
  own: Hash,
  numeric: readonly string[],
  occasion: Occasion | undefined,
): readonly Finding[] => {
  const names = checkNames(tree, numeric)
  if (names.some((finding) => finding.curable !== true)) return names
  const each = [...names, ...checkRoot(tree), ...checkEach(tree)]
  if (each.length > 0) return each
  const between = checkBetween(tree, own, mostFindings)
  if (between.length > 0 || occasion === undefined) return between
  return simulate(tree, occasion).map((text) => ({ text, curable: true }))
}

const limited = (texts: readonly string[]): readonly string[] =>
  texts.length > mostFindings
    ? [...texts.slice(0, mostFindings), `and ${texts.length - mostFindings} more`]
    : texts

/** Without what was not fetched, only what nothing that it may hold could cure is an error. */
const judged = (
  findings: readonly Finding[],
  left: readonly string[],
): Pick<LintVerdict, 'errors' | 'warnings'> => {
  const open = left.length > 0
  const where = left.map((name) => `\`${name}\``).join(', ')
  return {
    errors: limited(findings.filter((f) => !open || f.curable !== true).map(({ text }) => text)),
    warnings: [
      ...left.map(
        (name) => `include \`${name}\` is not fetched here; what it holds is not checked`,
      ),
      ...limited(
        findings
          .filter((f) => open && f.curable === true)
          .map(
            ({ text }) =>
              `${text} (unless an include that is not fetched here brings it: ${where})`,
          ),
      ),
    ],
  }
}

const expanded = ({ tree, left }: Included): Expanded & { readonly extended: Hash } => {
  const how = { lenient: left.length > 0, budget: new Budget(mostBuilt) }
  const extended = withExtends(tree, how)
  const resolved = withReferences(extended.tree, how)
  return {
    tree: resolved.tree,
    extended: extended.tree,
    errors: [...extended.errors, ...resolved.errors],
  }
}

const verdictOf = async ({ tree: own, numeric }: Tree, setting: Setting): Promise<LintVerdict> => {
  const { files, occasion } = setting
  const included = await withIncludes(own, files, new Budget(mostBuilt))
  const { tree, errors } = expanded(included)
  await readyRegexes(holdsRegex(tree))
  const early = [...included.errors, ...errors].map((text) => ({ text }))
  const findings =
    early.length > 0 ? early : check(tree, own, [...numeric, ...included.numeric], occasion)
  const { errors: wrong, warnings } = judged(findings, included.left)
  // Without a project at hand the documents let `extends` stand in the expanded text.
  const shown = (): Hash =>
    files === undefined
      ? withReferences(included.tree, { lenient: true, budget: new Budget(mostBuilt) }).tree
      : tree
  return {
    errors: wrong,
    warnings: [...warnings, ...warningsOf(tree)],
    merged: () => writeTree(shown()),
  }
}

/** The verdict on a configuration. */
export const lint = async (content: string, setting: Setting): Promise<LintVerdict> => {
  try {
    return await verdictOf(await readTree(content), setting)
  } catch (error) {
    if (error instanceof Unreadable) return { errors: error.problems, warnings: [] }
    throw error
  }
}
