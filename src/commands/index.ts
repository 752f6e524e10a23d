/**
 * Registers all commands: those derived from endpoints, and the specials written by hand, each a row that says what
 * loads it.
 */
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AreaRow, areas } from '../catalogue/index.js'
import { derived } from '../engine/command/derive.js'
import type { Command, CommandFacts, Flag, Registry, Special } from '../engine/command/types.js'

interface SpecialRow {
  readonly area: string
  readonly words: string
  readonly load: () => Promise<Special>
}

/**
 * The commands that one file brings, by their words.
 * @param names which of its exports each is
 */
const from = <N extends string>(
  area: string,
  file: () => Promise<Readonly<Record<NoInfer<N>, Special>>>,
  names: Readonly<Record<string, N>>,
): readonly SpecialRow[] =>
  Object.entries(names).map(([words, name]) => ({
    area,
    words,
    load: async () => (await file())[name],
  }))

// Files that bring commands of several areas.
const dependencies = () => import('./dependencies.js')
const declared = () => import('./declared.js')
const tool = () => import('./tool.js')

/** Commands of API areas that do more than one call. */
const specials: readonly SpecialRow[] = [
  from('runners', () => import('./runners.js'), {
    pause: 'pause',
    resume: 'resume',
    drain: 'drain',
  }),
  from('jobs', () => import('./jobs.js'), { why: 'why' }),
  from('artifacts', () => import('./artifacts/index.js'), { download: 'download', file: 'file' }),
  from('mr', () => import('./mr.js'), { rebase: 'rebase' }),
  from('settings', () => import('./settings.js'), { get: 'get', update: 'update' }),
  from('geo', () => import('./geo.js'), { status: 'status', 'nodes update': 'nodesUpdate' }),
  from('approvals', () => import('./approvals.js'), {
    'rules create': 'rulesCreate',
    'rules update': 'rulesUpdate',
  }),
  from('members', () => import('./members.js'), {
    get: 'get',
    add: 'add',
    update: 'update',
    remove: 'remove',
    'billable memberships': 'billableMemberships',
    'billable remove': 'billableRemove',
  }),
  from('members', () => import('./memberships.js'), { where: 'where' }),
  from('members', () => import('./members-remove-everywhere.js'), {
    'remove-everywhere': 'removeEverywhere',
  }),
  from('issues', () => import('./issues.js'), { promote: 'promote' }),
  from('commits', () => import('./commits.js'), {
    create: 'create',
    'cherry-pick': 'cherryPick',
    revert: 'revert',
    diff: 'diff',
  }),
  from('events', () => import('./events.js'), { list: 'list' }),
  from('integrations', () => import('./integrations.js'), {
    list: 'list',
    get: 'get',
    update: 'update',
  }),
  from('alerts', () => import('./alerts.js'), { send: 'send' }),
  from('deploy-keys', () => import('./deploy-keys.js'), { add: 'add' }),
  from('pages-domains', () => import('./pages-domains.js'), {
    list: 'list',
    add: 'add',
    update: 'update',
  }),
  from('vulnerabilities', dependencies, {
    list: 'listVulnerabilities',
  }),
  from('dependencies', dependencies, { list: 'listDependencies' }),
  from('storage-move', () => import('./storage-move.js'), { schedule: 'schedule' }),
  from('ci', () => import('./ci-lint/index.js'), { lint: 'lint' }),
].flat()

interface ToolRow extends SpecialRow {
  /** Under which heading help lists it. */
  readonly group: string
}

const grouped = (group: string, rows: readonly (readonly SpecialRow[])[]): readonly ToolRow[] =>
  rows.flat().map((row) => ({ ...row, group }))

/** The commands that have no endpoint of their own. */
export const toolCommands: readonly ToolRow[] = [
  ...grouped('start', [
    from('sandbox', () => import('./sandbox.js'), {
      serve: 'serve',
      status: 'status',
      reset: 'reset',
      tokens: 'tokens',
      alerts: 'alerts',
    }),
  ]),
  ...grouped('glance', [
    from('overview', () => import('./overview.js'), { '': 'overview' }),
    from('access', () => import('./access.js'), { '': 'access' }),
    from('snapshot', () => import('./snapshot.js'), { '': 'snapshot' }),
    from('check', () => import('./check.js'), {
      instance: 'instance',
      runners: 'runners',
      geo: 'geo',
      certificates: 'certificates',
      tokens: 'tokens',
      policy: 'policy',
    }),
  ]),
  ...grouped('account', [
    from('auth', () => import('./auth.js'), {
      login: 'loginCommand',
      status: 'statusCommand',
      logout: 'logoutCommand',
      switch: 'switchCommand',
    }),
    from('auth', () => import('./auth-token.js'), {
      token: 'tokenCommand',
      'git-credential': 'gitCredentialCommand',
    }),
    from('profile', () => import('./profile.js'), {
      list: 'listCommand',
      get: 'getCommand',
      set: 'setCommand',
      delete: 'deleteCommand',
    }),
    from('audit', () => import('./audit.js'), { list: 'listCommand' }),
  ]),
  ...grouped('as code', [
    from('export', declared, { '': 'exportCommand' }),
    from('plan', declared, { '': 'plan' }),
    from('apply', declared, { '': 'apply' }),
    from('drift', declared, { '': 'drift' }),
  ]),
  ...grouped('tool', [
    from('api', () => import('./api.js'), { '': 'api' }),
    from('journal', () => import('./journal/index.js'), {
      list: 'listCommand',
      show: 'showCommand',
      undo: 'undoCommand',
      run: 'runCommand',
      discard: 'discardCommand',
    }),
    from('mcp', () => import('./mcp/index.js'), {
      serve: 'serve',
    }),
    from('client', tool, { types: 'types' }),
    from('vocabulary', () => import('./vocabulary.js'), { learn: 'learn', check: 'check' }),
    from('alias', () => import('./alias.js'), {
      set: 'setCommand',
      list: 'listCommand',
      remove: 'removeCommand',
    }),
    from('completion', () => import('./completion.js'), { '': 'completion' }),
    from('explain', () => import('./explain.js'), { '': 'explain' }),
    from('commands', tool, { '': 'commands' }),
    from('doctor', () => import('./doctor.js'), { '': 'doctor' }),
    from('version', tool, { '': 'versionCommand' }),
  ]),
]

