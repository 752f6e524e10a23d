/** One answer to which several parents write, each in its turn and in their order. */

import { stringifyExact } from '../../base/json/json.js'
import { wrapper } from '../../base/json/records.js'
import type { Fields } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import type { Parent } from '../command/types.js'
import type { RecordView } from '../rows.js'

const encoder = new TextEncoder()

/** As many records as were asked for are printed. */
export class EnoughRecordsError extends Error {}

/** Ends the whole run and not one parent's part of it: what stands below cannot be printed. */
export class RunError extends Error {
  constructor(override readonly cause: unknown) {
    super('ended')
  }
}

/** The parts of an answer without what only a whole answer of one parent can have. */
const emitBelow = ({ people: _, ...emit }: RecordView, { column }: Parent): RecordView => ({
  ...emit,
  parent: column,
})

/** Whether a turn has not come yet. */
export const heldUntil = (turn: Promise<void>): (() => boolean) => {
  let held = true
  const come = (): void => {
    held = false
  }
  turn.then(come, come)
  return () => held
}

/** How the records of a part stand among those of the others. */
interface PartLayout {
  readonly wrap: (record: Uint8Array) => Uint8Array
  readonly emit: RecordView
}

export class SharedWriter {
  readonly #open: (emit: RecordView) => Promise<Writer>
  readonly #most: number
  readonly #held: () => boolean
  #writer: Promise<Writer> | undefined
  #waiting: Fields[] = []
  /** The column of what is waiting. */
  #column: Pick<RecordView, 'parent'> = {}
  #printed = 0

  /** @param held whether all of it waits for others */
  constructor(open: (emit: RecordView) => Promise<Writer>, most: number, held = () => false) {
    this.#open = open
    this.#most = most
    this.#held = held
  }

  get printed(): number {
    return this.#printed
  }

  get full(): boolean {
    return this.#printed >= this.#most
  }

  /** How many records may still come. */
  get left(): number {
    return this.#most - this.#printed
  }

  /**
   * A parent's part of the answer, as a writer of its own.
   * @param turn resolves when those before it have written theirs
   */
  part(parent: Parent, emit: RecordView, turn: Promise<void>): Writer {
    return this.placed(
      { wrap: wrapper(parent.column, parent.name), emit: emitBelow(emit, parent) },
      turn,
    )
  }

  /** The same of whatever has parts. */
  placed({ wrap, emit }: PartLayout, turn: Promise<void>): Writer {
    const isHeld = heldUntil(turn)
    const raw: Writer['raw'] = async (batch, readers) => {
      await turn
      if (batch.length === 0) return
      if (this.full) throw new EnoughRecordsError()
      const taken = batch.slice(0, this.left)
      await this.#write(emit, async (writer) => {
        await writer.raw(taken.map(wrap), readers?.slice(0, taken.length))
      })
      this.#printed += taken.length
      if (taken.length < batch.length) throw new EnoughRecordsError()
    }
    return {
      raw,
      held: () => isHeld() || this.#held(),
      record: (value) => raw([encoder.encode(stringifyExact(value) ?? 'null')]),
      close: async () => {
        await turn
        await this.#write(emit, async () => {})
      },
      abandon: async () => {},
    }
  }

  /**
   * One record about a parent itself, which counts for none of its own. It waits for the first part,
   * whose endpoint says what is secret.
   */
  async about({ column, name }: Parent, record: Fields): Promise<void> {
    this.#waiting.push({ [column]: name, ...record })
    this.#column = { parent: column }
    if (this.#writer !== undefined) await this.#write({}, async () => {})
  }

  /** Ends the answer. */
  async close(): Promise<void> {
    if (this.#waiting.length > 0) await this.#write(this.#column, async () => {})
    await (await this.#writer)?.close()
  }

  /** Ends it before its time. */
  async abandon(): Promise<void> {
    await (await this.#writer?.catch(() => undefined))?.abandon()
  }

  async #write(emit: RecordView, work: (writer: Writer) => Promise<void>): Promise<void> {
    try {
      this.#writer ??= this.#open(emit)
      const writer = await this.#writer
      for (const record of this.#waiting.splice(0)) await writer.record(record)
      await work(writer)
    } catch (error) {
      throw new RunError(error)
    }
  }
}

/** What ended a run, where its parts say so in words of their own. */
export const unwrapEnded = (error: unknown): unknown =>
  error instanceof RunError ? error.cause : error

/** Whether a failure is that of one parent: what was asked wrongly is wrong for all. */
export const isOwn = (error: unknown): error is Failure =>
  error instanceof Failure && !['usage', 'interrupted', 'internal'].includes(error.category)
