/** The keywords of CI configurations and what each takes. */
import {
  aBoolean,
  aDuration,
  aHash,
  anything,
  aRegex,
  aString,
  type Check,
  either,
  hash,
  integer,
  items,
  oneOf,
  scalar,
  script,
  stringOrStrings,
  strings,
  variables,
} from './checks.js'
import {
  allowFailure,
  artifacts,
  cache,
  environment,
  image,
  inherited,
  need,
  policy,
  retry,
  rules,
  services,
  whens,
} from './parts.js'

type Keywords = Readonly<Record<string, Check>>

/** What any kind of job takes. */
const common: Keywords = {
  stage: aString,
  extends: stringOrStrings,
  needs: either({ string: aString, list: items(need), hash: need }, 'a hash or an array'),
  rules: rules(
    { start_in: aDuration, allow_failure: aBoolean, needs: anything, interruptible: aBoolean },
    [...whens, 'never'],
  ),
  only: policy,
  except: policy,
  when: oneOf(...whens),
  start_in: aDuration,
  allow_failure: allowFailure,
  variables: variables(),
  inherit: hash({ default: inherited, variables: inherited }),
  interruptible: aBoolean,
  resource_group: aString,
  parallel: either(
    { number: integer(1, 200), hash: hash({ matrix: items(aHash, 'hashes') }, ['matrix']) },
    'an integer or a hash',
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
}

/** A job that a runner takes. */
export const job: Keywords = {
  ...common,
  ...defaults,
  script,
  type: aString,
  dependencies: strings,
  coverage: aRegex,
  secrets: aHash,
  dast_configuration: aHash,
  manual_confirmation: aString,
  pages: anything,
  publish: aString,
  release: hash(
    {
      tag_name: aString,
      tag_message: aString,
      description: aString,
      name: aString,
      ref: aString,
      milestones: stringOrStrings,
      released_at: aString,
      assets: aHash,
    },
    ['tag_name'],
  ),
}

/** A job that starts another pipeline. */
export const bridge: Keywords = {
  ...common,
  trigger: either(
    {
      string: aString,
      hash: hash({
        project: aString,
        branch: aString,
        strategy: oneOf('depend'),
        include: anything,
        forward: hash({ yaml_variables: aBoolean, pipeline_variables: aBoolean }),
        inputs: aHash,
      }),
    },
    'a hash or a string',
  ),
}

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
    hash({ value: scalar, description: aString, expand: aBoolean, options: strings }),
  ),
  workflow: hash({ rules: rules({}, ['always', 'never']), name: aString, auto_cancel: aHash }),
}
