/**
 * Combines all CI keywords in one table: their types, limits and versions, as far as public pages document them. Rules that only the
 * schema for editors has are `advised`; they come from firecow/gitlab-ci-local, `src/schema.json` of commit 4e945cd.
 */

import { artifacts, cache, pages, release } from './artifacts.js'
import {
  allowFailure,
  createRules,
  image,
  isDelayed,
  jobRules,
  needs,
  parallel,
  policy,
  retry,
  services,
  startIn,
  variables,
  whens,
} from './conditions.js'
import { environmentType, idTokens, jobInputs, secrets, trigger } from './relations.js'
import {
  advised,
  all,
  attribute,
  before,
  either,
  entry,
  excludes,
  has,
  hashType,
  isHash,
  items,
  type Keys,
  listOfWords,
  must,
  type Relation,
  required,
  since,
  type Type,
  until,
  type Values,
  wordsType,
} from './types.js'
import {
  anyHash,
  anything,
  booleanType,
  duration,
  filledText,
  isFilled,
  month,
  nestedTexts,
  notBlank,
  notEmpty,
  regex,
  script,
  short,
  text,
  textList,
  textOrTexts,
  unique,
} from './values.js'

const fewTags = must(
  (v) => Array.isArray(v) && v.length < 50,
  'must be less than the limit of 50 tags',
)

/** The keywords of `default:`, which jobs have, too. */
const defaults: Keys = {
  image,
  services,
  before_script: script,
  after_script: script,
  cache,
  artifacts,
  retry,
  timeout: entry(duration(month)),
  tags: entry(all(textList, fewTags, notEmpty)),
  interruptible: since('12.3', entry(booleanType)),
  hooks: since('15.6', hashType({ pre_get_sources_script: script })),
  id_tokens: since('15.7', idTokens),
  identity: since('16.9', entry(wordsType(['google_cloud']))),
}

const createInherit = (names: Type) =>
  either(
    { boolean: anything, list: entry(names) },
    'config should be a boolean value or an array of strings',
  )

/** The keywords of all kinds of jobs. */
const common: Keys = {
  stage: entry(all(text, advised(notBlank))),
  extends: since('11.3', textOrTexts),
  rules: jobRules,
  only: policy,
  except: policy,
  variables: variables.job,
  inherit: since(
    '12.9',
    hashType({
      default: createInherit(all(textList, listOfWords(Object.entries(defaults)))),
      variables: createInherit(textList),
    }),
  ),
  interruptible: since('12.3', entry(booleanType)),
  resource_group: since('12.7', text),
  environment: environmentType,
}

/** The keywords that a job with `rules` may not have, because its rules decide when it runs. */
const besideRules = ['only', 'except', 'start_in']
const runs: readonly Relation[] = [
  {
    holds: (job) => !has(job, 'rules') || !besideRules.some((key) => has(job, key)),
    says: (job) =>
      `key may not be used with \`rules\`: ${besideRules.filter((key) => has(job, key)).join(', ')}`,
  },
  {
    key: 'start_in',
    holds: (job) => !isDelayed(job) || has(job, 'start_in'),
    says: 'should be a duration',
    curable: true,
  },
  {
    key: 'start_in',
    holds: (job) =>
      isDelayed(job) || has(job, 'rules') || !has(job, 'start_in') || !has(job, 'when'),
    says: 'must be blank',
  },
  {
    key: 'start_in',
    holds: (job) => has(job, 'rules') || !has(job, 'start_in') || has(job, 'when'),
    says: 'must be blank',
    curable: true,
  },
]
/** True if a job creates pages: by the keyword `pages`, or by the name `pages` unless the keyword is false. */
const isOfPages = ({ pages: of = null }: Values, path: string): boolean =>
  of === null ? path === 'jobs:pages' : of !== false

const scripts: readonly Relation[] = [
  {
    key: 'script',
    holds: (job) =>
      !('script' in job) || 'run' in job || (has(job, 'script') && isFilled(job.script)),
    says: "can't be blank",
  },
  excludes('script', 'run'),
  ...['before_script', 'after_script'].map(
    (key): Relation => ({
      holds: (job) => !(has(job, key) && has(job, 'run')),
      says: `these keys cannot be used together: ${key}, run`,
    }),
  ),
  {
    key: 'publish',
    holds: (job, path) => !has(job, 'publish') || isOfPages(job, path),
    says: 'can only be used within a `pages` job',
  },
]

const stepName = must((v) => /^[a-z_]\w*$/i.test(String(v)), 'should be a name')
const step = hashType(
  {
    name: all(text, stepName),
    script: filledText,
    env: anyHash,
    inputs: anyHash,
    step: anything,
    func: anything,
  },
  required('name'),
)

const jobKeys: Keys = {
  ...common,
  ...defaults,
  script,
  run: since('17.3', advised(items(step, 'step', 'hashes'))),
  type: until('15.0', entry(text)),
  needs: since('12.2', needs('job', 'pipeline', 'project')),
  dependencies: textList,
  when: wordsType([...whens, ['delayed', { since: '11.4' }]]),
  start_in: startIn,
  allow_failure: attribute(allowFailure),
  parallel: since('11.5', parallel.job),
  coverage: entry(regex),
  secrets: since('13.4', secrets),
  dast_configuration: since('14.1', hashType({ site_profile: text, scanner_profile: text })),
  manual_confirmation: since('17.1', text),
  pages,
  publish: since('16.1', text),
  inputs: since('18.10', jobInputs),
  release: since('13.2', release),
}
const bridgeKeys: Keys = {
  ...common,
  needs: since('12.2', needs('job', 'bridge')),
  when: wordsType(whens),
  allow_failure: booleanType,
  parallel: since('11.5', parallel.bridge),
  trigger: since('11.8', trigger),
}

/** A job that a runner executes. */
export const job = hashType(jobKeys, ...runs, ...scripts)
/** A job that starts another pipeline, or mirrors the status of one. */
export const bridge = hashType(bridgeKeys, ...runs, {
  holds: ({ needs: given }) =>
    [given].flat(10).filter((one) => isHash(one) && 'pipeline' in one).length <= 1,
  says: 'should contain exactly one bridge need',
})
/** A job whose kind the configuration does not determine. A header without a document after it is checked as one. */
export const anyJob = hashType({ ...bridgeKeys, ...jobKeys, inputs: anything }, ...runs, ...scripts)

const createCancel = (...words: readonly string[]) =>
  wordsType(words, (all) => `must be one of: ${all}`)
const autoCancel = since(
  '16.8',
  hashType({
    on_new_commit: createCancel('conservative', 'interruptible', 'none'),
    on_job_failure: since('16.10', createCancel('none', 'all')),
  }),
)
/** The keywords at the top level. */
export const root: Keys = {
  default: hashType(defaults),
  include: anything,
  stages: entry(all(nestedTexts, before('16.9', 'a list in a list', textList), notEmpty, unique)),
  types: until('15.0', entry(textList)),
  image,
  services,
  before_script: script,
  after_script: script,
  cache,
  variables: variables.root,
  workflow: since(
    '12.5',
    hashType({
      rules: createRules(['always', 'never'], {
        variables: since('13.11', variables.rules),
        auto_cancel: autoCancel,
      }),
      name: since('15.5', all(text, notBlank, short)),
      auto_cancel: autoCancel,
    }),
  ),
}
