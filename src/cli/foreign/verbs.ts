/** The verbs of other tools with their meaning in svcctl, and the requests of operations that the documents lack. */

/** The verbs of svcctl that a verb of another tool may mean, the likeliest first. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['show', 'status', 'download'],
  list: ['get', 'show', 'status'],
  show: ['get', 'status'],
  view: ['get', 'show', 'status'],
  describe: ['get', 'show', 'status'],
  inspect: ['get', 'show', 'status'],
  info: ['get', 'show', 'status'],
  read: ['get', 'show', 'list'],
  ls: ['list'],
  index: ['list'],
  tree: ['list'],
  tail: ['list --watch'],
  follow: ['list --watch'],
  browse: ['get --web'],
  all: ['list'],
  search: ['list'],
  find: ['list'],
  status: ['get', 'show', 'list'],
  count: ['list --count'],
  watch: ['list --watch'],
  rm: ['delete', 'remove', 'logout'],
  del: ['delete', 'remove', 'logout'],
  delete: ['remove', 'logout'],
  remove: ['delete', 'logout'],
  destroy: ['delete', 'remove'],
  unset: ['delete', 'remove'],
  new: ['create', 'add', 'register', 'set'],
  create: ['add', 'register', 'schedule', 'send', 'set', 'login'],
  add: ['create', 'register', 'enable', 'set', 'login'],
  edit: ['update', 'set'],
  set: ['update'],
  put: ['update'],
  patch: ['update'],
  modify: ['update'],
  change: ['update'],
  configure: ['update', 'set'],
  unpause: ['resume'],
  activate: ['resume'],
  uncordon: ['resume'],
  deactivate: ['pause'],
  cordon: ['pause'],
  start: ['resume', 'serve'],
  up: ['serve'],
  run: ['serve'],
  install: ['add'],
  uninstall: ['remove'],
  kick: ['remove'],
  rename: ['update --help'],
  assign: ['enable', 'add'],
  attach: ['enable', 'add'],
  unassign: ['disable', 'remove'],
  detach: ['disable', 'remove'],
  stop: ['pause'],
  suspend: ['pause'],
  resolve: ['dismiss'],
  close: ['resolve', 'dismiss'],
  reopen: ['revert'],
  ignore: ['dismiss'],
  check: ['lint'],
  validate: ['lint'],
  use: ['switch'],
  log: ['list'],
  history: ['list'],
}

/** The lines that replace an area and its verb. */
const lines: Readonly<Record<string, string>> = {
  'jobs artifacts': 'artifacts download',
  'jobs artifact': 'artifacts download',
  'jobs download': 'artifacts download',
  'artifacts list': 'jobs list',
  'projects members': 'members list',
  'projects jobs': 'jobs list',
  'projects issues': 'issues list',
  'runners projects': 'runners get',
  'runners lock': 'runners update --locked',
  'runners unlock': 'runners update --no-locked',
  'mr approvers': 'approvals mr get',
  'mr approvals': 'approvals mr get',
  'geo health': 'geo status',
  'geo lag': 'geo status',
  'mr issues': 'mr closes-issues',
  'jobs explain': 'jobs why',
  'jobs children': 'jobs bridges',
  'jobs downstream': 'jobs bridges',
  'issues spent': 'issues time-stats',
  'issues time': 'issues time-stats',
  'issues stats': 'issues time-stats',
  'issues mrs': 'issues related-mrs',
  'commits branches': 'commits refs --type branch',
  'commits tags': 'commits refs --type tag',
  'commits pick': 'commits cherry-pick',
  'vulnerabilities fix': 'vulnerabilities resolve',
  'dependencies sbom': 'dependencies list',
  'members of': 'members where',
  'auth signin': 'auth login',
  'auth me': 'auth status',
  'auth check': 'auth status',
  'auth verify': 'auth status',
  'auth ls': 'profile list',
  'profile test': 'doctor',
  'geo sites': 'geo nodes',
  'geo site': 'geo nodes',
  'error-tracking enable': 'error-tracking update --active',
  'error-tracking disable': 'error-tracking update --no-active',
  'integrations enable': 'integrations update',
  'integrations disable': 'integrations delete',
  'deploy-keys disable': 'deploy-keys delete',
  'journal last': 'journal show last',
  'journal merge': 'journal show',
  'journal rollback': 'journal undo',
  'journal revert': 'journal undo',
  'alias get': 'alias list',
  'check certs': 'check certificates',
  'check ssl': 'check certificates',
  'check tls': 'check certificates',
  'check all': 'check instance',
  'check replication': 'check geo',
  'profile use': 'auth switch',
  'profile switch': 'auth switch',
  'profile select': 'auth switch',
}

