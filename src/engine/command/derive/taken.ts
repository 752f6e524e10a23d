/** Every flag that a command takes: its own, those that go past the catalogue, and the shared ones. */

import {
  groupFlags,
  journalFlags,
  outputFlags,
  pageFlags,
  pagingFlags,
  recordFlags,
  rehearsalFlags,
  repeatFlags,
  requestFlags,
  selectFlags,
  shardFlags,
  sheetFlags,
  sinceFlags,
  sortFlags,
  spreadFlags,
  writeFlags,
} from '../globals.js'
import { withFields } from '../many-flags.js'
import type { Described, Flag, FlagGroup } from '../types.js'

import { scopeLetters } from './derived.js'
import {
  answersChanges,
  calls,
  downloads,
  getSelects,
  hasForm,
  hasPage,
  isAskable,
  isOfMany,
  keepsJournal,
  lists,
  ofProjects,
  onlyReads,
  rehearsable,
  rowFlags,
  sendsBody,
  spreads,
  watchable,
} from './traits.js'

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

/** Flags that go past the catalogue. */
const escapeHatches = (command: Described): Flag[] => {
  if (!calls(command) && command.open !== true) return []
  return sendsBody(command) ? [anyParameter, attributesFile] : [anyParameter]
}

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

/** -P and -G of commands whose endpoints have none of their own. */
const furtherScopes = (command: Described): readonly Flag[] => {
  if (getSelects(command)?.spread === true)
    return [
      shownScope('project', 'with --select: select from this project'),
      shownScope('group', 'with --select: select from this group'),
    ]
  if (downloads(command) || !ofProjects(command) || hasForm(command, 'group')) return hiddenScopes
  return [
    hiddenScope('project'),
    shownScope('group', 'all projects of this group and its subgroups'),
  ]
}

/** Which commands a flag for several projects or groups is for. */
const spreadTo: Readonly<Record<string, (command: Described) => boolean>> = {
  'all-projects': (command) => ofProjects(command) || spreads(command),
  'all-groups': (command) => hasForm(command, 'group'),
  recursive: (command) => hasForm(command, 'group') || spreads(command),
  'with-archived': (command) => ofProjects(command) || spreads(command),
}

/** -P, -G and the flags for several projects or groups: shown where they are taken. */
const scopes = (command: Described): readonly Flag[] => {
  if (command.open === true) return spreadFlags
  if (!calls(command)) return []
  return [
    ...furtherScopes(command),
    ...spreadFlags.map((flag) => ({
      ...flag,
      hidden: downloads(command) || spreadTo[flag.name]?.(command) !== true,
    })),
  ]
}

/** `--limit` where it says something of a selection alone. */
const limits: readonly Flag[] = pagingFlags
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

/** `--select`, and which objects its list has to choose among; elsewhere it is refused with a word of its own. */
const selection = (command: Described): readonly Flag[] => {
  if (!sendsBody(command)) return []
  const fact = getSelects(command)
  if (fact === undefined) return selectFlags.map((flag) => ({ ...flag, hidden: true }))
  const by = (fact.by ?? []).map(
    (name): Flag => ({
      name,
      param: { type: 'boolean', help: 'with --select: select from the whole instance' },
      required: false,
      selects: true,
    }),
  )
  return [...selectFlags, ...(lists(command) ? [] : limits), ...by]
}

/** Flags that say something of requests only. */
const takes = (command: Described, name: string): boolean => {
  if (name === 'from') return onlyReads(command) && (lists(command) || command.snapshots === true)
  if (name === 'curl') return !(command.readOnly || command.ownJournal)
  return !['all-profiles', 'tolerate'].includes(name) || isAskable(command)
}

/** What a command takes beside its own, the nearest first. */
const further = (command: Described): Flag[] => [
  ...scopes(command),
  ...escapeHatches(command),
  ...(lists(command) ? [...pagingFlags, ...sortFlags, ...groupFlags, ...sinceFlags] : []),
  ...selection(command),
  ...(rowFlags(command).length > 0 ? sheetFlags : []),
  ...(keepsJournal(command) || command.ownJournal === true ? journalFlags : []),
  ...(keepsJournal(command) ? recordFlags : []),
  ...(keepsJournal(command) && isOfMany(command) ? shardFlags : []),
  ...(answersChanges(command) ? writeFlags : []),
  ...(rehearsable(command) ? rehearsalFlags : []),
  ...requestFlags.filter(({ name }) => takes(command, name)),
  ...outputFlags.filter((flag) => flag.repeats !== true || watchable(command)),
  ...(hasPage(command) ? pageFlags : []),
  ...(watchable(command) ? repeatFlags : []),
]

/** Every flag that a command takes, its own first. */
export const flagsOfCommand = (command: Described): Flag[] => {
  const own = new Set(command.flags.map(({ name }) => name))
  const sorts = (name: string): boolean => lists(command) && sortFlags.some((f) => f.name === name)
  const named = command.flags.map((flag) => (sorts(flag.name) ? withFields(flag) : flag))
  const others = further(command).filter(({ name }) => !own.has(name))
  return [...named, ...others.map((flag) => withoutAliases(flag, own))]
}

/** A flag without the earlier spellings that are names of others. */
const withoutAliases = (flag: Flag, names: ReadonlySet<string>): Flag =>
  flag.aliases?.some((alias) => names.has(alias)) === true
    ? { ...flag, aliases: flag.aliases.filter((alias) => !names.has(alias)) }
    : flag

/** The flags that are a command's own: what it sends, and what only it knows. */
export const ownFlags = (command: Described): Flag[] => flagsIn(command, 'command')

/** The flags by which a command works on many objects: which, of what, in which order, and on record. */
export const manyFlags = (command: Described): Flag[] => flagsIn(command, 'many')

/** Settings of the instance at hand that no document names. */
export const siteFlags = (command: Described): Flag[] => flagsIn(command, 'site')

const flagsIn = (command: Described, group: FlagGroup): Flag[] =>
  flagsOfCommand(command).filter((flag) => (flag.group ?? 'command') === group)
