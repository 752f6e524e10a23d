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

/** What to type instead of a first word, as a sentence. */
const areas: Readonly<Record<string, string>> = {
  login: 'Did you mean auth login?',
  logout: 'Did you mean auth logout?',
  whoami: 'Did you mean auth status?',
  status: 'Did you mean auth status, geo status, sandbox status or doctor?',
  version: 'Did you mean --version?',
  'merge-requests': 'Did you mean mr?',
  'merge-request': 'Did you mean mr?',
  mergerequests: 'Did you mean mr?',
  pr: 'Did you mean mr?',
  lint: 'Did you mean ci lint?',
  services: 'Did you mean integrations?',
  config: 'Did you mean profile, or settings for those of the instance?',
  pipelines: 'Did you mean jobs? "jobs list --pipeline <id>" lists the jobs of a pipeline.',
  nodes: 'Did you mean geo nodes?',
  keys: 'Did you mean deploy-keys or error-tracking keys?',
  domains: 'Did you mean pages-domains?',
  pages: 'Did you mean pages-domains?',
  groups:
    'There are no group commands. Use -G <path> with other commands (members list -G platform), or "svcctl api GET /groups".',
  users:
    'There are no user commands. See "members list", "events list --user" and "projects list --user".',
}

const aliases: Readonly<Record<string, string>> = { group: 'groups', user: 'users', key: 'keys' }

const own = <V>(table: Readonly<Record<string, V>>, word: string): V | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** A hint for a word of another tool that stands where an area should. */
export const meantArea = (word: string): string | undefined =>
  own(areas, own(aliases, word) ?? word)

/** The verbs that people expect of everything. */
const usual = ['list', 'get', 'create', 'update', 'delete']

/** A hint for a word of another tool, or for a usual verb, that stands where one of these verbs should. */
export const meantVerb = (word: string, known: readonly string[]): string | undefined => {
  const last = (verb: string): string => verb.split(' ').at(-1) ?? ''
  // `geo list` is `geo nodes list`; `runners list` stands before `runners jobs list`.
  const meant = [word, ...(own(verbs, word) ?? [])]
    .map((wanted) => known.find((verb) => last(verb) === wanted))
    .find((verb) => verb !== undefined)
  return meant === undefined ? undefined : `Did you mean ${meant}?`
}

/** A hint for a usual verb that an area, or a group in it, does not have. */
export const missingVerb = (called: string, word: string): string | undefined => {
  if (!usual.includes(word)) return undefined
  const [area = ''] = called.split(' ')
  return apiAreas.some(({ name }) => name === area)
    ? 'The documented API has no such operation. "svcctl api" sends any other request.'
    : `Run "svcctl ${called} --help".`
}
