/** Keeps the rows of several targets in order. Targets are read at once, and each waits for its turn with its first records. */
import { joinFirst } from '../base/text.js'
import type { OpenRow, Row, Rows, Target } from './rows.js'

/** Creates a test that returns true until a turn comes. */
export const createWaitTest = (turn: Promise<void>): (() => boolean) => {
  let held = true
  const release = (): void => {
    held = false
  }
  turn.then(release, release)
  return () => held
}

/** Gives each of several sources its turn. The turn comes when all sources before it have ended. */
export class TurnScheduler {
  #last: Promise<void> = Promise.resolve()

  /** Starts the work of the next source. The work waits for its turn before it writes anything. */
  async schedule(work: (turn: Promise<void>) => Promise<void>): Promise<void> {
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

/** The options for writing the rows of one target in its turn. */
export interface TurnOptions {
  readonly target: Target
  /** Resolves when all targets before this one have written their rows. */
  readonly turn: Promise<void>
  /** Returns true while all of the targets wait for other instances. */
  readonly isHeld?: (() => boolean) | undefined
  readonly push: (row: Row) => Promise<void>
}

/** Writes the rows of one of several targets. It reads up to the first records, and then waits for its turn. */
export class TargetWriter {
  readonly #options: TurnOptions
  readonly #waits: () => boolean
  /** The row that opens the target's part. It is written with the first row of the part. */
  #open: OpenRow | undefined
  /** True while the target's part is open. */
  #isOpen = false

  constructor(options: TurnOptions) {
    this.#options = options
    this.#waits = createWaitTest(options.turn)
  }

  /** Writes a row. A row that opens a part is held back until the part has its first row. */
  async write(row: Row): Promise<void> {
    const { push, target, turn } = this.#options
    if (row.kind === 'open') {
      const { isHeld } = this.#options
      // A row that already has a target comes from a writer inside this one, which has attached its own reader.
      if (row.target === undefined)
        row.source?.attachReader({ held: () => this.#waits() || isHeld?.() === true })
      this.#open = { ...row, target: { ...row.target, ...target } }
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
    await push({ ...row, target: { ...row.target, ...target } })
  }

  /** Ends the target's part early, if it is open. */
  async endEarly(): Promise<void> {
    this.#open = undefined
    if (this.#isOpen) await this.write({ kind: 'end', isCut: true })
  }

  get turn(): Promise<void> {
    return this.#options.turn
  }

  /** Writes all rows. If writing fails, the source of the rows ends as well. */
  async writeAll(rows: Rows): Promise<void> {
    try {
      for await (const row of rows) await this.write(row)
    } catch (error) {
      // Rows that are written already stay.
      await this.endEarly().catch(() => {})
      throw error
    }
  }
}

/** The maximum number of targets that are named. */
const mostNamed = 5

/** Describes which targets were not read because `--limit` was reached. */
export const describeUnread = (count: number, names: readonly string[]): string => {
  const left = joinFirst(names, mostNamed)
  return `showing ${count}; not read, or not to the end: ${left}; use --limit <n> or --limit all for more`
}

/**
 * Yields the first records of several targets, and reads nothing further.
 * @param most the maximum number of records over all targets
 * @param full receives the first target of which records are left beyond the maximum
 */
export async function* takeRecords(rows: Rows, most: number, full: (target: Target) => void): Rows {
  let left = most
  let open: OpenRow | undefined
  let unfinished: Target | undefined
  const isBehind = (row: Row): boolean =>
    left === 0 && (row.kind === 'open' || row.kind === 'records') && row.target !== undefined
  const recordFull = (row: Row): void => full(unfinished ?? row.target ?? {})
  const isUnfinished = (row: Row): boolean => left === 0 && row.kind === 'end' && row.more === true
  for await (const row of rows) {
    if (isBehind(row)) {
      recordFull(row)
      if (open !== undefined) yield { kind: 'end', target: open.target }
      return yield { kind: 'end' }
    }
    if (row.kind === 'open') open = row
    if (row.kind === 'end') open = undefined
    if (isUnfinished(row)) unfinished ??= row.target
    // Records that a command made itself do not count, because they are no list of the instance.
    if (row.kind !== 'records' || open?.source === undefined) {
      yield row
      continue
    }
    const batch = row.batch.length > left ? row.batch.slice(0, left) : row.batch
    yield { ...row, batch, readers: row.readers?.slice(0, batch.length) }
    left -= batch.length
    if (batch.length === row.batch.length) continue
    recordFull(row)
    yield { kind: 'end', target: open.target }
    return yield { kind: 'end' }
  }
}
