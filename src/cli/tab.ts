/**
 * Answers TAB: `svcctl __complete <shell> -- <words>` prints the candidates for the completion scripts, and nothing
 * else.
 */

import { getCurrentIo } from '../base/io.js'
import { listAreas } from '../catalogue/index.js'
import {
  getNumberNames,
  getParamValues,
  isFile,
  isListParam,
  isSwitch,
  type Param,
  takesPairs,
} from '../catalogue/params.js'
import { loadCommandByWords, toolCommands } from '../commands/index.js'
import { getCommandFlags } from '../engine/command/flags.js'
import type { Argument, Command, Flag } from '../engine/command/types.js'
import type { HelpTopic } from '../engine/plan/line.js'
import { writeAtOnce } from '../terminal/standard.js'
import {
  type Candidate,
  type Candidates,
  completeCondition,
  completePrefix,
  filterByPrefix,
  type LiveLoader,
  noCandidates,
  removeOptions,
} from './tab-candidates.js'
import { createLiveLoader } from './tab-live.js'
import { Leaf } from './words/leaf.js'
import { findWord, followWords, listVerbs } from './words/tree.js'

// The flags on a line that is being written, and those that may follow.

/** Finds the flag that a token spells. */
const findFlag = (command: Command, token: string): Flag | undefined =>
  getCommandFlags(command).find(
    (f) =>
      token === `--${f.name}` ||
      f.own?.some((own) => token === `--${own}`) === true ||
      (f.short !== undefined && token === `-${f.short}`) ||
      f.aliases?.some((a) => token === `--${a}`) === true,
  )

const takesValue = (flag: Flag): boolean => !isSwitch(flag.param) && flag.optionalValue !== true

/** Finds the flag whose value is being typed, if there is one. */
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

/** Lists the flags that a command takes and shows. */
const listFlagCandidates = (command: Command): Candidate[] =>
  getCommandFlags(command)
    .filter((flag) => flag.hidden !== true)
    .flatMap(listForms)

// The words that may stand next: areas and commands, then verbs and groups of them.

/** Describes a group by its verbs. */
const describeGroup = (verbs: readonly string[]): string => verbs.join(', ')

const loadVerbSummary = async (area: string, words: string): Promise<string> =>
  (await loadCommandByWords(area, words))?.summary ?? ''

/** Returns what a word of the tool itself does, or its verbs. */
const describeToolWord = async (name: string): Promise<string> => {
  const verbs = toolCommands.filter(({ area }) => area === name).map(({ words }) => words)
  if (!verbs.includes('')) return describeGroup(verbs)
  const { summaries } = await import('../commands/summaries.js')
  return summaries[name] ?? ''
}

/** Returns the candidates for the first word of a line. */
const suggestFirstWords = async (): Promise<Candidate[]> => {
  const own = [...new Set(toolCommands.map((c) => c.area))].map(async (name) => ({
    value: name,
    text: await describeToolWord(name),
  }))
  const { listAliases: aliasNames } = await import('./words/alias.js')
  const aliases = Object.entries(aliasNames(getCurrentIo().env))
  return [
    ...aliases.map(([value, line]) => ({ value, text: `svcctl ${line}` })),
    ...listAreas().map((a) => ({ value: a.name, text: a.summary })),
    ...(await Promise.all(own)),
    { value: 'help', text: 'help on a command or a topic' },
  ]
}

/** Suggests the verbs of an area or of a group; each group of an area once. */
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

/** Returns the candidates for the word after those that have led to a place. */
const suggestNextWords = async (place: HelpTopic): Promise<Candidate[]> => {
  if (place.kind === 'command') return []
  if (place.kind === 'root') return suggestFirstWords()
  return suggestVerbs(place.area, place.group === undefined ? '' : `${place.group} `)
}

// The values that a flag or an argument may have.

/** Returns the values that the catalogue knows. */
const getFixedValues = (param: Param): string[] => [
  ...getParamValues(param),
  ...getNumberNames(param),
  ...(param.words ?? []),
]

/** The values of a parameter. @param words what stands on the line already @param current what was typed of it */
const listCandidates = async (
  param: Param,
  command: Command,
  words: readonly string[],
  live: LiveLoader,
  current = '',
): Promise<Candidates> => {
  if (isFile(param)) return { items: [], files: true }
  if (takesPairs(param) && param.keys !== undefined) {
    if (param.writes === true && current.includes('=')) return { items: [], files: true }
    return { items: Object.keys(param.keys).map((key) => ({ value: `${key}=` })) }
  }
  const fixed = getFixedValues(param).map((value) => ({ value }))
  const what = param.suggests ?? param.completes
  return { items: what === undefined ? fixed : [...fixed, ...(await live(what, command, words))] }
}

/** Splits an argument that is named by the few words that it may be (`bash|zsh|fish`). */
const splitWords = ({ name }: Argument): readonly string[] =>
  name.includes('|') ? name.split('|').filter((word) => word !== '') : []

