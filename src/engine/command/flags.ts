/** Lists every flag that a command takes: its own, those for additional parameters, and the shared ones. */

import { hasEcho } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { isFile, type Param } from '../../catalogue/params.js'
import {
  canCallApi,
  canListRecords,
  canPreview,
  canRecordJournal,
  canRepeat,
  canSelectAcrossProjects,
  canSendAttributes,
  getRowFlags,
  getSelectList,
  hasEndpoints,
  hasScopeEndpoint,
  isReadOnlyCommand,
  scopeLetters,
  takesProfiles,
  takesSeveral,
} from './derive.js'
import { flagSets } from './global-flags.js'
import { getCommonIrreversible } from './reversal.js'
import type { Argument, CommandFacts, Flag, FlagGroup } from './types.js'

// Facts about a command that decide which flags it takes.

/** True if the instance answers with the changed object. */
const returnsChanges = (c: CommandFacts): boolean => Object.values(c.endpoints).some(hasEcho)

/** True if the objects that a command shows may have web pages. */
const hasPage = (c: CommandFacts): boolean =>
  canRepeat(c) &&
  Object.values(c.endpoints).some((e) => getProperties(e.returns.shape)?.web_url !== undefined)

/** True if a command downloads a file. */
export const returnsFile = (c: Pick<CommandFacts, 'endpoints'>): boolean =>
  Object.values(c.endpoints).some((e) => e.returns.kind === 'file')

/** True if a command may process several objects with a request for each. */
const mayTakeSeveral = (c: CommandFacts): boolean =>
  c.open === true ||
  takesSeveral(c) ||
  hasScopeEndpoint(c, 'project') ||
  hasScopeEndpoint(c, 'group')

// The flags that a command has besides its own.

const parameterFlag: Flag = {
  name: 'param',
  param: { type: 'hash', help: 'additional API parameter: key=value or key=@file' },
  required: false,
  beyond: true,
}
/** The flag for additional parameters of `api`, which is also `-F` and `--field`. */
const requestParameterFlag: Flag = { ...parameterFlag, short: 'F', aliases: ['field'] }
const inputFlag: Flag = {
  name: 'input',
  param: {
    type: 'string',
    help: 'attributes from a JSON or YAML file, or - for standard input',
    completes: 'file',
  },
  required: false,
  beyond: true,
}

const createHiddenScope = (name: 'project' | 'group'): Flag => ({
  name,
  hidden: true,
  required: false,
  path: true,
  param: { type: name, help: name },
  ...scopeLetters[name],
})

/** -P and -G as hidden flags of every command with endpoints, so that a misplaced one gets a specific message. */
export const hiddenScopes: readonly Flag[] = [
  createHiddenScope('project'),
  createHiddenScope('group'),
]

const createShownScope = (name: 'project' | 'group', help: string): Flag => ({
  ...createHiddenScope(name),
  hidden: false,
  group: 'many',
  param: { type: name, help },
})

/** Returns -P or -G for commands whose endpoints do not have them: shown with a special meaning, or hidden. */
const toScopeFlag = (command: CommandFacts, flag: Flag): Flag => {
  if (getSelectList(command)?.spread === true)
    return flag.name === 'project'
      ? createShownScope('project', 'with --select: select from this project')
      : createShownScope('group', 'with --select: select from this group')
  const whole =
    flag.name === 'group' && !returnsFile(command) && hasScopeEndpoint(command, 'project')
  return whole && !hasScopeEndpoint(command, 'group')
    ? createShownScope('group', 'all projects of this group and its subgroups')
    : flag
}

/** Predicates by flag name: true for a command that takes this flag for several projects or groups. */
const spreadPredicates: Readonly<Record<string, (command: CommandFacts) => boolean>> = {
  'all-projects': (command) =>
    hasScopeEndpoint(command, 'project') || canSelectAcrossProjects(command),
  'all-groups': (command) => hasScopeEndpoint(command, 'group'),
  recursive: (command) => hasScopeEndpoint(command, 'group') || canSelectAcrossProjects(command),
  'with-archived': (command) =>
    hasScopeEndpoint(command, 'project') || canSelectAcrossProjects(command),
}

/** Returns a flag for several projects or groups, hidden from the help of commands that do not take it. */
const toSpreadFlag = (command: CommandFacts, flag: Flag): Flag =>
  command.open === true
    ? flag
    : { ...flag, hidden: returnsFile(command) || spreadPredicates[flag.name]?.(command) !== true }

