import { wrapper } from '../base/json/records.js'
import type { Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import type { Writer } from '../output/types.js'
import type { Profile } from '../profile/types.js'
import type { Stdout } from '../terminal/stdout.js'
import { PartOfAnswer, refusePart } from './answer/objects.js'
import { AnswerPrinter, type RunAnswer } from './answer/printing.js'
import { flagsOfCommand } from './command/flags.js'
import { commandWith } from './command/known.js'
import type { Command } from './command/types.js'
import { commandIn, wordsAmong, wordsOfAll } from './command/vocabulary.js'
import { findOwnWords, ownWords, speaks, type WordsFinder } from './command/words.js'
import type { InstancePart, RunEnd, Streams } from './options.js'
import type { PlanAnswer, RecordView } from './rows.js'
import { openNotes, openStreams, type ScreenOptions } from './streams.js'
import { heldUntil, RunError, SharedWriter, unwrapEnded } from './targets/shared-writer.js'

// The answer of one of several instances: what it prints goes below its profile's name.

export class PartOfInstance extends PartOfAnswer implements RunAnswer {
  readonly #part: InstancePart
  readonly #printing: RunAnswer

  constructor(printing: RunAnswer, part: InstancePart) {
    super(printing, (emit) => printing.part(part.writer, emit), 'instance')
    this.#part = part
    this.#printing = printing
  }

  async writer(_many: boolean, emit: RecordView): Promise<Writer> {
    return this.part(this.#part.writer, emit)
  }

  part(open: (emit: RecordView) => Writer, emit: RecordView): Writer {
    return this.#printing.part(open, emit)
  }

  override async print(value: unknown, emit: RecordView = {}): Promise<void> {
    if (emit.noted === true && this.reader === 'people') return
    await super.print(value, emit)
  }

  override async printMany(
    values: Iterable<unknown> | AsyncIterable<unknown>,
    emit: RecordView = {},
  ): Promise<void> {
    await super.printMany(values, await this.#inRows(emit))
  }

  override async printAnswer(answer: PlanAnswer, emit: RecordView = {}): Promise<void> {
    await super.printAnswer(answer, await this.#inRows(emit))
  }

  /** What one instance would have shown whole has columns among others. */
  async #inRows(emit: RecordView): Promise<RecordView> {
    const { endpoint, columns, fields } = emit
    const chosen = endpoint === undefined || (columns ?? fields) !== undefined
    if (chosen || this.reader !== 'people') return emit
    const own = await this.columnsFor(endpoint)
    // Of an endpoint that no document has, the first record says which columns there are.
    return own.length === 0 ? emit : { ...emit, columns: own }
  }

  override write(chunk: string | Uint8Array): Promise<void> {
    return this.#part.write(chunk)
  }
}

// The several instances of a line: what each calls things, and how it understands the line.

/** One of them. */
export interface AskedSite {
  readonly name: string
  readonly own: WordsFinder
  /** What it calls things itself. */
  readonly words: Words | undefined
  /** The line's command with the names and values that it takes there. */
  readonly command: Command
  /** In which the line may be written: another one's name is as good as that of the documents. */
  readonly asked?: Words
}

/** Words that cannot be had are told of where the instance is asked, or at once where it is to be changed. */
const ownOfSite = async (
  command: Command,
  { name }: Profile,
  writing: boolean,
  env: NodeJS.ProcessEnv,
) => {
  const own = findOwnWords([`--profile=${name}`], env)
  const words = await ownWords(command, own).catch((error: unknown) => {
    if (writing) throw error
    return undefined
  })
  return { name, own, words }
}

/**
 * Each with the line as it takes it, and the words of all of them; undefined where none has any.
 * @throws Failure `usage` where they are to be changed, and one has words that are none
 */
export const resolveInstances = async (
  command: Command,
  profiles: readonly Profile[],
  writing: boolean,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly sites: readonly AskedSite[]; readonly words: Words | undefined }> => {
  const found = await Promise.all(
    profiles.map((profile) => ownOfSite(command, profile, writing, env)),
  )
  const words = wordsOfAll(found.map((site) => site.words))
  const neutral =
    words !== undefined && speaks(command)
      ? await command.registry.named(command.area, command.words)
      : undefined
  if (words === undefined || neutral === undefined)
    return { sites: found.map((site) => ({ ...site, command })), words }
  const others = flagsOfCommand(neutral).map(({ name }) => name)
  const sites = found.map((site) => {
    const asked = wordsAmong(site.words, words)
    const inWords = commandIn(neutral, asked, others)
    const { known } = command
    return { ...site, asked, command: known === undefined ? inWords : commandWith(inWords, known) }
  })
  return { sites, words }
}

/** Before the name of a project stands that of the profile. */
const below = (name: string): ((record: Uint8Array) => Uint8Array) => {
  const head = Buffer.from(`{"profile":${JSON.stringify(name)},`)
  return (record) => Buffer.concat([head, record.subarray(record.indexOf(0x7b) + 1)])
}

/** What a part prints goes through its writer: here nothing may come. */
const nowhere: Stdout = {
  write: async () => {
    throw new Failure('internal', 'an answer of one of several instances past the others')
  },
  end: async () => {},
}

export class OneAnswer {
  readonly #shown: ScreenOptions
  readonly #screen: Streams
  readonly #printing: AnswerPrinter
  readonly #shared: SharedWriter
  /** What is to be said of each below the output. */
  readonly #later = new Map<string, () => void>()
  /** What is to be said of all together. */
  readonly #notes: (() => void)[] = []

  private constructor(shown: ScreenOptions, screen: Streams, words: Words | undefined) {
    this.#shown = shown
    this.#screen = screen
    const asked = { ...shown, words }
    this.#printing = new AnswerPrinter(asked, screen, (text) =>
      this.#notes.push(() => screen.notes.note(text)),
    )
    this.#shared = new SharedWriter(
      (emit) => this.#printing.writer(true, emit),
      Number.POSITIVE_INFINITY,
    )
  }

  static async of(shown: ScreenOptions, words: Words | undefined): Promise<OneAnswer> {
    return new OneAnswer(shown, await openStreams(shown), words)
  }

  get notes(): Streams['notes'] {
    return this.#screen.notes
  }

  /** The notes of one, each line with its name. */
  notesOf(name: string): Promise<Streams['notes']> {
    return openNotes(this.#shown, name)
  }

  /**
   * What one of them writes to.
   * @param turn resolves when those before it have written theirs
   */
  async part(name: string, turn: Promise<void>): Promise<InstancePart> {
    return {
      name,
      screen: {
        ...this.#screen,
        notes: await this.notesOf(name),
        out: nowhere,
        plain: nowhere,
        finish: async () => {},
        interactive: () => false,
        of: name,
      },
      writer: (emit) => this.#writer(name, emit, turn),
      held: heldUntil(turn),
      later: (say) => {
        this.#later.set(name, say)
      },
      write: this.#text(name, turn),
    }
  }

  /**
   * @param whole whether all came to their ends
   * @param names the order in which is said what is to be said of each
   */
  async close(whole: boolean, names: readonly string[], end: RunEnd): Promise<void> {
    const say = (): void => {
      for (const name of names) this.#later.get(name)?.()
      for (const tell of this.#notes) tell()
    }
    let failed: unknown
    try {
      await (whole ? this.#shared.close() : this.#shared.abandon())
    } catch (error) {
      failed = unwrapEnded(error)
    }
    await this.#screen.finish(failed === undefined ? say : () => {}, {
      ...end,
      failed: failed ?? end.failed,
    })
    if (failed !== undefined) throw failed
  }

  /** Text of one of them, below its name: what only looks, and requests that are not sent. */
  #text(name: string, turn: Promise<void>): InstancePart['write'] {
    const { globals, command } = this.#shown
    let begun = false
    return async (chunk) => {
      if (!globals.curl && command.readOnly !== true) throw refusePart('instance')
      await turn
      try {
        if (!begun) await this.#screen.out.write(`# ${name}\n`)
        begun = true
        await this.#printing.write(chunk)
      } catch (error) {
        throw new RunError(error)
      }
    }
  }

  #writer(name: string, { people: _, ...emit }: RecordView, turn: Promise<void>): Writer {
    const wrap = emit.parent === undefined ? wrapper('profile', name) : below(name)
    return this.#shared.placed({ wrap, emit: { ...emit, within: 'profile' } }, turn)
  }
}
