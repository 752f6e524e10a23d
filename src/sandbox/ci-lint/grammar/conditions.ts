/** Declares the CI keywords that decide where, when and how often a job runs, from `variables` and `image` to `rules` and `needs`. */

import { isExpression, isWithoutPart } from '../expression.js'
import {
  advised,
  all,
  attribute,
  before,
  type CiVersion,
  chosen,
  type EitherType,
  each,
  either,
  entry,
  has,
  hashType,
  isHash,
  items,
  type Keys,
  listOfWords,
  must,
  namedHash,
  type Relation,
  required,
  since,
  type Type,
  until,
  type Values,
  wordsType,
} from './types.js'
import {
  anything,
  atMost,
  booleanType,
  duration,
  filledText,
  integers,
  integerType,
  isKeywordReference,
  notBlank,
  notEmpty,
  refs,
  scalar,
  script,
  text,
  textList,
  textOrTexts,
  unique,
  week,
} from './values.js'

const unknownData = 'uses invalid data keys'
const definition = 'variable definition must be either a string or a hash'

const pairs = 'config should be a hash of key value pairs'
const valued = advised(
  must((v) => !(isHash(v) && Object.values(v).includes(null)), 'should have a value for each name'),
)

/** Creates the type of a hash of variables: each has a plain value, or a hash with its value and other attributes. */
const createVariablesType = (data: Type): Type => {
  const one = either({ ...each('string number boolean', anything), hash: data }, definition)
  return all(namedHash(one, pairs), valued)
}

/** Requires that the preset value of a variable is one of its options. */
const isChoice: Relation = {
  key: 'value',
  holds: ({ value, options }) =>
    !Array.isArray(options) || options.map(String).includes(String(value)),
  says: 'must be one of the options',
  curable: true,
}

const data: Keys = { value: all(scalar, advised(text)), expand: since('15.6', booleanType) }
export const variables = {
  job: createVariablesType(since('15.6', { ...hashType(data), unknown: unknownData })),
  root: createVariablesType({
    ...hashType(
      { ...data, description: text, options: since('15.7', all(textList, notEmpty)) },
      isChoice,
    ),
    unknown: unknownData,
  }),
  rules: all(
    namedHash(
      must(
        (v) => scalar.holds(v) || (isHash(v) && Object.keys(v).length === 0),
        'must be a string',
      ),
      pairs,
    ),
    valued,
  ),
}

const user = either({ string: notBlank, number: anything }, 'should be a string')
const imageable: Keys = {
  name: filledText,
  entrypoint: all(textOrTexts, advised(textList), notEmpty),
  pull_policy: since(
    '15.1',
    entry(all(textOrTexts, notBlank, listOfWords(['always', 'never', 'if-not-present']))),
  ),
  docker: since(
    '16.7',
    attribute(hashType({ platform: filledText, user: since('16.8', filledText) })),
  ),
  kubernetes: since('18.0', attribute(hashType({ user }))),
}
const wanted = 'config should be a hash or a string'

export const image = either(
  { string: notBlank, hash: hashType(imageable, required('name')) },
  wanted,
)
export const services = items(
  either(
    {
      string: notBlank,
      hash: hashType(
        {
          ...imageable,
          alias: all(text, advised(notBlank)),
          command: script,
          variables: since('14.5', variables.job),
        },
        required('name'),
      ),
    },
    wanted,
  ),
  'service',
  'hashes or strings',
)

// Retries, permitted failures, parallel jobs and needs.

/** The values of `retry:when`: the failures after which a job is run again. */
const reasons = `
  always unknown_failure script_failure api_failure stuck_or_timeout_failure
  stuck_pending_with_matching_runners stuck_pending_no_matching_runners no_updates_running
  no_updates_canceling runner_system_failure runner_configuration_error
  runner_external_dependency_failure runner_interrupted runner_unsupported
  runner_provisioning_timeout stale_schedule job_execution_timeout job_execution_server_timeout
  server_timeout_running server_timeout_canceling job_router_failure archived_failure
  unmet_prerequisites scheduler_failure data_integrity_failure missing_dependency_failure
  forward_deployment_failure user_blocked project_deleted ci_quota_exceeded no_matching_runner
  trace_size_exceeded builds_disabled environment_creation_failure deployment_rejected
  failed_outdated_deployment_job protected_environment_failure insufficient_bridge_permissions
  insufficient_upstream_permissions upstream_bridge_project_not_found
  downstream_bridge_project_not_found downstream_pipeline_creation_failed invalid_bridge_trigger
  bridge_pipeline_is_child_pipeline secrets_provider_not_found
  reached_max_descendant_pipelines_depth reached_max_pipeline_hierarchy_size
  ip_restriction_failure
`
  .trim()
  .split(/\s+/)

