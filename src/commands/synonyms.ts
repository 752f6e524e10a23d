/** Words that other tools use for what is called otherwise here: suggested, never taken. */
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

const run = (line: string): string => `Run "svcctl ${line}".`
const area = (name: string): string => run(`${name} --help`)

/** What to type instead of a first word, as a sentence. */
const areas: Readonly<Record<string, string>> = {
  login: run('auth login'),
  logout: run('auth logout'),
  whoami: run('auth status'),
  status:
    'Run "svcctl auth status", "svcctl geo status", "svcctl sandbox status" or "svcctl doctor".',
  'merge-requests': area('mr'),
  'merge-request': area('mr'),
  mergerequests: area('mr'),
  pr: area('mr'),
  lint: run('ci lint'),
  services: area('integrations'),
  config:
    'Run "svcctl profile --help", or "svcctl settings --help" for the settings of the instance.',
  pipelines: 'Run "svcctl jobs list --pipeline <id>" to list the jobs of a pipeline.',
  nodes: area('geo nodes'),
  keys: 'Run "svcctl deploy-keys --help" or "svcctl error-tracking keys --help".',
  domains: area('pages-domains'),
  pages: area('pages-domains'),
  groups:
    'There are no group commands. Use -G with other commands ("svcctl members list -G platform"), or run "svcctl api GET /groups".',
  users:
    'There are no user commands. Run "svcctl members list", "svcctl events list --user" or "svcctl projects list --user".',
}

const aliases: Readonly<Record<string, string>> = { group: 'groups', user: 'users', key: 'keys' }

const own = <V>(table: Readonly<Record<string, V>>, word: string): V | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** A hint for a word of another tool that stands where an area should. */
export const meantArea = (word: string): string | undefined =>
  own(areas, own(aliases, word) ?? word)

/** The verbs that people expect of everything. */
const usual = ['list', 'get', 'create', 'update', 'delete']

/**
 * The verb of these that is meant by a word of another tool, or by a usual verb; undefined where none is.
 */
export const meantVerb = (word: string, known: readonly string[]): string | undefined => {
  const last = (verb: string): string => verb.split(' ').at(-1) ?? ''
  // `geo list` is `geo nodes list`; `runners list` stands before `runners jobs list`.
  return [word, ...(own(verbs, word) ?? [])]
    .map((wanted) => known.find((verb) => last(verb) === wanted))
    .find((verb) => verb !== undefined)
}

/** A hint for a verb that an area, or a group in it, does not have. */
export const missingVerb = (called: string, word: string): string => {
  const [name = ''] = called.split(' ')
  return usual.includes(word) && apiAreas.some((one) => one.name === name)
    ? 'The documented API has no such operation. "svcctl api" sends any other request.'
    : `Run "svcctl ${called} --help".`
}
