/** What `trigger:` takes: another project's pipeline, or one of included files. */

import { isHash } from '../reading/tree.js'
import {
  aBoolean,
  aHash,
  all,
  anything,
  aString,
  attribute,
  either,
  filled,
  hash,
  type KeywordCheck,
  oneOf,
} from './checks.js'

const mostIncludes = 3

const entry = hash({
  local: attribute(aString),
  file: anything,
  remote: attribute(aString),
  template: attribute(aString),
  component: attribute(aString),
  artifact: attribute(aString),
  job: attribute(aString),
  project: attribute(aString),
  ref: attribute(aString),
  inputs: aHash,
  rules: anything,
  integrity: attribute(aString),
})

/** What has to stand beside what. */
const together: KeywordCheck = (value, path) => {
  if (!isHash(value)) return []
  const lacks = (key: string): boolean => (value[key] ?? '') === ''
  if (!lacks('artifact') && lacks('job'))
    return [{ text: `${path} config must specify the job where to fetch the artifact from` }]
  return !lacks('project') && lacks('file')
    ? [{ text: `${path} config must specify the file where to fetch the config from` }]
    : []
}

const included = either(
  { string: filled, hash: all(entry, together) },
  'config should be a hash or a string',
)
const includes: KeywordCheck = (value, path) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.length > mostIncludes
    ? [{ text: `${path} config is too long (maximum is ${mostIncludes})` }]
    : list.flatMap((one) => included(one, path))
}

const common = {
  strategy: attribute(oneOf('depend', 'mirror')),
  forward: hash({
    yaml_variables: attribute(aBoolean),
    pipeline_variables: attribute(aBoolean),
  }),
  inputs: aHash,
}
const child = hash({ ...common, include: includes })
const downstream = hash(
  { ...common, project: attribute(all(aString, filled)), branch: attribute(aString) },
  ['project'],
)

export const trigger = either(
  {
    string: filled,
    hash: (value, path) => (isHash(value) && 'include' in value ? child : downstream)(value, path),
  },
  'has to be either a string or a hash',
)
