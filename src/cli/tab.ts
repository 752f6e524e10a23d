/** Completes command lines for shells: `svcctl __complete <shell> -- <words>` prints the candidates, one a line. */

import { groupBy } from '../base/collections.js'
import type { Environment, Io } from '../base/io.js'
import { listAreas } from '../catalogue/index.js'
import { namedKinds } from '../catalogue/kinds.js'
import {
  getNumberNames,
  getParamValues,
  isFile,
  isListParam,
  isNumeric,
  isScope,
  isSwitch,
  type Param,
  takesPairs,
} from '../catalogue/params.js'
import { loadCommandByWords, toolCommands } from '../commands/index.js'
import { deriveCommand } from '../engine/command/derive.js'
import { getCommandFlags } from '../engine/command/flags.js'
import type { Argument, Command, Flag } from '../engine/command/types.js'
import type { HelpTopic } from '../engine/plan/line.js'
import { writeAtOnce } from '../terminal/standard.js'
import {
  type Candidate,
  type Candidates,
  type CompletionSource,
  completePrefix,
  filterByPrefix,
  listTimeUnits,
  noCandidates,
  removeOpeningQuote,
  removeOptions,
  unquoteWords,
} from './tab-candidates.js'
import { createLiveLoader } from './tab-live.js'
import { Leaf } from './words/leaf.js'
import { findWord, followWords, listVerbs } from './words/tree.js'

// The flags on an unfinished line.

/** Finds the flag that a word of the line names. */
const findFlag = (command: Command, token: string): Flag | undefined =>
  getCommandFlags(command).find(
    (f) =>
      token === `--${f.name}` ||
      f.own?.some((own) => token === `--${own}`) === true ||
      (f.short !== undefined && token === `-${f.short}`) ||
      f.aliases?.some((a) => token === `--${a}`) === true,
  )

const takesValue = (flag: Flag): boolean => !isSwitch(flag.param) && flag.optionalValue !== true

/** Finds the flag whose value is being typed; undefined if there is none. */
const findPendingFlag = (command: Command, before: readonly string[]): Flag | undefined => {
  const last = before.at(-1)
  if (last === undefined || !last.startsWith('-') || last.includes('=')) return undefined
  const flag = findFlag(command, last)
  return flag !== undefined && takesValue(flag) ? flag : undefined
}

/** Returns the arguments before the cursor. */
const getArguments = (command: Command, rest: readonly string[]): readonly string[] => {
  const found: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const token = rest[i] ?? ''
    const flag = token.startsWith('-') && token !== '-' ? findFlag(command, token) : undefined
    if (flag !== undefined && takesValue(flag)) i++
    else if (!token.startsWith('-') || token === '-') found.push(token)
  }
  return found
}

const listForms = (flag: Flag): Candidate[] => {
  const { own = [], ...plain } = flag
  const named = { ...plain.param, help: `[--${plain.name}] ${plain.param.help}` }
  return [
    ...own.flatMap((name) => listFormsOfName({ ...plain, name, param: named })),
    ...listFormsOfName(plain),
  ]
}

const listFormsOfName = ({ name, param, parameter, selects, refusal }: Flag): Candidate[] => {
  if (refusal !== undefined) return [{ value: `--no-${name}`, text: refusal }]
  const yes = { value: `--${name}`, text: param.help }
  return isSwitch(param) && parameter !== undefined && selects !== true
    ? [yes, { value: `--no-${name}`, text: `not: ${param.help}` }]
    : [yes]
}

/** Lists the flags that a command shows in its help. */
const listFlagCandidates = (command: Command): Candidate[] =>
  getCommandFlags(command)
    .filter((flag) => flag.hidden !== true)
    .flatMap(listForms)

// The next word of a command: an area or command, then a verb or a group of verbs.

/** Describes a group by its verbs. */
const describeGroup = (verbs: readonly string[]): string => verbs.join(', ')

const loadVerbSummary = async (area: string, words: string): Promise<string> =>
  (await loadCommandByWords(area, words))?.summary ?? ''

