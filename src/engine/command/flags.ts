/** Every flag that a command takes: its own, those that go past the catalogue, and the shared ones. */

import { hasEcho } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { isFile, type Param } from '../../catalogue/params.js'
import {
  canPreview,
  canRepeat,
  canSelectAcrossProjects,
  canSendAttributes,
  getRowFlags,
  getSelects,
  hasEndpoints,
  hasForm,
  isReadOnlyCommand,
  keepsJournal,
  lists,
  scopeLetters,
  takesProfiles,
  takesSeveral,
} from './derive.js'
import { flagSets } from './global-flags.js'
import { getCommonIrreversible } from './reversal.js'
import type { Argument, CommandFacts, Flag, FlagGroup } from './types.js'

// What a command is, as far as that decides which flags it takes.

/** True if a command is answered with what it changed. */
const returnsChanges = (c: CommandFacts): boolean => Object.values(c.endpoints).some(hasEcho)

/** True if a command shows objects that may have pages of their own. */
const hasPage = (c: CommandFacts): boolean =>
  canRepeat(c) &&
  Object.values(c.endpoints).some((e) => getProperties(e.returns.shape)?.web_url !== undefined)

/** True if a command is answered with a file. */
export const returnsFile = (c: Pick<CommandFacts, 'endpoints'>): boolean =>
  Object.values(c.endpoints).some((e) => e.returns.kind === 'file')

/** True if a command may be spread over projects. */
const hasProjectForm = (c: CommandFacts): boolean => hasForm(c, 'project')

/** True if a command may work on several objects, each by a request of its own. */
const isOfMany = (c: CommandFacts): boolean =>
  c.open === true || takesSeveral(c) || hasForm(c, 'project') || hasForm(c, 'group')

// Flags beside its own.

const anyParameter: Flag = {
  name: 'param',
  param: { type: 'hash', help: 'additional API parameter: key=value or key=@file' },
  required: false,
  beyond: true,
}
/** The flag for additional parameters of `api`, which is also `-F` and `--field`. */
const requestParameter: Flag = { ...anyParameter, short: 'F', aliases: ['field'] }
const attributesFile: Flag = {
  name: 'input',
  param: {
    type: 'string',
    help: 'attributes from a JSON or YAML file, or - for standard input',
    completes: 'file',
  },
  required: false,
  beyond: true,
}

/** True if a command takes parameters beyond the catalogue. */
const acceptsUndocumented = (command: CommandFacts): boolean =>
  hasEndpoints(command) || command.open === true

const createHiddenScope = (name: 'project' | 'group'): Flag => ({
  name,
  hidden: true,
  required: false,
  path: true,
  param: { type: name, help: name },
  ...scopeLetters[name],
})

/** -P and -G, taken by all that call an endpoint, so that a wrong one gets a message of its own. */
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

/** Returns -P or -G of commands whose endpoints have none of their own. */
const toScopeFlag = (command: CommandFacts, flag: Flag): Flag => {
  if (getSelects(command)?.spread === true)
    return flag.name === 'project'
      ? createShownScope('project', 'with --select: select from this project')
      : createShownScope('group', 'with --select: select from this group')
  const whole = flag.name === 'group' && !returnsFile(command) && hasProjectForm(command)
  return whole && !hasForm(command, 'group')
    ? createShownScope('group', 'all projects of this group and its subgroups')
    : flag
}

/** Predicates by flag name: each chooses the commands that take this flag for several projects or groups. */
const spreadTo: Readonly<Record<string, (command: CommandFacts) => boolean>> = {
  'all-projects': (command) => hasProjectForm(command) || canSelectAcrossProjects(command),
  'all-groups': (command) => hasForm(command, 'group'),
  recursive: (command) => hasForm(command, 'group') || canSelectAcrossProjects(command),
  'with-archived': (command) => hasProjectForm(command) || canSelectAcrossProjects(command),
}

/** Returns a flag for several projects or groups: it is shown where it is taken. */
const spread = (command: CommandFacts, flag: Flag): Flag =>
  command.open === true
    ? flag
    : { ...flag, hidden: returnsFile(command) || spreadTo[flag.name]?.(command) !== true }

