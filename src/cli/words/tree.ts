/**
 * Parses the command line with Commander: program → area → group → verb. An area is loaded when its name is met,
 * and of its verbs only the one that is meant.
 */

import { type Help, Option, type ParseOptionsResult } from 'commander'
import { areas } from '../../catalogue/index.js'
import { commandNamed, getCommandWords, toolCommands } from '../../commands/index.js'
import { hiddenScopes } from '../../engine/command/derive/index.js'
import {
  outputFlags,
  pageFlags,
  pagingFlags,
  rehearsalFlags,
  requestFlags,
  spreadFlags,
  writeFlags,
} from '../../engine/command/globals.js'
import type { Command } from '../../engine/command/types.js'
import { type About, isWord, LineError, type Meant, Understood } from '../../engine/plan/line.js'
import { Failure } from '../../errors.js'
import { Leaf } from './leaf.js'
import { CommandLevel } from './level.js'
import {
  commandMissing,
  unknownAnywhere,
  unknownArea,
  unknownVerb,
  type Verbs,
  verbMissing,
} from './mistakes.js'

// The levels that have others below them: the program, an area, a group of verbs.

/** What may stand before the words of a command. */
const flagsAnywhere = [
  ...outputFlags,
  ...pageFlags,
  ...requestFlags,
  ...spreadFlags,
  ...pagingFlags,
  ...writeFlags,
  ...rehearsalFlags,
  ...hiddenScopes,
]

abstract class Branch extends CommandLevel {
  /** What may stand next and has no level yet, by name. */
  private readonly offers = new Map<string, () => void>()

  constructor(name: string, tokens: readonly string[]) {
    super(name, tokens)
    // Without, the program would take its flags out of the verb's values (`--description -y`).
    this.enablePositionalOptions()
    this.hook('preSubcommand', async (_, next) => {
      if (next instanceof CommandLevel) await next.fill()
    })
  }

  /**
   * Says what may stand next. Its level is made when its name is met: making all of them takes longer than
   * all the rest of parsing.
   * @param hidden it is taken, and never suggested
   */
  offer(name: string, make: (name: string) => CommandLevel, hidden = false): void {
    if (this.offers.has(name)) throw new Failure('internal', `there are two ${name}`)
    this.offers.set(name, () => this.addCommand(make(name), { hidden }))
  }

  /** Makes the levels of these names. */
  private make(names: Iterable<string>): void {
    for (const name of names) {
      this.offers.get(name)?.()
      this.offers.delete(name)
    }
  }

  /** Where Commander looks for what may be meant, and so among all that may stand here. */
  override createHelp(): Help {
    this.make(this.offers.keys())
    return super.createHelp()
  }

  /** A word that names nothing below. */
  abstract unknownWord(word: string, message: string): never
  /** A flag that is taken nowhere before the words, or lacks its value. */
  abstract wrongFlag(message: string): never
  /** Nothing but flags, and help is not asked for. */
  abstract wordless(): never

  complain(code: string | undefined, message: string): never {
    if (code === 'commander.unknownCommand') this.unknownWord(this.args[0] ?? '', message)
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
    if (this.commands.length === 0) this.make(this.offers.keys())
    // What stands behind the next word is no affair of this level, and declaring costs a millisecond.
    if (tokens[0]?.startsWith('-') === true) this.take(flagsAnywhere)
    // No word of a command follows `--`, where Commander would look for one.
    const end = tokens.indexOf('--')
    if (end < 0) return super.parseOptions(tokens)
    const { operands, unknown } = super.parseOptions(tokens.slice(0, end))
    return {
      operands,
      unknown: operands.length === 0 ? unknown : unknown.concat(tokens.slice(end)),
    }
  }
}

/** The program. */
class Program extends Branch {
  readonly place: About = { kind: 'root' }

  constructor(tokens: readonly string[]) {
    super('svcctl', tokens)
    const version = new Option('-V, --version')
    this.addOption(version).on(`option:${version.name()}`, () =>
      this.given.set('version', ['true']),
    )
  }

  async fill(): Promise<void> {}

  unknownWord(word: string, message: string): never {
    throw new LineError(word, unknownArea(word, message))
  }

  wrongFlag(message: string): never {
    throw unknownAnywhere(this.args, message)
  }

  wordless(): never {
    if (this.given.has('version')) this.end({ kind: 'version' })
    if (this.given.size > 0) throw commandMissing()
    this.end({ kind: 'help', of: this.place })
  }
}

/** An area, or a group of verbs within one. */
class Area extends Branch implements Verbs {
  verbs: readonly string[] = []

  constructor(
    name: string,
    tokens: readonly string[],
    readonly area: string,
    readonly group: string | undefined,
    /** Puts what is below into it. @returns its verbs as messages list them */
    private readonly load: (level: Area) => Promise<readonly string[]>,
  ) {
    super(name, tokens)
  }

