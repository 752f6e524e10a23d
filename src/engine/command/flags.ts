/** Every flag that a command takes: its own, those that go past the catalogue, and the shared ones. */

import { echoes } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { isFile, type Param } from '../../catalogue/params.js'
import {
  calls,
  getSelects,
  hasForm,
  keepsJournal,
  lists,
  onlyReads,
  rehearsable,
  rowFlags,
  scopeLetters,
  sendsBody,
  spreads,
  takesProfiles,
  takesSeveral,
  watchable,
} from './derive.js'
import { flagSets } from './global-flags.js'
import { getCommonIrreversible } from './reversal.js'
import type { Argument, CommandFacts, Flag, FlagGroup } from './types.js'

// What a command is, as far as that decides which flags it takes.

/** Whether a command is answered with what it changed. */
const answersChanges = (c: CommandFacts): boolean => Object.values(c.endpoints).some(echoes)

/** Whether a command shows objects that may have pages of their own. */
const hasPage = (c: CommandFacts): boolean =>
  watchable(c) &&
  Object.values(c.endpoints).some((e) => getProperties(e.returns.shape)?.web_url !== undefined)

/** Whether a command is answered with a file. */
export const downloads = (c: Pick<CommandFacts, 'endpoints'>): boolean =>
  Object.values(c.endpoints).some((e) => e.returns.kind === 'file')

/** Whether a command may be spread over projects. */
const ofProjects = (c: CommandFacts): boolean => hasForm(c, 'project')

/** Whether a command may work on several objects, each by a request of its own. */
const isOfMany = (c: CommandFacts): boolean =>
  c.open === true || takesSeveral(c) || hasForm(c, 'project') || hasForm(c, 'group')

// Flags beside its own.

const anyParameter: Flag = {
  name: 'param',
  param: { type: 'hash', help: 'additional API parameter: key=value or key=@file' },
  required: false,
  beyond: true,
}
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

/** Whether a command takes what goes past the catalogue. */
const goesBeyond = (command: CommandFacts): boolean => calls(command) || command.open === true

const hiddenScope = (name: 'project' | 'group'): Flag => ({
  name,
  hidden: true,
  required: false,
  path: true,
  param: { type: name, help: name },
  ...scopeLetters[name],
})

/** -P and -G, taken by all that call an endpoint, so that a wrong one gets a message of its own. */
export const hiddenScopes: readonly Flag[] = [hiddenScope('project'), hiddenScope('group')]

const shownScope = (name: 'project' | 'group', help: string): Flag => ({
  ...hiddenScope(name),
  hidden: false,
  group: 'many',
  param: { type: name, help },
})

/** -P or -G of commands whose endpoints have none of their own. */
const furtherScope = (command: CommandFacts, flag: Flag): Flag => {
  if (getSelects(command)?.spread === true)
    return flag.name === 'project'
      ? shownScope('project', 'with --select: select from this project')
      : shownScope('group', 'with --select: select from this group')
  const whole = flag.name === 'group' && !downloads(command) && ofProjects(command)
  return whole && !hasForm(command, 'group')
    ? shownScope('group', 'all projects of this group and its subgroups')
    : flag
}

/** Which commands a flag for several projects or groups is for. */
const spreadTo: Readonly<Record<string, (command: CommandFacts) => boolean>> = {
  'all-projects': (command) => ofProjects(command) || spreads(command),
  'all-groups': (command) => hasForm(command, 'group'),
  recursive: (command) => hasForm(command, 'group') || spreads(command),
  'with-archived': (command) => ofProjects(command) || spreads(command),
}

/** A flag for several projects or groups: shown where it is taken. */
const spread = (command: CommandFacts, flag: Flag): Flag =>
  command.open === true
    ? flag
    : { ...flag, hidden: downloads(command) || spreadTo[flag.name]?.(command) !== true }

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
const selection = (command: CommandFacts, flag: Flag): Flag =>
  getSelects(command) === undefined ? { ...flag, hidden: true } : flag

/** Whether a flag says which objects the list of `--select` has to choose among. */
const selectsBy = (command: CommandFacts, name: string): boolean =>
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
  if (name === 'from') return onlyReads(command) && (lists(command) || command.snapshots === true)
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
const recorded = (command: CommandFacts, flag: Flag): Flag =>
  getCommonIrreversible(command) !== undefined ? { ...flag, hidden: true } : flag

/** `--all-fields`: not offered where --since is a time of the command's own. */
const compared = (command: CommandFacts, flag: Flag): Flag =>
  command.flags.some(({ name }) => name === 'since') ? { ...flag, hidden: true } : flag

/** Whether what a command would write can be saved as a run that has not begun. */
const plannable = (c: CommandFacts): boolean =>
  rehearsable(c) && keepsJournal(c) && c.open !== true && c.area !== 'journal'

