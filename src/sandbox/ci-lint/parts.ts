/** What the larger keywords of CI configurations take. */
import {
  aBoolean,
  aHash,
  anything,
  aString,
  type Check,
  durationOrNever,
  either,
  hash,
  integer,
  items,
  oneOf,
  stringOrStrings,
  strings,
  variables,
} from './checks.js'
import { isExpression } from './expression.js'

type Keywords = Readonly<Record<string, Check>>

const expression: Check = (value, path) =>
  typeof value === 'string' && isExpression(value)
    ? []
    : [`${path.slice(0, path.lastIndexOf(':'))}:rule if invalid expression syntax`]

export const image = either(
  {
    string: aString,
    hash: hash(
      {
        name: aString,
        entrypoint: stringOrStrings,
        pull_policy: stringOrStrings,
        ports: anything,
        docker: aHash,
      },
      ['name'],
    ),
  },
  'a hash or a string',
)
export const services = items(
  either(
    {
      string: aString,
      hash: hash(
        {
          name: aString,
          alias: aString,
          entrypoint: stringOrStrings,
          command: stringOrStrings,
          variables: variables(),
          pull_policy: stringOrStrings,
          ports: anything,
          docker: aHash,
        },
        ['name'],
      ),
    },
    'a hash or a string',
  ),
)
const cacheEntry = hash({
  key: either(
    {
      string: aString,
      number: anything,
      hash: hash({ files: strings, prefix: aString }, ['files']),
    },
    'a hash, a string or a symbol',
  ),
  paths: strings,
  untracked: aBoolean,
  policy: oneOf('pull-push', 'push', 'pull'),
  when: oneOf('on_success', 'on_failure', 'always'),
  unprotect: aBoolean,
  fallback_keys: strings,
})
export const cache = either(
  { hash: cacheEntry, list: items(cacheEntry, 'hashes') },
  'a hash or an array',
)
const reports = [
  'accessibility',
  'annotations',
  'api_fuzzing',
  'browser_performance',
  'cluster_applications',
  'cluster_image_scanning',
  'cobertura',
  'codequality',
  'container_scanning',
  'coverage_fuzzing',
  'cyclonedx',
  'dast',
  'dependency_scanning',
  'dotenv',
  'junit',
  'license_scanning',
  'load_performance',
  'lsif',
  'metrics',
  'performance',
  'requirements',
  'requirements_v2',
  'sast',
  'secret_detection',
  'terraform',
]
export const artifacts = hash({
  name: aString,
  paths: strings,
  exclude: strings,
  expire_in: durationOrNever,
  expose_as: aString,
  untracked: aBoolean,
  public: aBoolean,
  access: oneOf('all', 'developer', 'maintainer', 'none'),
  when: oneOf('on_success', 'on_failure', 'always'),
  reports: hash({
    ...Object.fromEntries(reports.map((name) => [name, stringOrStrings])),
    coverage_report: hash({ coverage_format: aString, path: aString }),
  }),
})
export const retry = either(
  {
    number: integer(0, 2),
    hash: hash({ max: integer(0, 2), when: stringOrStrings, exit_codes: anything }),
  },
  'an integer or a hash',
)
const changes = either(
  { list: strings, hash: hash({ paths: strings, compare_to: aString }, ['paths']) },
  'an array of strings or a hash',
)
export const allowFailure = either(
  { boolean: anything, hash: hash({ exit_codes: anything }, ['exit_codes']) },
  'a hash or a boolean value',
)
export const whens = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const
export const rules = (more: Keywords, when: readonly string[]) =>
  items(
    hash({
      if: expression,
      changes,
      exists: either({ list: strings, hash: aHash }, 'an array of strings'),
      when: oneOf(...when),
      variables: variables(),
      ...more,
    }),
    'hashes',
  )
export const policy = either(
  {
    string: aString,
    list: strings,
    hash: hash({
      refs: strings,
      variables: strings,
      changes: strings,
      kubernetes: oneOf('active'),
    }),
  },
  'an array of strings, a string or a hash',
)
export const environment = either(
  {
    string: aString,
    hash: hash({
      name: aString,
      url: aString,
      action: oneOf('start', 'stop', 'prepare', 'verify', 'access'),
      on_stop: aString,
      auto_stop_in: durationOrNever,
      deployment_tier: oneOf('production', 'staging', 'testing', 'development', 'other'),
      kubernetes: aHash,
    }),
  },
  'a hash or a string',
)
export const inherited = either(
  { boolean: anything, list: strings },
  'a boolean value or an array of strings',
)

export const need = either(
  {
    string: aString,
    hash: hash({
      job: aString,
      artifacts: aBoolean,
      optional: aBoolean,
      project: aString,
      ref: aString,
      pipeline: aString,
      parallel: aHash,
    }),
  },
  'a hash or a string',
)
