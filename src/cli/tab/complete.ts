/** What may stand next on a command line: the answer to a shell's TAB. */
import type { Param } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { commandOf, flagsOfCommand, toolCommand } from '../../commands/derive/index.js'
import { toolCommands } from '../../commands/index.js'
import type { Command, Flag, Suggestion } from '../../commands/types.js'
import { areaNamed, resolve, same, verbsOf, wordsIn } from '../words/grammar.js'

export type Candidate = Suggestion
export interface Candidates {
  readonly items: readonly Candidate[]
  /** The shell completes file names itself. */
  readonly files?: true
}

/** Where values come from that only the instance or the machine knows. */
export type Live = (
  what: string,
  command: Command,
  words: readonly string[],
) => Promise<readonly Candidate[]>

const none: Candidates = { items: [] }
const starting = (prefix: string, items: readonly Candidate[]): Candidates => ({
  items: items.filter((c) => c.value.startsWith(prefix)),
})

const summaryOf = async (area: string, words: string): Promise<string> => {
  const row = areas.find((a) => a.name === area)
  const command =
    row === undefined
      ? await toolCommand(area, words)
      : await commandOf(area, words, await row.load())
  return command?.summary ?? ''
}

/** A group is described by its verbs. */
const groupOf = (verbs: readonly string[]): string => verbs.join(', ')

const first = async (): Promise<Candidate[]> => {
  const own = [...new Set(toolCommands.map((c) => c.area))].map(async (name) => {
    const bare = toolCommands.some((c) => c.area === name && c.words === '')
    return { value: name, text: bare ? await summaryOf(name, '') : groupOf(await verbsOf(name)) }
  })
  return [
    ...areas.map((a) => ({ value: a.name, text: a.summary })),
    ...(await Promise.all(own)),
    { value: 'help', text: 'help on a command or a topic' },
  ]
}

/** Second and third words: verbs, each group of two-word verbs once. */
const verbs = async (area: string, before: string | undefined): Promise<Candidate[]> => {
  const all = await verbsOf(area)
  const inner = (word: string): string[] =>
    all.filter((v) => v.startsWith(`${word} `)).map((v) => v.slice(word.length + 1))
  if (before !== undefined) {
    const group = all.map((v) => v.split(' ')[0] ?? '').find((word) => same(word, before))
    if (group === undefined) return []
    const described = inner(group).map(async (value) => ({
      value,
      text: await summaryOf(area, `${group} ${value}`),
    }))
    return Promise.all(described)
  }
  const words = [...new Set(all.map((v) => v.split(' ')[0] ?? ''))]
  return Promise.all(
    words.map(async (value) => {
      const group = inner(value)
      const text = group.length > 0 ? groupOf(group) : await summaryOf(area, value)
      return { value, text }
    }),
  )
}

const flagCandidates = (command: Command): Candidate[] =>
  flagsOfCommand(command)
    .filter((f) => f.hidden !== true)
    .flatMap((f) =>
      f.refusal !== undefined
        ? [{ value: `--no-${f.name}`, text: f.refusal }]
        : f.param.type === 'boolean' && f.parameter !== undefined && f.selects !== true
          ? [
              { value: `--${f.name}`, text: f.param.help },
              { value: `--no-${f.name}`, text: `not: ${f.param.help}` },
            ]
          : [{ value: `--${f.name}`, text: f.param.help }],
    )

const isFile = (param: Param): boolean =>
  param.completes === 'file' || (param.type === 'string' && param.format === 'pem')

const candidatesOf = async (
  param: Param,
  command: Command,
  words: readonly string[],
  live: Live,
): Promise<Candidates> => {
  if (isFile(param)) return { items: [], files: true }
  const fixed = [
    ...(param.type === 'enum' || param.type === 'list' ? (param.values ?? []) : []),
    ...(param.type === 'integer' || param.type === 'list' ? Object.keys(param.names ?? {}) : []),
    ...(param.words ?? []),
  ].map((value) => ({ value }))
  if (param.type === 'hash' && param.keys !== undefined)
    return { items: Object.keys(param.keys).map((key) => ({ value: `${key}=` })) }
  if (param.completes === undefined) return { items: fixed }
  return { items: [...fixed, ...(await live(param.completes, command, words))] }
}

const flagNamed = (command: Command, token: string): Flag | undefined =>
  flagsOfCommand(command).find(
    (f) =>
      token === `--${f.name}` ||
      (f.short !== undefined && token === `-${f.short}`) ||
      f.aliases?.some((a) => token === `--${a}`) === true,
  )

const takesValue = (flag: Flag): boolean =>
  flag.param.type !== 'boolean' && flag.optionalValue !== true