/** Returns the specials of an area. */
export const getSpecials = (area: string): readonly SpecialRow[] =>
  specials.filter((row) => row.area === area)

// What a command written by hand says, laid over what its endpoints make.

/** Of a derived flag, whether the special's `names` mean it: by the API's name, or the flag's own. */
const means = (names: readonly string[] | undefined, flag: Flag): boolean =>
  names?.includes(flag.parameter ?? flag.name) === true

/** The flags that only the tool knows. */
const toolFlags = (special: Special): Flag[] =>
  Object.entries(special.flags ?? {}).map(([name, param]) => ({
    name,
    param,
    required: param.required === true,
    parameter: param.parameter,
    short: param.short,
    aliases: param.aliases,
    optionalValue: param.optionalValue,
    spellings: param.spellings,
  }))

/** The derived flags that a command keeps. */
const keptFlags = (flags: readonly Flag[], special: Special): Flag[] => {
  const { without, fills } = special
  const dropped = (flag: Flag): boolean =>
    without === 'attributes' ? flag.path !== true : means(without, flag)
  return flags
    .filter((flag) => !dropped(flag) && special.flags?.[flag.name] === undefined)
    .map((flag) => (means(fills, flag) ? { ...flag, required: false } : flag))
}

/** A derived command with all that its special says. */
const withSpecial = (command: CommandFacts, special: Special): CommandFacts => {
  const { flags: _, without: __, fills: ___, endpoints: ____, ...said } = special
  return {
    ...command,
    ...said,
    flags: [...keptFlags(command.flags, special), ...toolFlags(special)],
  }
}

const pick = (endpoints: Endpoints, keys: readonly string[]): Endpoints =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const e = endpoints[key]
      return e === undefined ? [] : [[key, e]]
    }),
  )

/** Lists the verbs of an area in the order of the catalogue, specials last. */
export const getCommandWords = (area: string, endpoints: Endpoints): string[] => [
  ...new Set([
    ...Object.values(endpoints).map((e) => e.command),
    ...getSpecials(area).map((row) => row.words),
  ]),
]

/** Loads one command of an area. */
export const loadCommand = async (
  area: string,
  words: string,
  endpoints: Endpoints,
): Promise<Command> => {
  const row = getSpecials(area).find((r) => r.words === words)
  const special = await row?.load()
  const keys =
    special?.endpoints ?? Object.keys(endpoints).filter((key) => endpoints[key]?.command === words)
  const command = derived(area, words, pick(endpoints, keys))
  return { ...(special === undefined ? command : withSpecial(command, special)), registry }
}

/** Loads all commands of an area. */
export const commandsOfArea = async (row: AreaRow): Promise<Command[]> => {
  const endpoints = await row.load()
  return Promise.all(
    getCommandWords(row.name, endpoints).map((w) => loadCommand(row.name, w, endpoints)),
  )
}

/** Loads the examples of a command. They are separate because only help and documentation need them. */
export const loadExamples = async (command: Command): Promise<readonly string[]> => {
  if (command.examples !== undefined) return command.examples
  const { examples } = await import('../catalogue/examples.js')
  return examples[command.area]?.[command.words] ?? []
}

/** Loads a command of the tool itself (`auth login`, `doctor`); undefined if there is none. */
export const toolCommand = async (area: string, words: string): Promise<Command | undefined> => {
  const row = toolCommands.find((r) => r.area === area && r.words === words)
  if (row === undefined) return undefined
  return { ...withSpecial(derived(area, words, {}), await row.load()), registry }
}

/** Loads a command by its words; undefined if there is none. */
export const commandNamed = async (area: string, words: string): Promise<Command | undefined> => {
  const row = areas.find(({ name }) => name === area)
  return row === undefined ? toolCommand(area, words) : loadCommand(area, words, await row.load())
}

/** Loads the commands of an area of the API or of the tool. */
export const commandsIn = async (area: string): Promise<Command[]> => {
  const row = areas.find(({ name }) => name === area)
  if (row !== undefined) return commandsOfArea(row)
  const own = toolCommands.filter((c) => c.area === area)
  const loaded = await Promise.all(own.map((c) => toolCommand(c.area, c.words)))
  return loaded.flatMap((c) => (c === undefined ? [] : [c]))
}

/** Loads every command. */
export const allCommands = async (): Promise<Command[]> => {
  const ofAreas = (await Promise.all(areas.map(commandsOfArea))).flat()
  const own = await Promise.all(toolCommands.map((r) => toolCommand(r.area, r.words)))
  return [...ofAreas, ...own.flatMap((c) => (c === undefined ? [] : [c]))]
}

/** What each command is told of the others. */
const registry: Registry = { named: commandNamed, all: allCommands }
