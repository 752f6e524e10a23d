/** Registers all commands: those derived from endpoints, and those written by hand. Each row loads its command on demand. */
import type { Endpoints } from '../catalogue/endpoint.js'
import { type AreaRow, findAreaNamed, listAreas } from '../catalogue/index.js'
import { deriveCommand } from '../engine/command/derive.js'
import type { Command, CommandFacts, Flag, Registry, Special } from '../engine/command/types.js'

interface SpecialRow {
  readonly area: string
  readonly words: string
  readonly load: () => Promise<Special>
}

/** The name of the export for a verb: `rulesCreate` for `rules create`. */
type ExportName<W extends string> = W extends `${infer First}${' ' | '-'}${infer Rest}`
  ? `${First}${Capitalize<ExportName<Rest>>}`
  : W

const toExportName = <W extends string>(words: W) =>
  words.replace(/[ -](.)/g, (_, first: string) => first.toUpperCase()) as ExportName<W>

/** Creates the rows of the commands that a file exports by the names of their verbs. */
const createSpecialRows = <const W extends string>(
  area: string,
  file: () => Promise<Readonly<Record<ExportName<NoInfer<W>>, Special>>>,
  verbs: readonly W[],
): readonly SpecialRow[] =>
  verbs.map((words) => ({
    area,
    words,
    load: async () => (await file())[toExportName(words)],
  }))

// Files with commands of several areas.
const loadDependencies = () => import('./dependencies.js')
const loadDeclared = () => import('./declared.js')
const loadTool = () => import('./tool.js')

/** Commands of API areas that do more than send one request. */
const specials: readonly SpecialRow[] = [
  createSpecialRows('runners', () => import('./runners.js'), ['pause', 'resume', 'drain']),
  createSpecialRows('jobs', () => import('./jobs.js'), ['why']),
  createSpecialRows('artifacts', () => import('./artifacts/index.js'), ['download', 'file']),
  createSpecialRows('mr', () => import('./mr.js'), ['rebase']),
  createSpecialRows('settings', () => import('./settings.js'), ['get', 'update']),
  createSpecialRows('geo', () => import('./geo.js'), ['status', 'nodes update']),
  createSpecialRows('approvals', () => import('./approvals.js'), ['rules create', 'rules update']),
  createSpecialRows('members', () => import('./members.js'), [
    'get',
    'add',
    'update',
    'remove',
    'billable memberships',
    'billable remove',
  ]),
  createSpecialRows('members', () => import('./memberships.js'), ['where']),
  createSpecialRows('members', () => import('./members-remove-everywhere.js'), [
    'remove-everywhere',
  ]),
  createSpecialRows('issues', () => import('./issues.js'), ['promote']),
  createSpecialRows('commits', () => import('./commits.js'), [
    'create',
    'cherry-pick',
    'revert',
    'diff',
  ]),
  createSpecialRows('events', () => import('./events.js'), ['list']),
  createSpecialRows('integrations', () => import('./integrations.js'), ['list', 'get', 'update']),
  createSpecialRows('alerts', () => import('./alerts.js'), ['send']),
  createSpecialRows('deploy-keys', () => import('./deploy-keys.js'), ['add']),
  createSpecialRows('pages-domains', () => import('./pages-domains.js'), ['list', 'add', 'update']),
  {
    area: 'vulnerabilities',
    words: 'list',
    load: async () => (await loadDependencies()).listVulnerabilities,
  },
  {
    area: 'dependencies',
    words: 'list',
    load: async () => (await loadDependencies()).listDependencies,
  },
  createSpecialRows('storage-move', () => import('./storage-move.js'), ['schedule']),
  createSpecialRows('ci', () => import('./ci-lint/index.js'), ['lint']),
].flat()

interface ToolRow extends SpecialRow {
  /** The heading of the command in help. */
  readonly group: string
  readonly summary: string
}

/**
 * Creates the rows of the tool's own commands that a file exports.
 * @param verbs the name of the export and the summary of each verb
 */
const createToolRows = <N extends string>(
  group: string,
  area: string,
  file: () => Promise<Readonly<Record<NoInfer<N>, Special>>>,
  verbs: Readonly<Record<string, readonly [name: N, summary: string]>>,
): readonly ToolRow[] =>
  Object.entries(verbs).map(([words, [name, summary]]) => ({
    group,
    area,
    words,
    summary,
    load: async () => (await file())[name],
  }))

