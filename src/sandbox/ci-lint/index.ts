/** Checks CI configurations for the lint endpoints (`catalogue/reference/ci.md`), and plans the pipelines of pushes. */

import { AsyncCache } from '../../base/async.js'
import { expandTree, type Files, type RulesTest } from './expand.js'
import { loadRegexes } from './expression.js'
import { checkJobs, getWarnings, isWrong } from './jobs.js'
import { hasMatchingRule, type PipelineContext, type PipelinePlan, planPipeline } from './plan.js'
import { checkNode, getSchema } from './schema.js'
import { readTree, type Tree, writeYaml } from './tree.js'
import {
  type CiVersion,
  type Finding,
  type Hash,
  hasNode,
  isHash,
  UnreadableError,
} from './types.js'

export type { Files } from './expand.js'
export type { ArtifactPlan, JobCondition, PipelinePlan } from './plan.js'
export {
  type CiVersion as Version,
  isCiVersion as isVersion,
  isKnown,
  type Span,
} from './types.js'

/** The push or request that rules are decided for. The paths are only read if a rule uses them. */
export interface PushContext extends Pick<PipelineContext, 'branch' | 'variables'> {
  /** Returns the paths that the push changed; undefined for a new branch. */
  readonly changed?: () => Promise<PipelineContext['changed']>
  readonly files?: () => Promise<PipelineContext['files']>
}

interface Setting {
  /** Reads included files; absent if the configuration does not belong to a project. */
  readonly files?: Files
  /** The push or request that the rules of includes are decided for; absent if the configuration does not belong to a project. */
  readonly occasion?: PushContext
  /** Plans the pipeline of that push or request. */
  readonly plan?: boolean
  /** The version by whose rules the configuration is checked; the latest if absent. */
  readonly asOf?: CiVersion | undefined
}

export interface LintVerdict {
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** The pipeline, if one was requested and the configuration is valid. */
  readonly plan?: PipelinePlan | undefined
  /** Returns the expanded configuration as YAML; absent if the text could not be read. */
  readonly merged?: () => Promise<string>
}

/** The maximum number of reported errors, and of warnings. */
const maxFindings = 100

/** True if any text in a value contains a regular expression, or an operator that compares with one. */
const hasRegex = (value: unknown): boolean =>
  hasNode(value, (one) => typeof one === 'string' && /[=!]~|(?:^|[=!&|(])\s*\//.test(one))

/** True if a keyword occurs anywhere in a value. */
const hasKeyword = (value: unknown, key: string): boolean =>
  hasNode(value, (one) => isHash(one) && key in one)

const getContext = async (
  tree: Hash,
  { branch, variables, changed, files }: PushContext,
): Promise<PipelineContext> => ({
  branch,
  variables,
  changed: hasKeyword(tree, 'changes') ? await changed?.() : undefined,
  files: hasKeyword(tree, 'exists') ? await files?.() : undefined,
})

/** Lists the paths of a push or request once, although each include with rules may ask for them. */
const rememberPaths = (occasion: PushContext): PushContext => {
  const known = new AsyncCache<'changed' | 'files', PipelineContext['files']>()
  const list = (which: 'changed' | 'files') => () =>
    known.of(which, async () => occasion[which]?.())
  return { ...occasion, changed: list('changed'), files: list('files') }
}

/** Creates the test for the rules of includes, which know the variables of the project but none of the configuration. */
const createRulesTest = (occasion: PushContext): RulesTest => {
  let ready: Promise<void> | undefined
  return async (entry) => {
    // Loading resets the limit for the cost of patterns, so that all includes share one.
    ready ??= loadRegexes(true)
    await ready
    return hasMatchingRule(entry.rules, await getContext(entry, occasion))
  }
}

const limitTexts = (texts: readonly string[]): readonly string[] =>
  texts.length > maxFindings
    ? [...texts.slice(0, maxFindings), `and ${texts.length - maxFindings} more`]
    : texts

/** Divides findings into errors and warnings. A finding is a warning if an include that was not fetched could resolve it. */
const judgeFindings = (
  findings: readonly Finding[],
  left: readonly string[],
): Pick<LintVerdict, 'errors' | 'warnings'> => {
  const where = left.map((name) => `\`${name}\``).join(', ')
  const isOpen = ({ curable }: Finding): boolean => left.length > 0 && curable === true
  const isWarning = (finding: Finding): boolean => !isWrong(finding) || isOpen(finding)
  const formatWarning = (finding: Finding): string =>
    isOpen(finding)
      ? `${finding.text} (unless an include that is not fetched here brings it: ${where})`
      : finding.text
  return {
    errors: limitTexts(findings.filter((one) => !isWarning(one)).map(({ text }) => text)),
    warnings: [
      ...left.map(
        (name) => `include \`${name}\` is not fetched here; what it holds is not checked`,
      ),
      ...limitTexts(findings.filter(isWarning).map(formatWarning)),
    ],
  }
}

const getVerdict = async (
  { tree: own, odd, left: inputFiles }: Tree,
  setting: Setting,
): Promise<LintVerdict> => {
  const { files, asOf } = setting
  const occasion = setting.occasion && rememberPaths(setting.occasion)
  const applies = occasion && createRulesTest(occasion)
  const { tree, errors, entries, ...whole } = await expandTree(own, files, asOf, applies)
  const left = [...inputFiles, ...whole.left]
  const context = occasion && setting.plan === true ? await getContext(tree, occasion) : undefined
  const paths = context?.changed !== undefined || context?.files !== undefined
  await loadRegexes(paths || hasRegex([tree, entries]) || hasKeyword(tree, 'regex'))
  const early = [
    ...errors.map((text) => ({ text })),
    ...entries.flatMap((entry) => checkNode(getSchema('include'), entry, 'include', asOf)),
  ]
  const findings = early.some(isWrong)
    ? early
    : [...early, ...checkJobs(tree, own, new Map([...odd, ...whole.odd]), maxFindings, asOf)]
  const plan =
    context === undefined || findings.some(isWrong) ? undefined : planPipeline(tree, context)
  const refused = (plan?.errors ?? []).map((text) => ({ text, curable: true as const }))
  const { errors: wrong, warnings } = judgeFindings([...findings, ...refused], left)
  return {
    errors: wrong,
    warnings: [...warnings, ...getWarnings(tree)],
    merged: () => writeYaml(files === undefined ? whole.unextended() : tree),
    plan,
  }
}

/** Loads the function that checks whether a text is a valid condition in a version. */
export const loadConditionCheck = async (
  asOf: CiVersion | undefined,
): Promise<(text: string) => boolean> => {
  await loadRegexes(true)
  return (text) => checkNode(getSchema('condition'), text, 'if', asOf).length === 0
}

/** Checks a configuration, and plans a pipeline if `setting` asks for it. */
export const lintContent = async (content: string, setting: Setting): Promise<LintVerdict> => {
  try {
    return await getVerdict(await readTree(content, {}, setting.asOf), setting)
  } catch (error) {
    if (error instanceof UnreadableError) return { errors: error.problems, warnings: [] }
    throw error
  }
}
