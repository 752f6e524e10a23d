/** What a job has to do with others: environments, other pipelines, included files, secrets. */
import { isHash } from '../../hash.js'
import {
  advised,
  all,
  attribute,
  chosen,
  each,
  either,
  entry,
  exactlyOne,
  hash,
  items,
  type Keys,
  missing,
  must,
  named,
  oneOf,
  type Relation,
  required,
  since,
} from '../types.js'
import {
  anyHash,
  anything,
  boolean,
  filled,
  filledText,
  formed,
  openDuration,
  short,
  text,
  textOrTexts,
} from '../values.js'
import { rules } from './running.js'

const environmentName = all(
  text,
  filled,
  must(
    (v) => /^[\w${}. -](?:[\w/${}. -]*[\w${}. -])?$/.test(String(v)),
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
  ),
)
const actions = ['start', 'stop', 'prepare', 'verify', 'access']
const tiers = ['production', 'staging', 'testing', 'development', 'other']
const cluster = attribute(
  hash({
    ...each('agent namespace flux_resource_path', text),
    managed_resources: hash({ enabled: boolean }),
    dashboard: hash(each('namespace flux_resource_path', text)),
  }),
)
export const environment = either(
  {
    string: entry(environmentName),
    hash: hash(
      {
        name: environmentName,
        url: all(
          text,
          short,
          advised(formed((url) => /^https?:\/\/./.test(url), 'should be an address')),
        ),
        action: oneOf(actions, () => 'should be start, stop, prepare, verify, or access'),
        on_stop: text,
        auto_stop_in: since('12.8', openDuration),
        deployment_tier: since(
          '13.10',
          oneOf(tiers, (all) => `must be one of ${all}`),
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
    hash: hash(
      { ...source, artifact: since('12.9', text), job: text, rules: anything, integrity: text },
      belonging('job', 'artifact', 'must specify the job where to fetch the artifact from'),
      fileOfProject,
    ),
  },
  'config should be a hash or a string',
)
const ways = {
  strategy: oneOf(['depend', ['mirror', { since: '18.2' }]]),
  forward: since('14.9', hash(each('yaml_variables pipeline_variables', boolean))),
  inputs: since('17.11', given),
}
const childFiles = entry(
  all(
    must((v) => [v].flat().length <= 3, 'is too long (maximum is 3)'),
    chosen((v) => (Array.isArray(v) ? items(childFile, '', 'hashes') : childFile)),
  ),
)
const child = since('12.7', hash({ ...ways, include: childFiles }))
const downstream = hash({ ...ways, project, branch: text }, required('project'))
export const trigger = either(
  {
    string: entry(project),
    hash: chosen((value) => (isHash(value) && 'include' in value ? child : downstream)),
  },
  'has to be either a string or a hash',
)

/** One file that a configuration includes. */
export const include = hash(
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

const kinds = oneOf([['array', { since: '16.11' }], 'boolean', 'number', 'string'])
const input = hash({
  default: anything,
  description: since('16.5', text),
  options: since('16.6', must(Array.isArray, 'should be an array')),
  regex: since('16.5', text),
  type: kinds,
  rules: anything,
})
/** What stands before the document, in one of its own. */
export const header = hash({ spec: since('15.11', hash({ inputs: named(input) })) })

export const idTokens = named(hash({ aud: all(textOrTexts, filled) }, missing('aud')))

const vault = either(
  {
    string: entry(filledText),
    hash: hash(
      {
        engine: hash(each('name path', filledText), required('name'), required('path')),
        ...each('path field', filledText),
      },
      ...['engine', 'path', 'field'].map((key) => required(key)),
    ),
  },
  'should be a hash or a string',
)
const managed = hash(each('name source', text), required('name'))
const version = either(
  { string: text, number: must(Number.isInteger, 'should be an integer') },
  'should be a string or an integer',
)
const aws = either(
  {
    string: entry(filledText),
    hash: hash(
      each('secret_id version_id version_stage region role_arn role_session_name field', text),
      required('secret_id'),
    ),
  },
  'config should be a hash or a string',
)
const engines: Keys = {
  vault,
  azure_key_vault: since('16.3', hash(each('name version', text), required('name'))),
  gcp_secret_manager: since('16.8', hash({ name: filledText, version }, required('name'))),
  aws_secrets_manager: aws,
  akeyless: anyHash,
}
/** The engine of an instance's own is called after it. */
const secret = (value: unknown) => {
  const own = Object.keys(isHash(value) ? value : {}).filter((key) => /_secrets_manager$/.test(key))
  const from = { ...Object.fromEntries(own.map((key) => [key, managed])), ...engines }
  return hash(
    { ...from, file: since('14.1', boolean), token: since('15.8', text) },
    exactlyOne(...Object.keys(from)),
    required('token', 'gcp_secret_manager'),
  )
}
export const secrets = named(chosen(secret))