/** Returns the summary of a command of the tool, or the verbs of its area. */
const describeToolWord = (name: string): string => {
  const verbs = toolCommands.filter(({ area }) => area === name)
  const alone = verbs.find(({ words }) => words === '')
  return alone?.summary ?? describeGroup(verbs.map(({ words }) => words))
}

/** Suggests the first word of a line. */
const suggestFirstWords = async (env: Environment): Promise<Candidate[]> => {
  const own = [...new Set(toolCommands.map((c) => c.area))].map((name) => ({
    value: name,
    text: describeToolWord(name),
  }))
  const { listAliases: aliasNames } = await import('./words/alias.js')
  const aliases = Object.entries(aliasNames(env))
  return [
    ...aliases.map(([value, line]) => ({ value, text: `svcctl ${line}` })),
    ...listAreas().map((a) => ({ value: a.name, text: a.summary })),
    ...own,
    { value: 'help', text: 'help on a command or a topic' },
  ]
}

/** Suggests the verbs and groups of an area, or the verbs of a group. */
const suggestVerbs = async (area: string, lead: string): Promise<Candidate[]> => {
  const all = (await listVerbs(area))
    .filter((words) => words.startsWith(lead))
    .map((words) => words.slice(lead.length))
  const below = (word: string): string[] =>
    all.filter((words) => words.startsWith(`${word} `)).map((words) => words.slice(word.length + 1))
  const named = [...new Set(all.map((words) => words.split(' ')[0] ?? ''))]
  return Promise.all(
    named.map(async (value) => {
      const group = below(value)
      const text =
        group.length > 0 ? describeGroup(group) : await loadVerbSummary(area, lead + value)
      return { value, text }
    }),
  )
}

/** Suggests the next word of a command. */
const suggestNextWords = async (place: HelpTopic, env: Environment): Promise<Candidate[]> => {
  if (place.kind === 'command') return []
  if (place.kind === 'root') return suggestFirstWords(env)
  return suggestVerbs(place.area, place.group === undefined ? '' : `${place.group} `)
}

// The values of flags and arguments.

/** Returns the values that the catalogue contains. */
const getFixedValues = (param: Param): string[] => [
  ...getParamValues(param),
  ...getNumberNames(param),
  ...(param.words ?? []),
]

/**
 * Lists the values of a parameter.
 * @param words the words before the cursor
 * @param current the typed part of the value
 */
const listCandidates = async (
  param: Param,
  command: Command,
  words: readonly string[],
  source: CompletionSource,
  current = '',
): Promise<Candidates> => {
  if (isFile(param)) return { items: [], files: true }
  if (takesPairs(param) && param.keys !== undefined) {
    if (param.writes === true && current.includes('=')) return { items: [], files: true }
    return { items: Object.keys(param.keys).map((key) => ({ value: `${key}=` })) }
  }
  const fixed = getFixedValues(param).map((value) => ({ value }))
  const what = param.suggests ?? param.completes
  if (what === undefined) return { items: fixed }
  const items = [...fixed, ...(await source.load(what, command, words))]
  // A run is also named by its file.
  return what === 'run' && filterByPrefix(current, items).items.length === 0
    ? { items: [], files: true }
    : { items }
}

/** Returns the values in an argument's name (`bash|zsh|fish`). */
const splitWords = ({ name }: Argument): readonly string[] =>
  name.includes('|') ? name.split('|').filter((word) => word !== '') : []

/**
 * Suggests the next argument.
 * @param rest the line without the command's words
 */