/** The flag whose value is being typed, if one is. */
const pending = (command: Command, before: readonly string[]): Flag | undefined => {
  const last = before.at(-1)
  if (last === undefined || !last.startsWith('-') || last.includes('=')) return undefined
  const flag = flagNamed(command, last)
  return flag !== undefined && takesValue(flag) ? flag : undefined
}

/** The arguments before the cursor. */
const argumentsIn = (command: Command, rest: readonly string[]): readonly string[] => {
  const found: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const token = rest[i] ?? ''
    const flag = token.startsWith('-') && token !== '-' ? flagNamed(command, token) : undefined
    if (flag !== undefined && takesValue(flag)) i++
    else if (!token.startsWith('-') || token === '-') found.push(token)
  }
  return found
}

/** Completes the last item of a comma-separated value. */
const within = (prefix: string, list: boolean): { head: string; tail: string } => {
  const at = list ? prefix.lastIndexOf(',') + 1 : 0
  return { head: prefix.slice(0, at), tail: prefix.slice(at) }
}

const prefixed = (found: Candidates, prefix: string, list: boolean, lead = ''): Candidates => {
  if (found.files === true) return found
  const { head, tail } = within(prefix, list)
  return {
    items: found.items
      .filter((c) => c.value.startsWith(tail))
      .map((c) => ({ ...c, value: lead + head + c.value })),
  }
}

/** Without the values that would be read as options where they stand: an instance may call anything so. */
const noOptions = (found: Candidates): Candidates => ({
  ...found,
  items: found.items.filter(({ value }) => value === '-' || !value.startsWith('-')),
})

const inCommand = async (
  command: Command,
  rest: readonly string[],
  current: string,
  live: Live,
): Promise<Candidates> => {
  const end = rest.indexOf('--')
  if (end >= 0) {
    const before = [...argumentsIn(command, rest.slice(0, end)), ...rest.slice(end + 1)]
    return asArgument(command, rest, before, current, live)
  }
  const flag = pending(command, rest)
  if (flag !== undefined)
    return noOptions(
      prefixed(
        await candidatesOf(flag.param, command, rest, live),
        current,
        flag.param.type === 'list',
      ),
    )
  const equals = current.startsWith('--') ? current.indexOf('=') : -1
  if (equals > 0) {
    const named = flagNamed(command, current.slice(0, equals))
    if (named === undefined) return none
    const found = await candidatesOf(named.param, command, rest, live)
    return prefixed(
      found,
      current.slice(equals + 1),
      named.param.type === 'list',
      current.slice(0, equals + 1),
    )
  }
  if (current.startsWith('-')) return starting(current, flagCandidates(command))
  const before = argumentsIn(command, rest)
  return noOptions(await asArgument(command, rest, before, current, live))
}

/** The argument that follows those before it. */
const asArgument = async (
  command: Command,
  rest: readonly string[],
  before: readonly string[],
  current: string,
  live: Live,
): Promise<Candidates> => {
  const index = before.length
  const argument = command.args[Math.min(index, command.args.length - 1)]
  if (argument === undefined || (index >= command.args.length && !argument.variadic)) return none
  if (argument.file === true) return { items: [], files: true }
  if (argument.values !== undefined)
    return starting(current, await argument.values(before, current))
  if (argument.param === undefined)
    return starting(
      current,
      argument.name
        .split('|')
        .filter((w) => argument.name.includes('|') && w !== '')
        .map((value) => ({ value })),
    )
  return prefixed(await candidatesOf(argument.param, command, rest, live), current, false)
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
  const { topics } = await import('../help/pages.js')
  const named = Object.keys(topics).map((value) => ({ value, text: 'a topic' }))
  return starting(current, [...(await first()), ...named])
}

/** Between the words of a command: the next word, or a flag and its value. */
const beforeCommand = (
  before: readonly string[],
  current: string,
  live: Live,
  words: () => Promise<readonly Candidate[]>,
): Promise<Candidates> =>
  current.startsWith('-') || pending(nothingYet, before) !== undefined
    ? inCommand(nothingYet, before, current, live)
    : words().then((items) => starting(current, items))

/**
 * Candidates for the last of `words`, which may be empty.
 * @param live values that only the instance or the machine knows; must not throw
 */
export const complete = async (words: readonly string[], live: Live): Promise<Candidates> => {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before[0] === 'help') return onHelp(before.slice(1), current)
  try {
    const meaning = await resolve(before)
    if (meaning.kind === 'command')
      return await inCommand(meaning.command, meaning.rest, current, live)
    const next = meaning.kind === 'area' ? () => verbs(meaning.area, undefined) : first
    return await beforeCommand(before, current, live, next)
  } catch {
    const names = wordsIn(before)
    const area = names[0] === undefined ? undefined : areaNamed(names[0])
    if (area === undefined || names.length !== 2) return none
    return beforeCommand(before, current, live, () => verbs(area, names[1]))
  }
}
