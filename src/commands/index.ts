/** Registers all commands: those derived from endpoints, and those written by hand. Each row loads its command on demand. */
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AreaRow, listAreas } from '../catalogue/index.js'
import { deriveCommand } from '../engine/command/derive.js'
import type { Command, CommandFacts, Flag, Registry, Special } from '../engine/command/types.js'

interface SpecialRow {
  readonly area: string
  readonly words: string
  readonly load: () => Promise<Special>
}

/**
 * Creates the rows of the commands that a file exports.
 * @param names the name of the export for each verb
 */
const createSpecialRows = <N extends string>(
  area: string,
  file: () => Promise<Readonly<Record<NoInfer<N>, Special>>>,
  names: Readonly<Record<string, N>>,
): readonly SpecialRow[] =>
  Object.entries(names).map(([words, name]) => ({
    area,
    words,
    load: async () => (await file())[name],
  }))

// Files with commands of several areas.
const loadDependencies = () => import('./dependencies.js')
const loadDeclared = () => import('./declared.js')
const loadTool = () => import('./tool.js')

/** Commands of API areas that do more than send one request. */
const specials: readonly SpecialRow[] = [
  createSpecialRows('runners', () => import('./runners.js'), {
    pause: 'pause',
    resume: 'resume',
    drain: 'drain',
  }),
  createSpecialRows('jobs', () => import('./jobs.js'), { why: 'why' }),
  createSpecialRows('artifacts', () => import('./artifacts/index.js'), {
    download: 'download',
    file: 'file',
  }),
  createSpecialRows('mr', () => import('./mr.js'), { rebase: 'rebase' }),
  createSpecialRows('settings', () => import('./settings.js'), { get: 'get', update: 'update' }),
  createSpecialRows('geo', () => import('./geo.js'), {
    status: 'status',
    'nodes update': 'nodesUpdate',
  }),
  createSpecialRows('approvals', () => import('./approvals.js'), {
    'rules create': 'rulesCreate',
    'rules update': 'rulesUpdate',
  }),
  createSpecialRows('members', () => import('./members.js'), {
    get: 'get',
    add: 'add',
    update: 'update',
    remove: 'remove',
    'billable memberships': 'billableMemberships',
    'billable remove': 'billableRemove',
  }),
  createSpecialRows('members', () => import('./memberships.js'), { where: 'where' }),
  createSpecialRows('members', () => import('./members-remove-everywhere.js'), {
    'remove-everywhere': 'removeEverywhere',
  }),
  createSpecialRows('issues', () => import('./issues.js'), { promote: 'promote' }),
  createSpecialRows('commits', () => import('./commits.js'), {
    create: 'create',
    'cherry-pick': 'cherryPick',
    revert: 'revert',
    diff: 'diff',
  }),
  createSpecialRows('events', () => import('./events.js'), { list: 'list' }),
  createSpecialRows('integrations', () => import('./integrations.js'), {
    list: 'list',
    get: 'get',
    update: 'update',
  }),
  createSpecialRows('alerts', () => import('./alerts.js'), { send: 'send' }),
  createSpecialRows('deploy-keys', () => import('./deploy-keys.js'), { add: 'add' }),
  createSpecialRows('pages-domains', () => import('./pages-domains.js'), {
    list: 'list',
    add: 'add',
    update: 'update',
  }),
  createSpecialRows('vulnerabilities', loadDependencies, {
    list: 'listVulnerabilities',
  }),
  createSpecialRows('dependencies', loadDependencies, { list: 'listDependencies' }),
  createSpecialRows('storage-move', () => import('./storage-move.js'), { schedule: 'schedule' }),
  createSpecialRows('ci', () => import('./ci-lint/index.js'), { lint: 'lint' }),
].flat()

interface ToolRow extends SpecialRow {
  /** The heading of the command in help. */
  readonly group: string
}

const withGroup = (group: string, rows: readonly (readonly SpecialRow[])[]): readonly ToolRow[] =>
  rows.flat().map((row) => ({ ...row, group }))