const suggestArguments = async (
  command: Command,
  rest: readonly string[],
  before: readonly string[],
  typed: string,
  source: CompletionSource,
): Promise<Candidates> => {
  const current = removeOpeningQuote(typed)
  const index = before.length
  const argument = command.args[Math.min(index, command.args.length - 1)]
  if (argument === undefined || (index >= command.args.length && !argument.variadic))
    return noCandidates
  if (argument.file === true) return { items: [], files: true }
  if (argument.values !== undefined) {
    const { naming, instanceFields } = command
    const found = await argument.values({ before, current, naming, instanceFields, io: source.io })
    const { items } = filterByPrefix(current, found)
    return items.length === 0 && argument.mayBeFile === true ? { items, files: true } : { items }
  }
  if (argument.param === undefined)
    return filterByPrefix(
      current,
      splitWords(argument).map((value) => ({ value })),
    )
  const found = await listCandidates(argument.param, command, rest, source)
  return completePrefix(isNamePrefix(argument, current) ? toNames(found) : found, current)
}

/** True if a word begins the name of an object that is completed by its ID. */
const isNamePrefix = ({ param }: Argument, current: string): boolean =>
  isNumeric(param) && namedKinds.some((kind) => kind === param.completes) && /^\D/.test(current)

/** Returns the names of objects in place of their IDs, with the IDs as text. A name of several objects is left out. */
const toNames = ({ items }: Candidates): Candidates => {
  const ids = groupBy(items, ({ text }) => text)
  return {
    items: [...ids].flatMap(([name, [item, ...others]]) =>
      name === undefined || item === undefined || others.length > 0
        ? []
        : [{ value: name, text: item.value }],
    ),
  }
}

// Completing a whole line.

/** True for flags with a condition, such as `--where` and `--select`. */
const takesCondition = ({ param }: Flag): boolean => param.completes === 'condition'

/** True if the value of a flag is a comma-separated list. */
const takesList = ({ param }: Flag): boolean =>
  isListParam(param) || isScope(param) || param.completes === 'profiles'

/** The signs that may stand before a field: `--fields +status` adds a column, and `--sort -status` reverses the order. */
const fieldSigns: Readonly<Record<string, string>> = { fields: '+', sort: '-' }

/** Returns where the item begins that is being typed: after the last comma of a list, and after the sign of a field. */
const findItemStart = (flag: Flag, value: string): number => {
  const start = takesList(flag) ? value.lastIndexOf(',') + 1 : 0
  const signed = flag.param.completes === 'field' && value[start] === fieldSigns[flag.name]
  return signed ? start + 1 : start
}

/**
 * Completes the value of a flag.
 * @param lead the text before the value in the same word (`--status=`)
 */
const completeValue = async (
  flag: Flag,
  command: Command,
  rest: readonly string[],
  typed: string,
  source: CompletionSource,
  lead = '',
): Promise<Candidates> => {
  if (takesCondition(flag)) {
    const { completeCondition } = await import('./tab-conditions.js')
    return completeCondition(command, flag, typed, lead)
  }
  const value = removeOpeningQuote(typed)
  const start = findItemStart(flag, value)
  const field = flag.name === 'group-by' ? /^(.+):/.exec(value.slice(start))?.[1] : undefined
  const { items, ...found } =
    field === undefined
      ? await listCandidates(flag.param, command, rest, source, value)
      : { items: await listTimeUnits(field) }
  // An item of a list is not offered again.
  const named = new Set(value.slice(0, start).split(/,[+-]?|^[+-]/))
  const left = items.filter((one) => !named.has(one.value))
  return completePrefix({ ...found, items: left }, value, start, lead)
}

/** Completes the value of a flag after its `=`. */
const completeAfterEquals = async (
  command: Command,
  rest: readonly string[],
  current: string,
  source: CompletionSource,
): Promise<Candidates> => {
  const end = current.indexOf('=') + 1
  const flag = findFlag(command, current.slice(0, end - 1))
  if (flag === undefined) return noCandidates
  return completeValue(flag, command, rest, current.slice(end), source, current.slice(0, end))
}

