/**
 * Parses the command line with Commander: program → area → group → verb. An area is loaded when its name occurs, and
 * only the verb that is meant.
 */

import { Option, type ParseOptionsResult } from 'commander'
import type { Environment } from '../../base/io.js'
import { getOwn } from '../../base/objects.js'
import { findArea, findAreaNamed, listAreas } from '../../catalogue/index.js'
import { getCommandWords, loadCommandByWords, toolCommands } from '../../commands/index.js'
import { hiddenScopes } from '../../engine/command/flags.js'
import { flagSets } from '../../engine/command/global-flags.js'
import type { Command } from '../../engine/command/types.js'
import { type HelpTopic, isWord, type ParsedLine } from '../../engine/plan/line.js'
import { Failure, usage } from '../../errors.js'
import { findAccepted } from './accepted.js'
import { CommandLevel, Leaf, type LineTokens, ParsedLineSignal } from './leaf.js'
import {
  createDashedCommandFailure,
  createMisplacedFlagFailure,
  createMissingCommandFailure,
  createMissingVerbFailure,
  createUnknownAreaFailure,
  createUnknownVerbFailure,
  type VerbList,
} from './mistakes.js'

/** The first word of the line is no command. It may be an alias. */
class LineError extends Error {
  constructor(
    readonly word: string,
    /** The failure to report if it is no alias either. */
    readonly failure: Failure,
  ) {
    super(failure.message)
  }
}

// The levels with further levels below them: the program, areas and groups of verbs.

/** The flags that may stand before the words of a command. */
export const flagsAnywhere = [
  ...flagSets.output,
  ...flagSets.page,
  ...flagSets.request,
  ...flagSets.spread,
  ...flagSets.paging,
  ...flagSets.write,
  ...flagSets.preview,
  ...hiddenScopes,
]

/**
 * A level with its visibility. Singular and plural are separate levels, because Commander suggests the first alias of a
 * command.
 */
interface NextLevel {
  readonly level: CommandLevel
  /** True for a word that is accepted and never suggested. */
  readonly hidden?: boolean
}

abstract class Branch extends CommandLevel {
  protected override readonly isPassedOn = true

  constructor(name: string, line: LineTokens) {
    super(name, line)
    // Otherwise the program would take its flags out of the verb's values (`--description -y`).
    this.enablePositionalOptions()
    this.hook('preSubcommand', async (_, createNext) => {
      if (createNext instanceof CommandLevel) await createNext.load()
    })
  }

  /** Returns the level for the next word; undefined if the word names none. */
  protected abstract createNext(name: string): NextLevel | undefined
  /** Returns the words that can come next, without those that are only accepted. */
  protected abstract listNames(): Iterable<string>

  /** Creates the levels for these words. Creating all possible ones takes longer than the rest of parsing. */
  private addLevels(names: Iterable<string>): void {
    for (const name of names) {
      if (this.commands.some((below) => below.name() === name)) continue
      const { level, hidden } = this.createNext(name) ?? {}
      if (level !== undefined) this.addCommand(level, { hidden })
    }
  }

  /** Reports a word that names no level below. */
  abstract reportUnknownWord(word: string): never
  /** Reports a flag that cannot stand before the command, or lacks its value. */
  abstract reportWrongFlag(message: string): never
  /** Handles a line that has flags, no words and no --help. */
  abstract handleNoWords(): never

  complain(code: string | undefined, message: string): never {
    if (code === 'commander.unknownCommand') this.reportUnknownWord(this.args[0] ?? '')
    if (this.wantsHelp) this.end({ kind: 'help', of: this.place })
    this.reportWrongFlag(message)
  }

  override help(): never {
    if (this.wantsHelp) this.end({ kind: 'help', of: this.place })
    const end = this.tokens.indexOf('--')
    if (end >= 0 && end < this.tokens.length - 1) throw createDashedCommandFailure()
    this.handleNoWords()
  }

  override parseOptions(tokens: string[]): ParseOptionsResult {
    this.addLevels(tokens)
    // Without any level below, Commander would accept a missing word.
    if (this.commands.length === 0) this.addLevels(this.listNames())
    // Flags after the next word belong to another level, and declaring them costs a millisecond.
    if (tokens[0]?.startsWith('-') === true)
      this.declareMentioned((isWanted) => flagsAnywhere.filter(isWanted))
    // No word of the command follows `--`, but Commander would look for one.
    const typed = this.replaceBooleans(tokens)
    const end = typed.indexOf('--')
    if (end < 0) return super.parseOptions(typed)
    const { operands, unknown } = super.parseOptions(typed.slice(0, end))
    return {
      operands,
      unknown: operands.length === 0 ? unknown : unknown.concat(typed.slice(end)),
    }
  }
}

