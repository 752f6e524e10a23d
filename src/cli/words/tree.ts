/**
 * Parses the command line with Commander: program → area → group → verb. An area is loaded when its name is met,
 * and of its verbs only the one that is meant.
 */

import { Option, type ParseOptionsResult } from 'commander'
import { getCurrentIo } from '../../base/io.js'
import { areas } from '../../catalogue/index.js'
import { getCommandWords, loadCommandByWords, toolCommands } from '../../commands/index.js'
import { hiddenScopes } from '../../engine/command/flags.js'
import { flagSets } from '../../engine/command/global-flags.js'
import type { Command } from '../../engine/command/types.js'
import { type HelpTopic, isWord, type ParsedLine } from '../../engine/plan/line.js'
import { Failure } from '../../errors.js'
import { findAccepted } from './accepted.js'
import { CommandLevel, Leaf, ParsedLineSignal } from './leaf.js'
import {
  createMisplacedFlagFailure,
  createMissingCommandFailure,
  createMissingVerbFailure,
  createUnknownAreaFailure,
  createUnknownVerbFailure,
  type Verbs,
} from './mistakes.js'

/** A first word that names no command: it may be an alias. */
class LineError extends Error {
  constructor(
    readonly word: string,
    /** The failure to report if the word is no alias either. */
    readonly failure: Failure,
  ) {
    super(failure.message)
  }
}

// The levels that have others below them: the program, an area, a group of verbs.

/** The flags that may stand before the words of a command. */
export const flagsAnywhere = [
  ...flagSets.output,
  ...flagSets.page,
  ...flagSets.request,
  ...flagSets.spread,
  ...flagSets.paging,
  ...flagSets.write,
  ...flagSets.rehearsal,
  ...hiddenScopes,
]

/** Singular and plural are a hidden level each: Commander suggests the first alias of a command. */
interface NextLevel {
  readonly level: CommandLevel
  /** True for a word that is accepted, and never suggested. */
  readonly hidden?: boolean
}

abstract class Branch extends CommandLevel {
  protected override readonly isPassedOn = true

  constructor(name: string, tokens: readonly string[]) {
    super(name, tokens)
    // Without, the program would take its flags out of the verb's values (`--description -y`).
    this.enablePositionalOptions()
    this.hook('preSubcommand', async (_, next) => {
      if (next instanceof CommandLevel) await next.fill()
    })
  }

  /** The level of a word that may stand next; undefined where the word names none. */
  protected abstract next(name: string): NextLevel | undefined
  /** The words that may stand next, without those that are only accepted. */
  protected abstract names(): Iterable<string>

  /** Makes the levels of these words: making all that may stand next takes longer than all the rest of parsing. */
  private make(names: Iterable<string>): void {
    for (const name of names) {
      if (this.commands.some((below) => below.name() === name)) continue
      const { level, hidden } = this.next(name) ?? {}
      if (level !== undefined) this.addCommand(level, { hidden })
    }
  }

  /** A word that names nothing below. */
  abstract unknownWord(word: string): never
  /** A flag that is taken nowhere before the words, or lacks its value. */
  abstract wrongFlag(message: string): never
  /** Nothing but flags, and help is not asked for. */
  abstract wordless(): never

  complain(code: string | undefined, message: string): never {
    if (code === 'commander.unknownCommand') this.unknownWord(this.args[0] ?? '')
    if (this.asked) this.end({ kind: 'help', of: this.place })
    this.wrongFlag(message)
  }

  override help(): never {
    if (this.asked) this.end({ kind: 'help', of: this.place })
    this.wordless()
  }

  override parseOptions(tokens: string[]): ParseOptionsResult {
    this.make(tokens)
    // Without any, Commander would take a missing word for no mistake.
    if (this.commands.length === 0) this.make(this.names())
    // What stands behind the next word is no affair of this level, and declaring costs a millisecond.
    if (tokens[0]?.startsWith('-') === true) this.take((isWanted) => flagsAnywhere.filter(isWanted))
    // No word of a command follows `--`, where Commander would look for one.
    const typed = this.withBooleans(tokens)
    const end = typed.indexOf('--')
    if (end < 0) return super.parseOptions(typed)
    const { operands, unknown } = super.parseOptions(typed.slice(0, end))
    return {
      operands,
      unknown: operands.length === 0 ? unknown : unknown.concat(typed.slice(end)),
    }
  }
}

