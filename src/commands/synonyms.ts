/**
 * Suggests this tool's words for those of other tools, such as `show` for `get`. They are never accepted as
 * commands.
 */
import { areas as apiAreas } from '../catalogue/index.js'

const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['show', 'status', 'download'],
  list: ['status', 'get'],
  update: ['set'],
  delete: ['remove', 'logout', 'dismiss'],
  show: ['get', 'list', 'status'],
  view: ['get', 'list', 'status'],
  describe: ['get'],
  info: ['get', 'status'],
  ls: ['list'],
  index: ['list'],
  rm: ['delete', 'remove'],
  del: ['delete', 'remove'],
  remove: ['delete', 'remove', 'disable'],
  destroy: ['delete'],
  unset: ['delete'],
  new: ['create', 'add', 'register'],
  create: ['add', 'register', 'schedule', 'set', 'login'],
  add: ['create', 'enable', 'register'],
  edit: ['update', 'set'],
  set: ['update'],
  modify: ['update'],
  change: ['update'],
  unpause: ['resume'],
  stop: ['pause'],
  start: ['resume', 'serve'],
  close: ['resolve', 'dismiss'],
  reopen: ['revert'],
  check: ['lint'],
  validate: ['lint'],
}

const runHint = (line: string): string => `Run "svcctl ${line}".`
const createHelpHint = (name: string): string => runHint(`${name} --help`)

/** The advice for a first word, as a sentence: what to type instead. */
const areas: Readonly<Record<string, string>> = {
  login: runHint('auth login'),
  logout: runHint('auth logout'),
  whoami: runHint('auth status'),
  status:
    'Run "svcctl auth status", "svcctl geo status", "svcctl sandbox status" or "svcctl doctor".',
  'merge-requests': createHelpHint('mr'),
  'merge-request': createHelpHint('mr'),
  mergerequests: createHelpHint('mr'),
  pr: createHelpHint('mr'),
  lint: runHint('ci lint'),
  services: createHelpHint('integrations'),
  config:
    'Run "svcctl profile --help", or "svcctl settings --help" for the settings of the instance.',
  pipelines: 'Run "svcctl jobs list --pipeline <id>" to list the jobs of a pipeline.',
  nodes: createHelpHint('geo nodes'),
  keys: 'Run "svcctl deploy-keys --help" or "svcctl error-tracking keys --help".',
  domains: createHelpHint('pages-domains'),
  pages: createHelpHint('pages-domains'),
  groups:
    'There are no group commands. Use -G with other commands ("svcctl members list -G platform"), or run "svcctl api GET /groups".',
  users:
    'There are no user commands. Run "svcctl members list", "svcctl events list --user" or "svcctl projects list --user".',
}

const aliases: Readonly<Record<string, string>> = { group: 'groups', user: 'users', key: 'keys' }

const lookUp = <V>(table: Readonly<Record<string, V>>, word: string): V | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** Returns a hint for a word of another tool in place of an area; undefined if there is none. */
export const suggestArea = (word: string): string | undefined =>
  lookUp(areas, lookUp(aliases, word) ?? word)

/** The verbs that people expect of everything. */
const usualVerbs = ['list', 'get', 'create', 'update', 'delete']

/** Returns the verb that a word of another tool means; undefined if there is none. */
export const suggestVerb = (word: string, known: readonly string[]): string | undefined => {
  const last = (verb: string): string => verb.split(' ').at(-1) ?? ''
  // `geo list` is `geo nodes list`; `runners list` stands before `runners jobs list`.
  return [word, ...(lookUp(verbs, word) ?? [])]
    .map((wanted) => known.find((verb) => last(verb) === wanted))
    .find((verb) => verb !== undefined)
}

/** Returns a hint for a verb that an area or group does not have. */
export const describeMissingVerb = (called: string, word: string): string => {
  const [name = ''] = called.split(' ')
  return usualVerbs.includes(word) && apiAreas.some((one) => one.name === name)
    ? 'The documented API has no such operation. "svcctl api" sends any other request.'
    : `Run "svcctl ${called} --help".`
}
