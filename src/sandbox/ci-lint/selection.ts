/** Which jobs of a configuration a pipeline has: workflow, rules, `only` and `except`. */
import { evaluateExpression, type Variables } from './expression.js'
import { type CiJob, getJobs } from './jobs.js'
import { compileGlob, compileRegex } from './regex.js'
import { type Hash, isHash } from './values.js'

export type PathList = readonly string[]

/** What a pipeline is made for, as jobs are chosen by it. */
export interface PipelineContext {
  readonly branch: string
  /** Those of the project and the predefined ones. */
  readonly variables: Variables
  /** The paths that the push changed, and all that are there; where they are not known, each condition on them holds. */
  readonly changed?: PathList | undefined
  readonly files?: PathList | undefined
}

const valuesOf = (given: unknown): Variables =>
  Object.fromEntries(
    Object.entries(isHash(given) ? given : {}).flatMap(([name, value]) => {
      const plain: unknown = isHash(value) ? value.value : value
      return plain === undefined || plain === null ? [] : [[name, String(plain)]]
    }),
  )

/** The texts of a list, or of one that stands alone. */
export const getTexts = (value: unknown): string[] =>
  [value ?? []].flat().filter((item): item is string => typeof item === 'string')

/** `$NAME` and `${NAME}` by their values; what is not set is empty. */
export const expand = (text: string, variables: Variables): string =>
  text.replace(/\$(\w+)|\$\{(\w+)\}/g, (_, plain, braced) => {
    const name = String(plain ?? braced)
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : ''
  })

const anyMatches = (globs: unknown, paths: PathList | undefined, variables: Variables): boolean => {
  if (paths === undefined) return true
  const given = isHash(globs) ? globs.paths : globs
  const patterns = getTexts(given).map((glob) => compileGlob(expand(glob, variables)))
  return paths.some((path) => patterns.some((pattern) => pattern?.matcher(path).find() === true))
}

/** The first rule that applies; undefined where none does, or where it says never. */
const ruleFor = (
  rules: unknown,
  context: PipelineContext,
  variables: Variables,
): Hash | undefined => {
  const list = Array.isArray(rules) ? rules.flat(10).filter(isHash) : []
  const first = list.find(
    (rule) =>
      (typeof rule.if !== 'string' || evaluateExpression(rule.if, variables)) &&
      (rule.changes === undefined || anyMatches(rule.changes, context.changed, variables)) &&
      (rule.exists === undefined || anyMatches(rule.exists, context.files, variables)),
  )
  return first?.when === 'never' ? undefined : first
}

const refMatches = (ref: string, branch: string): boolean => {
  if (ref === 'branches' || ref === 'pushes' || ref === branch) return true
  return compileRegex(ref)?.matcher(branch).find() === true
}

/** What an `only` or `except` asks, key by key. No instance here has a cluster. */
const conditionsOf = (
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
    refs === undefined || getTexts(refs).some((ref) => refMatches(ref, context.branch)),
    expressions === undefined ||
      getTexts(expressions).some((text) => evaluateExpression(text, variables)),
    changes === undefined || anyMatches(changes, context.changed, variables),
    kubernetes === undefined,
  ].filter((_, index) => [refs, expressions, changes, kubernetes][index] !== undefined)
}

/** The keys of `only` hold together, each one of `except` alone. */
const admitted = (
  { only, except }: Hash,
  context: PipelineContext,
  variables: Variables,
): boolean =>
  (only === undefined || conditionsOf(only, context, variables).every(Boolean)) &&
  (except === undefined || !conditionsOf(except, context, variables).some(Boolean))

/** A job that is part of the pipeline, with what its rule adds. */
export interface SelectedJob {
  readonly job: CiJob
  readonly rule: Hash
  readonly variables: Variables
}

const selectedOf = (
  job: CiJob,
  context: PipelineContext,
  base: Variables,
): readonly SelectedJob[] => {
  const variables = { ...base, ...valuesOf(job.config.variables) }
  if (job.config.rules === undefined)
    return admitted(job.config, context, variables) ? [{ job, rule: {}, variables }] : []
  const rule = ruleFor(job.config.rules, context, variables)
  return rule === undefined
    ? []
    : [{ job, rule, variables: { ...variables, ...valuesOf(rule.variables) } }]
}

/** The jobs; undefined where the workflow wants no pipeline. */
export const select = (
  tree: Hash,
  context: PipelineContext,
): readonly SelectedJob[] | undefined => {
  const variables = { ...valuesOf(tree.variables), ...context.variables }
  const workflow = isHash(tree.workflow) ? tree.workflow.rules : undefined
  const rule = workflow === undefined ? {} : ruleFor(workflow, context, variables)
  if (rule === undefined) return undefined
  const base = { ...variables, ...valuesOf(rule.variables) }
  return getJobs(tree).flatMap((job) => selectedOf(job, context, base))
}