/** The program. */
class Program extends Branch {
  readonly place: HelpTopic = { kind: 'root' }

  constructor(tokens: readonly string[]) {
    super('svcctl', tokens)
    const version = new Option('-V, --version')
    this.addOption(version).on(`option:${version.name()}`, () =>
      this.given.set('version', ['true']),
    )
  }

  async fill(): Promise<void> {}

  protected next(name: string): NextLevel | undefined {
    const { tokens } = this
    const area = areas.find((one) => one.name === name || one.alias === name)
    if (area !== undefined)
      return { level: new Area(name, tokens, area.name), hidden: area.name !== name }
    const own = toolCommands.find((one) => one.area === name)
    if (own === undefined) return undefined
    return { level: own.words === '' ? createLeaf(this, name, '') : new Area(name, tokens, name) }
  }

  protected names(): Iterable<string> {
    return new Set([...areas.map(({ name }) => name), ...toolCommands.map(({ area }) => area)])
  }

  unknownWord(word: string): never {
    throw new LineError(word, createUnknownAreaFailure(word))
  }

  wrongFlag(message: string): never {
    throw createMisplacedFlagFailure(this.args, message)
  }

  wordless(): never {
    if (this.given.has('version')) this.end({ kind: 'version' })
    if (this.given.size > 0) throw createMissingCommandFailure()
    this.end({ kind: 'help', of: this.place })
  }
}

const togglePlural = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : `${word}s`)

/** An area, or a group of verbs within one. */
class Area extends Branch implements Verbs {
  /** The verbs as messages list them. */
  verbs: readonly string[] = []

  constructor(
    name: string,
    tokens: readonly string[],
    readonly area: string,
    readonly group?: string,
  ) {
    super(name, tokens)
  }

  get place(): HelpTopic {
    const { area, group } = this
    return { kind: 'area', area, group }
  }

  get called(): string {
    return this.group === undefined ? this.area : `${this.area} ${this.group}`
  }

  get lead(): string {
    return this.group === undefined ? '' : `${this.group} `
  }

  async fill(): Promise<void> {
    const { area, lead } = this
    const verbs = await listVerbs(area)
    this.verbs = verbs
      .filter((words) => words.startsWith(lead))
      .map((words) => words.slice(lead.length))
  }

  protected next(name: string): NextLevel | undefined {
    const { area, lead, tokens, verbs } = this
    if (!name.includes(' ') && verbs.includes(name))
      return { level: createLeaf(this, area, lead + name) }
    const group = [name, togglePlural(name)].find((first) =>
      verbs.some((words) => words.startsWith(`${first} `)),
    )
    if (group !== undefined)
      return { level: new Area(name, tokens, area, group), hidden: group !== name }
    const accepted = findAccepted(name, verbs)
    if (accepted === undefined) return undefined
    return { level: createLeaf(this, area, lead + accepted, name), hidden: true }
  }

  protected names(): Iterable<string> {
    return new Set(this.verbs.map((words) => words.split(' ')[0] ?? ''))
  }

  unknownWord(word: string): never {
    throw createUnknownVerbFailure(this, word)
  }

  wrongFlag(message: string): never {
    if (this.args.some(isWord)) throw createMisplacedFlagFailure(this.args, message)
    throw createMissingVerbFailure(this, this.tokens)
  }

  wordless(): never {
    if (this.merged.size > 0) throw createMissingVerbFailure(this, this.tokens)
    this.end({ kind: 'bare', of: this.place })
  }
}

/** Lists the verbs of an area of the API or of the tool, as they are typed. */
export const listVerbs = async (area: string): Promise<string[]> => {
  const row = areas.find(({ name }) => name === area)
  if (row !== undefined) return getCommandWords(area, await row.load())
  return toolCommands.filter((c) => c.area === area).map((c) => c.words)
}

