/**
 * The base of all levels of the grammar, as Commander's commands: program, area, group and verb. A level takes the
 * flags that stand on it; none prints anything or ends the process.
 */
import { Command as Commander, type ErrorOptions, type Help, Option } from 'commander'
import { type IsWanted, mentionedIn } from '../../engine/command/derive/index.js'
import type { Flag } from '../../engine/command/types.js'
import {
  type About,
  asksHelp,
  getSpellings,
  type Meant,
  Understood,
} from '../../engine/plan/line.js'

const optionCache = new WeakMap<Flag, readonly Option[]>()

/** A flag in all its forms, made once: several levels take the same ones. */
const getOptions = (flag: Flag): readonly Option[] => {
  const known = optionCache.get(flag)
  if (known !== undefined) return known
  const options = getSpellings(flag).map(({ text, hidden }) => new Option(text).hideHelp(hidden))
  optionCache.set(flag, options)
  return options
}

/** What one occurrence of a flag says: its value, nothing where it may be left out, or yes and no. */
const toText = (flag: Flag, option: Option, value: unknown): string => {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return String(!option.negate || flag.name.startsWith('no-'))
}

/** A level of the grammar. */
export abstract class CommandLevel extends Commander {
  /**
   * The texts of the flags that stand on this level, in order; booleans as 'true' and 'false'. From
   * Commander's events: its values do not tell whether a flag was given (`--no-x` alone makes x true).
   */
  readonly given = new Map<string, string[]>()
  /** By which of its names each flag was given that an instance has others for. */
  readonly spelled = new Map<string, Set<string>>()
  /** The flags of this level that the line has none of. */
  private others: () => readonly Flag[] = () => []

  constructor(
    name: string,
    /** The whole line, for what may stand anywhere on it. */
    readonly tokens: readonly string[],
  ) {
    super(name)
    // Its help sees one word only, and reports a missing value before it shows anything: --help is a
    // flag like the others, heeded wherever it stands.
    this.helpOption(false).helpCommand(false)
  }

  /** What help about this level is about. */
  abstract readonly place: About

  /** Says in our words what Commander complains of. */
  abstract complain(code: string | undefined, message: string): never

  /** Loads what this level needs before it is parsed. */
  abstract fill(): Promise<void>

  /** Takes the flags that the line may have: declaring all takes longer than all the rest of parsing. */
  take(flags: (isWanted: IsWanted) => readonly Flag[]): void {
    const isMentioned = mentionedIn(this.tokens)
    this.declare(flags(isMentioned))
    this.others = () => flags((flag) => !isMentioned(flag))
  }

  /** Where Commander looks for what may be meant, and so among all flags that may stand here. */
  override createHelp(): Help {
    this.declare(this.others())
    this.others = () => []
    return super.createHelp()
  }

  private declare(flags: readonly Flag[]): void {
    for (const flag of flags)
      for (const option of getOptions(flag)) {
        this.addOption(option)
        this.on(`option:${option.name()}`, (value: unknown) => {
          const texts = this.given.get(flag.name) ?? []
          this.spell(flag, option)
          this.given.set(flag.name, [...texts, toText(flag, option, value)])
        })
      }
  }

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

  /** Whether help is asked for. */
  get asked(): boolean {
    return asksHelp(this.tokens) || this.merged.get('help')?.at(-1) === 'true'
  }

  /** Leaves Commander with what the line comes to. */
  end(line: Meant): never {
    throw new Understood(line)
  }

  override error(message: string, options?: ErrorOptions): never {
    return this.complain(options?.code, message.replace(/^error: /, ''))
  }
}
