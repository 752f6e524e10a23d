/** What says when a job runs, and runs again: `rules`, `only`, `retry`, `allow_failure`. */

import { isExpression } from '../expression.js'
import type { Finding } from '../problem.js'
import { isHash } from '../reading/tree.js'
import {
  aDuration,
  all,
  among,
  anything,
  aString,
  attribute,
  either,
  hash,
  integer,
  integers,
  items,
  type KeywordCheck,
  type Keywords,
  must,
  stringOrStrings,
  strings,
  stringsOrRegexes,
} from './checks.js'
import { jobVariables } from './images.js'
import { reasons } from './reports.js'

const isExpressionText = (value: unknown): boolean =>
  typeof value === 'string' && isExpression(value)
const expression = attribute(must(isExpressionText, 'invalid expression syntax'))
const expressions = attribute((value, path, what) => {
  const wrong = strings(value, path, what)
  return wrong.length > 0 || !Array.isArray(value) || value.every(isExpressionText)
    ? wrong
    : [{ text: `${path} ${what} invalid expression syntax` }]
})

const unknownReasons = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.filter((item) => !reasons.some((reason) => reason === item)) : []
const retryWhen: KeywordCheck = (value, path, what) => {
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
const known = (words: readonly string[]): KeywordCheck =>
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