const loadCommandNamed = async (area: string, words: string): Promise<Command> => {
  const command = await loadCommandByWords(area, words)
  if (command === undefined) throw new Failure('internal', `there is no command ${area} ${words}`)
  return command
}

/** @param typed by which word it is called, where that is another one */
const createLeaf = (level: CommandLevel, area: string, words: string, typed?: string): Leaf =>
  new Leaf(typed ?? (words.split(' ').at(-1) || area), level.tokens, () =>
    loadCommandNamed(area, words),
  )

/** The present words of renamed commands, by their earlier words, which still work and are shown nowhere. */
const renamedCommands: Readonly<Record<string, readonly string[]>> = {
  'mcp approve': ['journal', 'run'],
  'mcp plans': ['journal', 'list', '--planned'],
  'mcp discard': ['journal', 'discard'],
}

/** Replaces earlier words of a line with those of today. */
const renameCommand = (tokens: readonly string[]): readonly string[] => {
  const at = tokens.findIndex(
    (token, i) => renamedCommands[`${token} ${tokens[i + 1] ?? ''}`] !== undefined,
  )
  const words = renamedCommands[`${tokens[at] ?? ''} ${tokens[at + 1] ?? ''}`]
  if (words === undefined || !areFlags(tokens.slice(0, at))) return tokens
  return [...tokens.slice(0, at), ...words, ...tokens.slice(at + 2)]
}

/**
 * Parses a command line.
 * @throws Failure `usage` for an unknown word or flag, with what was probably meant
 */
export const parseTokens = async (typed: readonly string[]): Promise<ParsedLine> => {
  const tokens = renameCommand(typed)
  try {
    return await parseLine(tokens)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const { expandAlias } = await import('./alias.js')
    const line = expandAlias(tokens, findWord(tokens, error.word), getCurrentIo().env)
    // Once: what an alias stands for is no alias.
    if (line !== undefined) return parseLine(line)
    throw error.failure
  }
}

/** True if these tokens are complete flags of the program, and nothing else. */
const areFlags = (tokens: readonly string[]): boolean => {
  try {
    return new Program(tokens).parseOptions([...tokens]).operands.length === 0
  } catch {
    return false
  }
}

/** Finds the position of the first word; the same text before it may be the value of a flag. */
export const findWord = (tokens: readonly string[], word: string): number =>
  tokens.findIndex((token, i) => token === word && areFlags(tokens.slice(0, i)))

const parseLine = async (tokens: readonly string[]): Promise<ParsedLine> => {
  try {
    await new Program(tokens).parseAsync([...tokens], { from: 'user' })
  } catch (error) {
    if (error instanceof ParsedLineSignal) return error.line
    throw error
  }
  throw new Failure('internal', 'a line that comes to nothing')
}

/** The level that the words of an unfinished line lead to. */
export interface ReachedLevel {
  readonly level: CommandLevel
  /** The tokens beside the words. */
  readonly rest: readonly string[]
  /** A word that leads nowhere. */
  readonly strange?: string
}

/** Follows the words of an unfinished line; errors in it do not matter. */
export const followWords = async (tokens: readonly string[]): Promise<ReachedLevel> => {
  const follow = async (level: CommandLevel, from: readonly string[]): Promise<ReachedLevel> => {
    if (level instanceof Leaf) return { level, rest: from }
    const { operands, unknown } = splitTokens(level, from)
    const [word] = operands
    if (word === undefined) return { level, rest: from }
    const next = level.commands.find((below) => below.name() === word)
    if (!(next instanceof Leaf || next instanceof Area)) return { level, rest: from, strange: word }
    await next.fill()
    const further = await follow(next, unknown)
    const before = from.slice(0, from.length - unknown.length - 1)
    return { ...further, rest: [...before, ...further.rest] }
  }
  return follow(new Program(tokens), tokens)
}

/** A flag at the end may lack its value: then nothing stands behind it. */
const splitTokens = (level: CommandLevel, tokens: readonly string[]) => {
  try {
    return level.parseOptions([...tokens])
  } catch {
    return { operands: [], unknown: [] }
  }
}