/** The level of the program. */
class Program extends Branch {
  readonly place: HelpTopic = { kind: 'root' }

  constructor(line: LineTokens) {
    super('svcctl', line)
    const version = new Option('-V, --version')
    this.addOption(version).on(`option:${version.name()}`, () =>
      this.texts.set('version', ['true']),
    )
  }

  async load(): Promise<void> {}

  protected createNext(name: string): NextLevel | undefined {
    const { line } = this
    const own = toolCommands.find((one) => one.area === name)
    if (own !== undefined)
      return { level: own.words === '' ? createLeaf(this, name, '') : new Area(name, line, name) }
    const area = findArea(name)
    if (area === undefined) return undefined
    return { level: new Area(name, line, area.name), hidden: area.name !== name }
  }

  protected listNames(): Iterable<string> {
    return new Set([
      ...listAreas().map(({ name }) => name),
      ...toolCommands.map(({ area }) => area),
    ])
  }

  reportUnknownWord(word: string): never {
    throw new LineError(word, createUnknownAreaFailure(word))
  }

  reportWrongFlag(message: string): never {
    throw createMisplacedFlagFailure(this.args, message)
  }

  handleNoWords(): never {
    if (this.texts.has('version')) this.end({ kind: 'version' })
    if (this.texts.size > 0) throw createMissingCommandFailure()
    this.end({ kind: 'help', of: this.place })
  }
}

const togglePlural = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : `${word}s`)

/** The level of an area, or of a group of verbs within one. */
class Area extends Branch implements VerbList {
  /** The verbs as messages list them. */
  verbs: readonly string[] = []