/** Commands without an endpoint of their own. */
export const toolCommands: readonly ToolRow[] = [
  ...withGroup('start', [
    createSpecialRows('sandbox', () => import('./sandbox.js'), {
      serve: 'serve',
      status: 'status',
      reset: 'reset',
      tokens: 'tokens',
      alerts: 'alerts',
    }),
  ]),
  ...withGroup('glance', [
    createSpecialRows('overview', () => import('./overview.js'), { '': 'overview' }),
    createSpecialRows('access', () => import('./access.js'), { '': 'access' }),
    createSpecialRows('snapshot', () => import('./snapshot.js'), { '': 'snapshot' }),
    createSpecialRows('check', () => import('./check.js'), {
      instance: 'instance',
      runners: 'runners',
      geo: 'geo',
      certificates: 'certificates',
      tokens: 'tokens',
      policy: 'policy',
    }),
  ]),
  ...withGroup('account', [
    createSpecialRows('auth', () => import('./auth.js'), {
      login: 'loginCommand',
      status: 'statusCommand',
      logout: 'logoutCommand',
      switch: 'switchCommand',
    }),
    createSpecialRows('auth', () => import('./auth-token.js'), {
      token: 'tokenCommand',
      'git-credential': 'gitCredentialCommand',
    }),
    createSpecialRows('profile', () => import('./profile.js'), {
      list: 'listCommand',
      get: 'getCommand',
      set: 'setCommand',
      delete: 'deleteCommand',
    }),
    createSpecialRows('audit', () => import('./audit.js'), { list: 'listCommand' }),
  ]),
  ...withGroup('as code', [
    createSpecialRows('export', loadDeclared, { '': 'exportCommand' }),
    createSpecialRows('plan', loadDeclared, { '': 'plan' }),
    createSpecialRows('apply', loadDeclared, { '': 'apply' }),
    createSpecialRows('drift', loadDeclared, { '': 'drift' }),
  ]),
  ...withGroup('tool', [
    createSpecialRows('api', () => import('./api.js'), { '': 'api' }),
    createSpecialRows('journal', () => import('./journal/index.js'), {
      list: 'listCommand',
      show: 'showCommand',
      undo: 'undoCommand',
      run: 'runCommand',
      discard: 'discardCommand',
    }),
    createSpecialRows('mcp', () => import('./mcp/index.js'), {
      serve: 'serve',
    }),
    createSpecialRows('client', loadTool, { types: 'types' }),
    createSpecialRows('extend', () => import('./extend.js'), {
      add: 'addCommand',
      list: 'listCommand',
      show: 'showCommand',
      update: 'updateCommand',
      remove: 'removeCommand',
      schema: 'schemaCommand',
    }),
    createSpecialRows('vocabulary', () => import('./vocabulary.js'), {
      learn: 'learn',
      check: 'check',
    }),
    createSpecialRows('alias', () => import('./alias.js'), {
      set: 'setCommand',
      list: 'listCommand',
      remove: 'removeCommand',
    }),
    createSpecialRows('completion', () => import('./completion.js'), { '': 'completion' }),
    createSpecialRows('explain', () => import('./explain.js'), { '': 'explain' }),
    createSpecialRows('commands', loadTool, { '': 'commands' }),
    createSpecialRows('doctor', () => import('./doctor.js'), { '': 'doctor' }),
    createSpecialRows('version', loadTool, { '': 'versionCommand' }),
  ]),
]

/** Returns the handwritten commands of an area. */
export const getSpecials = (area: string): readonly SpecialRow[] =>
  specials.filter((row) => row.area === area)

// Merging a handwritten command with the command that is derived from its endpoints.

/** True if the list contains a derived flag by the API's name of its parameter, or by the flag's own name. */
const matchesFlag = (names: readonly string[] | undefined, flag: Flag): boolean =>
  names?.includes(flag.parameter ?? flag.name) === true

/** Returns the flags of a handwritten command that are not derived from endpoints. */
const getToolFlags = (special: Special): Flag[] =>
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

/** Returns the derived flags that a handwritten command keeps. */
const getKeptFlags = (flags: readonly Flag[], special: Special): Flag[] => {
  const { without, fills } = special
  const isDropped = (flag: Flag): boolean =>
    without === 'attributes' ? flag.path !== true : matchesFlag(without, flag)
  return flags
    .filter((flag) => !isDropped(flag) && special.flags?.[flag.name] === undefined)
    .map((flag) => (matchesFlag(fills, flag) ? { ...flag, required: false } : flag))
}

