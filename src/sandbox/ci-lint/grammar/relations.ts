/** Declares the CI keywords that refer to other objects: environments, other pipelines, included files and secrets. */

import { condition, describeUnknownWord, includeRules } from './conditions.js'
import {
  advised,
  all,
  attribute,
  chosen,
  each,
  either,
  entry,
  exactlyOne,
  has,
  hashType,
  isHash,
  items,
  type Keys,
  listOfWords,
  must,
  namedHash,
  type Relation,
  required,
  requiresKeys,
  since,
  wordsType,
} from './types.js'
import {
  anyHash,
  anything,
  atMost,
  booleanType,
  filledText,
  formed,
  hasVariable,
  isTimeSpan,
  notBlank,
  openDuration,
  parseSeconds,
  scalar,
  short,
  text,
  textList,
  textOrTexts,
} from './values.js'

const environmentName = all(
  text,
  notBlank,
  must(
    (v) => /^[\w${}. -](?:[\w/${}. -]*[\w${}. -])?$/.test(String(v)),
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
  ),
)
const actions = ['start', 'stop', 'prepare', 'verify', 'access']
const tiers = ['production', 'staging', 'testing', 'development', 'other']
const tier = wordsType(tiers, (all) => `must be one of ${all}`)
const cluster = attribute(
  hashType({
    ...each('agent namespace flux_resource_path', text),
    managed_resources: hashType({ enabled: booleanType }),
    dashboard: hashType(each('namespace flux_resource_path', text)),
  }),
)
export const environmentType = either(
  {
    string: entry(environmentName),
    hash: hashType(
      {
        name: environmentName,
        url: all(
          text,
          short,
          advised(formed((url) => /^https?:\/\/./.test(url), 'should be an address')),
        ),
        action: wordsType(actions, () => 'should be start, stop, prepare, verify, or access'),
        on_stop: text,
        auto_stop_in: since('12.8', openDuration),
        deployment_tier: since(
          '13.10',
          attribute(chosen((value) => (hasVariable(value) ? text : tier))),
        ),
        kubernetes: since('12.6', all(attribute(anyHash), advised(cluster))),
      },
      required('name'),
    ),
  },
  'config should be a hash or a string',
)

