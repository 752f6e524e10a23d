/** What may stand next on a command line: the answer to a shell's TAB. */
import type { Command, Flag } from '../../commands/types.js'
import { Leaf } from '../words/leaf.js'
import { placeOf, reach } from '../words/tree.js'
import { type Candidates, type Live, none, noOptions, prefixed, starting } from './candidates.js'
import { argumentsIn, flagCandidates, flagNamed, pending } from './flags.js'
import { firstWords, nextWords } from './next-word.js'
import { argumentCandidates, candidatesOf } from './values.js'

/** `--where` and `--select`: most completions have nothing of their words to load. */
const isCondition = ({ param }: Flag): boolean => param.completes === 'condition'

/** Whether its value may be several with commas between them. */
const isList = ({ param }: Flag): boolean => param.type === 'list' || param.completes === 'profiles'

const conditions = async (command: Command, flag: Flag, text: string, lead = '') =>
  (await import('./conditions.js')).conditionCandidates(command, flag, text, lead)

/** A flag's value behind its `=`. */
const afterEquals = async (
  command: Command,
  rest: readonly string[],
  current: string,
  live: Live,
): Promise<Candidates> => {
  const end = current.indexOf('=') + 1
  const flag = flagNamed(command, current.slice(0, end - 1))
  if (flag === undefined) return none
  if (isCondition(flag)) return conditions(command, flag, current.slice(end), current.slice(0, end))
  const found = await candidatesOf(flag.param, command, rest, live)
  return prefixed(found, current.slice(end), isList(flag), current.slice(0, end))
}

const inCommand = async (
  command: Command,
  rest: readonly string[],
  current: string,
  live: Live,
): Promise<Candidates> => {
  const end = rest.indexOf('--')
  if (end >= 0) {
    const before = [...argumentsIn(command, rest.slice(0, end)), ...rest.slice(end + 1)]
    return argumentCandidates(command, rest, before, current, live)
  }
  const flag = pending(command, rest)
  if (flag !== undefined) {
    if (isCondition(flag)) return conditions(command, flag, current)
    const found = await candidatesOf(flag.param, command, rest, live)
    return noOptions(prefixed(found, current, isList(flag)))
  }
  if (/^--[^=]+=/.test(current)) return afterEquals(command, rest, current, live)
  if (current.startsWith('-')) return starting(current, flagCandidates(command))
  const before = argumentsIn(command, rest)
  return noOptions(await argumentCandidates(command, rest, before, current, live))
}

/** What stands for a command before there is one: the flags that all have. */
const nothingYet: Command = {
  area: '',
  words: '',
  summary: '',
  args: [],
  flags: [],
  endpoints: {},
}

const onHelp = async (words: readonly string[], current: string): Promise<Candidates> => {
  if (words.length > 0) return complete([...words, current], async () => [])
  const { topics } = await import('../help/topics.js')
  const named = Object.keys(topics).map((value) => ({ value, text: 'a topic' }))
  return starting(current, [...(await firstWords()), ...named])
}

/** What goes on behind an alias goes on behind what it stands for. */
const behindAlias = async (
  before: readonly string[],
  word: string,
  current: string,
  live: Live,
): Promise<Candidates> => {
  const { expandedAt } = await import('../words/alias.js')
  const line = expandedAt(before, placeOf(before, word), process.env)
  // No alias is called as an area is: a second one is never met.
  return line === undefined ? none : complete([...line, current], live)
}

/**
 * Candidates for the last of `words`, which may be empty.
 * @param live values that only the instance or the machine knows; must not throw
 */
export const complete = async (words: readonly string[], live: Live): Promise<Candidates> => {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before[0] === 'help') return onHelp(before.slice(1), current)
  const { level, rest, strange } = await reach(before)
  if (level instanceof Leaf) return inCommand(level.means, rest, current, live)
  if (strange !== undefined)
    return level.place.kind === 'root' ? behindAlias(before, strange, current, live) : none
  return current.startsWith('-') || pending(nothingYet, rest) !== undefined
    ? inCommand(nothingYet, rest, current, live)
    : starting(current, await nextWords(level.place))
}