/** Returns a derived command with the changes of its handwritten part. */
const withSpecial = (command: CommandFacts, special: Special): CommandFacts => {
  const { flags: _, without: __, fills: ___, endpoints: ____, ...said } = special
  return {
    ...command,
    ...said,
    flags: [...getKeptFlags(command.flags, special), ...getToolFlags(special)],
  }
}

const pickEndpoints = (endpoints: Endpoints, keys: readonly string[]): Endpoints =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const e = endpoints[key]
      return e === undefined ? [] : [[key, e]]
    }),
  )

/** Lists the verbs of an area in the order of the catalogue. Handwritten ones come last. */
export const getCommandWords = (area: string, endpoints: Endpoints): string[] => [
  ...new Set([
    ...Object.values(endpoints).map((e) => e.command),
    ...getSpecials(area).map((row) => row.words),
  ]),
]

/** Loads the implementation of an extension's command that returns a file. */
const loadFileSpecial = async (
  words: string,
  endpoints: Endpoints,
): Promise<Special | undefined> => {
  const own = Object.values(endpoints).find((e) => e.command === words && e.from !== undefined)
  if (own?.returns.kind !== 'file') return undefined
  const { fileOutput, growingFile } = await import('./artifacts/index.js')
  return own.grows === true ? growingFile : fileOutput
}

/** Loads one command of an area. */
export const loadCommand = async (
  area: string,
  words: string,
  endpoints: Endpoints,
): Promise<Command> => {
  const row = getSpecials(area).find((r) => r.words === words)
  const special = (await row?.load()) ?? (await loadFileSpecial(words, endpoints))
  const keys =
    special?.endpoints ?? Object.keys(endpoints).filter((key) => endpoints[key]?.command === words)
  const command = deriveCommand(area, words, pickEndpoints(endpoints, keys))
  return { ...(special === undefined ? command : withSpecial(command, special)), registry }
}

/** Loads all commands of an area. */
export const loadAreaCommands = async (row: AreaRow): Promise<Command[]> => {
  const endpoints = await row.load()
  return Promise.all(
    getCommandWords(row.name, endpoints).map((w) => loadCommand(row.name, w, endpoints)),
  )
}

/** Loads the examples of a command. They are separate because only help and documentation need them. */
export const loadExamples = async (command: Command): Promise<readonly string[]> => {
  const own = Object.values(command.endpoints).filter(({ from }) => from !== undefined)
  if (own.length > 0) return own.flatMap(({ examples: lines = [] }) => lines)
  const { examples } = await import('../catalogue/examples.js')
  const { toolExamples } = await import('../catalogue/tool-examples.js')
  return (examples[command.area] ?? toolExamples[command.area])?.[command.words] ?? []
}

/** Loads a command of the tool itself (`auth login`, `doctor`); undefined if there is none. */
export const loadToolCommand = async (
  area: string,
  words: string,
): Promise<Command | undefined> => {
  const row = toolCommands.find((r) => r.area === area && r.words === words)
  if (row === undefined) return undefined
  return { ...withSpecial(deriveCommand(area, words, {}), await row.load()), registry }
}

/** Loads a command by its words; undefined if there is none. */
export const loadCommandByWords = async (
  area: string,
  words: string,
): Promise<Command | undefined> => {
  const row = listAreas().find(({ name }) => name === area)
  return row === undefined
    ? loadToolCommand(area, words)
    : loadCommand(area, words, await row.load())
}

/** Loads the commands of an area of the API or of the tool. */
export const loadCommandsIn = async (area: string): Promise<Command[]> => {
  const row = listAreas().find(({ name }) => name === area)
  if (row !== undefined) return loadAreaCommands(row)
  const own = toolCommands.filter((c) => c.area === area)
  const loaded = await Promise.all(own.map((c) => loadToolCommand(c.area, c.words)))
  return loaded.flatMap((c) => (c === undefined ? [] : [c]))
}

/** Loads every command. */
export const loadAllCommands = async (): Promise<Command[]> => {
  const ofAreas = (await Promise.all(listAreas().map(loadAreaCommands))).flat()
  const own = await Promise.all(toolCommands.map((r) => loadToolCommand(r.area, r.words)))
  return [...ofAreas, ...own.flatMap((c) => (c === undefined ? [] : [c]))]
}

/** The registry in which a command looks up other commands. */
const registry: Registry = { find: loadCommandByWords, list: loadAllCommands }