/** `--limit` for commands where it only limits the selection. */
const selectionLimitFlags: readonly Flag[] = flagSets.paging
  .filter(({ name }) => name === 'limit')
  .map((flag) => ({
    ...flag,
    group: 'many',
    param: {
      type: 'string',
      help: 'with --select: maximum number of objects',
      placeholder: 'n|all',
    },
  }))

/**
 * Returns `--select`; it is hidden, and refused with a message of its own, if the command has no list to select from.
 */
const toSelectFlag = (command: CommandFacts, flag: Flag): Flag =>
  getSelectList(command) === undefined ? { ...flag, hidden: true } : flag

/** True if a flag narrows the list in which `--select` looks. */
const isSelectionFlag = (command: CommandFacts, name: string): boolean =>
  getSelectList(command)?.by?.some((flag) => flag === name) === true

/** The flag that makes `--select` look in the list of the whole instance. */
const wholeInstanceFlag: Flag = {
  name: 'instance',
  param: { type: 'boolean', help: 'with --select: select from the whole instance' },
  required: false,
  selects: true,
}

/** True if a command can read from a snapshot. */
const canReadSnapshot = (command: CommandFacts): boolean =>
  isReadOnlyCommand(command) && (canListRecords(command) || command.snapshots === true)

/** True if a command takes a flag about requests: not all send requests of their own. */
const takesRequestFlag = (command: CommandFacts, { name }: Flag): boolean => {
  if (name === 'from') return canReadSnapshot(command)
  if (name === 'curl') return !(command.readOnly || command.ownJournal)
  return !['all-profiles', 'tolerate'].includes(name) || takesProfiles(command)
}

/** Flags that several commands share, which commands take them, and how each command adapts them. */
interface SharedFlags {
  readonly flags: readonly Flag[]
  readonly takes: (command: CommandFacts, flag: Flag) => boolean
  readonly adapt?: (command: CommandFacts, flag: Flag) => Flag
}

/** Hides `--no-undo-record` if nothing that the command writes can be undone. */
const hideIfIrreversible = (command: CommandFacts, flag: Flag): Flag =>
  getCommonIrreversible(command) !== undefined ? { ...flag, hidden: true } : flag

/** Hides `--all-fields` if the command has a --since with another meaning. */
const hideIfOwnSince = (command: CommandFacts, flag: Flag): Flag =>
  command.flags.some(({ name }) => name === 'since') ? { ...flag, hidden: true } : flag

/** True if the writes of a command can be saved as a planned run. */
const canSaveAsPlanned = (c: CommandFacts): boolean =>
  canPreview(c) && canRecordJournal(c) && c.open !== true && c.area !== 'journal'

/** The flags that commands share, the most specific first. */
const sharedFlags: readonly SharedFlags[] = [
  { flags: hiddenScopes, takes: (c) => hasEndpoints(c) && c.open !== true, adapt: toScopeFlag },
  { flags: flagSets.spread, takes: canCallApi, adapt: toSpreadFlag },
  { flags: [parameterFlag], takes: (c) => canCallApi(c) && c.open !== true },
  { flags: [requestParameterFlag], takes: (c) => c.open === true },
  { flags: [inputFlag], takes: (c) => canCallApi(c) && canSendAttributes(c) },
  {
    flags: [...flagSets.paging, ...flagSets.sort, ...flagSets.group],
    takes: canListRecords,
  },
  {
    flags: flagSets.since,
    takes: (c) => canListRecords(c) && canReadSnapshot(c),
    adapt: hideIfOwnSince,
  },
  { flags: flagSets.select, takes: canSendAttributes, adapt: toSelectFlag },
  {
    flags: selectionLimitFlags,
    takes: (c) => canSendAttributes(c) && getSelectList(c) !== undefined && !canListRecords(c),
  },
  {
    flags: [wholeInstanceFlag],
    takes: (c, { name }) => canSendAttributes(c) && isSelectionFlag(c, name),
  },
  { flags: flagSets.sheet, takes: (c) => getRowFlags(c).length > 0 },
  { flags: flagSets.journal, takes: (c) => canRecordJournal(c) || c.ownJournal === true },
  { flags: flagSets.record, takes: canRecordJournal, adapt: hideIfIrreversible },
  { flags: flagSets.shard, takes: (c) => canRecordJournal(c) && mayTakeSeveral(c) },
  { flags: flagSets.write, takes: returnsChanges },
  {
    flags: flagSets.preview,
    takes: (c, { name }) => (name === 'save' ? canSaveAsPlanned(c) : canPreview(c)),
  },
  { flags: flagSets.request, takes: takesRequestFlag },
  { flags: flagSets.output, takes: (c, { repeats }) => repeats !== true || canRepeat(c) },
  { flags: flagSets.title, takes: isReadOnlyCommand },
  { flags: flagSets.page, takes: hasPage },
  { flags: flagSets.repeat, takes: canRepeat },
]

