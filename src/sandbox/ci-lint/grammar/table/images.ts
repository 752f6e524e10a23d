/** What `variables`, `image` and `services` take. */
import { isHash } from '../../values.js'
import {
  advised,
  all,
  attribute,
  each,
  either,
  entry,
  hashType,
  items,
  type Keys,
  listOfWords,
  must,
  namedHash,
  type Relation,
  required,
  since,
  type Type,
} from '../types.js'
import {
  anything,
  booleanType,
  filledText,
  notBlank,
  notEmpty,
  scalar,
  text,
  textList,
  textOrTexts,
} from '../values.js'

const unknownData = 'uses invalid data keys'
const definition = 'variable definition must be either a string or a hash'

const pairs = 'config should be a hash of key value pairs'
const valued = advised(
  must((v) => !(isHash(v) && Object.values(v).includes(null)), 'should have a value for each name'),
)

/** Variables by name; a hash says more of one. */
const variablesOf = (data: Type): Type => {
  const one = either({ ...each('string number boolean', anything), hash: data }, definition)
  return all(namedHash(one, pairs), valued)
}

/** The value that is preset is one of those that can be chosen. */
const isChoice: Relation = {
  key: 'value',
  holds: ({ value, options }) =>
    !Array.isArray(options) || options.map(String).includes(String(value)),
  says: 'must be one of the options',
  curable: true,
}

const data: Keys = { value: all(scalar, advised(text)), expand: since('15.6', booleanType) }
export const variables = {
  job: variablesOf(since('15.6', { ...hashType(data), unknown: unknownData })),
  root: variablesOf({
    ...hashType(
      { ...data, description: text, options: since('15.7', all(textList, notEmpty)) },
      isChoice,
    ),
    unknown: unknownData,
  }),
  rules: all(
    namedHash(
      must(
        (v) => scalar.holds(v) || (isHash(v) && Object.keys(v).length === 0),
        'must be a string',
      ),
      pairs,
    ),
    valued,
  ),
}

const user = either({ string: notBlank, number: anything }, 'should be a string')
const imageable: Keys = {
  name: filledText,
  entrypoint: all(textOrTexts, advised(textList), notEmpty),
  pull_policy: since(
    '15.1',
    entry(all(textOrTexts, notBlank, listOfWords(['always', 'never', 'if-not-present']))),
  ),
  docker: since(
    '16.7',
    attribute(hashType({ platform: filledText, user: since('16.8', filledText) })),
  ),
  kubernetes: since('18.0', attribute(hashType({ user }))),
}
const wanted = 'config should be a hash or a string'

export const image = either(
  { string: notBlank, hash: hashType(imageable, required('name')) },
  wanted,
)
export const services = items(
  either(
    {
      string: notBlank,
      hash: hashType(
        {
          ...imageable,
          alias: all(text, advised(notBlank)),
          command: textOrTexts,
          variables: since('14.5', variables.job),
        },
        required('name'),
      ),
    },
    wanted,
  ),
  'service',
  'hashes or strings',
)
