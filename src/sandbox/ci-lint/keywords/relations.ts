/** What a job has to do with others: its environment, what it needs and inherits. */
import {
  aBoolean,
  aHash,
  all,
  among,
  anything,
  aString,
  attribute,
  either,
  filled,
  hash,
  items,
  must,
  openDuration,
  strings,
} from './checks.js'

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