const exitCodes = all(integers, notEmpty, unique)
export const retry = either(
  {
    number: entry(integerType(0, 2)),
    hash: since(
      '11.5',
      hashType({
        max: integerType(0, 2),
        when: all(textOrTexts, listOfWords(reasons)),
        exit_codes: since('16.10', exitCodes),
      }),
    ),
  },
  'config has to be either an integer or a hash',
)

const failures = hashType({ exit_codes: exitCodes }, required('exit_codes'))
export const allowFailure = either(
  { boolean: anything, hash: since('13.8', attribute(failures)) },
  'should be a hash or a boolean value',
)

/** Counts the jobs that a matrix generates: one for each combination of the values in its lists. */
const countMatrixJobs = (matrix: unknown): number =>
  [matrix].flat(10).reduce<number>((sum, one) => {
    const lists = isHash(one) ? Object.values(one).filter((v) => Array.isArray(v)) : []
    return sum + lists.reduce((product, list) => product * list.length, 1)
  }, 0)
const limitMatrixJobs = (most: number): Type =>
  must((v) => countMatrixJobs(v) <= most, `generates too many jobs (maximum is ${most})`)
const combination = all(
  must(
    (v) => isHash(v) && !Object.values(v).some(isHash),
    'should be a hash of key value pairs, value can be an array',
  ),
  must((v) => isHash(v) && Object.keys(v).length > 0, 'requires at least 1 items'),
  advised(
    must(
      (v) => isHash(v) && !Object.values(v).some((one) => one === null || typeof one === 'boolean'),
      'should be texts, numbers or lists',
    ),
  ),
)
const matrix = all(
  items(combination, 'variables', 'hashes'),
  until('15.9', limitMatrixJobs(50)),
  limitMatrixJobs(200),
)
const matrixOnly = hashType({ matrix }, required('matrix'))
const createParallelType = (number: Type): Type =>
  either(
    { number: entry(number), hash: since('13.3', matrixOnly) },
    'should be an integer or a hash',
  )
export const parallel = {
  job: createParallelType(all(until('15.9', integerType(1, 50)), integerType(1, 200))),
  bridge: createParallelType(must(() => false, 'cannot use "parallel: <number>"')),
}

const hasAnyKey = (value: unknown): boolean => isHash(value) && Object.keys(value).length > 0

const needKeys: Keys = {
  job: filledText,
  artifacts: booleanType,
  parallel: since('16.3', matrixOnly),
}
/** The kinds of needs, each with its name in the instance's messages and with its type. */
const kinds = {
  job: ['job', hashType({ ...needKeys, optional: since('13.10', booleanType) }, required('job'))],
  bridge: ['bridge', hashType({ ...needKeys, pipeline: filledText })],
  pipeline: ['cross_dependency', hashType({ ...needKeys, pipeline: filledText })],
  project: [
    'cross_dependency',
    hashType(
      { ...needKeys, project: filledText, ref: filledText },
      required('ref'),
      required('job'),
    ),
  ],
} as const
type NeedKind = keyof typeof kinds
const getNeedKind = (need: unknown): NeedKind => {
  if (!isHash(need)) return 'job'
  if ('project' in need) return 'project'
  return 'pipeline' in need ? ('job' in need ? 'pipeline' : 'bridge') : 'job'
}
const need = either(
  { string: filledText, hash: chosen((value) => kinds[getNeedKind(value)][1]) },
  'has an unsupported type',
)

/** Creates the type of a `needs` that permits only these kinds. */
export const needs = (...allowed: readonly NeedKind[]): Type => {
  const names = new Set(allowed.map((kind) => kinds[kind][0]))
  const listOtherNames = (value: unknown): readonly string[] =>
    [...new Set([value].flat(10).map((one) => kinds[getNeedKind(one)][0]))].filter(
      (name) => !names.has(name),
    )
  const fitting = must(
    (v) => listOtherNames(v).length === 0,
    (v) => `uses invalid types of needs: ${listOtherNames(v).join(', ')}`,
  )
  const few = must(
    (v) => [v].flat(10).filter((one) => getNeedKind(one) === 'pipeline').length <= 5,
    'must be less than or equal to 5',
  )
  return either(
    {
      list: all(fitting, few, items(need, 'need', 'hashes or strings')),
      hash: all(fitting, must(hasAnyKey, 'can not be an empty hash'), need),
    },
    'config can only be a hash or an array',
  )
}

