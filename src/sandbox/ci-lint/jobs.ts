/** The jobs of a configuration, each on its own. */
import { checkNode } from './grammar/findings.js'
import { anyJob, bridge, job, root } from './grammar/table.js'
import type { Type } from './grammar/types.js'
import { type AsOf, describeChange, isKnown } from './grammar/versions.js'
import type { Finding } from './values.js'
import { type Hash, isHash } from './values.js'

export interface CiJob {
  readonly name: string
  readonly stage: string
  readonly config: Hash
}

const rootType = (name: string): Type | undefined =>
  Object.hasOwn(root, name) ? root[name] : undefined
const reserved = ['true', 'false', 'nil', 'null']
const longestName = 255

const isVisible = (name: string, asOf: AsOf): boolean => {
  const type = rootType(name)
  return !name.startsWith('.') && (type === undefined || !isKnown(type, asOf))
}

/** What is wrong with the keywords beside the jobs. */
export const checkRoot = (tree: Hash, asOf: AsOf): readonly Finding[] =>
  Object.entries(tree).flatMap(([name, value]) => {
    const type = rootType(name)
    return type === undefined || value === null || !isKnown(type, asOf)
      ? []
      : checkNode(type, value, name, asOf)
  })

const nameProblem = (name: string, numeric: readonly string[]): string | undefined => {
  if (name.length > longestName)
    return `jobs:${name.slice(0, longestName)}… name is too long (maximum is ${longestName} characters)`
  if (numeric.includes(name)) return `jobs:${name} name should be a symbol`
  return name.trim() === '' || reserved.includes(name)
    ? `jobs:${name} config name is reserved or blank`
    : undefined
}

/** `numeric`: names that are numbers, which are none. */
export const checkNames = (
  tree: Hash,
  numeric: readonly string[],
  asOf: AsOf,
): readonly Finding[] => {
  const names = Object.keys(tree).filter((name) => isVisible(name, asOf))
  if (names.length === 0)
    return [{ text: 'jobs config should contain at least one visible job', curable: true }]
  return names.flatMap((name) => {
    const text = nameProblem(name, numeric)
    return text === undefined ? [] : [{ text }]
  })
}

/** The jobs that run something or start a pipeline. */
export const getJobs = (tree: Hash, asOf?: AsOf): readonly CiJob[] =>
  Object.entries(tree).flatMap(([name, config]) => {
    if (!isVisible(name, asOf) || !isHash(config)) return []
    const stage = config.stage ?? config.type
    return [{ name, config, stage: typeof stage === 'string' ? stage : 'test' }]
  })

const mirrors = ({ needs }: Hash): boolean =>
  [needs].flat().some((need) => isHash(need) && typeof need.pipeline === 'string')

/** Which kind of job it is, as instances tell; what is wrong where it is none. */
const kindOf = (config: Hash): { readonly type: Type; readonly wrong?: string } => {
  if ('script' in config || 'run' in config) return { type: job }
  if ('trigger' in config || mirrors(config)) return { type: bridge }
  const wrong =
    'needs' in config
      ? 'should contain either a trigger or a needs:pipeline'
      : 'should implement the script:, run:, or trigger: keyword'
  return { type: anyJob, wrong }
}

/** Keywords and values of every visible job, each on its own. */
export const checkEach = (tree: Hash, asOf: AsOf): readonly Finding[] =>
  Object.entries(tree)
    .filter(([name]) => isVisible(name, asOf))
    .flatMap(([name, config]): readonly Finding[] => {
      const path = `jobs:${name}`
      const { type, wrong } = kindOf(isHash(config) ? config : {})
      const change = describeChange(`\`${name}\``, rootType(name) ?? {}, asOf)
      const text = `${path} config ${wrong}${change === '' ? '' : ` (${change})`}`
      if (config !== null && !isHash(config)) return [{ text }]
      return [
        ...(wrong === undefined ? [] : [{ text, curable: true as const }]),
        ...(config === null ? [] : checkNode(type, config, path, asOf)),
      ]
    })

/** Jobs that may run twice for one push, as instances warn of it: a last rule that is only `when`. */
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
