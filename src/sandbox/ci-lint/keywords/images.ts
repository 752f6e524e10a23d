/** What `image` and `services` take. */
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
  items,
  type Keywords,
  scalar,
  stringOrStrings,
  variables,
} from './checks.js'

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
