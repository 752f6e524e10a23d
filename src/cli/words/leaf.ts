/** The level of one command: its flags and arguments in, texts by flag name out. */
import type { ParseOptionsResult } from 'commander'
import { flagsOfCommand, named } from '../../commands/derive/index.js'
import type { Command } from '../../commands/types.js'
import { Failure } from '../../errors.js'
import { Level } from './level.js'
import type { About, Meant } from './line.js'
import { notTaken, wrongUse } from './mistakes.js'

/** `--report junit lint.xml` → `--report junit=lint.xml`: Commander's options take one word, or any number. */
const joinPairs = (command: Command, rest: readonly string[]): string[] => {
  const pairs = new Map<string, object>(
    command.flags.flatMap((f) =>
      f.pair === true && f.param.type === 'hash'
        ? [[`--${f.name}`, f.param.keys ?? {}] as const]
        : [],
    ),
  )
  const joined: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const [token = '', key = '', value] = rest.slice(i, i + 3)
    const keys = pairs.get(token)
    joined.push(token)
    if (keys === undefined || !(key in keys) || value === undefined) continue
    joined.push(`${key}=${value}`)
    i += 2
  }
  return joined
}

export class Leaf extends Level {
  private loaded: Command | undefined
  private rest: readonly string[] = []

  constructor(
    name: string,
    tokens: readonly string[],
    private readonly load: () => Promise<Command>,
  ) {
    super(name, tokens)
    this.action(() => this.end(this.line()))
  }

  get means(): Command {
    if (this.loaded === undefined) throw new Failure('internal', `${this.name()} is not loaded`)
    return this.loaded
  }

  get place(): About {
    return { kind: 'command', command: this.means }
  }

  async fill(): Promise<void> {
    this.loaded = await this.load()
    // Optional to Commander: a missing one may be asked for, and gets a message that says what it is.
    for (const a of this.loaded.args)
      this.argument(`[${a.variadic ? `${a.name}...` : a.name}]`, a.help)
  }

  override parseOptions(tokens: string[]): ParseOptionsResult {
    // Help is shown whatever else is wrong with the line.
    if (this.asked) this.end({ kind: 'help', of: this.place })
    this.rest = tokens
    this.take(flagsOfCommand(this.means))
    return super.parseOptions(joinPairs(this.means, tokens))
  }

  complain(_: string | undefined, message: string): never {
    throw wrongUse(named(this.means), this.rest, message)
  }

  private line(): Meant {
    const { means: command, merged } = this
    if (this.asked) return { kind: 'help', of: this.place }
    const own = new Set(flagsOfCommand(command).map(({ name }) => name))
    const strange = [...merged.keys()].find((name) => !own.has(name))
    if (strange !== undefined) throw notTaken(named(command), strange)
    return { kind: 'run', command, raw: { args: this.args, flags: merged } }
  }
}
