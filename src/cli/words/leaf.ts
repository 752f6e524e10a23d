/** Parses the arguments and flags of one command, and defines the base class of all levels of the command line. */

import { Command as Commander, type ErrorOptions, Option, type ParseOptionsResult } from 'commander'
import type { Environment } from '../../base/io.js'
import { getOwn } from '../../base/objects.js'
import { writes } from '../../catalogue/endpoint.js'
import { booleanWords, getParamValues, isSwitch } from '../../catalogue/params.js'
import {
  canCallApi,
  createNameConflictFailure,
  getCommandName,
} from '../../engine/command/derive.js'
import { type FlagFilter, getCommandFlags } from '../../engine/command/flags.js'
import { createWordsLoader, toOwnCommand } from '../../engine/command/load-words.js'
import { findSwitch, getWordsBeforeDashes } from '../../engine/command/tokens.js'
import type { Command, Flag } from '../../engine/command/types.js'
import { getSpellings, type HelpTopic, isWord, type ParsedLine } from '../../engine/plan/line.js'
import { Failure, usage } from '../../errors.js'
import {
  checkPairs,
  createInvalidUseFailure,
  createSingleDashFailure,
  createUnknownOptionFailure,
  findSingleDash,
} from './mistakes.js'

/**
 * Creates a filter for the flags that a line may contain, by name alone, so that nothing else about flags is loaded.
 */
const createMentionFilter = (tokens: readonly string[]): FlagFilter => {
  const names = new Set<string | undefined>()
  for (const token of tokens) {
    const [, no = '', name] = /^--(no-)?([^=]+)/.exec(token) ?? []
    if (name !== undefined) names.add(name).add(no + name)
    else if (token.startsWith('-'))
      for (const one of [...token, findSingleDash(token)]) names.add(one)
  }
  return ({ name, short, aliases, own }) =>
    names.has(name) ||
    (short !== undefined && names.has(short)) ||
    [aliases, own].some((others) => others?.some((other) => names.has(other)))
}

// Every level of the command line is a command of Commander: program, area, group and verb. A level accepts flags, but
// it neither prints nor ends the process.

const optionCache = new WeakMap<Flag, readonly Option[]>()

/** Returns the Commander options of a flag. They are created once, because several levels use them. */
const getOptions = (flag: Flag): readonly Option[] => {
  const known = optionCache.get(flag)
  if (known !== undefined) return known
  const options = getSpellings(flag).map(({ text, hidden }) => new Option(text).hideHelp(hidden))
  optionCache.set(flag, options)
  return options
}

/**
 * Returns the text of one occurrence of a flag: its value, an empty text if the value is omitted, or `true` or `false`.
 */
const toText = (flag: Flag, option: Option, value: unknown): string => {
  if (typeof value === 'string') return getOwn(flag.spellings, value) ?? value
  if (value === null) return ''
  if (option.negate && flag.refusedValue !== undefined) return flag.refusedValue
  return String(!option.negate || flag.name.startsWith('no-'))
}

/** True for a flag with a `--no-` form. (`--no-certificate` is a flag of its own.) */
const isBoolean = ({ name, param }: Flag): boolean => isSwitch(param) && !name.startsWith('no-')

/**
 * Returns the form of a boolean flag for the text after its `=`.
 * @throws Failure `usage` for any other text; the message does not repeat it, as it may be a secret
 */
const toBooleanForm = (name: string, text: string): string => {
  const isOn = getOwn<boolean>(booleanWords, text.toLowerCase())
  if (isOn === undefined)
    throw usage(`--${name} must be true or false`, `Write --${name} or --${name}=false.`)
  return isOn ? `--${name}` : `--no-${name}`
}

/** Carries the parsed line out of Commander, which can only be left by an error. */
export class ParsedLineSignal extends Error {
  constructor(readonly line: ParsedLine) {
    super(line.kind)
  }
}

/** True if the line asks for help anywhere. Help is shown even if the rest of the line is wrong. */
const hasHelpFlag = (tokens: readonly string[]): boolean =>
  findSwitch(tokens, 'help') === true || getWordsBeforeDashes(tokens).includes('-h')

