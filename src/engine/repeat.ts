/** `--watch`: a command again and again, redrawn on a terminal, one answer after the other in a pipe. */

import { parseBytes } from '../base/json/records.js'
import { findNearest } from '../base/suggest.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { findLevelNames } from '../catalogue/shapes/common.js'
import type { Words } from '../catalogue/words.js'
import { exitCodes, Failure } from '../errors.js'
import type { Context, RunClock } from './command/context.js'
import type { Command } from './command/types.js'
import { createValueFinder } from './command/words.js'
import { toDocumentedFields, toShownFields } from './records/expressions.js'
import type { Rows } from './rows.js'
import { bindWhere, type Expression, type Known, parseWhere } from './where/index.js'

// `--wait-until`: whether what a round printed is what is waited for.

interface UntilOptions {
  readonly command: Pick<Command, 'area' | 'computedFields' | 'instanceFields' | 'known'>
  /** Seconds; for as long as it takes where there are none. */
  readonly timeout?: number | undefined
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
}

/** The condition that a run waits for, tested round by round. */
export class WaitCondition {
  readonly #expressions: readonly Expression[]
  readonly #texts: readonly string[]
  readonly #options: UntilOptions
  #records: unknown[] = []
  /** True if a round showed that what is waited for can be: a value may be gone in the next one. */
  #checked = false
  #endpoint: Endpoint | undefined

  /** @throws Failure `usage` for what cannot be understood */
  constructor(texts: readonly string[], options: UntilOptions) {
    this.#expressions = parseWhere(texts)
    this.#texts = texts
    this.#options = options
  }

  get timeout(): number | undefined {
    return this.#options.timeout
  }

  /** Begins a round: nothing was printed in it yet. */
  begin(): void {
    this.#records = []
  }

  /** Passes rows on, and looks at their records. */
  async *see(rows: Rows): Rows {
    for await (const row of rows) {
      if (row.kind === 'open') this.#endpoint = row.view.endpoint
      if (row.kind === 'records') for (const bytes of row.batch) this.#keep(parseBytes(bytes))
      if (row.kind === 'value') this.#keep(row.value)
      yield row
    }
  }

  /**
   * Returns true if there is a record, and all of them match.
   * @throws Failure `usage` for a field that none has
   */
  holds(now: Date): boolean {
    if (this.#records.length === 0) return false
    const known = this.#known(now)
    const { matches } = bindWhere(this.#bound(known), known)
    this.#checked = true
    return this.#records.every(matches)
  }

  /** Creates the failure for a condition that never became true. */
  late(): Failure {
    const texts = this.#texts.join(' or ')
    return new Failure('failed', `${texts} did not become true within ${this.timeout} s`, {
      hint: 'The last output shows the current state. Wait longer with --wait-timeout.',
    })
  }

  /** An answer that is a list is its items; what is below something else is itself. */
  #keep(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.#keep(one)
    else this.#records.push(value)
  }

  #bound(known: Known): readonly Expression[] {
    const endpoint = this.#endpoint
    if (endpoint === undefined) return this.#expressions
    return toShownFields(toDocumentedFields(this.#expressions, known, endpoint), known)
  }

  #known(now: Date): Known {
    const { command, words } = this.#options
    const { computedFields: made, instanceFields: others } = command
    return {
      list: this.#endpoint?.returns.shape,
      samples: this.#records,
      now: now.getTime(),
      names: findLevelNames,
      nearest: findNearest,
      made,
      others,
      words,
      anyValue: this.#checked,
      learnt: createValueFinder(command, words),
    }
  }
}

/** Failures that a later round may not have. */
const isPassing = (error: unknown): error is Failure =>
  error instanceof Failure &&
  (error.category === 'unreachable' || error.category === 'rate_limited')

/** The functions that show the rounds of a run. */
export interface PollScreen {
  /** Between two answers, where nothing is redrawn. */
  between(): Promise<void>
  /** The answer is complete. */
  end(status: string): Promise<void>
}

const formatTimeOfDay = (now: Date): string => now.toTimeString().slice(0, 8)

/** The condition that ends a watch before a person interrupts it. */
type AwaitedState = Pick<WaitCondition, 'holds' | 'late' | 'timeout'>

interface WatchOptions {
  /** Seconds from round to round. */
  readonly seconds: number
  readonly polls: PollScreen
  /** Hears of each round: the last one counts alone, for the exit code as well. */
  readonly printing: { readonly begin: () => void }
  readonly until?: AwaitedState | undefined
  /** Returns true if the instance has turned everything away for as long as it may. */
  readonly exhausted: () => Promise<boolean>
}

/**
 * Does one round.
 * @returns whether what is waited for is so
 */
const pollOnce = async (
  { ui, place: { clock } }: Pick<Context, 'ui' | 'place'>,
  {
    until,
    first,
    exhausted,
  }: Pick<WatchOptions, 'until' | 'exhausted'> & { readonly first: boolean },
  poll: () => Promise<void>,
): Promise<boolean> => {
  try {
    await poll()
  } catch (error) {
    // Who waits for something waits for the network, too.
    if ((first && until === undefined) || !isPassing(error)) throw error
    if (until !== undefined && (await exhausted())) throw error
    ui.warn(error.message)
    return false
  }
  return until?.holds(clock.now()) === true
}

/** Milliseconds until the time is up. */
const getTimeLeft = (end: number | undefined, clock: RunClock): number =>
  end === undefined ? Number.POSITIVE_INFINITY : end - clock.now().getTime()

/**
 * Repeats `round` every so many seconds until the run is interrupted, or what is waited for is so. A passing failure (no
 * connection, too many requests) is reported, and the next round tries again.
 * @throws Failure `failed` where the time for it is up, and that of the round where the instance turns away for too long
 */
export const watch = async (
  context: Context,
  { seconds, polls, printing, until, exhausted }: WatchOptions,
  poll: () => Promise<void>,
): Promise<void> => {
  const { clock } = context.place
  const end =
    until?.timeout === undefined ? undefined : clock.now().getTime() + until.timeout * 1000
  try {
    for (let count = 0; ; count++) {
      if (count > 0) await polls.between()
      printing.begin()
      const held = await pollOnce(context, { until, exhausted, first: count === 0 }, poll)
      await polls.end(`${formatTimeOfDay(clock.now())}, every ${seconds} s; press Ctrl-C to stop`)
      if (held) return
      if (until !== undefined && getTimeLeft(end, clock) <= 0) throw until.late()
      await clock.sleep(Math.min(seconds * 1000, getTimeLeft(end, clock)))
    }
  } catch (error) {
    if (!clock.signal.aborted) throw error
    context.answer.setExitCode(exitCodes.interrupted)
  }
}