  get place(): About {
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
    this.verbs = await this.load(this)
  }

  unknownWord(word: string, message: string): never {
    const [, ...rest] = this.args
    const end = rest.findIndex((text) => !/^\d+$/.test(text))
    throw unknownVerb(this, word, message, end < 0 ? rest : rest.slice(0, end))
  }

  wrongFlag(message: string): never {
    if (this.args.some(isWord)) throw unknownAnywhere(this.args, message)
    throw verbMissing(this, this.tokens, message)
  }

  wordless(): never {
    if (this.merged.size > 0) throw verbMissing(this, this.tokens)
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
  const command = await commandNamed(area, words)
  if (command === undefined) throw new Failure('internal', `there is no command ${area} ${words}`)
  return command
}

const createLeaf = (level: CommandLevel, area: string, words: string): Leaf =>
  new Leaf(words.split(' ').at(-1) || area, level.tokens, () => loadCommandNamed(area, words))

/** Offers a level under its name, and under the one that it answers to as well. */
const offerLevel = (
  parent: Program | Area,
  make: (name: string) => CommandLevel,
  name: string,
  other?: string,
): void => {
  parent.offer(name, make)
  // Singular and plural are a hidden level each: Commander suggests the first alias of a command.
  if (other !== undefined) parent.offer(other, make, true)
}

const singularOrPlural = (word: string): string =>
  word.endsWith('s') ? word.slice(0, -1) : `${word}s`

/** The verbs of a group, by their second words. */
const fillGroup = async (level: Area, verbs: readonly string[]): Promise<readonly string[]> => {
  const named = verbs.map((words) => words.slice(level.lead.length))
  for (const name of named)
    level.offer(name, () => createLeaf(level, level.area, level.lead + name))
  return named
}

const fillArea = async (level: Area): Promise<readonly string[]> => {
  const verbs = await listVerbs(level.area)
  const groups = new Set<string>()
  for (const words of verbs) {
    const [first = '', second] = words.split(' ')
    if (second === undefined) level.offer(words, () => createLeaf(level, level.area, words))
    else if (!groups.has(first)) {
      groups.add(first)
      const within = verbs.filter((other) => other.startsWith(`${first} `))
      const make = (name: string): Area =>
        new Area(name, level.tokens, level.area, first, (group) => fillGroup(group, within))
      offerLevel(level, make, first, singularOrPlural(first))
    }
  }
  return verbs
}

/** The program with all that may stand first. */
const createTree = (tokens: readonly string[]): Program => {
  const root = new Program(tokens)
  const area =
    (of: string) =>
    (name: string): Area =>
      new Area(name, tokens, of, undefined, fillArea)
  for (const { name, alias } of areas) offerLevel(root, area(name), name, alias)
  for (const name of new Set(toolCommands.map((c) => c.area))) {
    const alone = toolCommands.some((c) => c.area === name && c.words === '')
    offerLevel(root, alone ? () => createLeaf(root, name, '') : area(name), name)
  }
  return root
}

/**
 * Parses a command line.
 * @throws Failure `usage` for an unknown word or flag, with what was probably meant
 */
export const parseTokens = async (tokens: readonly string[]): Promise<Meant> => {
  try {
    return await parseLine(tokens)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const { expandAlias: expandedAt, suggestAlias: withAliases } = await import('./alias.js')
    const line = expandedAt(tokens, findWord(tokens, error.word), process.env)
    // Once: what an alias stands for is no alias.
    if (line !== undefined) return parseLine(line)
    throw withAliases(error.failure, error.word, process.env)
  }
}

/** Whether these tokens are flags of the program, whole. */
const areFlags = (tokens: readonly string[]): boolean => {
  try {
    return createTree(tokens).parseOptions([...tokens]).operands.length === 0
  } catch {
    return false
  }
}

/** Finds the position of the first word; the same text before it may be the value of a flag. */
export const findWord = (tokens: readonly string[], word: string): number =>
  tokens.findIndex((token, i) => token === word && areFlags(tokens.slice(0, i)))

const parseLine = async (tokens: readonly string[]): Promise<Meant> => {
  try {
    await createTree(tokens).parseAsync([...tokens], { from: 'user' })
  } catch (error) {
    if (error instanceof Understood) return error.line
    throw error
  }
  throw new Failure('internal', 'a line that comes to nothing')
}

/** How far the words of an unfinished line lead. */
export interface ReachedLevel {
  readonly level: CommandLevel
  /** What stands beside the words. */
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
  return follow(createTree(tokens), tokens)
}

/** A flag at the end may lack its value: then nothing stands behind it. */
const splitTokens = (level: CommandLevel, tokens: readonly string[]) => {
  try {
    return level.parseOptions([...tokens])
  } catch {
    return { operands: [], unknown: [] }
  }
}
