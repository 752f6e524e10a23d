/** What `cache` and `artifacts` take. */
import {
  aBoolean,
  all,
  anything,
  aString,
  attribute,
  durationOrNever,
  either,
  hash,
  items,
  must,
  oneOf,
  stringOrStrings,
  strings,
} from './checks.js'
import { reports } from './reports.js'

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
