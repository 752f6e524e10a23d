/** The words of other tools and of the service's web pages: first words of a line, and areas that the documents lack. */
import { toSingular } from '../../base/text.js'

/** The lines that replace the first word, or the first two; the rest of the line is kept. */
const lines: Readonly<Record<string, string>> = {
  // The tool.
  login: 'auth login',
  signin: 'auth login',
  init: 'auth login',
  logout: 'auth logout',
  whoami: 'auth status',
  me: 'auth status',
  use: 'auth switch',
  switch: 'auth switch',
  'auth list': 'profile list',
  'auth use': 'auth switch',
  'auth refresh': 'auth login',
  'auth whoami': 'auth status',
  'auth print-access-token': 'auth token',
  'auth print-token': 'auth token',
  'auth show-token': 'auth token',
  'auth setup-git': 'auth git-credential --help',
  configure: 'auth login',
  'configure list': 'profile list',
  'config list': 'profile list',
  'config ls': 'profile list',
  'config view': 'profile list',
  'config get-contexts': 'profile list',
  'config get': 'profile get',
  'config show': 'profile get',
  'config current-context': 'auth status',
  'config use-context': 'auth switch',
  'config set-context': 'auth switch',
  'config use': 'auth switch',
  'config delete-context': 'profile delete',
  'config unset': 'profile delete',
  contexts: 'profile list',
  context: 'profile list',
  man: 'help',
  autocomplete: 'completion',
  completions: 'completion',
  docs: 'help',
  'api-resources': 'commands',
  extension: 'extend',
  extensions: 'extend',
  plugin: 'extend',
  plugins: 'extend',
  // The instance.
  status: 'overview',
  'cluster-info': 'overview',
  dashboard: 'overview',
  top: 'overview',
  info: 'overview',
  health: 'check instance',
  ping: 'check instance',
  backup: 'snapshot',
  lint: 'ci lint',
  'pipeline lint': 'ci lint',
  'ci validate': 'ci lint',
  'ci status': 'jobs list',
  'cherry-pick': 'commits cherry-pick',
  revert: 'commits revert',
  'storage move': 'storage-move schedule',
  'ci jobs': 'jobs list',
  'pipeline jobs': 'jobs list',
  'pipelines jobs': 'jobs list',
  // As code, and what was done.
  diff: 'plan',
  validate: 'plan',
  preview: 'plan',
  refresh: 'drift',
  import: 'export',
  dump: 'export',
  undo: 'journal undo last',
  rollback: 'journal undo last',
  history: 'journal list',
}

/** Other names of areas, in the singular. The plural is accepted as well. */
const names: Readonly<Record<string, string>> = {
  repo: 'projects',
  repository: 'projects',
  pr: 'mr',
  'merge-request': 'mr',
  merge_request: 'mr',
  mergerequest: 'mr',
  'pull-request': 'mr',
  service: 'integrations',
  build: 'jobs',
  agent: 'runners',
  node: 'geo nodes',
  domain: 'pages-domains',
  page: 'pages-domains',
  deploy_key: 'deploy-keys',
  permission: 'members',
  activity: 'events',
  vuln: 'vulnerabilities',
  dep: 'dependencies',
  setting: 'settings',
  lock: 'resource-groups',
}

/** Areas of the service that the documents lack, in the singular, with the path of their list. */
const routes: Readonly<Record<string, string>> = {
  user: 'users',
  group: 'groups',
  org: 'groups',
  organization: 'groups',
  namespace: 'namespaces',
  pipeline: 'projects/{project}/pipelines',
  run: 'projects/{project}/pipelines',
  workflow: 'projects/{project}/pipelines',
  schedule: 'projects/{project}/pipeline_schedules',
  trigger: 'projects/{project}/triggers',
  branch: 'projects/{project}/repository/branches',
  'protected-branch': 'projects/{project}/protected_branches',
  tag: 'projects/{project}/repository/tags',
  label: 'projects/{project}/labels',
  milestone: 'projects/{project}/milestones',
  board: 'projects/{project}/boards',
  variable: 'projects/{project}/variables',
  secret: 'projects/{project}/variables',
  hook: 'projects/{project}/hooks',
  webhook: 'projects/{project}/hooks',
  'system-hook': 'hooks',
  token: 'personal_access_tokens',
  'access-token': 'personal_access_tokens',
  'deploy-token': 'projects/{project}/deploy_tokens',
  release: 'projects/{project}/releases',
  environment: 'projects/{project}/environments',
  env: 'projects/{project}/environments',
  deployment: 'projects/{project}/deployments',
  package: 'projects/{project}/packages',
  registry: 'projects/{project}/registry/repositories',
  snippet: 'projects/{project}/snippets',
  wiki: 'projects/{project}/wikis',
  badge: 'projects/{project}/badges',
  mirror: 'projects/{project}/remote_mirrors',
  fork: 'projects/{project}/forks',
  epic: 'groups/{group}/epics',
  'ssh-key': 'user/keys',
  'gpg-key': 'user/gpg_keys',
  topic: 'topics',
  todo: 'todos',
  application: 'applications',
  license: 'license',
  invitation: 'projects/{project}/invitations',
  'access-request': 'projects/{project}/access_requests',
}

const findWord = (table: Readonly<Record<string, string>>, word: string): string | undefined => {
  const name = [word, toSingular(word)].find((one) => Object.hasOwn(table, one))
  return name === undefined ? undefined : table[name]
}

/** Finds the line for a first word, or the first two; undefined if there is none. */
export const findLine = (words: string): string | undefined =>
  Object.hasOwn(lines, words) ? lines[words] : undefined

/** Finds the area that another name means, with its group if it has one; undefined if there is none. */
export const findAreaName = (word: string): string | undefined =>
  findWord(names, word.toLowerCase())

/** Finds the path of a list that the documents lack; undefined for any other word. */
export const findRoute = (word: string): string | undefined => findWord(routes, word.toLowerCase())