const completeInCommand = async (
  command: Command,
  rest: readonly string[],
  current: string,
  source: CompletionSource,
): Promise<Candidates> => {
  const end = rest.indexOf('--')
  if (end >= 0) {
    const before = [...getArguments(command, rest.slice(0, end)), ...rest.slice(end + 1)]
    return suggestArguments(command, rest, before, current, source)
  }
  const flag = findPendingFlag(command, rest)
  if (flag !== undefined) {
    const found = await completeValue(flag, command, rest, current, source)
    // A dash that is typed is part of the value: --sort -created_at
    return current.startsWith('-') ? found : removeOptions(found)
  }
  if (/^--[^=]+=/.test(current)) return completeAfterEquals(command, rest, current, source)
  if (current.startsWith('-')) return filterByPrefix(current, listFlagCandidates(command))
  const before = getArguments(command, rest)
  return removeOptions(await suggestArguments(command, rest, before, current, source))
}

/** Stands for the command while it is unknown; it has the flags that all commands share. */
const emptyCommand: Command = {
  ...deriveCommand('', '', {}),
  registry: { find: async () => undefined, list: async () => [] },
}

const completeHelp = async (
  words: readonly string[],
  current: string,
  { io }: CompletionSource,
): Promise<Candidates> => {
  if (words.length > 0) return completeLine([...words, current], { io, load: async () => [] })
  const { topics } = await import('./help/topics.js')
  const named = Object.keys(topics).map((value) => ({ value, text: 'a topic' }))
  return filterByPrefix(current, [...(await suggestFirstWords(io.env)), ...named])
}

/** Completes a line that begins with an alias, as the line that the alias stands for. */
const completeAlias = async (
  before: readonly string[],
  word: string,
  current: string,
  source: CompletionSource,
): Promise<Candidates> => {
  const { expandAlias: expandedAt } = await import('./words/alias.js')
  const line = expandedAt(before, findWord(before, word), source.io.env, true)
  // An alias cannot stand for another alias, so one expansion is enough.
  return line === undefined ? noCandidates : completeLine([...line, current], source)
}

/**
 * Returns the candidates for the last of `words`, which may be empty.
 */
export const completeLine = async (
  words: readonly string[],
  source: CompletionSource,
): Promise<Candidates> => {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before[0] === 'help') return completeHelp(before.slice(1), current, source)
  const { level, rest, strange } = await followWords({ tokens: before, env: source.io.env })
  if (level instanceof Leaf)
    return completeInCommand(await level.getCommandToComplete(current), rest, current, source)
  if (strange !== undefined)
    return level.place.kind === 'root'
      ? completeAlias(before, strange, current, source)
      : noCandidates
  return current.startsWith('-') || findPendingFlag(emptyCommand, rest) !== undefined
    ? completeInCommand(emptyCommand, rest, current, source)
    : filterByPrefix(current, await suggestNextWords(level.place, source.io.env))
}

// Most candidates are ASCII. V8 takes a millisecond to look up each class of Unicode, so those are used only for the others.

/** True for a text without characters that are special in a shell. Other candidates are not printed. */
const isShellSafe = (text: string): boolean =>
  /^[\w@%+=:,./-]+$/.test(text) || /^[\p{L}\p{N}@%+=:,./_-]+$/u.test(text)

const toOneLine = (text: string): string =>
  (/^[ -~]*$/.test(text) ? text : text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')).trim()

const formatCandidate = ({ value, text }: Candidate): string => {
  const about = text === undefined ? '' : toOneLine(text)
  return about === '' ? value : `${value}\t${about}`
}

/** Prints the candidates, one a line, and a directive for the completion script. After any failure, it prints none. */
export const printCandidates = async (argv: readonly string[], io: Io): Promise<void> => {
  const at = argv.indexOf('--')
  const words = at < 0 ? [] : await unquoteWords(argv[at - 1], argv.slice(at + 1))
  const found = await completeLine(words.length === 0 ? [''] : words, {
    io,
    load: createLiveLoader(io),
  })
  const lines = found.items
    .filter((c) => c.own === true || isShellSafe(c.value))
    .map(formatCandidate)
  writeAtOnce(io, [...lines, found.files === true ? ':file' : ':none', ''].join('\n'))
}
