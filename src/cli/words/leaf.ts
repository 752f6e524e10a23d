/** The parser of one command: turns its part of the line into arguments and texts by flag name; and the base of all levels. */

import { Command as Commander, type ErrorOptions, Option, type ParseOptionsResult } from 'commander'
import { getCurrentIo } from '../../base/io.js'
import { getOwn } from '../../base/objects.js'
import { writes } from '../../catalogue/endpoint.js'
import { getParamValues, isSwitch } from '../../catalogue/params.js'
import { createNameConflictFailure } from '../../catalogue/words.js'
import { getCommandName, isExtension } from '../../engine/command/derive.js'
import { type FlagFilter, getCommandFlags } from '../../engine/command/flags.js'
import type { Command, Flag } from '../../engine/command/types.js'
import {
  findOwnWords,
  findSwitch,
  getWordsBeforeDashes,
  readInstanceFlags,
  usesInstanceNames,
  type WordsFinder,
} from '../../engine/command/words.js'
import {
  getSpellings,
  type HelpTopic,
  isWord,
  type ParsedLine,
  type Raw,
} from '../../engine/plan/line.js'
import { Failure, usage } from '../../errors.js'
import { checkPairs, createInvalidUseFailure, createUnknownOptionFailure } from './mistakes.js'

/** Creates a filter for the flags that may stand on a line: it runs before anything is looked up about a flag. */
const createMentionFilter = (tokens: readonly string[]): FlagFilter => {
  const names = new Set<string | undefined>()
  for (const token of tokens) {
    const [, no = '', name] = /^--(no-)?([^=]+)/.exec(token) ?? []
    if (name !== undefined) names.add(name).add(no + name)
    else if (token.startsWith('-')) for (const letter of token) names.add(letter)
  }
  return ({ name, short, aliases, own }) =>
    names.has(name) ||
    (short !== undefined && names.has(short)) ||
    [aliases, own].some((others) => others?.some((other) => names.has(other)))
}

// The base of all levels of the grammar, as Commander's commands: program, area, group and verb. A level takes
// the flags that stand on it; none prints anything or ends the process.

const optionCache = new WeakMap<Flag, readonly Option[]>()

/** Returns a flag in all its forms, created once: several levels take the same ones. */
const getOptions = (flag: Flag): readonly Option[] => {
  const known = optionCache.get(flag)
  if (known !== undefined) return known
  const options = getSpellings(flag).map(({ text, hidden }) => new Option(text).hideHelp(hidden))
  optionCache.set(flag, options)
  return options
}

/** Returns the text of one occurrence of a flag: its value, an empty text where the value may be left out, or true and false. */
const toText = (flag: Flag, option: Option, value: unknown): string => {
  if (typeof value === 'string') return getOwn(flag.spellings, value) ?? value
  if (value === null) return ''
  if (option.negate && flag.refusedValue !== undefined) return flag.refusedValue
  return String(!option.negate || flag.name.startsWith('no-'))
}

/** A flag that is on or off by itself (`--no-certificate` is another flag's no, or has no other form). */
const isBoolean = ({ name, param }: Flag): boolean => isSwitch(param) && !name.startsWith('no-')

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/**
 * The form of a boolean flag that says what follows its `=`.
 * @throws Failure `usage` for any other value, which is not repeated: it may be a secret
 */
const toBooleanForm = (name: string, text: string): string => {
  const isOn = Object.hasOwn(truths, text.toLowerCase()) ? truths[text.toLowerCase()] : undefined
  if (isOn === undefined)
    throw usage(`--${name} must be true or false`, `Write --${name} or --${name}=false.`)
  return isOn ? `--${name}` : `--no-${name}`
}

/** Leaves Commander, which knows no other way than to end: the line is understood. */
export class ParsedLineSignal extends Error {
  constructor(readonly line: ParsedLine) {
    super(line.kind)
  }
}

/** True if help is requested anywhere on the line: it is shown whatever else is wrong with the line. */
const hasHelpFlag = (tokens: readonly string[]): boolean =>
  findSwitch(tokens, 'help') === true || getWordsBeforeDashes(tokens).includes('-h')

/** A level of the grammar. */
export abstract class CommandLevel extends Commander {
  /**
   * The texts of the flags that stand on this level, in order; booleans as 'true' and 'false'. From
   * Commander's events: its values do not tell whether a flag was given (`--no-x` alone makes x true).
   */
  readonly given = new Map<string, string[]>()
  /** The names by which each flag was given, where the instance has others for it. */
  readonly spelled = new Map<string, Set<string>>()
  /** The boolean flags of this level by their long forms, which do not say no. */
  private readonly booleans = new Map<string, Flag>()

  constructor(
    name: string,
    /** The whole line, for flags that may stand anywhere on it. */
    readonly tokens: readonly string[],
  ) {
    super(name)
    // Its help sees one word only, and reports a missing value before it shows anything: --help is a
    // flag like the others, heeded wherever it stands.
    this.helpOption(false).helpCommand(false).showSuggestionAfterError(false)
  }

  /** The topic of help on this level. */
  abstract readonly place: HelpTopic