const job = 'projects/{project}/jobs/:id'
const mr = 'projects/{project}/merge_requests'
const issue = 'projects/{project}/issues'
const pipeline = 'projects/{project}/pipelines'

/** The requests of operations that the documents lack. The argument of the line replaces `:id`. */
const operations: Readonly<Record<string, string>> = {
  'jobs retry': `POST ${job}/retry`,
  'jobs rerun': `POST ${job}/retry`,
  'jobs cancel': `POST ${job}/cancel`,
  'jobs stop': `POST ${job}/cancel`,
  'jobs play': `POST ${job}/play`,
  'jobs run': `POST ${job}/play`,
  'jobs start': `POST ${job}/play`,
  'jobs erase': `POST ${job}/erase`,
  'jobs delete': `POST ${job}/erase`,
  'jobs log': `GET ${job}/trace`,
  'jobs logs': `GET ${job}/trace`,
  'jobs trace': `GET ${job}/trace`,
  'ci view': `GET ${pipeline}`,
  'ci get': `GET ${pipeline}/:id`,
  'ci list': `GET ${pipeline}`,
  'ci run': `POST projects/{project}/pipeline`,
  'ci create': `POST projects/{project}/pipeline`,
  'ci retry': `POST ${pipeline}/:id/retry`,
  'ci cancel': `POST ${pipeline}/:id/cancel`,
  'ci delete': `DELETE ${pipeline}/:id`,
  'ci trace': `GET ${job}/trace`,
  'pipelines run': 'POST projects/{project}/pipeline',
  'pipelines create': 'POST projects/{project}/pipeline',
  'pipelines start': 'POST projects/{project}/pipeline',
  'pipelines rerun': `POST ${pipeline}/:id/retry`,
  'runs run': 'POST projects/{project}/pipeline',
  'runs rerun': `POST ${pipeline}/:id/retry`,
  'mr notes': `GET ${mr}/:id/notes`,
  'mr comments': `GET ${mr}/:id/notes`,
  'mr discussions': `GET ${mr}/:id/discussions`,
  'mr changes': `GET ${mr}/:id/diffs`,
  'mr files': `GET ${mr}/:id/diffs`,
  'mr participants': `GET ${mr}/:id/participants`,
  'issues notes': `GET ${issue}/:id/notes`,
  'issues comments': `GET ${issue}/:id/notes`,
  'issues links': `GET ${issue}/:id/links`,
  'jobs restart': `POST ${job}/retry`,
  'jobs kill': `POST ${job}/cancel`,
  'jobs trigger': `POST ${job}/play`,
  'jobs tail': `GET ${job}/trace`,
  'jobs follow': `GET ${job}/trace`,
  'jobs console': `GET ${job}/trace`,
  'mr create': `POST ${mr}`,
  'mr update': `PUT ${mr}/:id`,
  'mr delete': `DELETE ${mr}/:id`,
  'mr merge': `PUT ${mr}/:id/merge`,
  'mr accept': `PUT ${mr}/:id/merge`,
  'mr approve': `POST ${mr}/:id/approve`,
  'mr unapprove': `POST ${mr}/:id/unapprove`,
  'mr revoke': `POST ${mr}/:id/unapprove`,
  'mr close': `PUT ${mr}/:id --param state_event=close`,
  'mr reopen': `PUT ${mr}/:id --param state_event=reopen`,
  'mr ready': `PUT ${mr}/:id`,
  'mr diff': `GET ${mr}/:id/diffs`,
  'mr commits': `GET ${mr}/:id/commits`,
  'mr note': `POST ${mr}/:id/notes`,
  'mr comment': `POST ${mr}/:id/notes`,
  'mr pipelines': `GET ${mr}/:id/pipelines`,
  'mr checks': `GET ${mr}/:id/pipelines`,
  'mr todo': `POST ${mr}/:id/todo`,
  'issues get': `GET ${issue}/:id`,
  'issues create': `POST ${issue}`,
  'issues update': `PUT ${issue}/:id`,
  'issues delete': `DELETE ${issue}/:id`,
  'issues close': `PUT ${issue}/:id --param state_event=close`,
  'issues reopen': `PUT ${issue}/:id --param state_event=reopen`,
  'issues note': `POST ${issue}/:id/notes`,
  'issues comment': `POST ${issue}/:id/notes`,
  'issues transfer': `POST ${issue}/:id/move`,
  'issues move': `POST ${issue}/:id/move`,
  'issues subscribe': `POST ${issue}/:id/subscribe`,
  'projects create': 'POST projects',
  'projects update': 'PUT projects/:id',
  'projects delete': 'DELETE projects/:id',
  'projects archive': 'POST projects/:id/archive',
  'projects unarchive': 'POST projects/:id/unarchive',
  'projects fork': 'POST projects/:id/fork',
  'projects star': 'POST projects/:id/star',
  'projects transfer': 'PUT projects/:id/transfer',
  'projects rename': 'PUT projects/:id',
  'runners delete': 'DELETE runners/:id',
  'runners unregister': 'DELETE runners/:id',
  'members invite': 'POST projects/{project}/invitations',
  'members block': 'POST users/:id/block',
  'pages-domains verify': 'PUT projects/{project}/pages/domains/:id/verify',
  'resource-groups list': 'GET projects/{project}/resource_groups',
  'storage-move list': 'GET projects/{project}/repository_storage_moves',
  'vulnerabilities update': 'PATCH vulnerabilities/:id',
}