/** A line as it was typed, with the variables that apply to it. */
export interface LineTokens {
  readonly tokens: readonly string[]
  readonly env: Environment
}

/** A level of the command line. */
export abstract class CommandLevel extends Commander {
  /**
   * The texts of the flags on this level, in order; booleans are `true` and `false`. They come from Commander's events,
   * because its values do not tell whether a flag was typed (`--no-x` alone makes x true).
   */
  readonly texts = new Map<string, string[]>()
  /** The name by which each flag was typed, if the instance has other names for it. */
  protected readonly spellings = new Map<string, string>()
  /** The boolean flags of this level by their long forms without `no-`. */
  private readonly booleans = new Map<string, Flag>()

  constructor(
    name: string,
    /** The whole line, for flags that may stand anywhere. */
    readonly line: LineTokens,
  ) {
    super(name)
    // Commander's own help sees only one word, and reports a missing value before it shows anything. So --help is
    // declared like other flags.
    this.helpOption(false).helpCommand(false).showSuggestionAfterError(false)
  }

  get tokens(): readonly string[] {
    return this.line.tokens
  }

  /** The help page of this level. */
  abstract readonly place: HelpTopic

  /** Reports an error of Commander in the program's words. */
  abstract complain(code: string | undefined, message: string): never

  /** Loads what this level needs before it is parsed. */
  abstract load(): Promise<void>

  /** Declares the flags that the line may contain. Declaring all takes longer than the rest of parsing. */
  declareMentioned(flags: (isWanted: FlagFilter) => readonly Flag[]): void {
    this.declare(flags(createMentionFilter(this.tokens)))
  }

  protected declare(flags: readonly Flag[]): void {
    for (const flag of flags)
      for (const option of getOptions(flag)) {
        this.addOption(option)
        if (isBoolean(flag) && !option.negate) this.booleans.set(option.long ?? '', flag)
        this.on(`option:${option.name()}`, (value: unknown) => {
          const texts = this.texts.get(flag.name) ?? []
          this.recordSpelling(flag, option)
          this.texts.set(flag.name, [...texts, toText(flag, option, value)])
        })
      }
  }

  /**
   * Replaces `--flag=true` and `--flag=false` by the forms that Commander knows.
   * @throws Failure `usage` for another value, and for a value in a separate word
   */
  protected replaceBooleans(tokens: readonly string[]): string[] {
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
    const single = findSingleDash(token)
    if (single !== undefined && this.options.some(({ long }) => long === `--${single}`))
      throw createSingleDashFailure(single)
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

  /** @throws Failure `usage` if the flag was typed by another of its names */
  private recordSpelling({ name, own }: Flag, { long }: Option): void {
    if (own === undefined) return
    const written = own.find((one) => one === long?.replace(/^--(no-)?/, '')) ?? name
    const before = this.spellings.get(name) ?? written
    if (before !== written) throw createNameConflictFailure(`--${before}`, `--${written}`)
    this.spellings.set(name, written)
  }

  /**
   * The flags of this level and those above; the most specific level wins. (In Commander's `optsWithGlobals()`, the
   * program's value would win.)
   */
  get allTexts(): ReadonlyMap<string, readonly string[]> {
    const above = this.parent instanceof CommandLevel ? this.parent.allTexts : []
    return new Map([...above, ...this.texts])
  }

  /** True if help is requested. */
  get wantsHelp(): boolean {
    return hasHelpFlag(this.tokens) || this.allTexts.get('help')?.at(-1) === 'true'
  }

  /** Leaves Commander with the parsed line. */
  end(line: ParsedLine): never {
    throw new ParsedLineSignal(line)
  }

  override error(message: string, options?: ErrorOptions): never {
    return this.complain(options?.code, message.replace(/^error: /, ''))
  }
}

/** True if the text of a flag contains an undocumented value. */
const isUnknownValue = ({ param }: Flag, text: string): boolean => {
  const values = getParamValues(param)
  if (values.length === 0) return false
  const known = [...values, ...(param.words ?? [])]
  return text.split(',').some((one) => !known.includes(one.replaceAll('-', '_')))
}

const isParameter = ({ endpoints }: Command, name: string): boolean =>
  Object.values(endpoints).some(({ params }) => Object.hasOwn(params, name))

interface UndocumentedUse {
  /** True if the command is about objects that can have undocumented settings. */
  readonly open: boolean
  /** True if the line has an undocumented flag or value, or asks for the help that lists such flags. */
  readonly unknown: boolean
  /** The texts that contain field names: conditions, sort orders and columns. */
  readonly fields: readonly string[]
}

/** Finds the flags, values and fields of a line that are not documented. */
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
    // Attributes may also be set by `--param`.
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
  /** The flags of the command that the line may contain. */
  private mentioned: readonly Flag[] = []
  /** The error that occurred when the vocabulary was loaded. */
  private vocabularyError: Error | undefined

