/** Plans the pipeline of a valid configuration: its jobs and instances, their conditions, and the jobs that they wait for. */

import { parseWordDuration } from '../../base/durations.js'
import { getStages, parseNeeds } from './between.js'
import { compileGlob, compileRegex, evaluateExpression, type Variables } from './expression.js'
import {
  buildMatrixName,
  type CiJob,
  getCombinations,
  getInstances,
  JobNames,
  type JobNeed,
} from './instances.js'
import { getJobs } from './jobs.js'
import { getTexts, type Hash, isHash } from './types.js'

export type JobCondition = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed'

/** The artifacts that a job creates. */
export interface ArtifactPlan {
  readonly paths: PathList
  readonly when: string
  /** Seconds until the artifacts expire; null if they never do. */
  readonly expire_in: number | null
  /** The types of the reports. */
  readonly reports: readonly string[]
}

interface PlannedJob {
  readonly name: string
  readonly kind: 'build' | 'bridge'
  readonly stage: string
  /** The index of the job's stage among all stages. */
  readonly place: number
  /** The names of the jobs that the job waits for. If undefined, it waits for all jobs of earlier stages. */
  readonly needs?: readonly string[] | undefined
  readonly when: JobCondition
  /** The seconds that a delayed job waits before it starts. */
  readonly start_in?: number
  readonly allow_failure: boolean
  readonly tag_list: readonly string[]
  readonly resource_group?: string | undefined
  readonly artifacts?: ArtifactPlan | undefined
}

/** A planned pipeline. Without jobs, none is created; with errors, it fails. */
export interface PipelinePlan {
  readonly jobs: readonly PlannedJob[]
  readonly errors: readonly string[]
}

/** The limits for a pipeline. They are checked when it is created, not when the configuration is checked. */
const maxNeeds = 50
const maxJobs = 1000
const maxArtifactPaths = 20

const createEmptyPlan = (why: string): PipelinePlan => ({ jobs: [], errors: [why] })

/** Returns the names of the instances of a job, or its own name, each with its variables. */
const getVariants = ({ job, variables }: SelectedJob): readonly (readonly [string, Variables])[] =>
  (getInstances(job) ?? [[job.name, {}]]).map(([name, row]) => [name, { ...variables, ...row }])

const getNeededJobs = ({ job, rule }: SelectedJob): readonly JobNeed[] | undefined => {
  const needs = rule.needs ?? job.config.needs
  return needs === undefined ? undefined : parseNeeds(needs)
}

/** Returns the value of a keyword in a job, or in `default` if the job inherits it. */
const getInherited = (tree: Hash, { inherit, ...config }: Hash, key: string): unknown => {
  if (config[key] !== undefined || !isHash(tree.default)) return config[key]
  const which = isHash(inherit) ? (inherit.default ?? true) : true
  return which === true || getTexts(which).includes(key) ? tree.default[key] : undefined
}

const getArtifacts = (given: unknown, variables: Variables): ArtifactPlan | undefined => {
  if (!isHash(given)) return undefined
  const { expire_in: expiry, when, reports } = given
  return {
    paths: getTexts(given.paths)
      .slice(0, maxArtifactPaths)
      .map((path) => expand(path, variables)),
    when: typeof when === 'string' ? when : 'on_success',
    expire_in: typeof expiry === 'string' ? (parseWordDuration(expiry) ?? null) : null,
    reports: isHash(reports) ? Object.keys(reports) : [],
  }
}

const whens: readonly unknown[] = ['on_failure', 'always', 'manual', 'delayed']
const isWhen = (value: unknown): value is JobCondition => whens.includes(value)

const getTiming = ({ job: { config }, rule }: SelectedJob) => {
  const given = rule.when ?? config.when
  const when = isWhen(given) ? given : 'on_success'
  const allowed = rule.allow_failure ?? config.allow_failure
  return {
    when,
    allow_failure:
      typeof allowed === 'boolean' ? allowed : config.rules === undefined && when === 'manual',
    ...(when === 'delayed'
      ? { start_in: parseWordDuration(String(rule.start_in ?? config.start_in)) ?? 0 }
      : {}),
  }
}

/** Returns the names of the planned jobs that a need refers to: a single job, some instances of a matrix, or all of them. */
const resolveNeed = (need: JobNeed, families: ReadonlyMap<string, readonly string[]>): PathList => {
  const family = families.get(need.job)
  if (family === undefined) return [need.job]
  if (!isHash(need.parallel)) return family
  const rows = getCombinations(need.parallel.matrix).map((row) => buildMatrixName(need.job, row))
  return family.filter((name) => rows.includes(name))
}

