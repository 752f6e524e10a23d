/** Checks the relations between the jobs of a configuration: stages, needs, dependencies, and jobs that stop environments. */

import { hasCycle } from '../../base/collections.js'
import {
  type CiJob,
  fillMatrix,
  hasMatrixExpression,
  JobNames,
  type JobNeed,
  longestName,
  matrixExpressions,
} from './instances.js'
import { type Finding, getTexts, type Hash, isHash, isKnown, type JudgedVersion } from './types.js'

const usual = ['build', 'test', 'deploy']

/** Returns the stages in order, including those that always exist. */
export const getStages = (tree: Hash): readonly string[] => {
  const given = tree.stages ?? tree.types
  const named: readonly unknown[] = Array.isArray(given) ? given : usual
  const texts = named.flat(10).filter((s): s is string => typeof s === 'string')
  return ['.pre', ...texts.filter((s) => s !== '.pre' && s !== '.post'), '.post']
}

/** Returns the jobs of the same pipeline that a value of `needs` contains. */
export const parseNeeds = (needs: unknown): readonly JobNeed[] =>
  [needs ?? []].flat(10).flatMap((need): JobNeed[] => {
    if (typeof need === 'string') return [{ job: need, optional: false }]
    if (!isHash(need) || typeof need.job !== 'string') return []
    if ('project' in need || 'pipeline' in need) return []
    const { job, optional, parallel } = need
    return [{ job, optional: optional === true, parallel }]
  })

const getNeeds = ({ config }: CiJob): readonly JobNeed[] => parseNeeds(config.needs)

/** Returns the needs in each rule of a job. */
const getRuledNeeds = ({ config: { rules } }: CiJob): readonly (readonly JobNeed[])[] =>
  (Array.isArray(rules) ? rules.flat(10) : []).map((rule) =>
    isHash(rule) ? parseNeeds(rule.needs) : [],
  )

/** Returns the names of the jobs that create the configuration of a child pipeline. */
const listConfigurationJobs = ({ config: { trigger } }: CiJob): readonly string[] =>
  [isHash(trigger) ? trigger.include : []]
    .flat()
    .flatMap((file) => (isHash(file) && typeof file.job === 'string' ? [file.job] : []))

/** The indexes of the whole configuration, which the checks of all jobs use. */
interface LintContext {
  readonly all: ReadonlyMap<string, CiJob>
  readonly names: JobNames
  readonly stages: readonly string[]
  readonly place: ReadonlyMap<string, number>
  /** Returns true if no other file can change the stage of a job, or the list of stages. */
  readonly settled: (job: CiJob) => boolean
  readonly asOf: JudgedVersion
}

/** A job, and its name in messages: the name of its first instance if it has several. */
interface LabelledJob {
  readonly job: CiJob
  readonly label: string
}

const toLabelled = ({ names }: LintContext, job: CiJob): LabelledJob => ({
  job,
  label: names.label(job),
})

const getPlace = (whole: LintContext, job: CiJob): number => whole.place.get(job.stage) ?? -1

const createFinding = (sure: boolean, text: string): Finding =>
  sure ? { text } : { text, curable: true }

const checkStage = (whole: LintContext, job: CiJob): Finding[] =>
  whole.place.has(job.stage)
    ? []
    : [
        createFinding(
          whole.settled(job),
          `${whole.names.label(job)} job: chosen stage does not exist; available stages are ${whole.stages.join(', ')}`,
        ),
      ]

/** The relation of a job to another job. */
type Kind = 'need' | 'dependency'

/** Checks that another job exists, and that its stage is not later. */
const checkOther = (
  whole: LintContext,
  { job, label }: LabelledJob,
  name: string,
  kind: Kind,
): Finding[] => {
  const other = whole.names.find(name)
  if (other === undefined)
    return [{ text: `${label} job: undefined ${kind}: ${name}`, curable: true }]
  if (kind === 'need' && name.length > longestName)
    return [
      {
        text: `${label} job: need \`${name}\` name is too long (maximum is ${longestName} characters)`,
      },
    ]
  const places = [getPlace(whole, other), getPlace(whole, job)] as const
  const besides = isKnown({ since: '14.2' }, whole.asOf)
  if (places[0] < places[1] || (besides && places[0] === places[1])) return []
  const sure = whole.settled(job) && whole.settled(other)
  const where = besides ? 'current or prior stages' : 'prior stages'
  return [createFinding(sure, `${label} job: ${kind} ${name} is not defined in ${where}`)]
}

/** Checks each name until the first finding. The instances of a job either all exist, or none of them does. */
const checkOthers = (
  whole: LintContext,
  job: LabelledJob,
  names: readonly string[],
  kind: Kind,
): Finding[] => {
  for (const name of names) {
    const wrong = checkOther(whole, job, name, kind)
    if (wrong.length > 0) return wrong
  }
  return []
}

/** Returns the names that occur more than once. */
const getRepeated = (names: readonly string[]): readonly string[] => {
  const [once, twice] = [new Set<string>(), new Set<string>()]
  for (const name of names) (once.has(name) ? twice : once).add(name)
  return [...twice]
}