/** Commands without an endpoint of their own. */
export const toolCommands: readonly ToolRow[] = [
  createToolRows('start', 'sandbox', () => import('./sandbox.js'), {
    serve: ['serve', 'Run the embedded instance as a server'],
    status: ['status', 'Show the state of the embedded instance'],
    reset: ['reset', 'Reset the embedded instance to its sample data'],
    tokens: ['tokens', 'List the tokens of the embedded instance'],
    alerts: ['alerts', 'List the alerts that the embedded instance received'],
  }),
  createToolRows('glance', 'overview', () => import('./overview.js'), {
    '': ['overview', 'Show a status overview of the instance'],
  }),
  createToolRows('glance', 'access', () => import('./access.js'), {
    '': ['access', 'Show who has access, and how'],
  }),
  createToolRows('glance', 'snapshot', () => import('./snapshot.js'), {
    '': ['snapshot', 'Write lists of the instance to a folder'],
  }),
  createToolRows('glance', 'check', () => import('./check.js'), {
    instance: ['instance', 'Check that the instance responds, and how fast'],
    runners: ['runners', 'Check that runners are online'],
    geo: ['geo', 'Check replication at every site'],
    certificates: ['certificates', 'Check the certificates of Pages domains'],
    tokens: ['tokens', 'Check the tokens of the profiles'],
    policy: ['policy', 'Check lists of the instance against rules of a file'],
  }),
  createToolRows('account', 'auth', () => import('./auth.js'), {
    login: ['loginCommand', 'Sign in to an instance and store the token'],
    status: ['statusCommand', 'Show the profiles and check their credentials'],
    logout: ['logoutCommand', 'Delete the stored credential of a profile'],
    switch: ['switchCommand', 'Switch to another profile'],
  }),
  createToolRows('account', 'auth', () => import('./auth-token.js'), {
    token: ['tokenCommand', 'Print the credential of a profile'],
    'git-credential': ['gitCredentialCommand', 'Answer git’s requests for credentials'],
  }),
  createToolRows('account', 'profile', () => import('./profile.js'), {
    list: ['listCommand', 'List the profiles'],
    get: ['getCommand', 'Show the settings of a profile'],
    set: ['setCommand', 'Create a profile or change its settings'],
    delete: ['deleteCommand', 'Delete a profile and its credential'],
  }),
  createToolRows('account', 'audit', () => import('./audit.js'), {
    list: ['listCommand', 'List write requests that svcctl sent'],
  }),
  createToolRows('as code', 'export', loadDeclared, {
    '': ['exportCommand', 'Export the instance’s state as files for plan and apply'],
  }),
  createToolRows('as code', 'plan', loadDeclared, {
    '': ['plan', 'Show what the files would change'],
  }),
  createToolRows('as code', 'apply', loadDeclared, {
    '': ['apply', 'Apply the declared state'],
  }),
  createToolRows('as code', 'drift', loadDeclared, {
    '': ['drift', 'Detect drift from the declared state'],
  }),
  createToolRows('tool', 'api', () => import('./api.js'), {
    '': ['api', 'Send any API request with the profile’s credential'],
  }),
  createToolRows('tool', 'journal', () => import('./journal/index.js'), {
    list: ['listCommand', 'List journals, newest first'],
    show: ['showCommand', 'Show the result of a run and its failures'],
    undo: ['undoCommand', 'Undo a run: restore the previous values'],
    run: ['runCommand', 'Carry out a planned run'],
    discard: ['discardCommand', 'Remove planned runs'],
  }),
  createToolRows('tool', 'mcp', () => import('./mcp/index.js'), {
    serve: ['serve', 'Serve the commands to an AI agent (MCP)'],
  }),
  createToolRows('tool', 'client', loadTool, {
    types: ['types', 'Write TypeScript types for this instance’s own settings and values'],
  }),
  createToolRows('tool', 'extend', () => import('./extend.js'), {
    add: ['addCommand', 'Add commands from a file'],
    list: ['listCommand', 'List the extensions'],
    show: ['showCommand', 'Show the commands of an extension'],
    update: ['updateCommand', 'Read the files of extensions again'],
    remove: ['removeCommand', 'Remove extensions and their commands'],
    schema: ['schemaCommand', 'Print the JSON Schema of a file of commands'],
  }),
  createToolRows('tool', 'vocabulary', () => import('./vocabulary.js'), {
    learn: ['learn', 'Create a vocabulary file from an instance’s responses'],
    check: ['check', 'Check a vocabulary file against the instance'],
  }),
  createToolRows('tool', 'alias', () => import('./alias.js'), {
    set: ['setCommand', 'Create an alias for a command line'],
    list: ['listCommand', 'List the aliases'],
    remove: ['removeCommand', 'Delete an alias'],
  }),
  createToolRows('tool', 'completion', () => import('./completion.js'), {
    '': ['completion', 'Print or install the completion script of a shell'],
  }),
  createToolRows('tool', 'explain', () => import('./explain.js'), {
    '': ['explain', 'Show fields of a resource or parameters of a command'],
  }),
  createToolRows('tool', 'commands', loadTool, {
    '': ['commands', 'List all commands with their API endpoints'],
  }),
  createToolRows('tool', 'doctor', () => import('./doctor.js'), {
    '': ['doctor', 'Diagnose problems with the setup and the instance'],
  }),
  createToolRows('tool', 'version', loadTool, {
    '': ['versionCommand', 'Show the versions of svcctl and of the instance'],
  }),
].flat()

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

/** Loads a command of the tool itself (`auth login`, `doctor`). */
const loadToolCommand = async ({ area, words, summary, load }: ToolRow): Promise<Command> => {
  const facts = { ...deriveCommand(area, words, {}), summary }
  return { ...withSpecial(facts, await load()), registry }
}

/** Loads a command by its words; undefined if there is none. */
export const loadCommandByWords = async (
  area: string,
  words: string,
): Promise<Command | undefined> => {
  const row = findAreaNamed(area)
  if (row !== undefined) return loadCommand(area, words, await row.load())
  const own = toolCommands.find((one) => one.area === area && one.words === words)
  return own && loadToolCommand(own)
}

/** Loads the commands of an area of the API or of the tool. */
export const loadCommandsIn = async (area: string): Promise<Command[]> => {
  const row = findAreaNamed(area)
  return row === undefined
    ? Promise.all(toolCommands.filter((one) => one.area === area).map(loadToolCommand))
    : loadAreaCommands(row)
}

/** Loads every command. */
export const loadAllCommands = async (): Promise<Command[]> => [
  ...(await Promise.all(listAreas().map(loadAreaCommands))).flat(),
  ...(await Promise.all(toolCommands.map(loadToolCommand))),
]

/** The registry in which a command looks up other commands. */
const registry: Registry = { find: loadCommandByWords, list: loadAllCommands }