/** `--limit` where it says something of a selection alone. */
const limits: readonly Flag[] = flagSets.paging
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

/** `--select`; where there is no list to choose among it is refused with a word of its own. */
const toSelectFlag = (command: CommandFacts, flag: Flag): Flag =>
  getSelects(command) === undefined ? { ...flag, hidden: true } : flag

/** True if a flag narrows the list from which `--select` chooses. */
const isSelectionFlag = (command: CommandFacts, name: string): boolean =>
  getSelects(command)?.by?.some((flag) => flag === name) === true

/** With `--select`: the list of the whole instance is chosen from. */
const wholeInstance: Flag = {
  name: 'instance',
  param: { type: 'boolean', help: 'with --select: select from the whole instance' },
  required: false,
  selects: true,
}

/** Flags that say something of requests only. */
const takesRequest = (command: CommandFacts, { name }: Flag): boolean => {
  if (name === 'from')
    return isReadOnlyCommand(command) && (lists(command) || command.snapshots === true)
  if (name === 'curl') return !(command.readOnly || command.ownJournal)
  return !['all-profiles', 'tolerate'].includes(name) || takesProfiles(command)
}

/** Flags of many commands: which of these take each, and what it says there. */
interface SharedFlags {
  readonly flags: readonly Flag[]
  readonly takes: (command: CommandFacts, flag: Flag) => boolean
  readonly as?: (command: CommandFacts, flag: Flag) => Flag
}

/** `--no-undo-record`: not offered where nothing could be undone anyway. */
const hideIfIrreversible = (command: CommandFacts, flag: Flag): Flag =>
  getCommonIrreversible(command) !== undefined ? { ...flag, hidden: true } : flag

/** `--all-fields`: not offered where --since is a time of the command's own. */
const hideIfOwnSince = (command: CommandFacts, flag: Flag): Flag =>
  command.flags.some(({ name }) => name === 'since') ? { ...flag, hidden: true } : flag

/** True if the writes of a command can be saved as a run that has not begun. */
const canSaveAsPlanned = (c: CommandFacts): boolean =>
  canPreview(c) && keepsJournal(c) && c.open !== true && c.area !== 'journal'

/** The flags that a command takes beside its own, the nearest first. */
const shared: readonly SharedFlags[] = [
  { flags: hiddenScopes, takes: (c) => hasEndpoints(c) && c.open !== true, as: toScopeFlag },
  { flags: flagSets.spread, takes: acceptsUndocumented, as: spread },
  { flags: [anyParameter], takes: (c) => acceptsUndocumented(c) && c.open !== true },
  { flags: [requestParameter], takes: (c) => c.open === true },
  { flags: [attributesFile], takes: (c) => acceptsUndocumented(c) && canSendAttributes(c) },
  {
    flags: [...flagSets.paging, ...flagSets.sort, ...flagSets.group],
    takes: lists,
  },
  { flags: flagSets.since, takes: lists, as: hideIfOwnSince },
  { flags: flagSets.select, takes: canSendAttributes, as: toSelectFlag },
  { flags: limits, takes: (c) => canSendAttributes(c) && getSelects(c) !== undefined && !lists(c) },
  {
    flags: [wholeInstance],
    takes: (c, { name }) => canSendAttributes(c) && isSelectionFlag(c, name),
  },
  { flags: flagSets.sheet, takes: (c) => getRowFlags(c).length > 0 },
  { flags: flagSets.journal, takes: (c) => keepsJournal(c) || c.ownJournal === true },
  { flags: flagSets.record, takes: keepsJournal, as: hideIfIrreversible },
  { flags: flagSets.shard, takes: (c) => keepsJournal(c) && isOfMany(c) },
  { flags: flagSets.write, takes: returnsChanges },
  {
    flags: flagSets.rehearsal,
    takes: (c, { name }) => (name === 'save' ? canSaveAsPlanned(c) : canPreview(c)),
  },
  { flags: flagSets.request, takes: takesRequest },
  { flags: flagSets.output, takes: (c, { repeats }) => repeats !== true || canRepeat(c) },
  { flags: flagSets.title, takes: isReadOnlyCommand },
  { flags: flagSets.page, takes: hasPage },
  { flags: flagSets.repeat, takes: canRepeat },
]

