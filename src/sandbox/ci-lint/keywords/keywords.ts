/** The keywords of CI configurations and what each takes. */
import {
  aBoolean,
  aDuration,
  aHash,
  all,
  anything,
  aRegex,
  aString,
  attribute,
  either,
  filled,
  hash,
  integer,
  items,
  type Keywords,
  oneOf,
  scalar,
  script,
  stringOrStrings,
  strings,
  variables,
} from './checks.js'
import { image, jobVariables, services } from './images.js'
import { artifacts, cache } from './kept.js'
import { environment, inherited, needs } from './relations.js'
import { allowFailure, policy, retry, rules, startIn, whens } from './running.js'
import { trigger } from './trigger.js'

/** What any kind of job takes. */
const common: Keywords = {
  stage: aString,
  extends: attribute(stringOrStrings),
  needs,
  rules: rules(
    {
      start_in: startIn,
      allow_failure: attribute(aBoolean),
      needs,
      interruptible: attribute(aBoolean),
    },
    [...whens, 'never'],
  ),
  only: policy,
  except: policy,
  when: attribute(oneOf(...whens)),
  start_in: startIn,
  allow_failure: attribute(allowFailure),
  variables: jobVariables,
  inherit: hash({ default: inherited, variables: inherited }),
  interruptible: aBoolean,
  resource_group: attribute(aString),
  parallel: either(
    {
      number: integer(1, 200),
      hash: hash({ matrix: items(aHash, 'hashes', 'matrix') }, ['matrix']),
    },
    'should be an integer or a hash',
  ),
  environment,
}

/** What `default:` takes, and jobs too. */
const defaults: Keywords = {
  image,
  services,
  before_script: script,
  after_script: script,
  cache,
  artifacts,
  retry,
  timeout: aDuration,
  tags: strings,
  interruptible: aBoolean,
  hooks: hash({ pre_get_sources_script: script }),
  id_tokens: aHash,
  identity: aString,
}

/** A job that a runner takes. */
export const job: Keywords = {
  ...common,
  ...defaults,
  script: (value, path) =>
    filled(value, path).length > 0 ? attribute(filled)(value, path) : script(value, path),
  run: anything,
  type: aString,
  dependencies: attribute(strings),
  coverage: aRegex,
  secrets: aHash,
  dast_configuration: aHash,
  manual_confirmation: attribute(aString),
  pages: anything,
  publish: attribute(aString),
  inputs: aHash,
  release: hash(
    {
      tag_name: attribute(all(aString, filled)),
      tag_message: attribute(aString),
      description: attribute(all(aString, filled)),
      name: attribute(aString),
      ref: attribute(aString),
      milestones: attribute(stringOrStrings),
      released_at: attribute(aString),
      assets: aHash,
    },
    ['tag_name', 'description'],
  ),
}

/** A job that starts another pipeline, or stands for one. */
export const bridge: Keywords = { ...common, trigger }

/** What stands beside the jobs. */
export const root: Keywords = {
  default: hash(defaults),
  include: anything,
  stages: strings,
  types: strings,
  image,
  services,
  before_script: script,
  after_script: script,
  cache,
  variables: variables(
    hash({
      value: attribute(scalar),
      description: attribute(aString),
      expand: attribute(aBoolean),
      options: attribute(strings),
    }),
  ),
  workflow: hash({
    rules: rules({ auto_cancel: aHash }, ['always', 'never']),
    name: attribute(aString),
    auto_cancel: aHash,
  }),
}