/** What a command takes beside its own, the nearest first. */
const shared: readonly SharedFlags[] = [
  { flags: hiddenScopes, takes: (c) => calls(c) && c.open !== true, as: furtherScope },
  { flags: flagSets.spread, takes: goesBeyond, as: spread },
  { flags: [anyParameter], takes: goesBeyond },
  { flags: [attributesFile], takes: (c) => goesBeyond(c) && sendsBody(c) },
  {
    flags: [...flagSets.paging, ...flagSets.sort, ...flagSets.group],
    takes: lists,
  },
  { flags: flagSets.since, takes: lists, as: compared },
  { flags: flagSets.select, takes: sendsBody, as: selection },
  { flags: limits, takes: (c) => sendsBody(c) && getSelects(c) !== undefined && !lists(c) },
  { flags: [wholeInstance], takes: (c, { name }) => sendsBody(c) && selectsBy(c, name) },
  { flags: flagSets.sheet, takes: (c) => rowFlags(c).length > 0 },
  { flags: flagSets.journal, takes: (c) => keepsJournal(c) || c.ownJournal === true },
  { flags: flagSets.record, takes: keepsJournal, as: recorded },
  { flags: flagSets.shard, takes: (c) => keepsJournal(c) && isOfMany(c) },
  { flags: flagSets.write, takes: answersChanges },
  {
    flags: flagSets.rehearsal,
    takes: (c, { name }) => (name === 'save' ? plannable(c) : rehearsable(c)),
  },
  { flags: flagSets.request, takes: takesRequest },
  { flags: flagSets.output, takes: (c, { repeats }) => repeats !== true || watchable(c) },
  { flags: flagSets.title, takes: onlyReads },
  { flags: flagSets.page, takes: hasPage },
  { flags: flagSets.repeat, takes: watchable },
]

/** Which of the flags that a command may take are asked for. */
export type FlagFilter = (flag: Flag) => boolean

/** The API's own flag of that name, which takes fields as well. */
const withFields = (flag: Flag): Flag => ({
  ...flag,
  param: { ...flag.param, help: `${flag.param.help}; or fields to sort all records by: name,-id` },
})

/** Every flag that a command takes, its own first; of some only where nothing is to be known of the others. */
export const flagsOfCommand = (
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
  return [...named, ...further.map((flag) => withoutAliases(flag, own))]
}

/** A flag without the earlier spellings that are names of others. */
const withoutAliases = (flag: Flag, names: ReadonlySet<string>): Flag =>
  flag.aliases?.some((alias) => names.has(alias)) === true
    ? { ...flag, aliases: flag.aliases.filter((alias) => !names.has(alias)) }
    : flag

/** Whether a line has a flag that names a file to write. */
export const writesFiles = (
  command: CommandFacts,
  { flags }: { readonly flags: ReadonlyMap<string, unknown> },
): boolean =>
  flags.size > 0 &&
  flagsOfCommand(command, ({ name }) => flags.has(name)).some(({ param }) => param.writes === true)

/** The flags that are a command's own: what it sends, and what only it knows. */
export const ownFlags = (command: CommandFacts): Flag[] => flagsIn(command, 'command')

/** The flags by which a command works on many objects: which, of what, in which order, and on record. */
export const manyFlags = (command: CommandFacts): Flag[] => flagsIn(command, 'many')

/** Settings of the instance at hand that no document names. */
export const siteFlags = (command: CommandFacts): Flag[] => flagsIn(command, 'site')

const flagsIn = (command: CommandFacts, group: FlagGroup): Flag[] =>
  flagsOfCommand(command).filter((flag) => (flag.group ?? 'command') === group)

// What a command takes as data: the parameters of its endpoints, by the API's names.

/** One value of a command. */
export interface Datum {
  readonly name: string
  readonly param: Param
  readonly required: boolean
  /** The flag that it fills; without one it stands at its place among the arguments. */
  readonly flag?: Flag
}

const snake = (name: string): string => name.replaceAll('-', '_')

/** One that fills no parameter: a text, or the words that its name lists (`projects|groups`). */
const wordOf = ({ name, help, required }: Argument): Datum =>
  name.includes('|')
    ? { name: 'what', param: { type: 'enum', values: name.split('|'), help }, required }
    : { name: snake(name), param: { type: 'string', help }, required }

const ofArgument = (argument: Argument): readonly Datum[] => {
  const { parameter, param, required, file } = argument
  if (parameter !== undefined && param !== undefined) return [{ name: parameter, param, required }]
  return file === true ? [] : [wordOf(argument)]
}

/** What it belongs to and what picks an endpoint is called as its flag, whatever the path says. Files have no place among data. */
const ofFlag = (flag: Flag): readonly Datum[] => {
  const { name, param, parameter, required, path, selects } = flag
  const isOfApi = parameter !== undefined || path === true || selects === true
  if (!isOfApi || flag.hidden === true || isFile(param)) return []
  const scope = ['project', 'group', 'user'].includes(name) && path === true
  return [{ name: scope ? name : (parameter ?? snake(name)), param, required, flag }]
}

/** The values that a command takes, those by position first. Flags of the tool itself are none. */
export const getData = ({
  args,
  flags,
}: Pick<CommandFacts, 'args' | 'flags'>): readonly Datum[] => [
  ...args.flatMap(ofArgument),
  ...flags.flatMap(ofFlag),
]
