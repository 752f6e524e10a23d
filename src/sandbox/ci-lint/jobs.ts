/** What is wrong with the jobs of a configuration, each on its own and between them. */

import { addToGroup } from '../../base/group-by.js'
import { checkNode } from './grammar/findings.js'
import { anyJob, bridge, job, root } from './grammar/table.js'
import {
  describeChange,
  type Finding,
  type Hash,
  isHash,
  isKnown,
  type JudgedVersion,
  type Type,
} from './grammar/types.js'

export interface CiJob {
  readonly name: string
  readonly stage: string
  readonly config: Hash
}

const rootType = (name: string): Type | undefined =>
  Object.hasOwn(root, name) ? root[name] : undefined
const reserved = ['true', 'false', 'nil', 'null']
const longestName = 255

const isVisible = (name: string, asOf: JudgedVersion): boolean => {
  const type = rootType(name)
  return !name.startsWith('.') && (type === undefined || !isKnown(type, asOf))
}

/** What is wrong with the keywords beside the jobs. */
const checkRoot = (tree: Hash, asOf: JudgedVersion): readonly Finding[] =>
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
const checkNames = (
  tree: Hash,
  numeric: readonly string[],
  asOf: JudgedVersion,
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
export const getJobs = (tree: Hash, asOf?: JudgedVersion): readonly CiJob[] =>
  Object.entries(tree).flatMap(([name, config]) => {
    if (!isVisible(name, asOf) || !isHash(config)) return []
    const stage = config.stage ?? config.type
    return [{ name, config, stage: typeof stage === 'string' ? stage : 'test' }]
  })

const mirrors = ({ needs }: Hash): boolean =>
  [needs].flat().some((need) => isHash(need) && typeof need.pipeline === 'string')

/** Which kind of job it is, as instances tell; what is wrong where it is none. */
const getKind = (config: Hash): { readonly type: Type; readonly wrong?: string } => {
  if ('script' in config || 'run' in config) return { type: job }
  if ('trigger' in config || mirrors(config)) return { type: bridge }
  const wrong =
    'needs' in config
      ? 'should contain either a trigger or a needs:pipeline'
      : 'should implement the script:, run:, or trigger: keyword'
  return { type: anyJob, wrong }
}

/** Keywords and values of every visible job, each on its own. */
const checkEach = (tree: Hash, asOf: JudgedVersion): readonly Finding[] =>
  Object.entries(tree)
    .filter(([name]) => isVisible(name, asOf))
    .flatMap(([name, config]): readonly Finding[] => {
      const path = `jobs:${name}`
      const { type, wrong } = getKind(isHash(config) ? config : {})
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

// What holds between jobs: stages, needs, dependencies, jobs that stop others.

const usual = ['build', 'test', 'deploy']

/** Stages in order, with those that are always there. */
export const getStages = (tree: Hash): readonly string[] => {
  const given = tree.stages ?? tree.types
  const named: readonly unknown[] = Array.isArray(given) ? given : usual
  const texts = named.filter((s): s is string => typeof s === 'string')
  return ['.pre', ...texts.filter((s) => s !== '.pre' && s !== '.post'), '.post']
}

export interface JobNeed {
  readonly job: string
  readonly optional: boolean
  /** Which jobs of its matrix are needed, where that is not all. */
  readonly parallel?: unknown
}

/** The jobs of the same pipeline that a value of `needs` names. */
export const needsIn = (needs: unknown): readonly JobNeed[] =>
  [needs ?? []].flat(10).flatMap((need): JobNeed[] => {
    if (typeof need === 'string') return [{ job: need, optional: false }]
    if (!isHash(need) || typeof need.job !== 'string') return []
    if ('project' in need || 'pipeline' in need) return []
    const { job, optional, parallel } = need
    return [{ job, optional: optional === true, parallel }]
  })

/** The jobs of the same pipeline that a job waits for. */
const getNeeds = ({ config }: CiJob): readonly JobNeed[] => needsIn(config.needs)

/** Those of each of its rules. */
const ruledNeedsOf = ({ config: { rules } }: CiJob): readonly (readonly JobNeed[])[] =>
  (Array.isArray(rules) ? rules.flat(10) : []).map((rule) =>
    isHash(rule) ? needsIn(rule.needs) : [],
  )

const getDependencies = ({ config }: CiJob): readonly string[] =>
  Array.isArray(config.dependencies)
    ? config.dependencies.filter((d): d is string => typeof d === 'string')
    : []

/** What the checks of a job look up in the whole configuration. */
interface LintContext {
  readonly all: ReadonlyMap<string, CiJob>
  readonly stages: readonly string[]
  readonly place: ReadonlyMap<string, number>
  /** Whether no other text can change the stage of a job, or which stages there are. */
  readonly settled: (job: CiJob) => boolean
  readonly asOf: JudgedVersion
}

/** A job by its name, or by that of one of the several that `parallel` makes of it. */
export const jobNamed = (all: ReadonlyMap<string, CiJob>, name: string): CiJob | undefined => {
  const found = all.get(name)
  if (found !== undefined) return found
  const base = all.get(name.replace(/ \d+\/\d+$|: \[.*\]$/, ''))
  return base !== undefined && 'parallel' in base.config ? base : undefined
}

const getPlace = (whole: LintContext, job: CiJob): number => whole.place.get(job.stage) ?? -1

const unless = (sure: boolean, text: string): Finding => (sure ? { text } : { text, curable: true })

const checkStage = (whole: LintContext, job: CiJob): Finding[] =>
  whole.place.has(job.stage)
    ? []
    : [
        unless(
          whole.settled(job),
          `${job.name} job: chosen stage does not exist; available stages are ${whole.stages.join(', ')}`,
        ),
      ]

/** A job has to be there, in this stage or before it. */
const checkOther = (whole: LintContext, job: CiJob, name: string, kind: string): Finding[] => {
  const other = jobNamed(whole.all, name)
  if (other === undefined)
    return [{ text: `${job.name} job: undefined ${kind}: ${name}`, curable: true }]
  const places = [getPlace(whole, other), getPlace(whole, job)] as const
  const besides = isKnown({ since: '14.2' }, whole.asOf)
  if (places[0] < places[1] || (besides && places[0] === places[1])) return []
  const sure = whole.settled(job) && whole.settled(other)
  const where = besides ? 'current or prior stages' : 'prior stages'
  return [unless(sure, `${job.name} job: ${kind} ${name} is not defined in ${where}`)]
}

/** Names that are needed more than once; of the jobs of a matrix several may be. */
const repeatedIn = (needs: readonly JobNeed[]): readonly string[] => {
  const [once, twice] = [new Set<string>(), new Set<string>()]
  for (const { job, parallel } of needs)
    if (parallel === undefined) (once.has(job) ? twice : once).add(job)
  return [...twice]
}

const checkNeeds = (whole: LintContext, job: CiJob): Finding[] =>
  [getNeeds(job), ...ruledNeedsOf(job)].flatMap((needs) => {
    const twice = repeatedIn(needs)
    return [
      ...needs.flatMap(({ job: name, optional }) =>
        optional && jobNamed(whole.all, name) === undefined
          ? []
          : checkOther(whole, job, name, 'need'),
      ),
      ...(twice.length === 0
        ? []
        : [{ text: `${job.name} has the following needs duplicated: ${twice.join(', ')}.` }]),
    ]
  })

const checkDependencies = (whole: LintContext, job: CiJob): Finding[] => {
  const needed = new Set(getNeeds(job).map((need) => need.job))
  return getDependencies(job).flatMap((name) => [
    ...checkOther(whole, job, name, 'dependency'),
    ...(needed.size > 0 && !needed.has(name)
      ? [{ text: `jobs:${job.name} dependencies the ${name} should be part of needs` }]
      : []),
  ])
}

const checkOnStop = (whole: LintContext, job: CiJob): Finding[] => {
  const { environment } = job.config
  if (!isHash(environment)) return []
  const { on_stop: stop } = environment
  if (typeof stop !== 'string') return []
  const says = (text: string): Finding[] => [
    { text: `${job.name} job: on_stop job ${stop} ${text}`, curable: true },
  ]
  const other = whole.all.get(stop)
  if (other === undefined) return says('is not defined')
  const its = other.config.environment
  if ((its ?? null) === null) return says('does not have environment defined')
  const name = isHash(its) ? its.name : its
  if (name !== environment.name) return says('have different environment name')
  return isHash(its) && its.action === 'stop' ? [] : says('needs to have action stop defined')
}

/** Whether jobs wait for each other in a circle: what waits for nothing is taken away, and again. */
const circular = (whole: LintContext): boolean => {
  const waiting = new Map<string, number>()
  const waiters = new Map<string, string[]>()
  for (const job of whole.all.values()) {
    const names = new Set(
      getNeeds(job).flatMap((need) => jobNamed(whole.all, need.job)?.name ?? []),
    )
    waiting.set(job.name, names.size)
    for (const name of names) addToGroup(waiters, name, job.name)
  }
  const free = [...waiting].flatMap(([name, count]) => (count === 0 ? [name] : []))
  let taken = 0
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    taken++
    for (const waiter of waiters.get(name) ?? []) {
      const left = (waiting.get(waiter) ?? 0) - 1
      waiting.set(waiter, left)
      if (left === 0) free.push(waiter)
    }
  }
  return taken < waiting.size
}

/** What is wrong between jobs, at most `most` findings. */
const checkBetween = (
  tree: Hash,
  own: Hash,
  most: number,
  asOf: JudgedVersion,
): readonly Finding[] => {
  const stages = getStages(tree)
  const ownStages = 'stages' in own || 'types' in own
  const whole: LintContext = {
    asOf,
    all: new Map(getJobs(tree, asOf).map((job) => [job.name, job])),
    stages,
    place: new Map(stages.map((stage, index) => [stage, index])),
    settled: ({ name, stage }) => {
      const text = Object.hasOwn(own, name) ? own[name] : undefined
      return ownStages && isHash(text) && (text.stage ?? text.type) === stage
    },
  }
  const findings: Finding[] = []
  for (const job of whole.all.values()) {
    if (findings.length >= most) return findings
    findings.push(
      ...checkStage(whole, job),
      ...checkNeeds(whole, job),
      ...checkDependencies(whole, job),
      ...checkOnStop(whole, job),
    )
  }
  if (circular(whole)) findings.push({ text: 'The pipeline has circular dependencies' })
  return findings
}

/** Whether something is more than advice. */
export const isWrong = ({ advice }: Finding): boolean => advice !== true

/**
 * What is wrong with the jobs and what stands beside them, each on its own and between them; a later stage only makes
 * sense where the earlier are clean.
 * @param own the configuration itself: what stands there, no file that it includes can replace
 * @param numeric outermost keys that are numbers
 * @param most so many findings between jobs are enough
 */
export const checkJobs = (
  tree: Hash,
  own: Hash,
  numeric: readonly string[],
  most: number,
  asOf: JudgedVersion,
): readonly Finding[] => {
  const names = checkNames(tree, numeric, asOf)
  if (names.some((finding) => finding.curable !== true)) return names
  const each = [...names, ...checkRoot(tree, asOf), ...checkEach(tree, asOf)]
  if (each.some(isWrong)) return each
  return [...each, ...checkBetween(tree, own, most, asOf)]
}