  /** Reports Commander's complaint in the program's own words. */
  abstract complain(code: string | undefined, message: string): never

  /** Loads what this level needs before it is parsed. */
  abstract fill(): Promise<void>

  /** Takes the flags that the line may have: declaring all takes longer than all the rest of parsing. */
  take(flags: (isWanted: FlagFilter) => readonly Flag[]): void {
    this.declare(flags(createMentionFilter(this.tokens)))
  }

  private declare(flags: readonly Flag[]): void {
    for (const flag of flags)
      for (const option of getOptions(flag)) {
        this.addOption(option)
        if (isBoolean(flag) && !option.negate) this.booleans.set(option.long ?? '', flag)
        this.on(`option:${option.name()}`, (value: unknown) => {
          const texts = this.given.get(flag.name) ?? []
          this.spell(flag, option)
          this.given.set(flag.name, [...texts, toText(flag, option, value)])
        })
      }
  }

  /**
   * The tokens of this level with `--flag=true` and `--flag=false` in the forms that Commander knows.
   * @throws Failure `usage` for another value, and for a value in a word of its own
   */
  protected withBooleans(tokens: readonly string[]): string[] {
    const read: string[] = []
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i] ?? ''
      if (token === '--' || (this.isPassedOn && isWord(token))) return [...read, ...tokens.slice(i)]
      const option = this.options.find(({ short, long }) => token === long || token === short)
      const value = tokens[i + 1]
      if (option?.required === true && value !== undefined) {
        read.push(token, value)
        i++
      } else read.push(this.toBoolean(token, value))
    }
    return read
  }

  private toBoolean(token: string, next: string | undefined): string {
    const [, long = '', no, , text] = /^(--(no-)?([^=]+))(?:=(.*))?$/s.exec(token) ?? []
    const flag = this.booleans.get(long)
    const name = long.slice(2)
    if (text === undefined) {
      if (flag !== undefined && /^(?:true|false)$/i.test(next ?? ''))
        throw usage(`${long} takes its value after =`, `Write ${long}=${next?.toLowerCase()}.`)
      return token
    }
    if (no !== undefined && this.booleans.has(long.replace('--no-', '--')))
      throw usage(`${long} takes no value`, `Write ${long} alone.`)
    if (flag === undefined) return token
    const form = toBooleanForm(name, text)
    const isKnown = this.options.some((one) => one.long === form)
    return isKnown ? form : toBooleanForm(flag.name, text)
  }

  /** True if another level parses the tokens after the first word. */
  protected readonly isPassedOn: boolean = false

  private spell({ name, own }: Flag, { long }: Option): void {
    if (own === undefined) return
    const written = own.find((one) => one === long?.replace(/^--(no-)?/, '')) ?? name
    this.spelled.set(name, (this.spelled.get(name) ?? new Set()).add(written))
  }

  /**
   * The flags of this level and of those above; of one that stands on several the most specific
   * level's. Never `optsWithGlobals()`: there the program's value beats the verb's.
   */
  get merged(): ReadonlyMap<string, readonly string[]> {
    const above = this.parent instanceof CommandLevel ? this.parent.merged : []
    return new Map([...above, ...this.given])
  }

  /** True if help is requested. */
  get asked(): boolean {
    return hasHelpFlag(this.tokens) || this.merged.get('help')?.at(-1) === 'true'
  }

  /** Leaves Commander with the parsed line. */
  end(line: ParsedLine): never {
    throw new ParsedLineSignal(line)
  }

  override error(message: string, options?: ErrorOptions): never {
    return this.complain(options?.code, message.replace(/^error: /, ''))
  }
}

/** True if the text behind a flag is a value that the documents do not have. */
const isUnknownValue = ({ param }: Flag, text: string): boolean => {
  const values = getParamValues(param)
  if (values.length === 0) return false
  const known = [...values, ...(param.words ?? [])]
  return text.split(',').some((one) => !known.includes(one.replaceAll('-', '_')))
}

const isParameter = ({ endpoints }: Command, name: string): boolean =>
  Object.values(endpoints).some(({ params }) => Object.hasOwn(params, name))

interface UndocumentedUse {
  /** True for a command on something of which instances have more than the documents. */
  readonly open: boolean
  /** The line has a flag or a value that only its instance may know, or asks for the help that shows such flags. */
  readonly unknown: boolean
  /** The texts that name fields: in conditions, orders, columns. */
  readonly fields: readonly string[]
}

