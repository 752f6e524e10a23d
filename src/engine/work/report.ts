/** What a run came to: counts, the first failures, and what it ends with. */
import { type Category, Failure, helpIn, survived, usage } from '../../errors.js'
import type { Item } from './items.js'

/** What became of an object. */
export type Outcome<R> =
  | { readonly state: 'done'; readonly result: R }
  | { readonly state: 'unchanged'; readonly result?: R }
  | { readonly state: 'failed' | 'unknown'; readonly failure: Failure }

/**
 * What became of an object whose work threw.
 * @throws what is no object's own: an interruption, a defect
 */
export const outcomeOf = (error: unknown): Outcome<never> => {
  const failure = survived(error)
  return { state: failure.details.unknownOutcome === true ? 'unknown' : 'failed', failure }
}

export interface Settled<R, I extends Item = Item> {
  readonly item: I
  readonly outcome: Outcome<R>
}

/** By the journal's own names. */
export interface Counts {
  readonly done: number
  readonly unchanged: number
  readonly failed: number
  readonly unknown: number
  readonly not_tried: number
}

/** `completed`: every object was tried; `stopped`: by the breaker, by patience or `--max-failures`. */
export type End = 'completed' | 'interrupted' | 'stopped'

export interface Failed {
  readonly item: Item
  readonly failure: Failure
}

export interface Report {
  readonly end: End
  readonly counts: Counts
  /** The first twenty that failed, or of which it is not known. */
  readonly failures: readonly Failed[]
  /** The category that all failures have in common. */
  readonly alike: Category | undefined
  /** Whether anything that failed may go well another time. */
  readonly mayHelp: boolean
  /** Why it stopped by itself, where one cause is behind it. */
  readonly cause: Failure | undefined
  /** `--max-failures` was reached. */
  readonly tooMany: boolean
}

/** So many failures are told in full; of the others there is a count at the end. */
export const mostTold = 20
/** Before so many outcomes a part of them says nothing. */
const telling = 20

/** `--max-failures`. */
export type MostFailures = { readonly count: number } | { readonly percent: number }

/**
 * `5`, or `10%` of the outcomes.
 * @throws Failure `usage`
 */
export const parseMostFailures = (text: string): MostFailures => {
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?)\s*(%)?\s*$/.exec(text) ?? []
  const value = Number(number)
  if (percent !== undefined && value > 0 && value <= 100) return { percent: value }
  if (percent === undefined && Number.isSafeInteger(value) && value > 0) return { count: value }
  throw usage(
    `${JSON.stringify(text)} is no number of failures`,
    'Give a number from 1 on, or a part of the outcomes: 10%.',
  )
}

/** Refusals that stay so until somebody changes something: of the request, of rights, of the object. */
const lasting: ReadonlySet<number | undefined> = new Set([400, 403, 404, 405, 409, 410, 412, 422])

export class Tally {
  #done = 0
  #unchanged = 0
  #failed = 0
  #unknown = 0
  #alike: Category | undefined | 'various'
  readonly failures: Failed[] = []
  mayHelp = false

  add({ item, outcome }: Settled<unknown>): void {
    if (outcome.state === 'done') this.#done += 1
    else if (outcome.state === 'unchanged') this.#unchanged += 1
    else {
      if (outcome.state === 'failed') this.#failed += 1
      else this.#unknown += 1
      this.#keep(item, outcome.failure)
    }
  }

  #keep(item: Item, failure: Failure): void {
    if (this.failures.length < mostTold) this.failures.push({ item, failure })
    if (!lasting.has(failure.details.status)) this.mayHelp = true
    const same = this.#alike === undefined || this.#alike === failure.category
    this.#alike = same ? failure.category : 'various'
  }

  /** Objects of which it is not known what became of them: the run was interrupted meanwhile. */
  lost(): void {
    this.#unknown += 1
  }

  get alike(): Category | undefined {
    return this.#alike === 'various' ? undefined : this.#alike
  }

  get outcomes(): number {
    return this.#done + this.#unchanged + this.wrong
  }

  get wrong(): number {
    return this.#failed + this.#unknown
  }

  counts(queued: number): Counts {
    return {
      done: this.#done,
      unchanged: this.#unchanged,
      failed: this.#failed,
      unknown: this.#unknown,
      not_tried: Math.max(0, queued - this.outcomes),
    }
  }

  /** Whether there are as many failures as there may be. */
  exceeds(most: MostFailures | undefined): boolean {
    if (most === undefined || this.wrong === 0) return false
    if ('count' in most) return this.wrong >= most.count
    return this.outcomes >= telling && this.wrong * 100 >= most.percent * this.outcomes
  }
}

const countWords = ({ done, unchanged, failed, unknown, not_tried }: Counts): string =>
  [
    `${done} done`,
    ...(unchanged === 0 ? [] : [`${unchanged} already so`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(unknown === 0 ? [] : [`${unknown} not known`]),
    ...(not_tried === 0 ? [] : [`${not_tried} not tried`]),
  ].join(', ')

/** The failure with which a run ends; undefined where all went well. */
export const verdict = ({ end, counts, alike, cause, tooMany }: Report): Failure | undefined => {
  if (end === 'interrupted') return new Failure('interrupted', `interrupted; ${countWords(counts)}`)
  if (cause !== undefined) {
    const message = `stopped: ${cause.message}; ${countWords(counts)}`
    return new Failure(cause.category, message, helpIn(cause))
  }
  const wrong = counts.failed + counts.unknown
  if (tooMany && end === 'stopped')
    return new Failure('partial', `stopped: as many failures as may be; ${countWords(counts)}`)
  if (wrong === 0 && counts.not_tried === 0) return undefined
  const all = wrong + counts.done + counts.unchanged + counts.not_tried
  if (wrong === all && alike !== undefined) return new Failure(alike, `all ${all} failed`)
  const left = counts.not_tried === 0 ? '' : `, ${counts.not_tried} not tried`
  return new Failure('partial', `${wrong} of ${all} failed${left}`)
}
