/** What holds between jobs: stages, needs, dependencies, and what may not stand together. */
import { hash } from './checks.js'
import { bridge, job as jobKeywords, root } from './keywords.js'
import { type Hash, isHash } from './tree.js'

export interface Job {
  readonly name: string
  readonly stage: string
  readonly config: Hash
}

const rootWords = new Set(Object.keys(root))
const usual = ['build', 'test', 'deploy']

export const isVisible = (name: string): boolean => !name.startsWith('.') && !rootWords.has(name)

/** Stages in order, with those that are always there. */
export const stagesOf = (tree: Hash): readonly string[] => {
  const given = tree.stages ?? tree.types
  const named = Array.isArray(given) ? given.filter((s) => typeof s === 'string') : usual
  return ['.pre', ...named.filter((s) => s !== '.pre' && s !== '.post'), '.post']
}

/** The jobs that run something or start a pipeline. */
export const jobsOf = (tree: Hash): readonly Job[] =>
  Object.entries(tree).flatMap(([name, config]) => {
    if (!isVisible(name) || !isHash(config)) return []
    const stage = config.stage ?? config.type
    return [{ name, config, stage: typeof stage === 'string' ? stage : 'test' }]
  })

const works = (config: unknown): config is Hash =>
  isHash(config) && ((config.script ?? null) !== null || (config.trigger ?? null) !== null)

/** Keywords and values of every visible job, each on its own. */
export const checkEach = (tree: Hash): string[] =>
  Object.entries(tree)
    .filter(([name]) => isVisible(name))
    .flatMap(([name, config]) => {
      const path = `jobs:${name}`
      if (!works(config)) return [`${path} config should implement a script: or a trigger: keyword`]
      const keywords = (config.trigger ?? null) === null ? jobKeywords : bridge
      return [...hash(keywords)(config, path), ...together(config, path)]
    })

/** What may not stand together, or only so. */
const together = (config: Hash, path: string): string[] => {
  const errors: string[] = []
  const clash = ['only', 'except'].filter((key) => key in config)
  if ('rules' in config && clash.length > 0)
    errors.push(`${path} config key may not be used with \`rules\`: ${clash.join(', ')}`)
  if (config.when === 'delayed' && !('start_in' in config))
    errors.push(`${path} start in should be a duration`)
  if (config.when !== 'delayed' && 'start_in' in config)
    errors.push(`${path} start in must be blank`)
  return errors
}

interface Need {
  readonly job: string
  readonly optional: boolean
}

/** The jobs of the same pipeline that a job waits for. */
export const needsOf = ({ config }: Job): readonly Need[] =>
  [config.needs ?? []].flat(10).flatMap((need): Need[] => {
    if (typeof need === 'string') return [{ job: need, optional: false }]
    if (!isHash(need) || typeof need.job !== 'string') return []
    if ('project' in need || 'pipeline' in need) return []
    return [{ job: need.job, optional: need.optional === true }]
  })

const dependenciesOf = ({ config }: Job): readonly string[] =>
  Array.isArray(config.dependencies)
    ? config.dependencies.filter((d): d is string => typeof d === 'string')
    : []

const checkStage = (job: Job, stages: readonly string[]): string[] =>
  stages.includes(job.stage)
    ? []
    : [`${job.name} job: chosen stage does not exist; available stages are ${stages.join(', ')}`]

const checkNeeds = (job: Job, all: ReadonlyMap<string, Job>, stages: readonly string[]): string[] =>
  needsOf(job).flatMap(({ job: name, optional }) => {
    const other = all.get(name)
    if (other === undefined) return optional ? [] : [`${job.name} job: undefined need: ${name}`]
    return stages.indexOf(other.stage) > stages.indexOf(job.stage)
      ? [`${job.name} job: need ${name} is not defined in current or prior stages`]
      : []
  })

const checkDependencies = (
  job: Job,
  all: ReadonlyMap<string, Job>,
  stages: readonly string[],
): string[] => {
  const needed = needsOf(job).map((n) => n.job)
  return dependenciesOf(job).flatMap((name) => {
    const other = all.get(name)
    if (other === undefined) return [`${job.name} job: undefined dependency: ${name}`]
    const errors: string[] = []
    if (stages.indexOf(other.stage) >= stages.indexOf(job.stage) && !needed.includes(name))
      errors.push(`${job.name} job: dependency ${name} is not defined in prior stages`)
    if ('needs' in job.config && !needed.includes(name))
      errors.push(`jobs:${job.name} dependencies the ${name} should be part of needs`)
    return errors
  })
}

const checkOnStop = (job: Job, all: ReadonlyMap<string, Job>): string[] => {
  const { environment } = job.config
  const stop = isHash(environment) ? environment.on_stop : undefined
  if (typeof stop !== 'string') return []
  const other = all.get(stop)
  if (other === undefined) return [`${job.name} job: on_stop job ${stop} is not defined`]
  const its = other.config.environment
  return isHash(its) && its.action === 'stop'
    ? []
    : [`${job.name} job: on_stop job ${stop} needs to have action stop defined`]
}

/** Whether jobs wait for each other in a circle. */
const circular = (all: ReadonlyMap<string, Job>): boolean => {
  const done = new Set<string>()
  const visit = (name: string, above: ReadonlySet<string>): boolean => {
    if (above.has(name)) return true
    const job = all.get(name)
    if (job === undefined || done.has(name)) return false
    const found = needsOf(job).some((need) => visit(need.job, new Set([...above, name])))
    done.add(name)
    return found
  }
  return [...all.keys()].some((name) => visit(name, new Set()))
}

/** What is wrong between jobs. `lenient`: jobs may stand in files that were not fetched. */
export const checkBetween = (tree: Hash, lenient: boolean): string[] => {
  const jobs = jobsOf(tree)
  const all = new Map(jobs.map((job) => [job.name, job]))
  const stages = stagesOf(tree)
  const errors = jobs.flatMap((job) => [
    ...checkStage(job, stages),
    ...checkNeeds(job, all, stages),
    ...checkDependencies(job, all, stages),
    ...checkOnStop(job, all),
  ])
  if (circular(all)) errors.push('The pipeline has circular dependencies')
  return lenient
    ? errors.filter((e) => !/undefined (need|dependency)|chosen stage|is not defined$/.test(e))
    : errors
}

/** Jobs that may run twice for one push, as instances warn of it. */
export const warningsOf = (tree: Hash): string[] => {
  if (isHash(tree.workflow) && Array.isArray(tree.workflow.rules)) return []
  return jobsOf(tree).flatMap(({ name, config }) => {
    const rules = Array.isArray(config.rules) ? config.rules.flat(10).filter(isHash) : []
    const open = rules.some(
      (rule) =>
        !('if' in rule) &&
        !('changes' in rule) &&
        !('exists' in rule) &&
        'when' in rule &&
        rule.when !== 'never',
    )
    return open
      ? [
          `jobs:${name} may allow multiple pipelines to run for a single action due to \`rules:when\` clause with no \`workflow:rules\``,
        ]
      : []
  })
}
