/** The levels that have others below them: the program, an area, a group of verbs. */
import { type Help, Option, type ParseOptionsResult } from 'commander'
import { hiddenScopes } from '../../commands/derive/index.js'
import {
  outputFlags,
  pageFlags,
  pagingFlags,
  rehearsalFlags,
  requestFlags,
  spreadFlags,
  writeFlags,
} from '../../commands/globals.js'
import { Failure } from '../../errors.js'
import { Level } from './level.js'
import { type About, isWord, Strange } from './line.js'
import {
  commandMissing,
  unknownAnywhere,
  unknownArea,
  unknownVerb,
  type Verbs,
  verbMissing,
} from './mistakes.js'

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

abstract class Branch extends Level {
  /** What may stand next and has no level yet, by name. */
  private readonly offers = new Map<string, () => void>()

  constructor(name: string, tokens: readonly string[]) {
    super(name, tokens)
    // Without, the program would take its flags out of the verb's values (`--description -y`).
    this.enablePositionalOptions()
    this.hook('preSubcommand', async (_, next) => {
      if (next instanceof Level) await next.fill()
    })
  }

  /**
   * Says what may stand next. Its level is made when its name is met: making all of them takes longer than
   * all the rest of parsing.
   * @param hidden it is taken, and never suggested
   */
  offer(name: string, make: (name: string) => Level, hidden = false): void {
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
export class Program extends Branch {
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
    throw new Strange(word, unknownArea(word, message))
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
export class Area extends Branch implements Verbs {
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
    throw unknownVerb(this, word, message)
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
