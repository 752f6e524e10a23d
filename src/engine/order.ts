/** Several sources of rows, read at once and shown in their order: those behind wait with what they read first. */
import type { OpenRow, Row, Rows, Target } from './rows.js'

/** Creates the test whether a turn has not come yet. */
export const createHeldTest = (turn: Promise<void>): (() => boolean) => {
  let held = true
  const come = (): void => {
    held = false
  }
  turn.then(come, come)
  return () => held
}

/** Gives each of several sources its turn: it comes when those before it have ended. */
export class TurnScheduler {
  #last: Promise<void> = Promise.resolve()

  /** Does the work of the next source at once; its turn is what the work waits for before it hands anything over. */
  async take(work: (turn: Promise<void>) => Promise<void>): Promise<void> {
    const turn = this.#last
    let end: () => void = () => {}
    this.#last = new Promise((resolve) => {
      end = resolve
    })
    try {
      await work(turn)
    } finally {
      await turn
      end()
    }
  }
}

/** The options for handing over the rows of one target in its turn. */
export interface TurnOptions {
  readonly target: Target
  /** Resolves when those before it have handed over theirs. */
  readonly turn: Promise<void>
  /** Returns true while all of the targets wait for others. */
  readonly isHeld?: (() => boolean) | undefined
  readonly push: (row: Row) => Promise<void>
}

/** Hands over the rows of one of several targets: it reads on to its first records, and waits there for its turn. */
export class TargetWriter {
  readonly #options: TurnOptions
  readonly #waits: () => boolean
  /** The row that opens its part, once there is something in the part. */
  #open: OpenRow | undefined
  /** True if its part was opened, and has not ended. */
  #isOpen = false

  constructor(options: TurnOptions) {
    this.#options = options
    this.#waits = createHeldTest(options.turn)
  }

  /** Hands one row over; the part of the answer that it opens is handed over with what comes first of it. */
  async take(row: Row): Promise<void> {
    const { push, target, turn } = this.#options
    if (row.kind === 'open') {
      const { isHeld } = this.#options
      // A source below another target has heard of its turn.
      if (row.of === undefined)
        row.source?.opened({ held: () => this.#waits() || isHeld?.() === true })
      this.#open = { ...row, of: { ...row.of, ...target } }
      return
    }
    await turn
    const open = this.#open
    this.#open = undefined
    if (open !== undefined) {
      this.#isOpen = true
      await push(open)
    }
    if (row.kind === 'end') this.#isOpen = false
    await push({ ...row, of: { ...row.of, ...target } })
  }

  /** Ends its part before its time, where it was opened. */
  async cut(): Promise<void> {
    this.#open = undefined
    if (this.#isOpen) await this.take({ kind: 'end', isCut: true })
  }

  get turn(): Promise<void> {
    return this.#options.turn
  }

  /** Hands all rows over; who is asked no more ends their source. */
  async takeAll(rows: Rows): Promise<void> {
    try {
      for await (const row of rows) await this.take(row)
    } catch (error) {
      // What came before it broke off stands.
      await this.cut().catch(() => {})
      throw error
    }
  }
}

/** The maximum number of targets that are named. */
const mostNamed = 5

/** Says that as many records as were asked for are there, and which targets were left for that. */
export const describeUnread = (count: number, names: readonly string[]): string => {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  const left = `${names.slice(0, mostNamed).join(', ')}${more}`
  return `showing ${count}; not read, or not to the end: ${left}; use --limit <n> or --limit all for more`
}

/**
 * Takes the first records of the lists of several targets; of those behind nothing more is read.
 * @param full takes the target at which the records ended
 */
export async function* takeRecords(rows: Rows, most: number, full: (target: Target) => void): Rows {
  let left = most
  let open: OpenRow | undefined
  const isBehind = (row: Row): boolean =>
    left === 0 && (row.kind === 'open' || row.kind === 'records') && row.of !== undefined
  for await (const row of rows) {
    if (isBehind(row)) {
      full(row.of ?? {})
      if (open !== undefined) yield { kind: 'end', of: open.of }
      return yield { kind: 'end' }
    }
    if (row.kind === 'open') open = row
    if (row.kind === 'end') open = undefined
    // What a command made is no list of the instance.
    if (row.kind !== 'records' || open?.source === undefined) {
      yield row
      continue
    }
    const batch = row.batch.length > left ? row.batch.slice(0, left) : row.batch
    yield { ...row, batch, readers: row.readers?.slice(0, batch.length) }
    left -= batch.length
    if (batch.length === row.batch.length) continue
    full(row.of ?? {})
    yield { kind: 'end', of: open.of }
    return yield { kind: 'end' }
  }
}
