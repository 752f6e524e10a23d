/** Checks the jobs of a configuration: first each by itself, then the relations between them. */

import { checkBetween } from './between.js'
import { type CiJob, longestName } from './instances.js'
import type { OddKeys } from './read.js'
import { checkNode, findRootKey, getSchema } from './schema.js'
import {
  describeChange,
  type Finding,
  type Hash,
  isHash,
  isKnown,
  type JudgedVersion,
  type KeywordSchema,
} from './types.js'

const isHidden = (name: string): boolean => name.startsWith('.')

/** The keywords of jobs that make one of `default` and `workflow`, too: instances reserve no other names. */
const jobKeys = ['script', 'run', 'trigger', 'needs']
const isJobOfKeyword = (name: string, value: unknown): boolean =>
  (name === 'default' || name === 'workflow') &&
  isHash(value) &&
  jobKeys.some((key) => key in value)

const isKeyword = (name: string, value: unknown, asOf: JudgedVersion): boolean => {
  const type = findRootKey(name)
  return type !== undefined && isKnown(type, asOf) && !isJobOfKeyword(name, value)
}

const isVisible = (name: string, value: unknown, asOf: JudgedVersion): boolean =>
  !isHidden(name) && !isKeyword(name, value, asOf)

/** The keywords that jobs inherit. Each may be at the top level or in `default`, but not in both places. */
const inheritable = ['before_script', 'after_script', 'cache', 'image', 'services']
const checkDefaults = (tree: Hash): readonly Finding[] => {
  const { default: defaults } = tree
  if (!isHash(defaults) || isJobOfKeyword('default', defaults)) return []
  return inheritable
    .filter((key) => (tree[key] ?? null) !== null && (defaults[key] ?? null) !== null)
    .map((key) => ({ text: `${key} is defined in top-level and \`default:\` entry` }))
}

/** Checks the keywords at the top level. */
const checkRoot = (tree: Hash, asOf: JudgedVersion): readonly Finding[] => [
  ...checkDefaults(tree),
  ...Object.entries(tree).flatMap(([name, value]) => {
    const type = findRootKey(name)
    return type === undefined || value === null || !isKeyword(name, value, asOf)
      ? []
      : checkNode(type, value, name, asOf)
  }),
]

const findNameProblem = (name: string, odd: OddKeys): string | undefined => {
  if (name.length > longestName)
    return `jobs:${name.slice(0, longestName)}… name is too long (maximum is ${longestName} characters)`
  if (odd.get(name) === 'number') return `jobs:${name} name should be a symbol`
  return name.trim() === '' || odd.has(name)
    ? `jobs:${name} config name is reserved or blank`
    : undefined
}

const checkNames = (tree: Hash, odd: OddKeys, asOf: JudgedVersion): readonly Finding[] => {
  const names = Object.keys(tree).filter((name) => isVisible(name, tree[name], asOf))
  if (names.length === 0)
    return [{ text: 'jobs config should contain at least one visible job', curable: true }]
  return names.flatMap((name) => {
    const text = findNameProblem(name, odd)
    return text === undefined ? [] : [{ text }]
  })
}

/** Returns the jobs of the configuration, without hidden ones. */
export const getJobs = (tree: Hash, asOf?: JudgedVersion): readonly CiJob[] =>
  Object.entries(tree).flatMap(([name, config]) => {
    if (!isVisible(name, config, asOf) || !isHash(config)) return []
    const stage = config.stage ?? config.type
    return [{ name, config, stage: typeof stage === 'string' ? stage : 'test' }]
  })

const isMirror = ({ needs }: Hash): boolean =>
  [needs].flat().some((need) => isHash(need) && typeof need.pipeline === 'string')

/** Returns the type of a job, by the rules of instances. If the keywords determine no type, it also returns the fault. */
const getKind = (config: Hash): { readonly type: KeywordSchema; readonly wrong?: string } => {
  if ('script' in config || 'run' in config) return { type: getSchema('job') }
  if ((config.trigger ?? null) !== null || isMirror(config)) return { type: getSchema('bridge') }
  const wrong =
    'needs' in config || 'trigger' in config
      ? 'should contain either a trigger or a needs:pipeline'
      : 'should implement the script:, run:, or trigger: keyword'
  return { type: getSchema('anyJob'), wrong }
}

const isBlank = (value: unknown): boolean =>
  (value ?? false) === false ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0) ||
  (isHash(value) && Object.keys(value).length === 0)

/** Checks the keywords and values of every job. A hidden job may have any value that is not blank. */
const checkEach = (tree: Hash, asOf: JudgedVersion): readonly Finding[] =>
  Object.entries(tree)
    .filter(([name, config]) => !isKeyword(name, config, asOf))
    .flatMap(([name, config]): readonly Finding[] => {
      if (isHidden(name))
        return isBlank(config)
          ? [{ text: `jobs:${name} config can't be blank`, curable: true as const }]
          : []
      const path = `jobs:${name}`
      const { type, wrong } = getKind(isHash(config) ? config : {})
      const change = describeChange(`\`${name}\``, findRootKey(name) ?? {}, asOf)
      const text = `${path} config ${wrong}${change === '' ? '' : ` (${change})`}`
      if (config !== null && !isHash(config)) return [{ text }]
      return [
        ...(wrong === undefined ? [] : [{ text, curable: true as const }]),
        ...(config === null ? [] : checkNode(type, config, path, asOf)),
      ]
    })

/** Returns warnings about jobs that may run twice for one push, because their last rule has only `when`. */
export const getWarnings = (tree: Hash): string[] => {
  if (isHash(tree.workflow) && Array.isArray(tree.workflow.rules)) return []
  return getJobs(tree).flatMap(({ name, config }) => {
    const rules: readonly unknown[] = Array.isArray(config.rules) ? config.rules.flat(10) : []
    const last = rules.at(-1)
    return isHash(last) && Object.keys(last).join() === 'when' && last.when !== 'never'
      ? [
          `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
        ]
      : []
  })
}

/** True if a finding is an error, not advice. */
export const isWrong = ({ advice }: Finding): boolean => advice !== true

/**
 * Checks the jobs and the top-level keywords. Each later step is only made if the earlier ones have no findings.
 * @param own the configuration without its includes, which cannot replace its entries
 * @param odd the top-level keys that are not texts
 * @param most the number of findings between jobs after which the check ends
 */
export const checkJobs = (
  tree: Hash,
  own: Hash,
  odd: OddKeys,
  most: number,
  asOf: JudgedVersion,
): readonly Finding[] => {
  const names = checkNames(tree, odd, asOf)
  if (names.some((finding) => finding.curable !== true)) return names
  const each = [...names, ...checkRoot(tree, asOf), ...checkEach(tree, asOf)]
  if (each.some(isWrong)) return each
  return [...each, ...checkBetween(getJobs(tree, asOf), tree, own, most, asOf)]
}