/** Suggests the next argument. @param rest the line without the command's words */
const suggestArguments = async (
  command: Command,
  rest: readonly string[],
  before: readonly string[],
  current: string,
  live: LiveLoader,
): Promise<Candidates> => {
  const index = before.length
  const argument = command.args[Math.min(index, command.args.length - 1)]
  if (argument === undefined || (index >= command.args.length && !argument.variadic))
    return noCandidates
  if (argument.file === true) return { items: [], files: true }
  if (argument.values !== undefined) {
    const { naming, instanceFields } = command
    const found = await argument.values(before, current, naming, instanceFields)
    const { items } = filterByPrefix(current, found)
    return items.length === 0 && argument.mayBeFile === true ? { items, files: true } : { items }
  }
  if (argument.param === undefined)
    return filterByPrefix(
      current,
      splitWords(argument).map((value) => ({ value })),
    )
  return completePrefix(await listCandidates(argument.param, command, rest, live), current, false)
}

// What may stand next on a command line: the answer to a shell's TAB.

/** True for `--where` and `--select`. */
const isCondition = ({ param }: Flag): boolean => param.completes === 'condition'

/** True if the flag's value may be several with commas between them. */
const isList = ({ param }: Flag): boolean => isListParam(param) || param.completes === 'profiles'

/** Completes a flag's value behind its `=`. */
const completeAfterEquals = async (
  command: Command,
  rest: readonly string[],
  current: string,
  live: LiveLoader,
): Promise<Candidates> => {
  const end = current.indexOf('=') + 1
  const flag = findFlag(command, current.slice(0, end - 1))
  if (flag === undefined) return noCandidates
  if (isCondition(flag))
    return completeCondition(command, flag, current.slice(end), current.slice(0, end))
  const found = await listCandidates(flag.param, command, rest, live, current.slice(end))
  return completePrefix(found, current.slice(end), isList(flag), current.slice(0, end))
}

const completeInCommand = async (
  command: Command,
  rest: readonly string[],
  current: string,
  live: LiveLoader,
): Promise<Candidates> => {
  const end = rest.indexOf('--')
  if (end >= 0) {
    const before = [...getArguments(command, rest.slice(0, end)), ...rest.slice(end + 1)]
    return suggestArguments(command, rest, before, current, live)
  }
  const flag = findPendingFlag(command, rest)
  if (flag !== undefined) {
    if (isCondition(flag)) return completeCondition(command, flag, current)
    const found = await listCandidates(flag.param, command, rest, live, current)
    return removeOptions(completePrefix(found, current, isList(flag)))
  }
  if (/^--[^=]+=/.test(current)) return completeAfterEquals(command, rest, current, live)
  if (current.startsWith('-')) return filterByPrefix(current, listFlagCandidates(command))
  const before = getArguments(command, rest)
  return removeOptions(await suggestArguments(command, rest, before, current, live))
}

/** The stand-in for a command before there is one: it has the flags that all commands share. */
const emptyCommand: Command = {
  area: '',
  words: '',
  summary: '',
  args: [],
  flags: [],
  endpoints: {},
  registry: { named: async () => undefined, all: async () => [] },
}

const completeHelp = async (words: readonly string[], current: string): Promise<Candidates> => {
  if (words.length > 0) return complete([...words, current], async () => [])
  const { topics } = await import('./help/topics.js')
  const named = Object.keys(topics).map((value) => ({ value, text: 'a topic' }))
  return filterByPrefix(current, [...(await suggestFirstWords()), ...named])
}

/** Completes a line that begins with an alias as the line that the alias stands for. */
const completeAlias = async (
  before: readonly string[],
  word: string,
  current: string,
  live: LiveLoader,
): Promise<Candidates> => {
  const { expandAlias: expandedAt } = await import('./words/alias.js')
  const line = expandedAt(before, findWord(before, word), getCurrentIo().env)
  // No alias is called as an area is: a second one is never met.
  return line === undefined ? noCandidates : complete([...line, current], live)
}

/**
 * Returns the candidates for the last of `words`, which may be empty.
 * @param live loads values that only the instance or this machine knows; must not throw
 */
export const complete = async (words: readonly string[], live: LiveLoader): Promise<Candidates> => {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before[0] === 'help') return completeHelp(before.slice(1), current)
  const { level, rest, strange } = await followWords(before)
  if (level instanceof Leaf)
    return completeInCommand(await level.completing(current), rest, current, live)
  if (strange !== undefined)
    return level.place.kind === 'root'
      ? completeAlias(before, strange, current, live)
      : noCandidates
  return current.startsWith('-') || findPendingFlag(emptyCommand, rest) !== undefined
    ? completeInCommand(emptyCommand, rest, current, live)
    : filterByPrefix(current, await suggestNextWords(level.place))
}

/** Characters that mean nothing to any shell: whatever holds another is left out. */
const harmless = /^[\p{L}\p{N}@%+=:,./_-]+$/u
const toOneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()

const formatCandidate = ({ value, text }: Candidate): string => {
  const about = text === undefined ? '' : toOneLine(text)
  return about === '' ? value : `${value}\t${about}`
}

/** Prints the candidates, one a line, and the directive for the script; any failure prints none. */
export const answerTab = async (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const at = argv.indexOf('--')
  const words = at < 0 ? [] : argv.slice(at + 1)
  const found = await complete(words.length === 0 ? [''] : words, createLiveLoader(env))
  const lines = found.items
    .filter((c) => c.own === true || harmless.test(c.value))
    .map(formatCandidate)
  writeAtOnce([...lines, found.files === true ? ':file' : ':none', ''].join('\n'))
}