/** The type of the values that an include or a trigger sets for inputs. */
const given = attribute(
  all(
    anyHash,
    advised(
      must(
        (v) => isHash(v) && Object.keys(v).every((name) => /^[\w-]+$/.test(name)),
        'should be names',
      ),
    ),
  ),
)
const isFile = (path: string): boolean => /\.ya?ml$/i.test(path)
const file = all(filledText, advised(formed(isFile, 'should be the name of a YAML file')))
/** Creates the condition that a hash with the key `of` also has `key`: with an artifact its job, with a project its file. */
const requireWith = (key: string, of: string, says: string): Relation => ({
  holds: (value) => (value[of] ?? '') === '' || (value[key] ?? '') !== '',
  says,
})
const project = all(
  filledText,
  advised(formed((path) => /\S\/\S/.test(path), 'should be the path of a project')),
)
const source: Keys = {
  local: file,
  file: textOrTexts,
  remote: text,
  template: since('11.7', text),
  component: since('16.0', text),
  project: since('11.7', project),
  ref: text,
  inputs: since('15.11', given),
}
/** Creates the condition that a hash may have a key only for a remote file. */
const limitToRemote = (key: string): Relation => ({
  holds: (value) => (value[key] ?? false) === false || has(value, 'remote'),
  says: `${key} can only be specified for remote includes`,
})
const sum = all(
  formed((hash) => hash.startsWith('sha256-'), "hash must start with 'sha256-'"),
  formed(
    (hash) => /^sha256-(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(hash),
    'hash must be base64 encoded',
  ),
)
const keepingTime = all(
  must(
    (v) => typeof v === 'boolean' || typeof v === 'string',
    'must be a boolean or a duration string',
  ),
  must((v) => typeof v === 'boolean' || v === '' || isTimeSpan(v), 'contains an invalid duration'),
  must(
    (v) => typeof v !== 'string' || v === '' || (parseSeconds(v) ?? 0) >= 60,
    'duration must be at least 1 minute',
  ),
)
const remoteKeys: Keys = { integrity: since('17.9', sum), cache: since('18.9', keepingTime) }
const remoteRules = [limitToRemote('integrity'), limitToRemote('cache')]
const fileOfProject = requireWith(
  'file',
  'project',
  'must specify the file where to fetch the config from',
)
const childFile = either(
  {
    string: entry(filledText),
    hash: hashType(
      { ...source, ...remoteKeys, artifact: since('12.9', text), job: text, rules: anything },
      requireWith('job', 'artifact', 'must specify the job where to fetch the artifact from'),
      fileOfProject,
      ...remoteRules,
    ),
  },
  'config should be a hash or a string',
)
const ways = {
  strategy: wordsType(['depend', ['mirror', { since: '18.2' }]]),
  forward: since('14.9', hashType(each('yaml_variables pipeline_variables', booleanType))),
}
const childFiles = entry(
  all(
    must((v) => [v].flat().length <= 3, 'is too long (maximum is 3)'),
    chosen((v) => (Array.isArray(v) ? items(childFile, '', 'hashes') : childFile)),
  ),
)
const child = since('12.7', hashType({ ...ways, include: childFiles }))
const downstream = hashType(
  { ...ways, inputs: since('17.11', given), project, branch: text },
  required('project'),
)
export const trigger = either(
  {
    string: entry(project),
    hash: chosen((value) => (isHash(value) && 'include' in value ? child : downstream)),
  },
  'has to be either a string or a hash',
)

/** The type of an entry of `include`. */
export const include = hashType(
  {
    ...source,
    ...remoteKeys,
    rules: since('14.2', includeRules),
  },
  fileOfProject,
  ...remoteRules,
)

const kinds = wordsType(
  [['array', { since: '16.11' }], 'boolean', 'number', 'string'],
  describeUnknownWord,
)
const options = all(
  must(Array.isArray, 'should be an array'),
  atMost(50, 'cannot define more than 50 options'),
  must((v) => !(Array.isArray(v) && v.includes(null)), 'options array cannot contain null values'),
)
/** The keywords of an input. */
const inputKeys: Keys = {
  default: anything,
  description: since('16.5', scalar),
  options: since('16.6', options),
  regex: since('16.5', text),
  type: kinds,
}
const defaults: Relation = {
  holds: (rule) => 'default' in rule,
  says: "rule must define 'options' with at least one value and a 'default'",
}
const isChoice: Relation = {
  holds: (rule) =>
    !('default' in rule) ||
    !Array.isArray(rule.options) ||
    rule.options.length === 0 ||
    rule.options.includes(rule.default),
  says: ({ default: preset }) => `default '${preset ?? ''}' must be one of the options`,
}
const inputRules = items(
  hashType({ if: condition, options, default: anything }, defaults, isChoice),
  'rule',
  'hashes',
)
const refuseTogether = (one: string, other: string): Relation => ({
  holds: (value) => !(one in value && other in value),
  says: `these keys cannot be used together: ${one}, ${other}`,
})
const input = hashType(
  { ...inputKeys, rules: since('18.7', inputRules) },
  refuseTogether('rules', 'options'),
  refuseTogether('rules', 'default'),
)
/** The inputs that a manual job requires when it is started. */
export const jobInputs = namedHash(
  hashType(inputKeys, {
    holds: (value) => has(value, 'default'),
    says: 'must have a default value',
    curable: true,
  }),
)
const headerInclude = either(
  { string: anything, hash: anyHash, list: anything },
  'config should be an array or a string',
)
/** The header of a configuration: a document before the main one. */
export const header = hashType({
  spec: since(
    '15.11',
    hashType({
      inputs: namedHash(input),
      include: since('18.9', headerInclude),
      component: since(
        '18.6',
        entry(all(textList, listOfWords(['name', 'sha', 'version', 'reference']))),
      ),
      description: since('18.10', text),
    }),
  ),
})

export const idTokens = namedHash(
  hashType({ aud: all(textOrTexts, notBlank) }, requiresKeys('aud')),
)

const vault = either(
  {
    string: entry(filledText),
    hash: hashType(
      {
        engine: hashType(each('name path', filledText), required('name'), required('path')),
        ...each('path field', filledText),
      },
      ...['engine', 'path', 'field'].map((key) => required(key)),
    ),
  },
  'should be a hash or a string',
)
const managed = hashType(each('name source', text), required('name'))
const version = either(
  { string: text, number: must(Number.isInteger, 'should be an integer') },
  'should be a string or an integer',
)
const aws = either(
  {
    string: entry(filledText),
    hash: hashType(
      each('secret_id version_id version_stage region role_arn role_session_name field', text),
      required('secret_id'),
    ),
  },
  'config should be a hash or a string',
)
const engines: Keys = {
  vault,
  azure_key_vault: since('16.3', hashType(each('name version', text), required('name'))),
  gcp_secret_manager: since('16.8', hashType({ name: filledText, version }, required('name'))),
  aws_secrets_manager: aws,
  akeyless: anyHash,
}
/** Returns the type of a secret. If the instance has a secrets manager of its own, its name ends in `_secrets_manager`. */
const chooseSecret = (value: unknown) => {
  const own = Object.keys(isHash(value) ? value : {}).filter((key) => /_secrets_manager$/.test(key))
  const from = { ...Object.fromEntries(own.map((key) => [key, managed])), ...engines }
  return hashType(
    { ...from, file: since('14.1', booleanType), token: since('15.8', text) },
    exactlyOne(...Object.keys(from)),
    required('token', 'gcp_secret_manager'),
  )
}
export const secrets = namedHash(chosen(chooseSecret))
