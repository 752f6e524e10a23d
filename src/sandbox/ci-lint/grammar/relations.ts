/** What a job has to do with others: environments, other pipelines, included files, secrets. */

import { rules } from './conditions.js'
import {
  advised,
  all,
  attribute,
  chosen,
  each,
  either,
  entry,
  exactlyOne,
  hashType,
  isHash,
  items,
  type Keys,
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
  booleanType,
  filledText,
  formed,
  notBlank,
  openDuration,
  short,
  text,
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
          wordsType(tiers, (all) => `must be one of ${all}`),
        ),
        kubernetes: since('12.6', all(attribute(anyHash), advised(cluster))),
      },
      required('name'),
    ),
  },
  'config should be a hash or a string',
)

/** Values that are given to inputs, by their names. */
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
/** An artifact is that of a job, and a project has a file. */
const belonging = (key: string, of: string, says: string): Relation => ({
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
const fileOfProject = belonging(
  'file',
  'project',
  'must specify the file where to fetch the config from',
)
const childFile = either(
  {
    string: entry(filledText),
    hash: hashType(
      { ...source, artifact: since('12.9', text), job: text, rules: anything, integrity: text },
      belonging('job', 'artifact', 'must specify the job where to fetch the artifact from'),
      fileOfProject,
    ),
  },
  'config should be a hash or a string',
)
const ways = {
  strategy: wordsType(['depend', ['mirror', { since: '18.2' }]]),
  forward: since('14.9', hashType(each('yaml_variables pipeline_variables', booleanType))),
  inputs: since('17.11', given),
}
const childFiles = entry(
  all(
    must((v) => [v].flat().length <= 3, 'is too long (maximum is 3)'),
    chosen((v) => (Array.isArray(v) ? items(childFile, '', 'hashes') : childFile)),
  ),
)
const child = since('12.7', hashType({ ...ways, include: childFiles }))
const downstream = hashType({ ...ways, project, branch: text }, required('project'))
export const trigger = either(
  {
    string: entry(project),
    hash: chosen((value) => (isHash(value) && 'include' in value ? child : downstream)),
  },
  'has to be either a string or a hash',
)

/** One file that a configuration includes. */
export const include = hashType(
  {
    ...source,
    rules: since('14.2', rules(['always', 'never'], {})),
    integrity: since(
      '17.9',
      formed((hash) => hash.startsWith('sha256-'), "hash must start with 'sha256-'"),
    ),
  },
  fileOfProject,
)

const kinds = wordsType([['array', { since: '16.11' }], 'boolean', 'number', 'string'])
const input = hashType({
  default: anything,
  description: since('16.5', text),
  options: since('16.6', must(Array.isArray, 'should be an array')),
  regex: since('16.5', text),
  type: kinds,
  rules: anything,
})
/** What stands before the document, in one of its own. */
export const header = hashType({ spec: since('15.11', hashType({ inputs: namedHash(input) })) })

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
/** The engine of an instance's own is called after it. */
const secret = (value: unknown) => {
  const own = Object.keys(isHash(value) ? value : {}).filter((key) => /_secrets_manager$/.test(key))
  const from = { ...Object.fromEntries(own.map((key) => [key, managed])), ...engines }
  return hashType(
    { ...from, file: since('14.1', booleanType), token: since('15.8', text) },
    exactlyOne(...Object.keys(from)),
    required('token', 'gcp_secret_manager'),
  )
}
export const secrets = namedHash(chosen(secret))