/** Finds the flags, values and fields of a line that no document has. */
const findUndocumented = (command: Command, tokens: readonly string[]): UndocumentedUse => {
  const fields: string[] = []
  const about = Object.values(command.endpoints).filter((endpoint) => endpoint.open !== undefined)
  const open = about.length > 0
  if (!tokens.some((token) => token.startsWith('-'))) return { open, unknown: false, fields }
  const takes = about.some(writes)
  const flags = new Map(
    getCommandFlags(command, createMentionFilter(tokens)).flatMap((flag) =>
      [flag.name, ...(flag.aliases ?? []), ...(flag.own ?? [])].map(
        (name) => [name, flag] as const,
      ),
    ),
  )
  const unknown = tokens.map((token, i) => {
    if (takes && (token === '--help' || token === '-h')) return true
    const [, name, text = tokens[i + 1] ?? ''] = /^--([a-z][\w-]*)(?:=(.*))?$/s.exec(token) ?? []
    if (name === undefined) return false
    const flag = flags.get(name) ?? flags.get(name.replace(/^no-/, ''))
    // Its own attributes may go along past the flags.
    if (flag?.beyond === true) return takes && !isParameter(command, text.split('=', 1)[0] ?? '')
    const { completes } = flag?.param ?? {}
    if (completes === 'field' || completes === 'condition') fields.push(text)
    return flag === undefined ? takes : isUnknownValue(flag, text)
  })
  return { open, unknown: unknown.includes(true), fields }
}

/** The level of one command. */
export class Leaf extends CommandLevel {
  private loaded: Command | undefined
  private rest: readonly string[] = []
  private readonly findOwn: WordsFinder
  /** Why the words of the instance cannot be had. */
  private wordless: Error | undefined

  constructor(
    name: string,
    tokens: readonly string[],
    private readonly load: () => Promise<Command>,
  ) {
    super(name, tokens)
    this.findOwn = findOwnWords(tokens, getCurrentIo().env)
    this.action(() => this.end(this.line()))
  }

  get means(): Command {
    if (this.loaded === undefined) throw new Failure('internal', `${this.name()} is not loaded`)
    return this.loaded
  }

  get place(): HelpTopic {
    return { kind: 'command', command: this.means }
  }

  async fill(): Promise<void> {
    this.loaded = await this.beyond(await this.translated(await this.load()))
    // Optional to Commander: a missing one may be asked for, and gets a message that says what it is.
    for (const a of this.loaded.args)
      this.argument(`[${a.variadic ? `${a.name}...` : a.name}]`, a.help)
  }

  /** Returns a command with the names of its instance; the tool's own commands go without them. */
  private async translated(command: Command): Promise<Command> {
    if (!usesInstanceNames(command) || isExtension(command)) return command
    try {
      const own = await this.findOwn()
      if (own === undefined) return command
      const { translateCommand } = await import('../../engine/command/vocabulary.js')
      const others = getCommandFlags(command).map(({ name }) => name)
      return translateCommand(command, own.words, others)
    } catch (error) {
      // Help and completion do without.
      this.wordless = error instanceof Error ? error : new Error(String(error))
      return command
    }
  }

  /** Returns a command with what its instance was seen to have, where the line has a name that the documents do not have. */
  private async beyond(
    command: Command,
    tokens = this.tokens,
    completes = false,
  ): Promise<Command> {
    const { open, unknown, fields } = findUndocumented(command, tokens)
    const may = unknown || fields.length > 0 || (completes && open)
    if (!usesInstanceNames(command) || !may) return command
    const { hasUnknownField, addKnownNames } = await import('../../engine/command/known.js')
    const needed = unknown || completes || (await hasUnknownField(command, fields))
    return needed
      ? addKnownNames(command, readInstanceFlags(tokens, getCurrentIo().env), getCurrentIo().env)
      : command
  }

  /** Returns the command where the next word is being written. */
  completing(current: string): Promise<Command> {
    const next = /^-[^=]*$/.test(current) ? '--help' : current
    return this.beyond(this.means, [...this.tokens, next], true)
  }

  override parseOptions(tokens: string[]): ParseOptionsResult {
    // Help is shown whatever else is wrong with the line.
    if (this.asked) this.end({ kind: 'help', of: this.place })
    this.rest = tokens
    this.take((isWanted) => getCommandFlags(this.means, isWanted))
    checkPairs(this.means.flags, tokens)
    return super.parseOptions(this.withBooleans(tokens))
  }

  complain(_: string | undefined, message: string): never {
    throw createInvalidUseFailure(getCommandName(this.means), this.rest, message)
  }

  /**
   * The names by which flags were given, where the instance has others for them.
   * @throws Failure `usage` for one that was given by two
   */
  private get ownly(): Pick<Raw, 'own'> {
    const own = new Map<string, string>()
    for (const [name, [written = name, other]] of this.spelled) {
      if (other !== undefined) throw createNameConflictFailure(`--${written}`, `--${other}`)
      own.set(name, written)
    }
    return own.size === 0 ? {} : { own }
  }

  private line(): ParsedLine {
    const { means: command, merged } = this
    if (this.asked) return { kind: 'help', of: this.place }
    const given = getCommandFlags(command, ({ name }) => merged.has(name))
    const strange = [...merged.keys()].find((key) => !given.some(({ name }) => name === key))
    if (this.wordless !== undefined) throw this.wordless
    if (strange !== undefined) throw createUnknownOptionFailure(getCommandName(command), strange)
    const typed = { args: this.args, flags: merged }
    const raw = { ...(command.arrange?.(typed) ?? typed), words: this.tokens, ...this.ownly }
    return { kind: 'run', command, raw, own: this.findOwn }
  }
}
