/**
 * Arguments → which command is meant and what is left for it. Global flags may stand anywhere;
 * areas and the first of two command words go by singular and plural.
 */
import { areas } from '../../catalogue/index.js'
import { commandOf, toolCommand, wordsOf } from '../../commands/derive/index.js'
import { globalFlags } from '../../commands/globals.js'
import { toolCommands } from '../../commands/index.js'
import type { Command } from '../../commands/types.js'
import { type Failure, usage } from '../../errors.js'
import { didYouMean } from '../../terminal/text/suggest.js'
import { meantArea, meantVerb } from './synonyms.js'

/** An area, or a group of verbs within it, without a verb. */
export type AreaMeaning = Extract<Meaning, { kind: 'area' }>

/** What an argument list asks for. */
export type Meaning =
  | { readonly kind: 'root'; readonly rest: readonly string[] }
  | {
      readonly kind: 'area'
      readonly area: string
      /** The first of two verb words, where only that was given (`geo nodes`). */
      readonly group?: string
      readonly rest: readonly string[]
    }
  | { readonly kind: 'command'; readonly command: Command; readonly rest: readonly string[] }

const valued = new Set(
  globalFlags
    .filter((f) => f.param.type !== 'boolean' && f.optionalValue !== true)
    .flatMap((f) => [`--${f.name}`, ...(f.short === undefined ? [] : [`-${f.short}`])]),
)

/** Scope flags take a value too, so that `svcctl -P a/b runners list` finds its words. */
const scoped = new Set(['-P', '--project', '-G', '--group'])

/** The next word that is no flag, with the flags before it. */
const nextWord = (
  tokens: readonly string[],
): { flags: string[]; word: string | undefined; rest: string[] } => {
  const flags: string[] = []
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? ''
    if (token === '--') return { flags, word: undefined, rest: tokens.slice(i) }
    if (!token.startsWith('-') || token === '-')
      return { flags, word: token, rest: tokens.slice(i + 1) }
    flags.push(token)
    if (valued.has(token) || scoped.has(token)) {
      const value = tokens[++i]
      if (value !== undefined) flags.push(value)
    }
  }
  return { flags, word: undefined, rest: [] }
}

/** The words among tokens, without flags and the values of those that any command may have. */
export const wordsIn = (tokens: readonly string[]): string[] => {
  const { word, rest } = nextWord(tokens)
  return word === undefined ? [] : [word, ...wordsIn(rest)]
}

/**
 * Refuses flags that no command has.
 * @param more names that are known besides
 * @throws Failure `usage` with the nearest name
 */
export const checkFlags = (flags: readonly string[], more: readonly string[] = []): void => {
  const known = [...globalFlags.flatMap((f) => [f.name, `no-${f.name}`]), ...more]
  const shorts = globalFlags.flatMap((f) => f.short ?? [])
  for (const flag of flags) {
    const name = /^--([^=]+)/.exec(flag)?.[1]
    if (name !== undefined && !known.includes(name))
      throw usage(
        `unknown option '--${name}'`,
        didYouMean(
          `--${name}`,
          known.map((n) => `--${n}`),
        ) ?? 'Run svcctl --help for the commands, svcctl help flags for what they share.',
      )
    if (/^-[^-]/.test(flag) && !shorts.includes(flag.charAt(1)) && !scoped.has(flag))
      throw usage(`unknown option '${flag}'`, 'Run svcctl --help for the commands.')
  }
}

/** What is wrong where flags stand behind an area, and no verb. */
export const verbMissing = async (
  area: string,
  group: string | undefined,
  flags: readonly string[],
): Promise<Failure> => {
  const verbs = (await verbsOf(area)).filter(
    (v) => group === undefined || v.startsWith(`${group} `),
  )
  const words = verbs.map((v) => (group === undefined ? v : v.slice(group.length + 1)))
  const prefix = group === undefined ? area : `${area} ${group}`
  const first = flags.find((flag) => flag.startsWith('-')) ?? ''
  return usage(
    `${prefix} needs a verb before ${first}: ${words.join(', ')}`,
    `svcctl ${prefix} --help says what they do.`,
  )
}