/** A predicate that chooses which flags of a command are asked for. */
export type FlagFilter = (flag: Flag) => boolean

/** Returns the API's own flag of that name as one that takes fields as well. */
const withFields = (flag: Flag): Flag => ({
  ...flag,
  param: { ...flag.param, help: `${flag.param.help}; or fields to sort all records by: name,-id` },
})

/** Returns every flag that a command takes, its own first. With a filter, only the wanted flags are made. */
export const getCommandFlags = (
  command: CommandFacts,
  isWanted: FlagFilter = () => true,
): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name))
  const sorts = (name: string): boolean =>
    lists(command) && flagSets.sort.some((f) => f.name === name)
  const named = command.flags
    .filter(isWanted)
    .map((flag) => (sorts(flag.name) ? withFields(flag) : flag))
  const others = shared.flatMap(({ flags, takes, as }) => {
    const taken = flags.filter((flag) => isWanted(flag) && takes(command, flag))
    return as === undefined ? taken : taken.map((flag) => as(command, flag))
  })
  const further = others.filter(({ name }) => !own.has(name))
  return [...named, ...further.map((flag) => removeTakenAliases(flag, own))]
}

/** Removes from a flag the earlier spellings that are names of others. */
const removeTakenAliases = (flag: Flag, names: ReadonlySet<string>): Flag =>
  flag.aliases?.some((alias) => names.has(alias)) === true
    ? { ...flag, aliases: flag.aliases.filter((alias) => !names.has(alias)) }
    : flag

/** True if a line has a flag that names a file to write. */
export const writesFiles = (
  command: CommandFacts,
  { flags }: { readonly flags: ReadonlyMap<string, unknown> },
): boolean =>
  flags.size > 0 &&
  getCommandFlags(command, ({ name }) => flags.has(name)).some(({ param }) => param.writes === true)

/** Returns the flags that are a command's own: what it sends, and what only it knows. */
export const getOwnFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'command')

/** Returns the flags by which a command works on many objects: which, of what, in which order, and on record. */
export const getManyFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'many')

/** Settings of the instance at hand that no document names. */
export const getSiteFlags = (command: CommandFacts): Flag[] => getFlagsOfGroup(command, 'site')

const getFlagsOfGroup = (command: CommandFacts, group: FlagGroup): Flag[] =>
  getCommandFlags(command).filter((flag) => (flag.group ?? 'command') === group)

// What a command takes as data: the parameters of its endpoints, by the API's names.

/** One value of a command. */
export interface Datum {
  readonly name: string
  readonly param: Param
  readonly required: boolean
  /** The flag that it fills; without one it stands at its place among the arguments. */
  readonly flag?: Flag
}

const toSnakeCase = (name: string): string => name.replaceAll('-', '_')

/** Converts an argument that fills no parameter: to a text, or to the words that its name lists (`projects|groups`). */
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
 * Converts a flag to the values that it stands for. A scope, and a flag that picks an endpoint, is named after the flag,
 * whatever the path says. Files and hidden flags have no place among data.
 */
const toFlagData = (flag: Flag): readonly Datum[] => {
  const { name, param, parameter, required, path, selects } = flag
  const isOfApi = parameter !== undefined || path === true || selects === true
  if (!isOfApi || flag.hidden === true || isFile(param)) return []
  const scope = ['project', 'group', 'user'].includes(name) && path === true
  return [{ name: scope ? name : (parameter ?? toSnakeCase(name)), param, required, flag }]
}

/** Returns the values that a command takes, those by position first. Flags of the tool itself are none. */
export const getData = ({
  args,
  flags,
}: Pick<CommandFacts, 'args' | 'flags'>): readonly Datum[] => [
  ...args.flatMap(toArgumentData),
  ...flags.flatMap(toFlagData),
]