  constructor(
    name: string,
    line: LineTokens,
    readonly area: string,
    readonly group?: string,
  ) {
    super(name, line)
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

  async load(): Promise<void> {
    const { area, lead } = this
    const verbs = await listVerbs(area)
    this.verbs = verbs
      .filter((words) => words.startsWith(lead))
      .map((words) => words.slice(lead.length))
  }

  protected createNext(name: string): NextLevel | undefined {
    const { area, lead, line, verbs } = this
    if (!name.includes(' ') && verbs.includes(name))
      return { level: createLeaf(this, area, lead + name) }
    const group = [name, togglePlural(name)].find((first) =>
      verbs.some((words) => words.startsWith(`${first} `)),
    )
    if (group !== undefined)
      return { level: new Area(name, line, area, group), hidden: group !== name }
    const accepted = findAccepted(name, verbs)
    if (accepted === undefined) return undefined
    return { level: createLeaf(this, area, lead + accepted, name), hidden: true }
  }

  protected listNames(): Iterable<string> {
    return new Set(this.verbs.map((words) => words.split(' ')[0] ?? ''))
  }

  reportUnknownWord(word: string): never {
    throw createUnknownVerbFailure(this, word)
  }

  reportWrongFlag(message: string): never {
    if (this.args.some(isWord)) throw createMisplacedFlagFailure(this.args, message)
    throw createMissingVerbFailure(this, this.tokens)
  }

  handleNoWords(): never {
    if (this.allTexts.size > 0) throw createMissingVerbFailure(this, this.tokens)
    this.end({ kind: 'bare', of: this.place })
  }
}

/** Lists the verbs of an area, without the area's name. */
export const listVerbs = async (area: string): Promise<string[]> => {
  const row = findAreaNamed(area)
  if (row !== undefined) return getCommandWords(area, await row.load())
  return toolCommands.filter((c) => c.area === area).map((c) => c.words)
}

const loadCommandNamed = async (area: string, words: string): Promise<Command> => {
  const command = await loadCommandByWords(area, words)
  if (command === undefined) throw new Failure('internal', `there is no command ${area} ${words}`)
  return command
}

/**
 * Creates the level of a command.
 * @param typed the word by which it was called, if that is another one
 */
const createLeaf = (level: CommandLevel, area: string, words: string, typed?: string): Leaf =>
  new Leaf(typed ?? (words.split(' ').at(-1) || area), level.line, () =>
    loadCommandNamed(area, words),
  )

/** The current words of renamed commands, by their earlier words, which still work and are not shown. */
const renamedCommands: Readonly<Record<string, readonly string[]>> = {
  'mcp approve': ['journal', 'run'],
  'mcp plans': ['journal', 'list', '--planned'],
  'mcp discard': ['journal', 'discard'],
}

/** Replaces the earlier words of a renamed command by the current ones. */
const renameCommand = (tokens: readonly string[]): readonly string[] => {
  const at = tokens.findIndex(
    (token, i) => renamedCommands[`${token} ${tokens[i + 1] ?? ''}`] !== undefined,
  )
  const words = renamedCommands[`${tokens[at] ?? ''} ${tokens[at + 1] ?? ''}`]
  if (words === undefined || !areProgramFlags(tokens.slice(0, at))) return tokens
  return [...tokens.slice(0, at), ...words, ...tokens.slice(at + 2)]
}

/**
 * Parses a command line.
 * @throws Failure `usage` for an unknown word or flag, with what was probably meant
 */
export const parseTokens = async (
  typed: readonly string[],
  env: Environment,
): Promise<ParsedLine> => {
  const line = { tokens: renameCommand(typed), env }
  try {
    return await parseLine(line)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const tokens = await expandWord(line, error, false)
    // Only once: an alias cannot stand for another alias.
    if (tokens !== undefined) return parseLine({ tokens, env })
    throw error.failure
  }
}

/**
 * Parses a line within another one, such as a list of a snapshot. Aliases are refused: whoever runs the line looks at its words, and an
 * alias would hide some.
 * @throws Failure `usage` as `parseTokens`, and for an alias
 */
export const parseInnerTokens = async (
  tokens: readonly string[],
  env: Environment,
): Promise<ParsedLine> => {
  try {
    return await parseLine({ tokens, env })
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const { listAliases } = await import('./alias.js')
    const meant = getOwn(listAliases(env), error.word)
    if (meant === undefined) throw error.failure
    throw usage(`the alias ${error.word} cannot be used here`, `Write its line: ${meant}`)
  }
}

/** Expands the alias that a word may be. @param isPartial true for a line that may lack arguments */
const expandWord = async (
  { tokens, env }: LineTokens,
  { word }: LineError,
  isPartial: boolean,
): Promise<readonly string[] | undefined> => {
  const { expandAlias } = await import('./alias.js')
  return expandAlias(tokens, findWord(tokens, word), env, isPartial)
}

/** Returns the words of a line that failed, with its alias expanded as far as possible. */
export const expandFailed = async (
  typed: readonly string[],
  env: Environment,
): Promise<readonly string[]> => {
  const line = { tokens: typed, env }
  try {
    await parseLine(line)
  } catch (error) {
    if (error instanceof LineError)
      return (await expandWord(line, error, true).catch(() => undefined)) ?? typed
  }
  return typed
}

/** True if the tokens are complete flags of the program and nothing else. */
const areProgramFlags = (tokens: readonly string[]): boolean => {
  try {
    return new Program({ tokens, env: {} }).parseOptions([...tokens]).operands.length === 0
  } catch {
    return false
  }
}

/** Finds the position of a word; the same text before it may be the value of a flag. */
export const findWord = (tokens: readonly string[], word: string): number =>
  tokens.findIndex((token, i) => token === word && areProgramFlags(tokens.slice(0, i)))

const parseLine = async (line: LineTokens): Promise<ParsedLine> => {
  try {
    await new Program(line).parseAsync([...line.tokens], { from: 'user' })
  } catch (error) {
    if (error instanceof ParsedLineSignal) return error.line
    throw error
  }
  throw new Failure('internal', 'a line that comes to nothing')
}

/** The level that an unfinished line has reached. */
export interface ReachedLevel {
  readonly level: CommandLevel
  /** The tokens besides the words of the command. */
  readonly rest: readonly string[]
  /** The first word that leads to no level. */
  readonly strange?: string
}

/** Follows the words of an unfinished line; mistakes in it are ignored. */
export const followWords = async (line: LineTokens): Promise<ReachedLevel> => {
  const followTokens = async (
    level: CommandLevel,
    from: readonly string[],
  ): Promise<ReachedLevel> => {
    if (level instanceof Leaf) return { level, rest: from }
    const { operands, unknown } = splitTokens(level, from)
    const [word] = operands
    if (word === undefined) return { level, rest: from }
    const next = level.commands.find((below) => below.name() === word)
    if (!(next instanceof Leaf || next instanceof Area)) return { level, rest: from, strange: word }
    await next.load()
    const further = await followTokens(next, unknown)
    const before = from.slice(0, from.length - unknown.length - 1)
    return { ...further, rest: [...before, ...further.rest] }
  }
  return followTokens(new Program(line), line.tokens)
}

/** Splits the tokens of an unfinished line. If the last flag lacks its value, there are no tokens after it. */
const splitTokens = (level: CommandLevel, tokens: readonly string[]) => {
  try {
    return level.parseOptions([...tokens])
  } catch {
    return { operands: [], unknown: [] }
  }
}
