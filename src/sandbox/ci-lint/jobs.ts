/** The jobs of a configuration, each on its own. */
import { hash } from './keywords/checks.js'
import { bridge, job as jobKeywords, root } from './keywords/keywords.js'
import type { Finding } from './problem.js'
import { type Hash, isHash } from './reading/tree.js'

export interface Job {
  readonly name: string
  readonly stage: string
  readonly config: Hash
}

const rootWords = new Set(Object.keys(root))
const reserved = ['true', 'false', 'nil', 'null']
const longestName = 255

const isVisible = (name: string): boolean => !name.startsWith('.') && !rootWords.has(name)

/** What is wrong with the keywords beside the jobs. */
export const checkRoot = (tree: Hash): readonly Finding[] =>
  Object.entries(tree).flatMap(([name, value]) => {
    const check = Object.hasOwn(root, name) ? root[name] : undefined
    return check === undefined || value === null ? [] : check(value, name)
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
export const checkNames = (tree: Hash, numeric: readonly string[]): readonly Finding[] => {
  const names = Object.keys(tree).filter(isVisible)
  if (names.length === 0)
    return [{ text: 'jobs config should contain at least one visible job', curable: true }]
  return names.flatMap((name) => {
    const text = nameProblem(name, numeric)
    return text === undefined ? [] : [{ text }]
  })
}

/** The jobs that run something or start a pipeline. */
export const jobsOf = (tree: Hash): readonly Job[] =>
  Object.entries(tree).flatMap(([name, config]) => {
    if (!isVisible(name) || !isHash(config)) return []
    const stage = config.stage ?? config.type
    return [{ name, config, stage: typeof stage === 'string' ? stage : 'test' }]
  })

const mirrors = ({ needs }: Hash): boolean =>
  [needs].flat().some((need) => isHash(need) && typeof need.pipeline === 'string')

/** What may not stand together, or only so. */
const together = (config: Hash, path: string): Finding[] => {
  const findings: Finding[] = []
  const has = (key: string): boolean => (config[key] ?? null) !== null
  const clash = ['only', 'except', 'start_in'].filter(has)
  if (has('rules') && clash.length > 0)
    findings.push({
      text: `${path} config key may not be used with \`rules\`: ${clash.join(', ')}`,
    })
  if (config.when === 'delayed' && !has('start_in'))
    findings.push({ text: `${path} start in should be a duration`, curable: true })
  if (config.when !== 'delayed' && has('start_in') && !has('rules'))
    findings.push({
      text: `${path} start in must be blank`,
      ...(has('when') ? {} : { curable: true }),
    })
  return findings
}

const both = { ...jobKeywords, ...bridge }

/** Which kind of job it is, as instances tell; what is wrong where it is none. */
const kindOf = (config: Hash, path: string) => {
  if ('script' in config || 'run' in config)
    return {
      keywords: jobKeywords,
      wrong:
        config.script === null && !('run' in config)
          ? [{ text: `${path} script can't be blank` }]
          : [],
    }
  if ('trigger' in config || mirrors(config)) return { keywords: bridge, wrong: [] }
  const text =
    'needs' in config
      ? `${path} config should contain either a trigger or a needs:pipeline`
      : `${path} config should implement the script:, run:, or trigger: keyword`
  return { keywords: both, wrong: [{ text, curable: true as const }] }
}

/** Keywords and values of every visible job, each on its own. */
export const checkEach = (tree: Hash): readonly Finding[] =>
  Object.entries(tree)
    .filter(([name]) => isVisible(name))
    .flatMap(([name, config]): readonly Finding[] => {
      const path = `jobs:${name}`
      const { keywords, wrong } = kindOf(isHash(config) ? config : {}, path)
      if (config !== null && !isHash(config)) return wrong.map(({ text }) => ({ text }))
      if (config === null) return wrong
      return [...wrong, ...hash(keywords)(config, path), ...together(config, path)]
    })

/** Jobs that may run twice for one push, as instances warn of it: a last rule that is only `when`. */
export const warningsOf = (tree: Hash): string[] => {
  if (isHash(tree.workflow) && Array.isArray(tree.workflow.rules)) return []
  return jobsOf(tree).flatMap(({ name, config }) => {
    const rules: readonly unknown[] = Array.isArray(config.rules) ? config.rules.flat(10) : []
    const last = rules.at(-1)
    return isHash(last) && Object.keys(last).join() === 'when' && last.when !== 'never'
      ? [
          `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
        ]
      : []
  })
}
