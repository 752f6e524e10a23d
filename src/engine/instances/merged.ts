/** The one answer that several instances write to, each in its turn and in their order. */
import { isObject } from '../../base/objects.js'
import { isSecret, secrecies } from '../../base/secrets/mask.js'
import { secretsOf } from '../../catalogue/secret-fields.js'
import type { Words } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import type { Stdout } from '../../terminal/streams/stdout.js'
import { printedValue } from '../answer/outcome.js'
import { refused } from '../answer/part.js'
import { Printing } from '../answer/printing.js'
import type { OfInstance } from '../command/described.js'
import type { Emit } from '../command/services.js'
import type { InstancePart } from '../options.js'
import type { Streams } from '../screen.js'
import { notesOf, openStreams, type ScreenOptions } from '../streams.js'
import { causeOf, Ended, heldUntil, Shared, wrapper } from '../targets/shared.js'
import type { AskedSite } from './sites.js'

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
  readonly #printing: Printing
  readonly #shared: Shared
  /** What is to be said of each below the output. */
  readonly #later = new Map<string, () => void>()
  /** What is to be said of all together. */
  readonly #notes: (() => void)[] = []

  private constructor(shown: ScreenOptions, screen: Streams, words: Words | undefined) {
    this.#shown = shown
    this.#screen = screen
    const asked = { ...shown, words }
    this.#printing = new Printing(asked, screen, (text) =>
      this.#notes.push(() => screen.notes.note(text)),
    )
    this.#shared = new Shared((emit) => this.#printing.writer(true, emit), Number.POSITIVE_INFINITY)
  }

  static async of(shown: ScreenOptions, words: Words | undefined): Promise<OneAnswer> {
    return new OneAnswer(shown, await openStreams(shown), words)
  }

  get notes(): Streams['notes'] {
    return this.#screen.notes
  }

  /** The notes of one, each line with its name. */
  notesOf(name: string): Promise<Streams['notes']> {
    return notesOf(this.#shown, name)
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

  /** Prints what the answers of all come to, side by side. */
  async across(answers: readonly OfInstance[]): Promise<void> {
    const { across } = this.#shown.command
    if (across === undefined || answers.length === 0) return
    const { records, people } = across.join(answers)
    if (records.length === 0) this.#screen.notes.note('nothing differs')
    await this.#printing.printMany(records, { people, reveal: true })
  }

  /**
   * @param whole whether all came to their ends
   * @param names the order in which is said what is to be said of each
   */
  async close(whole: boolean, names: readonly string[]): Promise<void> {
    try {
      await (whole ? this.#shared.close() : this.#shared.abandon())
    } catch (error) {
      throw causeOf(error)
    } finally {
      await this.#screen.out.end()
    }
    for (const name of names) this.#later.get(name)?.()
    for (const say of this.#notes) say()
  }

  /** Text of one of them, below its name: what only looks, and requests that are not sent. */
  #text(name: string, turn: Promise<void>): InstancePart['write'] {
    const { globals, command } = this.#shown
    let begun = false
    return async (chunk) => {
      if (!globals.curl && command.looks !== true) throw refused('instance')
      await turn
      try {
        if (!begun) await this.#screen.out.write(`# ${name}\n`)
        begun = true
        await this.#printing.write(chunk)
      } catch (error) {
        throw new Ended(error)
      }
    }
  }

  #writer(name: string, { people: _, ...emit }: Emit, turn: Promise<void>): Writer {
    const wrap = emit.parent === undefined ? wrapper({ column: 'profile', name }) : below(name)
    return this.#shared.placed({ wrap, emit: { ...emit, within: 'profile' } }, turn)
  }
}

/** An answer that is kept, as the join of them wants it. */
export const keptAnswer = (
  { name: profile, words, asked }: Pick<AskedSite, 'name' | 'words' | 'asked'>,
  answer: Parameters<NonNullable<InstancePart['keep']>>[0],
  { endpoint, fields }: Emit,
): OfInstance => {
  const value = printedValue(answer)
  const secrecyOf = secrecies(secretsOf(endpoint), words)
  return {
    profile,
    value,
    fields: fields?.map((field) => asked?.neutral(field) ?? field),
    neutral: (own) => words?.neutral(own) ?? own,
    isSecret: (own) => isObject(value) && isSecret(own, value[own], secrecyOf),
  }
}
