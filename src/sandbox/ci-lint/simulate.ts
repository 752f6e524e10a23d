/** Which jobs a pipeline would have (`dry_run`): rules, `only`, `except`, workflow. */
import { jobNamed, needsOf } from './between.js'
import { holds, type Variables } from './expression.js'
import { type Hash, isHash } from './hash.js'
import { type Job, jobsOf } from './jobs.js'
import { regexOf } from './regex.js'

/** What the pipeline would be made for. */
export interface Occasion {
  readonly branch: string
  /** Those of the project and the predefined ones. */
  readonly variables: Variables
}

/** Counted when a pipeline is made; a configuration may name more. */
const mostNeeds = 50

const valuesOf = (given: unknown): Variables =>
  Object.fromEntries(
    Object.entries(isHash(given) ? given : {}).flatMap(([name, value]) => {
      const plain: unknown = isHash(value) ? value.value : value
      return plain === undefined || plain === null ? [] : [[name, String(plain)]]
    }),
  )

/** Whether the first rule that applies lets it run; false when none applies. */
const ruled = (rules: unknown, variables: Variables): boolean => {
  const list = Array.isArray(rules) ? rules.flat(10).filter(isHash) : []
  const first = list.find((rule) => typeof rule.if !== 'string' || holds(rule.if, variables))
  return first !== undefined && first.when !== 'never'
}

const refMatches = (ref: string, branch: string): boolean => {
  if (ref === 'branches' || ref === 'pushes' || ref === branch) return true
  return regexOf(ref)?.matcher(branch).find() === true
}

const texts = (value: unknown): string[] =>
  [value ?? []].flat().filter((item): item is string => typeof item === 'string')

/** Whether an `only` or `except` speaks of the occasion. */
const applies = (policy: unknown, { branch }: Occasion, variables: Variables): boolean => {
  if (!isHash(policy)) return texts(policy).some((ref) => refMatches(ref, branch))
  const refs = policy.refs === undefined || texts(policy.refs).some((r) => refMatches(r, branch))
  const conditions =
    policy.variables === undefined || texts(policy.variables).some((e) => holds(e, variables))
  return refs && conditions
}

const runs = (job: Job, occasion: Occasion, base: Variables): boolean => {
  const variables = { ...base, ...valuesOf(job.config.variables) }
  const { rules, only, except } = job.config
  if (rules !== undefined) return ruled(rules, variables)
  if (only !== undefined && !applies(only, occasion, variables)) return false
  return except === undefined || !applies(except, occasion, variables)
}

/** What would keep the pipeline from being made. */
export const simulate = (tree: Hash, occasion: Occasion): string[] => {
  const variables = { ...valuesOf(tree.variables), ...occasion.variables }
  const workflow = isHash(tree.workflow) ? tree.workflow.rules : undefined
  if (workflow !== undefined && !ruled(workflow, variables))
    return ['Pipeline filtered out by workflow rules.']
  const jobs = jobsOf(tree).filter((job) => runs(job, occasion, variables))
  if (jobs.length === 0) return ['No stages / jobs for this pipeline.']
  const all = new Map(jobs.map((job) => [job.name, job]))
  return jobs.flatMap((job) => {
    const needs = needsOf(job)
    if (needs.length > mostNeeds)
      return [
        `${job.name}: one job can only need ${mostNeeds} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
      ]
    return needs
      .filter((need) => !need.optional && jobNamed(all, need.job) === undefined)
      .map(
        (need) =>
          `'${job.name}' job needs '${need.job}' job, but '${need.job}' is not in any previous stage`,
      )
  })
}
