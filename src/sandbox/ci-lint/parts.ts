/** What the larger keywords of CI configurations take. */
import {
  aBoolean,
  aDuration,
  aHash,
  all,
  among,
  anything,
  aString,
  attribute,
  type Check,
  durationOrNever,
  either,
  filled,
  hash,
  integer,
  integers,
  items,
  must,
  oneOf,
  openDuration,
  scalar,
  stringOrStrings,
  strings,
  stringsOrRegexes,
  variables,
} from './checks.js'
import { isExpression } from './expression.js'
import type { Finding } from './problem.js'
import { reasons, reports } from './reports.js'
import { isHash } from './tree.js'

type Keywords = Readonly<Record<string, Check>>

const isExpressionText = (value: unknown): boolean =>
  typeof value === 'string' && isExpression(value)
const expression = attribute(must(isExpressionText, 'invalid expression syntax'))
const expressions = attribute((value, path, what) => {
  const wrong = strings(value, path, what)
  return wrong.length > 0 || !Array.isArray(value) || value.every(isExpressionText)
    ? wrong
    : [{ text: `${path} ${what} invalid expression syntax` }]
})

export const jobVariables = variables(
  hash({ value: attribute(scalar), expand: attribute(aBoolean) }),
)

const imageable: Keywords = {
  name: attribute(all(aString, filled)),
  entrypoint: attribute(stringOrStrings),
  pull_policy: stringOrStrings,
  ports: anything,
  docker: attribute(aHash),
  kubernetes: attribute(aHash),
}
export const image = either(
  { string: filled, hash: hash(imageable, ['name']) },
  'config should be a hash or a string',
)
export const services = items(
  either(
    {
      string: filled,
      hash: hash(
        {
          ...imageable,
          alias: attribute(aString),
          command: attribute(stringOrStrings),
          variables: jobVariables,
        },
        ['name'],
      ),
    },
    'config should be a hash or a string',
  ),
  'hashes or strings',
  'service',
)

const keyFiles = all(
  strings,
  must((v) => !Array.isArray(v) || v.length > 0, 'requires at least 1 item'),
  must((v) => !Array.isArray(v) || v.length <= 2, 'has too many items (maximum is 2)'),
)
const cacheEntry = hash({
  key: either(
    { string: anything, hash: hash({ files: keyFiles, prefix: aString }, ['files']) },
    'should be a hash, a string or a symbol',
  ),
  paths: strings,
  untracked: aBoolean,
  policy: attribute(
    must(
      (v) => typeof v === 'string' && (v === '' || /pull|push|\$\w/.test(v)),
      'should be a variable or one of: pull-push, push, pull',
    ),
  ),
  when: attribute(oneOf('on_success', 'on_failure', 'always')),
  unprotect: aBoolean,
  fallback_keys: all(
    strings,
    must((v) => !Array.isArray(v) || v.length <= 5, 'has to many entries (maximum 5)'),
  ),
})
export const cache = either(
  {
    hash: cacheEntry,
    list: (value, path) =>
      Array.isArray(value) && value.length > 4
        ? [{ text: `${path} config no more than 4 caches can be created` }]
        : items(cacheEntry, 'hashes', 'cache')(value, path),
  },
  'config should be a hash or an array',
)

export const artifacts = hash({
  name: attribute(aString),
  paths: attribute(strings),
  exclude: attribute(strings),
  expire_in: attribute(durationOrNever),
  expose_as: attribute(aString),
  untracked: attribute(aBoolean),
  public: attribute(aBoolean),
  access: attribute(oneOf('none', 'developer', 'maintainer', 'all')),
  when: attribute(oneOf('on_success', 'on_failure', 'always')),
  reports: hash({
    ...Object.fromEntries(reports.map((name) => [name, attribute(stringOrStrings)])),
    coverage_report: hash({ coverage_format: attribute(aString), path: attribute(aString) }),
  }),
})