const stem = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : word)
/** Whether two words are the same, singular or plural. */
export const same = (a: string, b: string): boolean => a === b || stem(a) === stem(b)

/** Names of everything that may stand first. */
const firstWords = (): string[] => [
  ...areas.map((a) => a.name),
  ...new Set(toolCommands.map((c) => c.area)),
]

/** The verbs of an area or of a group of the tool's own commands. */
export const verbsOf = async (area: string): Promise<string[]> => {
  const row = areas.find((a) => a.name === area)
  if (row !== undefined) return wordsOf(area, await row.load())
  return toolCommands.filter((c) => c.area === area && c.words !== '').map((c) => c.words)
}

const find = async (area: string, words: string): Promise<Command | undefined> => {
  const row = areas.find((a) => a.name === area)
  return row === undefined ? toolCommand(area, words) : commandOf(area, words, await row.load())
}

/** The area that a word names, by its name, singular or plural. */
export const areaNamed = (word: string): string | undefined =>
  firstWords().find((name) => name === word) ?? areas.find((a) => a.alias === word)?.name

/**
 * What the arguments ask for.
 * @throws Failure `usage` for an unknown area or verb, with the nearest known one
 */
export const resolve = async (argv: readonly string[]): Promise<Meaning> => {
  const first = nextWord(argv)
  if (first.word === undefined) return { kind: 'root', rest: first.flags }
  const area = areaNamed(first.word)
  if (area === undefined)
    throw usage(
      `there is no command "${first.word}"`,
      meantArea(first.word) ??
        didYouMean(first.word, firstWords()) ??
        'Run svcctl --help for the list.',
    )
  const bare = toolCommands.find((c) => c.area === area && c.words === '')
  if (bare !== undefined) {
    const command = await find(area, '')
    if (command !== undefined)
      return { kind: 'command', command, rest: [...first.flags, ...first.rest] }
  }
  return resolveVerb(area, first.flags, first.rest)
}

const resolveVerb = async (
  area: string,
  flags: readonly string[],
  tokens: readonly string[],
): Promise<Meaning> => {
  const verbs = await verbsOf(area)
  const one = nextWord(tokens)
  if (one.word === undefined) return { kind: 'area', area, rest: [...flags, ...one.flags] }
  const two = nextWord(one.rest)
  const long = verbs.find((v) => {
    const [a = '', b] = v.split(' ')
    return b !== undefined && two.word === b && same(a, one.word ?? '')
  })
  const words = long ?? verbs.find((v) => v === one.word)
  const group = verbs.map((v) => v.split(' ')).find(([a = '', b]) => b && same(a, one.word ?? ''))
  if (words === undefined && two.word === undefined && group?.[0] !== undefined)
    return { kind: 'area', area, group: group[0], rest: [...flags, ...one.flags, ...two.flags] }
  if (words === undefined) throw unknownVerb(area, one.word, two.word, verbs)
  const command = await find(area, words)
  if (command === undefined) throw unknownVerb(area, one.word, two.word, verbs)
  const rest =
    long === undefined
      ? [...flags, ...one.flags, ...one.rest]
      : [...flags, ...one.flags, ...two.flags, ...two.rest]
  return { kind: 'command', command, rest }
}

const unknownVerb = (
  area: string,
  word: string,
  next: string | undefined,
  verbs: readonly string[],
) => {
  const group = verbs.filter((v) => same(v.split(' ')[0] ?? '', word) && v.includes(' '))
  if (group.length > 0)
    return usage(
      `${area} ${word} has no verb "${next ?? ''}"; it has ${group.map((v) => v.split(' ')[1]).join(', ')}`,
      meantVerb(next ?? '', group) ?? didYouMean(`${word} ${next ?? ''}`, group),
    )
  return usage(
    `${area} has no verb "${word}"; it has ${verbs.join(', ')}`,
    meantVerb(word, verbs) ?? didYouMean(word, verbs),
  )
}