/** The requests of verbs on an area that the documents lack: a method, with `/:id` for a single object. */
const requests: Readonly<Record<string, string>> = {
  list: 'GET',
  create: 'POST',
  get: 'GET /:id',
  update: 'PUT /:id',
  delete: 'DELETE /:id',
}

/** The synonyms of the five usual verbs. */
const usual: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['ls', 'index', 'all', 'search', 'find'].map((one) => [one, 'list'])),
  ...Object.fromEntries(
    ['show', 'view', 'describe', 'inspect', 'info', 'read', 'status'].map((one) => [one, 'get']),
  ),
  // These look at an object, or copy it. They have no request of their own.
  ...Object.fromEntries(
    ['watch', 'download', 'open', 'browse', 'checkout', 'clone'].map((one) => [one, 'get']),
  ),
  ...Object.fromEntries(['new', 'add'].map((one) => [one, 'create'])),
  ...Object.fromEntries(
    ['edit', 'set', 'put', 'patch', 'modify', 'change', 'configure'].map((one) => [one, 'update']),
  ),
  ...Object.fromEntries(['rm', 'del', 'remove', 'destroy', 'unset'].map((one) => [one, 'delete'])),
}

/** Returns the usual verb that a word is a synonym of; the word itself if there is none. */
const toUsual = (word: string): string =>
  Object.hasOwn(usual, word) ? (usual[word] ?? word) : word

const lookUp = <V>(table: Readonly<Record<string, V>>, word: string): V | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** Returns true for a word that is a verb of other tools, or of an operation that the documents lack. */
export const isVerb = (word: string): boolean =>
  Object.hasOwn(verbs, word) ||
  Object.hasOwn(requests, word) ||
  Object.keys(operations).some((one) => one.endsWith(` ${word}`))

/** Finds the line that replaces an area and a verb; undefined if there is none. */
export const findVerbLine = (area: string, verb: string): string | undefined =>
  lookUp(lines, `${area} ${verb}`)

/** Finds the request of a well-known operation that the documents lack; undefined if there is none. */
export const findOperation = (area: string, verb: string): string | undefined =>
  lookUp(operations, `${area} ${verb}`) ?? lookUp(operations, `${area} ${toUsual(verb)}`)

/** The verbs that are the last part of a path, for any list that has them. */
const actions: readonly string[] = [
  ...['block', 'unblock', 'activate', 'deactivate', 'ban', 'unban', 'approve', 'reject'],
  ...['retry', 'cancel', 'play', 'stop', 'transfer', 'restore', 'share', 'archive', 'unarchive'],
]

/** Formats the request of a verb on a list that the documents lack; undefined for an unknown verb. */
export const formatRequest = (route: string, area: string, verb: string): string | undefined => {
  const own = findOperation(area, verb)
  if (own !== undefined) return own
  // A plural is a list below the object, such as the keys of a user.
  if (!isVerb(verb) && /[^s]s$/.test(verb)) return `GET ${route}/:id/${verb}`
  const known =
    lookUp(requests, toUsual(verb)) ?? (actions.includes(verb) ? `POST /:id/${verb}` : '')
  const [method = '', rest = ''] = known.split(' ')
  return method === '' ? undefined : `${method} ${route}${rest}`
}

/** Finds the verb that a word of another tool means: the same word in a group, one of the same depth, one in a group. */
export const findVerb = (word: string, known: readonly string[]): string | undefined => {
  const wanted = lookUp(verbs, word) ?? []
  const inGroups = (name: string): string | undefined =>
    known.find((verb) => verb.includes(' ') && verb.endsWith(` ${name}`))
  const found = wanted.find((name) => known.includes(name.split(' ')[0] ?? ''))
  return inGroups(word) ?? found ?? wanted.map(inGroups).find((verb) => verb !== undefined)
}

/** Finds the request of an operation by its verb alone, without synonyms. */
export const findOwnOperation = (area: string, verb: string): string | undefined =>
  lookUp(operations, `${area} ${verb}`)