/** A predicate that chooses flags of a command. */
export type FlagFilter = (flag: Flag) => boolean

/** Extends the help of the API's own --sort: the tool's accepts fields as well. */
const addFieldHelp = (flag: Flag): Flag => ({
  ...flag,
  param: { ...flag.param, help: `${flag.param.help}; or fields to sort all records by: name,-id` },
})

/** Returns every flag that a command takes, its own first. With a filter, it creates only the matching ones. */
export const getCommandFlags = (
  command: CommandFacts,
  isWanted: FlagFilter = () => true,
): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name))
  const isSortFlag = (name: string): boolean =>
    canListRecords(command) && flagSets.sort.some((f) => f.name === name)
  const named = command.flags
    .filter(isWanted)
    .map((flag) => (isSortFlag(flag.name) ? addFieldHelp(flag) : flag))
  const others = sharedFlags.flatMap(({ flags, takes, adapt }) => {
    const taken = flags.filter((flag) => isWanted(flag) && takes(command, flag))
    return adapt === undefined ? taken : taken.map((flag) => adapt(command, flag))
  })
  const further = others.filter(({ name }) => !own.has(name))
  return [...named, ...further.map((flag) => removeTakenAliases(flag, own))]
}

/** Removes the aliases of a flag that are names of other flags. */
const removeTakenAliases = (flag: Flag, names: ReadonlySet<string>): Flag =>
  flag.aliases?.some((alias) => names.has(alias)) === true
    ? { ...flag, aliases: flag.aliases.filter((alias) => !names.has(alias)) }
    : flag

/** True if a line sets a flag that names a file to write. */
export const writesFiles = (
  command: CommandFacts,
  { flags }: { readonly flags: ReadonlyMap<string, unknown> },
): boolean =>
  flags.size > 0 &&
  getCommandFlags(command, ({ name }) => flags.has(name)).some(({ param }) => param.writes === true)

/** Returns the flags in the command's own section of the help: attributes and special flags. */
export const getOwnFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'command')

/** Returns the flags for work on many objects: selection, filters, order and journal. */
export const getManyFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'many')

/** Returns the flags for undocumented settings of the instance. */
export const getSiteFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'site')

const getFlagsOfGroup = (command: CommandFacts, group: FlagGroup): Flag[] =>
  getCommandFlags(command).filter((flag) => (flag.group ?? 'command') === group)

// The input of a command as data: the parameters of its endpoints, by API name.

/** One input value of a command. */
export interface Datum {
  readonly name: string
  readonly param: Param
  readonly required: boolean
  /** The flag that it fills; absent for an argument. */
  readonly flag?: Flag
}

const toSnakeCase = (name: string): string => name.replaceAll('-', '_')

/** Converts an argument that fills no parameter: to a text, or to an enumeration if its name is one (`projects|groups`). */
const toWordDatum = ({ name, help, required }: Argument): Datum =>
  name.includes('|')
    ? { name: 'what', param: { type: 'enum', values: name.split('|'), help }, required }
    : { name: toSnakeCase(name), param: { type: 'string', help }, required }

const toArgumentData = (argument: Argument): readonly Datum[] => {
  const { parameter, param, required, file } = argument
  if (parameter !== undefined && param !== undefined) return [{ name: parameter, param, required }]
  return file === true ? [] : [toWordDatum(argument)]
}

/**
 * Converts a flag to its input value; none for files, hidden flags and flags of the tool itself. Scopes and flags that
 * choose an endpoint keep the flag's name; others have the API's name.
 */
const toFlagData = (flag: Flag): readonly Datum[] => {
  const { name, param, parameter, required, path, selects } = flag
  const isOfApi = parameter !== undefined || path === true || selects === true
  if (!isOfApi || flag.hidden === true || isFile(param)) return []
  const scope = ['project', 'group', 'user'].includes(name) && path === true
  return [{ name: scope ? name : (parameter ?? toSnakeCase(name)), param, required, flag }]
}

/** Returns the input values that a command takes, arguments first. Flags of the tool itself are not included. */
export const getData = ({
  args,
  flags,
}: Pick<CommandFacts, 'args' | 'flags'>): readonly Datum[] => [
  ...args.flatMap(toArgumentData),
  ...flags.flatMap(toFlagData),
]