  constructor(
    name: string,
    line: LineTokens,
    private readonly loadOne: () => Promise<Command>,
  ) {
    super(name, line)
    this.action(() => this.end(this.createLine()))
  }

  get loadedCommand(): Command {
    if (this.loaded === undefined) throw new Failure('internal', `${this.name()} is not loaded`)
    return this.loaded
  }

  get place(): HelpTopic {
    return { kind: 'command', command: this.loadedCommand }
  }

  async load(): Promise<void> {
    const loadWords = createWordsLoader(this.tokens, this.line.env)
    this.loaded = await this.extend(await this.translate({ ...(await this.loadOne()), loadWords }))
    // Optional for Commander: a missing argument may be asked for, and otherwise gets a specific message.
    for (const a of this.loaded.args)
      this.argument(`[${a.variadic ? `${a.name}...` : a.name}]`, a.help)
  }

  /** Translates a command to the vocabulary of its instance; the tool's own commands have none. */
  private async translate(command: Command): Promise<Command> {
    try {
      return await toOwnCommand(command, () => getCommandFlags(command).map(({ name }) => name))
    } catch (error) {
      // Help and completion work without the vocabulary.
      this.vocabularyError = error instanceof Error ? error : new Error(String(error))
      return command
    }
  }

  /** Extends a command by the undocumented names of its instance, if the line contains an undocumented name. */
  private async extend(
    command: Command,
    tokens = this.tokens,
    completes = false,
  ): Promise<Command> {
    const { open, unknown, fields } = findUndocumented(command, tokens)
    const may = unknown || fields.length > 0 || (completes && open)
    if (!canCallApi(command) || !may) return command
    const { hasUnknownField, addKnownNames } = await import('../../engine/command/known.js')
    const { readSourceFlags } = await import('../../engine/command/snapshot-profile.js')
    const needed = unknown || completes || (await hasUnknownField(command, fields))
    const { env } = this.line
    return needed ? addKnownNames(command, readSourceFlags(tokens, env), env) : command
  }

  /** Returns the command for completing the next word. */
  getCommandToComplete(current: string): Promise<Command> {
    const next = /^-[^=]*$/.test(current) ? '--help' : current
    return this.extend(this.loadedCommand, [...this.tokens, next], true)
  }

  override parseOptions(tokens: string[]): ParseOptionsResult {
    // Help is shown even if the rest of the line is wrong.
    if (this.wantsHelp) this.end({ kind: 'help', of: this.place })
    this.rest = tokens
    this.mentioned = getCommandFlags(this.loadedCommand, createMentionFilter(this.tokens))
    this.declare(this.mentioned)
    checkPairs(this.loadedCommand.flags, tokens)
    return super.parseOptions(this.replaceBooleans(tokens))
  }

  complain(_: string | undefined, message: string): never {
    throw createInvalidUseFailure(getCommandName(this.loadedCommand), this.rest, message)
  }

  private createLine(): ParsedLine {
    const { loadedCommand: command, allTexts } = this
    if (this.wantsHelp) return { kind: 'help', of: this.place }
    const strange = [...allTexts.keys()].find(
      (key) => !this.mentioned.some(({ name }) => name === key),
    )
    if (this.vocabularyError !== undefined) throw this.vocabularyError
    if (strange !== undefined) throw createUnknownOptionFailure(getCommandName(command), strange)
    const typed = { args: this.args, flags: allTexts }
    const raw = { ...(command.arrange?.(typed) ?? typed), words: this.tokens, own: this.spellings }
    return { kind: 'run', command, raw }
  }
}