/** Checks a list of needs. @param expand returns the names of all jobs that a need refers to */
const checkNeedList = (
  whole: LintContext,
  job: LabelledJob,
  needs: readonly JobNeed[],
  expand: (need: JobNeed) => readonly string[],
): Finding[] => {
  const named = needs.map((need) => [need, expand(need)] as const)
  const twice = getRepeated(named.flatMap(([, names]) => names))
  return [
    ...named.flatMap(([{ optional }, names]) => {
      const there = optional ? names.filter((name) => whole.names.find(name) !== undefined) : names
      return checkOthers(whole, job, there, 'need')
    }),
    ...(twice.length === 0
      ? []
      : [{ text: `${job.label} has the following needs duplicated: ${twice.join(', ')}.` }]),
  ]
}

/** Checks needs that use values of the job's own matrix. @returns the findings of the first instance that has any */
const checkMatrixNeeds = (whole: LintContext, job: CiJob): Finding[] => {
  const { needs, variables } = job.config
  for (const [label, row] of whole.names.instances(job) ?? new Map([[job.name, {}]])) {
    const own = Object.keys(isHash(variables) ? variables : {}).map((key) => [key, ''] as const)
    const { value, missing } = fillMatrix(needs, { ...Object.fromEntries(own), ...row })
    if (missing.length > 0)
      return [...new Set(missing)].map((key) => ({
        text: `${label} job: '${key}' does not exist in matrix configuration`,
      }))
    const wrong = checkNeedList(whole, { job, label }, parseNeeds(value), (need) =>
      whole.names.expand(need),
    )
    if (wrong.length > 0) return wrong
  }
  return []
}

/** Checks the needs of a job. In `needs`, a name may be that of a job or an instance, but in rules only that of an instance. */
const checkNeeds = (whole: LintContext, job: CiJob): Finding[] => [
  ...(isKnown(matrixExpressions, whole.asOf) && hasMatrixExpression(job.config.needs)
    ? checkMatrixNeeds(whole, job)
    : checkNeedList(whole, toLabelled(whole, job), getNeeds(job), (need) =>
        whole.names.expand(need),
      )),
  ...getRuledNeeds(job).flatMap((needs) =>
    checkNeedList(whole, toLabelled(whole, job), needs, ({ job: name }) => [name]),
  ),
]

const checkDependencies = (whole: LintContext, job: CiJob): Finding[] => {
  const needed = new Set(getNeeds(job).map((need) => need.job))
  const names = getTexts(job.config.dependencies)
  const elsewhere =
    names.length > 0 && needed.size === 0 && [job.config.needs ?? []].flat().length > 0
  return [
    ...(elsewhere
      ? [
          {
            text: `jobs:${job.name} needs corresponding to dependencies must be from the same pipeline`,
          },
        ]
      : []),
    ...names.flatMap((name) => [
      ...checkOthers(
        whole,
        toLabelled(whole, job),
        whole.names.expand({ job: name, optional: false }),
        'dependency',
      ),
      ...(needed.size > 0 && !needed.has(name)
        ? [{ text: `jobs:${job.name} dependencies the ${name} should be part of needs` }]
        : []),
    ]),
    ...listConfigurationJobs(job).flatMap((name) =>
      checkOther(whole, toLabelled(whole, job), name, 'dependency'),
    ),
  ]
}

const checkPublish = ({ name, config: { publish, pages } }: CiJob): Finding[] => {
  const isTwice = (publish ?? null) !== null && isHash(pages) && 'publish' in pages
  return isTwice
    ? [{ text: `${name} job: use either ${name}:publish or ${name}:pages:publish` }]
    : []
}

const checkOnStop = (whole: LintContext, job: CiJob): Finding[] => {
  const { environment } = job.config
  if (!isHash(environment)) return []
  const { on_stop: stop } = environment
  if (typeof stop !== 'string') return []
  const createFindings = (text: string): Finding[] => [
    { text: `${whole.names.label(job)} job: on_stop job ${stop} ${text}`, curable: true },
  ]
  const other = whole.names.find(stop)
  if (other === undefined) return createFindings('is not defined')
  const its = other.config.environment
  if ((its ?? null) === null) return createFindings('does not have environment defined')
  const name = isHash(its) ? its.name : its
  if (name !== environment.name) return createFindings('have different environment name')
  return isHash(its) && its.action === 'stop'
    ? []
    : createFindings('needs to have action stop defined')
}

/** The names of the jobs that each job needs. */
const getNeededNames = (whole: LintContext): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...whole.all.values()].map((job) => [
      job.name,
      new Set(getNeeds(job).flatMap((need) => whole.names.base(need.job)?.name ?? [])),
    ]),
  )

/**
 * Checks the relations between jobs.
 * @param own the configuration without its includes, which cannot replace its entries
 * @param most the number of findings after which the check ends
 */
export const checkBetween = (
  jobs: readonly CiJob[],
  tree: Hash,
  own: Hash,
  most: number,
  asOf: JudgedVersion,
): readonly Finding[] => {
  const stages = getStages(tree)
  const ownStages = 'stages' in own || 'types' in own
  const all = new Map(jobs.map((job) => [job.name, job]))
  const whole: LintContext = {
    asOf,
    all,
    names: new JobNames(all),
    stages,
    // Of equal stages, the first one counts.
    place: new Map(stages.map((stage, index) => [stage, index] as const).toReversed()),
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
      ...checkPublish(job),
    )
  }
  if (hasCycle(getNeededNames(whole)))
    findings.push({ text: 'The pipeline has circular dependencies' })
  return findings
}