const listNeedErrors = (chosen: readonly SelectedJob[]): string[] => {
  const names = new JobNames(new Map(chosen.map(({ job }) => [job.name, job])))
  return chosen.flatMap((one) => {
    const needs = getNeededJobs(one) ?? []
    const { name } = one.job
    if (needs.length > maxNeeds)
      return [
        `${name}: one job can only need ${maxNeeds} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
      ]
    return needs
      .filter((need) => !need.optional && names.base(need.job) === undefined)
      .map(
        (need) =>
          `'${name}' job needs '${need.job}' job, but '${need.job}' is not in any previous stage`,
      )
  })
}

const getPlanned = (tree: Hash, chosen: readonly SelectedJob[]): readonly PlannedJob[] => {
  const stages = getStages(tree)
  const instances = chosen.map((one) => [one, getVariants(one)] as const)
  const families = new Map(
    instances.map(([{ job }, made]) => [job.name, made.map(([name]) => name)] as const),
  )
  return instances.flatMap(([one, made]) => {
    const { config, stage } = one.job
    const needs = getNeededJobs(one)?.flatMap((need) => resolveNeed(need, families))
    return made.map(([name, variables]): PlannedJob => {
      const group = config.resource_group
      return {
        name,
        kind: 'script' in config || 'run' in config ? 'build' : 'bridge',
        stage,
        place: stages.indexOf(stage),
        ...getTiming(one),
        needs,
        tag_list: getTexts(getInherited(tree, config, 'tags')).map((tag) => expand(tag, variables)),
        resource_group: typeof group === 'string' ? expand(group, variables) : undefined,
        artifacts: getArtifacts(getInherited(tree, config, 'artifacts'), variables),
      }
    })
  })
}

/** Plans the pipeline of a valid configuration. */
export const planPipeline = (tree: Hash, context: PipelineContext): PipelinePlan => {
  const chosen = select(tree, context)
  if (chosen === undefined) return createEmptyPlan('Pipeline filtered out by workflow rules.')
  if (chosen.length === 0) return createEmptyPlan('No stages / jobs for this pipeline.')
  const jobs = getPlanned(tree, chosen)
  const many = `The number of jobs has exceeded the limit of ${maxJobs}.`
  return { jobs, errors: [...listNeedErrors(chosen), ...(jobs.length > maxJobs ? [many] : [])] }
}

// The selection of jobs, by the rules of the workflow and the job, `only` and `except`.

type PathList = readonly string[]

/** The push or request for which a pipeline is planned. The selection of jobs depends on it. */
export interface PipelineContext {
  readonly branch: string
  /** The variables of the project and the predefined ones. */
  readonly variables: Variables
  /** The paths that the push changed, and all paths of the commit. If they are undefined, all conditions on paths are true. */
  readonly changed?: PathList | undefined
  readonly files?: PathList | undefined
}

const toVariables = (given: unknown): Variables =>
  Object.fromEntries(
    Object.entries(isHash(given) ? given : {}).flatMap(([name, value]) => {
      const plain: unknown = isHash(value) ? value.value : value
      return plain === undefined || plain === null ? [] : [[name, String(plain)]]
    }),
  )

/** The limits of `expand`, so that variables that contain each other end. */
const [maxRounds, maxExpanded] = [5, 10_000]

/** Replaces `$NAME`, `${NAME}` and `%NAME%` by the values of variables, which may contain others. An unknown variable is empty, or stays. */
const expand = (text: string, variables: Variables, keepsUnknown = false): string => {
  let result = text
  for (let round = 0; round < maxRounds && result.length < maxExpanded; round++)
    result = result.replace(/\$(\w+)|\$\{(\w+)\}|%(\w+)%/g, (whole, plain, braced, percent) => {
      const name = String(plain ?? braced ?? percent)
      return (
        (Object.hasOwn(variables, name) ? variables[name] : undefined) ??
        (keepsUnknown ? whole : '')
      )
    })
  return result
}

/** Returns the globs of `changes` or `exists` with the values of variables. Unknown variables stay. */
const getGlobs = (globs: unknown, variables: Variables): PathList =>
  getTexts(isHash(globs) ? globs.paths : globs).map((glob) => expand(glob, variables, true))

const hasMatch = (globs: PathList, paths: PathList | undefined): boolean => {
  if (paths === undefined) return true
  const patterns = globs.map(compileGlob)
  return paths.some((path) => patterns.some((pattern) => pattern?.matcher(path).find() === true))
}

/** True if a file exists that matches one of the globs, or is in a folder that one of them names (`docs/`). */
const exists = (globs: PathList, paths: PathList | undefined): boolean =>
  hasMatch(globs, paths) ||
  globs.some((glob) => /^[^*?[{]+\/$/.test(glob) && paths?.some((path) => path.startsWith(glob)))

/** Finds the first rule that applies; undefined if none does, or if it has `when: never`. */
const findRule = (
  rules: unknown,
  context: PipelineContext,
  variables: Variables,
): Hash | undefined => {
  const list = Array.isArray(rules) ? rules.flat(10).filter(isHash) : []
  const first = list.find(
    (rule) =>
      (typeof rule.if !== 'string' || evaluateExpression(rule.if, { variables })) &&
      (rule.changes === undefined ||
        hasMatch(getGlobs(rule.changes, variables), context.changed)) &&
      (rule.exists === undefined || exists(getGlobs(rule.exists, variables), context.files)),
  )
  return first?.when === 'never' ? undefined : first
}

/** True if one of the rules of an include applies. */
export const hasMatchingRule = (rules: unknown, context: PipelineContext): boolean =>
  findRule(rules, context, context.variables) !== undefined

/** True if a ref of `only` or `except` means the branch: by name, by kind, or by a pattern, and with `@` only in that project. */
const isRefMatch = (given: string, { branch, variables }: PipelineContext): boolean => {
  const [ref = '', path] = given.split('@', 2)
  if (path !== undefined && path !== variables.CI_PROJECT_PATH) return false
  if (['branches', 'push', 'pushes', branch].includes(ref)) return true
  return compileRegex(ref)?.matcher(branch).find() === true
}

/** Evaluates each key of `only` or `except`. Conditions on a Kubernetes cluster are false, since instances here have none. */
const getConditions = (
  policy: unknown,
  context: PipelineContext,
  variables: Variables,
): readonly boolean[] => {
  const {
    refs,
    variables: expressions,
    changes,
    kubernetes,
  } = isHash(policy) ? policy : ({ refs: policy } as Hash)
  return [
    refs === undefined || getTexts(refs).some((ref) => isRefMatch(ref, context)),
    expressions === undefined ||
      getTexts(expressions).some((text) => evaluateExpression(text, { variables })),
    changes === undefined || hasMatch(getTexts(changes), context.changed),
    kubernetes === undefined,
  ].filter((_, index) => [refs, expressions, changes, kubernetes][index] !== undefined)
}

/** True if `only` and `except` admit a job: all keys of `only` are true, and none of `except`. */
const isAdmitted = (
  { only, except }: Hash,
  context: PipelineContext,
  variables: Variables,
): boolean =>
  (only === undefined || getConditions(only, context, variables).every(Boolean)) &&
  (except === undefined || !getConditions(except, context, variables).some(Boolean))

/** A job of the planned pipeline, with the rule that selected it. */
interface SelectedJob {
  readonly job: CiJob
  readonly rule: Hash
  readonly variables: Variables
}

const getSelected = (
  job: CiJob,
  context: PipelineContext,
  base: Variables,
): readonly SelectedJob[] => {
  const variables = { ...base, ...toVariables(job.config.variables) }
  if (job.config.rules === undefined)
    return isAdmitted(job.config, context, variables) ? [{ job, rule: {}, variables }] : []
  const rule = findRule(job.config.rules, context, variables)
  return rule === undefined
    ? []
    : [{ job, rule, variables: { ...variables, ...toVariables(rule.variables) } }]
}

/** Selects the jobs of the pipeline; undefined if the rules of the workflow exclude a pipeline. */
const select = (tree: Hash, context: PipelineContext): readonly SelectedJob[] | undefined => {
  const variables = { ...toVariables(tree.variables), ...context.variables }
  const workflow = isHash(tree.workflow) ? tree.workflow.rules : undefined
  const rule = workflow === undefined ? {} : findRule(workflow, context, variables)
  if (rule === undefined) return undefined
  const base = { ...variables, ...toVariables(rule.variables) }
  return getJobs(tree).flatMap((job) => getSelected(job, context, base))
}
