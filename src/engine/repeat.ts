/** `--watch`: a command again and again, redrawn on a terminal, one answer after the other in a pipe. */

import { parseBytes } from '../base/json/records.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { exitCodes, Failure } from '../errors.js'
import type { RunClock } from './command/clock.js'
import type { Context } from './command/context.js'
import { createKnown } from './command/record-facts.js'
import type { Command } from './command/types.js'
import { toRecordFields } from './records/expressions.js'
import type { Rows } from './rows.js'
import { bindWhere, type Expression, type Known, parseWhere } from './where/index.js'
import { isOpen } from './where/shape.js'

// `--wait-until`: the condition that the records of a round are tested with.

interface UntilOptions {
  readonly command: Pick<Command, 'area' | 'computedFields' | 'instanceFields' | 'known' | 'naming'>
  /** Seconds. Without it, the run waits until the condition is true. */
  readonly timeout?: number | undefined
}

/** The condition that a run waits for. It is tested after each round. */
export class WaitCondition {
  readonly #expressions: readonly Expression[]
  readonly #texts: readonly string[]
  readonly #options: UntilOptions
  #records: unknown[] = []
  /** True once a round had the fields and values of the condition. A later round may lack them. */
  #checked = false
  #endpoint: Endpoint | undefined

  /** @throws Failure `usage` for a condition that cannot be parsed */
  constructor(texts: readonly string[], options: UntilOptions) {
    this.#expressions = parseWhere(texts)
    this.#texts = texts
    this.#options = options
  }

  get timeout(): number | undefined {
    return this.#options.timeout
  }

  /** Begins a round, and forgets the records of the last one. */
  begin(): void {
    this.#records = []
  }

  /** Passes rows on, and keeps their records for the test. */
  async *observe(rows: Rows): Rows {
    for await (const row of rows) {
      if (row.kind === 'open') this.#endpoint = row.view.endpoint
      if (row.kind === 'records') for (const bytes of row.batch) this.#addRecords(parseBytes(bytes))
      if (row.kind === 'value' || row.kind === 'document') this.#addRecords(row.value)
      if (row.kind === 'answer') {
        this.#endpoint = row.view.endpoint
        if (row.answer.value !== undefined) this.#addRecords(row.answer.value)
      }
      yield row
    }
  }

  /**
   * Returns true if the round has at least one record, and all of its records match.
   * @throws Failure `usage` for a field that no record has
   */
  holds(now: Date): boolean {
    const known = this.#createKnown(now)
    // Without a record, only a schema tells which fields there are.
    if (this.#records.length === 0 && (this.#checked || known.list === undefined)) return false
    const { matches } = bindWhere(this.#bindExpressions(known), known)
    this.#checked = true
    return this.#records.length > 0 && this.#records.every(matches)
  }

  /** Creates the failure for a condition that never became true. */
  createTimeoutFailure(): Failure {
    const texts = this.#texts.join(' or ')
    return new Failure('failed', `${texts} did not become true within ${this.timeout} s`, {
      hint: 'The last output shows the current state. Wait longer with --wait-timeout.',
    })
  }

  /** Adds a record; of a list, each of its items. */
  #addRecords(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.#addRecords(one)
    else this.#records.push(this.#options.command.naming.makeLegible(value))
  }

  #bindExpressions(known: Known): readonly Expression[] {
    const endpoint = this.#endpoint
    return endpoint === undefined
      ? this.#expressions
      : toRecordFields(this.#expressions, known, endpoint)
  }

  #createKnown(now: Date): Known {
    const shape = this.#endpoint?.returns.shape
    return {
      ...createKnown(this.#options.command, now),
      list: isOpen(shape) ? undefined : shape,
      samples: this.#records,
      areValuesChecked: this.#checked,
    }
  }
}

/** True for a failure that a later round may not have, such as a lost connection. */
const isPassing = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.category === 'unreachable' || error.category === 'rate_limited')

/** Shows the rounds of a repeated run. */
export interface PollScreen {
  /** Separates two answers if the screen is not redrawn. */
  separateRounds(): Promise<void>
  /** Ends the answer of a round. @param status the text below it */
  endRound(status: string): Promise<void>
}

const formatTimeOfDay = (now: Date): string => now.toTimeString().slice(0, 8)

/** The parts of a condition that `watch` uses. */
type AwaitedState = Pick<WaitCondition, 'holds' | 'createTimeoutFailure' | 'timeout'>

interface WatchOptions {
  /** Seconds between two rounds. */
  readonly seconds: number
  readonly polls: PollScreen
  /** The printer. `begin` discards the exit code of earlier rounds, since only the last one counts. */
  readonly printer: { readonly begin: () => void }
  readonly until?: AwaitedState | undefined
  /** Returns true if the instance has rejected all requests for the longest time that is tolerated. */
  readonly isExhausted: () => Promise<boolean>
}

/**
 * Runs one round.
 * @returns true if the condition is true
 */
const pollOnce = async (
  { ui, place: { clock } }: Pick<Context, 'ui' | 'place'>,
  {
    until,
    first,
    isExhausted,
  }: Pick<WatchOptions, 'until' | 'isExhausted'> & { readonly first: boolean },
  poll: () => Promise<void>,
): Promise<boolean> => {
  try {
    await poll()
  } catch (error) {
    // A run with a condition waits for the network as well, even in its first round.
    if ((first && until === undefined) || !isPassing(error)) throw error
    if (until !== undefined && (await isExhausted())) throw error
    ui.warn(error.message)
    return false
  }
  return until?.holds(clock.now()) === true
}

/** Returns the milliseconds that are left until `end`. */
const getTimeLeft = (end: number | undefined, clock: RunClock): number =>
  end === undefined ? Number.POSITIVE_INFINITY : end - clock.now().getTime()

/**
 * Repeats `poll` until the run is interrupted or the condition is true. A failure that may pass (no connection, too many
 * requests) is reported, and the next round tries again.
 * @throws Failure `failed` if the time for the condition is up, and the failure of a round that will not pass
 */
export const watch = async (
  context: Context,
  { seconds, polls, printer: printing, until, isExhausted }: WatchOptions,
  poll: () => Promise<void>,
): Promise<void> => {
  const { clock } = context.place
  const end =
    until?.timeout === undefined ? undefined : clock.now().getTime() + until.timeout * 1000
  try {
    for (let count = 0; ; count++) {
      if (count > 0) await polls.separateRounds()
      printing.begin()
      const held = await pollOnce(
        context,
        { until, isExhausted: isExhausted, first: count === 0 },
        poll,
      )
      await polls.endRound(
        `${formatTimeOfDay(clock.now())}, every ${seconds} s; press Ctrl-C to stop`,
      )
      if (held) return
      if (until !== undefined && getTimeLeft(end, clock) <= 0) throw until.createTimeoutFailure()
      await clock.sleep(Math.min(seconds * 1000, getTimeLeft(end, clock)))
    }
  } catch (error) {
    if (!clock.signal.aborted) throw error
    context.answer.setExitCode(exitCodes.interrupted)
  }
}