/** Creates the type of one condition, or of a list of conditions. Versions differ in the expressions that they accept. */
const createConditions = (): Type => {
  const each = (holds: (text: string) => boolean) =>
    must(
      (v) =>
        [v]
          .flat()
          .every((one) => isKeywordReference(one) || (typeof one === 'string' && holds(one))),
      'invalid expression syntax',
    )
  return all(
    each(isExpression),
    before(
      '18.11',
      '`!`',
      each((text) => isWithoutPart('negation', text)),
    ),
    before(
      '18.7',
      'comparing with `true` or `false`',
      each((text) => isWithoutPart('literals', text)),
    ),
  )
}
export const condition = all(
  must((v) => !Array.isArray(v), 'invalid expression syntax'),
  createConditions(),
)

const isPlaced: Relation = {
  key: 'paths',
  holds: (value) => has(value, 'paths') || has(value, 'regexp'),
  says: "can't be blank",
  curable: true,
}
const ofProject: Relation = {
  holds: (value) => !has(value, 'ref') || has(value, 'project'),
  says: 'missing required keys: project',
  curable: true,
}
const fewPaths = all(textList, atMost(50, 'has too many entries (maximum 50)'))
const createFiles = (from: CiVersion, list: Type, more: Keys): EitherType =>
  either(
    {
      list: entry(list),
      hash: since(from, hashType({ paths: fewPaths, regexp: text, ...more }, isPlaced, ofProject)),
    },
    'config should be an array of strings or a hash',
  )
/** Creates the type of `exists`: the files that must exist. Newer versions also accept a text for a single file. */
const createExistsType = (list: Type): Type => {
  const either = createFiles('16.11', list, { project: text, ref: text })
  return since('12.4', { ...either, forms: { ...either.forms, string: since('16.11', anything) } })
}

/** True if a job or a rule starts after a delay, which `start_in` sets. */
export const isDelayed = ({ when }: Values): boolean => when === 'delayed'
export const describeUnknownWord = (_: string, value: unknown): string => `unknown value: ${value}`
export const startIn = since('11.4', duration(week))

const hasKeys: Relation = {
  holds: hasAnyKey,
  says: "can't be blank",
  curable: true,
}

/** Creates the type of `rules` whose `when` accepts these words. */
export const createRules = (
  whens: readonly string[],
  more: Keys,
  ...relations: readonly Relation[]
) =>
  all(
    items(
      hashType(
        {
          if: condition,
          changes: createFiles('15.3', fewPaths, { compare_to: text }),
          exists: createExistsType(fewPaths),
          when: wordsType(whens, describeUnknownWord),
          ...more,
        },
        hasKeys,
        ...relations,
      ),
      'rule',
      'hashes',
    ),
    notBlank,
  )
/** The rules of an `include`. Unlike the rules of jobs, their `exists` has no limit of files. */
export const includeRules = createRules(['always', 'never'], { exists: createExistsType(textList) })

/** The values that both jobs and bridges accept for `when`. */
export const whens = ['on_success', 'on_failure', 'always', 'manual']
export const jobRules = since(
  '12.3',
  createRules(
    [...whens, 'delayed', 'never'],
    {
      start_in: startIn,
      allow_failure: since('12.8', booleanType),
      variables: since('13.7', variables.rules),
      needs: since('16.0', needs('job')),
      interruptible: since('16.10', booleanType),
    },
    {
      key: 'start_in',
      holds: (rule) => !isDelayed(rule) || has(rule, 'start_in'),
      says: "can't be blank",
    },
    {
      holds: (rule) => isDelayed(rule) || !has(rule, 'start_in'),
      says: 'contains disallowed keys: start_in',
    },
  ),
)

export const policy = either(
  {
    list: entry(refs),
    hash: hashType(
      {
        refs,
        variables: all(textList, createConditions()),
        changes: since('11.4', textList),
        kubernetes: wordsType(['active'], describeUnknownWord),
      },
      hasKeys,
    ),
  },
  'has to be either an array of conditions or a hash',
)