const unknownReasons = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.filter((item) => !reasons.some((reason) => reason === item)) : []
const retryWhen: Check = (value, path, what) => {
  const wrong = stringOrStrings(value, path, what)
  const unknown = unknownReasons(value)
  if (wrong.length > 0) return wrong
  if (unknown.length > 0)
    return [{ text: `${path} ${what} contains unknown values: ${unknown.join(', ')}` }]
  return Array.isArray(value)
    ? []
    : among(reasons, 'is not included in the list')(value, path, what)
}
export const retry = either(
  {
    number: integer(0, 2),
    hash: hash({
      max: attribute(integer(0, 2)),
      when: attribute(retryWhen),
      exit_codes: attribute(integers),
    }),
  },
  'config has to be either an integer or a hash',
)

const paths = either(
  { list: strings, hash: hash({ paths: strings, compare_to: aString }, ['paths']) },
  'config should be an array of strings or a hash',
)
const existing = either(
  { list: strings, hash: hash({ paths: strings, project: aString, ref: aString }, ['paths']) },
  'config should be an array of strings or a hash',
)
export const allowFailure = either(
  { boolean: anything, hash: hash({ exit_codes: attribute(integers) }, ['exit_codes']) },
  'should be a hash or a boolean value',
)

export const whens = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const
const known = (words: readonly string[]): Check =>
  attribute((value, path, what) =>
    typeof value === 'string' && words.includes(value)
      ? []
      : [{ text: `${path} ${what} unknown value: ${String(value)}` }],
  )
/** A rule that delays says for how long, and no other does. */
const delay = (rule: unknown, path: string): Finding[] => {
  if (!isHash(rule) || (rule.when === 'delayed') === ((rule.start_in ?? null) !== null)) return []
  return rule.when === 'delayed'
    ? [{ text: `${path} start in can't be blank` }]
    : [{ text: `${path} config contains disallowed keys: start_in` }]
}
export const rules = (more: Keywords, when: readonly string[]) =>
  items(
    all(
      hash({
        if: expression,
        changes: paths,
        exists: existing,
        when: known(when),
        variables: jobVariables,
        ...more,
      }),
      delay,
    ),
    'hashes',
    'rule',
  )
export const startIn = attribute(aDuration)

export const policy = either(
  {
    list: stringsOrRegexes,
    hash: hash({
      refs: attribute(stringsOrRegexes),
      variables: expressions,
      changes: attribute(strings),
      kubernetes: known(['active']),
    }),
  },
  'has to be either an array of conditions or a hash',
)

const tiers = ['production', 'staging', 'testing', 'development', 'other']
export const environment = either(
  {
    string: filled,
    hash: hash(
      {
        name: attribute(all(aString, filled)),
        url: attribute(
          all(
            aString,
            must(
              (v) => typeof v !== 'string' || v.length <= 255,
              'is too long (maximum is 255 characters)',
            ),
          ),
        ),
        action: attribute(
          among(
            ['start', 'stop', 'prepare', 'verify', 'access'],
            'should be start, stop, prepare, verify, or access',
          ),
        ),
        on_stop: attribute(aString),
        auto_stop_in: attribute(openDuration),
        deployment_tier: attribute(among(tiers, `must be one of ${tiers.join(', ')}`)),
        kubernetes: attribute(aHash),
      },
      ['name'],
    ),
  },
  'config should be a hash or a string',
)
export const inherited = either(
  { boolean: anything, list: strings },
  'config should be a boolean value or an array of strings',
)

const need = either(
  {
    string: filled,
    hash: hash({
      job: attribute(aString),
      artifacts: attribute(aBoolean),
      optional: attribute(aBoolean),
      project: attribute(aString),
      ref: attribute(aString),
      pipeline: attribute(aString),
      parallel: aHash,
    }),
  },
  'has an unsupported type',
)
export const needs = either(
  {
    list: items(need, 'hashes or strings', 'need'),
    hash: (value, path) => need(value, `${path}:need`),
  },
  'config can only be a hash or an array',
)
