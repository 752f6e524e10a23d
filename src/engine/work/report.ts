/** Declares the objects of a run and their outcomes, counts the outcomes, decides when to stop the run, and describes its end. */

import type { Fields } from '../../base/objects.js'
import { groupDigits, joinWords } from '../../base/text.js'
import { type Category, Failure, getFailureHelp, recoverFrom } from '../../errors.js'
import type { AdmissionResult } from '../../http/types.js'

// The objects of a run.

/** The number of objects that messages name; further ones are counted. */
export const maxNamed = 10

/** An object as the line or the input names it. */
export interface GivenObject {
  readonly object: string
  /** The project or group of the object, if the input has it. */
  readonly parent?: string
  /** The fields that the run may change, with their values when the object was selected; null if it did not exist. */
  readonly before?: Fields | null
  /** The attributes from the object's row of input. */
  readonly row?: Fields
  /** The position in standard input, if the object comes from there. */
  readonly place?: string | undefined
  /** The values that a request names the object by, if they were looked up: a line may name one user by name and by ID. */
  readonly identity?: string | undefined
}

/** An object with its number. */
export interface Item extends GivenObject {
  /** The number of the object in the run, from 1 on. */
  readonly n: number
  /**
   * The way to resume an object that may already be done. `verifying` only reads it. `repeating` sends a deletion again, and accepts that
   * the object is gone. `comparing` changes the object unless it has the wanted values.
   */
  readonly resumeBy?: 'verifying' | 'repeating' | 'comparing'
}

/** An object as a run found it and as the run left it. */
export interface UndoableItem extends Item {
  /** Null if the run created the object. */
  readonly before: Fields | null
  /** Null if the run deleted the object. */
  readonly after: Fields | null
  /** The names of masked attributes, whose values cannot be restored. */
  readonly masked: readonly string[]
}

/** Returns the number, name and parent of an object, as a journal records them. */
export const getItemPlace = ({
  n,
  object,
  parent,
}: Item): Pick<Item, 'n' | 'object' | 'parent'> => ({
  n,
  object,
  parent,
})

/** Removes leading zeros from a number, so that equal numbers are equal texts. */
export const normalizeId = (text: string): string =>
  /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text

// The texts at the end of a run.

const categoryWords: Readonly<Partial<Record<Category, string>>> = {
  failed: 'rejected by the instance',
  auth: 'refused',
  not_found: 'not found',
  conflict: 'in conflict',
  rate_limited: 'too many requests',
  unreachable: 'unreachable',
}

/** Describes failures by kind (`2 not found, 1 refused`). Returns an empty text if not all failures are kept. */
const describeKinds = (failures: readonly FailedItem[], count: number): string => {
  if (failures.length !== count) return ''
  const kinds = new Map<string, number>()
  for (const { failure } of failures) {
    const { category, details } = failure
    const word =
      (details.unsent ?? details.withheld) ? 'not sent' : (categoryWords[category] ?? category)
    kinds.set(word, (kinds.get(word) ?? 0) + 1)
  }
  const words = [...kinds].map(([word, times]) => `${groupDigits(times)} ${word}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** Describes what resuming a run would do; an empty text if resuming could only fail again. */
const describeRemainder = ({ counts, mayHelp }: Report): string => {
  const parts = [
    ...(counts.not_tried > 0 ? ['completes the run'] : []),
    ...(mayHelp && counts.failed > 0 ? ['retries the failed objects'] : []),
    ...(mayHelp && counts.unknown > 0 ? ['checks the unknown objects'] : []),
  ]
  return joinWords(parts, 'and')
}

/** Formats counts: `2 done, 1 failed`. Zeros are left out, except for `done`. */
export const formatOutcomeCounts = (
  { done, unchanged, failed, unknown, not_tried: left }: Counts,
  kinds = '',
): string =>
  [
    `${groupDigits(done)} done`,
    ...(unchanged === 0 ? [] : [`${groupDigits(unchanged)} unchanged`]),
    ...(failed === 0 ? [] : [`${groupDigits(failed)} failed${kinds}`]),
    ...(unknown === 0 ? [] : [`${groupDigits(unknown)} unknown`]),
    ...(left === 0 ? [] : [`${groupDigits(left)} not attempted`]),
  ].join(', ')

/** The journal of a run and the line that resumes the run. */
interface JournalPlace {
  readonly file: string
  /** The line that resumes the run; undefined if it cannot be resumed. */
  readonly resumeLine: string | undefined
  /** Set if the input was not read to its end: resuming needs the same input, or a corrected one. */
  readonly cut?: 'same' | 'corrected' | undefined
}

/**
 * Formats the last line of a run: `9,994 done, 3 unchanged, 3 failed (2 not found, 1 refused). Journal: … — svcctl
 * runners pause --resume last retries the failed objects`.
 */
export const formatClosingLine = (report: Report, kept?: JournalPlace): string => {
  const { counts, failures } = report
  const wrong = counts.failed + counts.unknown
  const parts = formatOutcomeCounts(
    counts,
    counts.unknown === 0 ? describeKinds(failures, wrong) : '',
  )
  if (kept === undefined) return parts
  const { file, resumeLine, cut } = kept
  if (cut !== undefined && resumeLine !== undefined)
    return `${parts}. Journal: ${file} — svcctl ${resumeLine} - completes the run with the ${cut} input`
  const remainder = describeRemainder(report)
  const how =
    remainder === '' || resumeLine === undefined ? '' : ` — svcctl ${resumeLine} ${remainder}`
  return `${parts}. Journal: ${file}${how}`
}

interface FailedOutcome {
  readonly state: 'failed' | 'unknown'
  readonly failure: Failure
}

/** The outcome of an object: its state, and the result or the failure. */
export type Outcome<R> =
  | { readonly state: 'done'; readonly result: R }
  | { readonly state: 'unchanged'; readonly result?: R }
  | FailedOutcome

/**
 * Converts an error in the work on an object to the object's outcome.
 * @throws the error itself if it concerns more than the object: an interruption or a defect
 */
export const toOutcome = (error: unknown): FailedOutcome => {
  const failure = recoverFrom(error)
  return { state: failure.details.unknownOutcome === true ? 'unknown' : 'failed', failure }
}

/** An object of a run with its outcome. */
export interface ItemOutcome<R, I extends Item = Item> {
  readonly item: I
  readonly outcome: Outcome<R>
}

/** The number of objects by state, under the names that journals use. */
export interface Counts {
  readonly done: number
  readonly unchanged: number
  readonly failed: number
  readonly unknown: number
  readonly not_tried: number
}

/**
 * The end of a run. `completed`: every object was tried. `stopped`: by the breaker, the end of patience or
 * `--max-failures`.
 */
export type End = 'completed' | 'interrupted' | 'stopped'

/** An object that failed, or whose outcome is unknown. */
export interface FailedItem {
  readonly item: Item
  readonly failure: Failure
}

/** The result of a run. */
export interface Report {
  readonly end: End
  readonly counts: Counts
  /** The first twenty objects that failed or whose outcome is unknown. */
  readonly failures: readonly FailedItem[]
  /** The category that all failures have in common. */
  readonly alike: Category | undefined
  /** True if a failed object may succeed if it is retried. */
  readonly mayHelp: boolean
  /** The reason why the run stopped itself, if it was one failure. */
  readonly cause: Failure | undefined
  /** True if `--max-failures` was reached. */
  readonly tooMany: boolean
}

/** The number of failures that are reported in full; further ones are counted. */
export const maxReported = 20
/** A percentage limit only applies after this many outcomes. */
const minOutcomesForPercent = 20

/** The value of `--max-failures`. */
export type FailureLimit = { readonly count: number } | { readonly percent: number }

/** Statuses that a retry does not change: the request, the rights or the object must change first. */
const lastingStatuses: ReadonlySet<number | undefined> = new Set([
  400, 403, 404, 405, 409, 410, 412, 422,
])

/** The categories of failures that svcctl found without an answer, such as an unknown name, and that a retry does not change. */
const lastingCategories: ReadonlySet<Category> = new Set(['conflict', 'not_found'])

/** True if a retry does not change a failure. That of an instance in maintenance ends with the maintenance, although its status can be 403. */
const isLasting = (failure: Failure): boolean => {
  const { status, unsent } = failure.details
  const isLastingAnswer =
    status === undefined ? lastingCategories.has(failure.category) : lastingStatuses.has(status)
  return unsent === true || (isLastingAnswer && !isMaintenance(failure))
}

/** Counts the outcomes of a run, and keeps its first failures. */
export class OutcomeCounter {
  #done = 0
  #unchanged = 0
  #failed = 0
  #unknown = 0
  #alike: Category | undefined | 'various'
  readonly failures: FailedItem[] = []
  mayHelp = false

  add({ item, outcome }: ItemOutcome<unknown>): void {
    if (outcome.state === 'done') this.#done += 1
    else if (outcome.state === 'unchanged') this.#unchanged += 1
    else this.#addFailure(item, outcome)
  }

  #addFailure(item: Item, { state, failure }: FailedOutcome): void {
    if (state === 'failed') this.#failed += 1
    else this.#unknown += 1
    this.mayHelp ||= state === 'failed' ? !isLasting(failure) : !failure.details.unverifiable
    if (this.failures.length < maxReported) this.failures.push({ item, failure })
    const same = this.#alike === undefined || this.#alike === failure.category
    this.#alike = same ? failure.category : 'various'
  }

  /** Counts an object whose outcome is unknown because the run was interrupted. */
  addLost(): void {
    this.#unknown += 1
    this.mayHelp = true
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

  count(queued: number): Counts {
    return {
      done: this.#done,
      unchanged: this.#unchanged,
      failed: this.#failed,
      unknown: this.#unknown,
      not_tried: Math.max(0, queued - this.outcomes),
    }
  }

  /** Returns true if the limit on failures is reached. */
  exceeds(most: FailureLimit | undefined): boolean {
    if (most === undefined || this.wrong === 0) return false
    if ('count' in most) return this.wrong >= most.count
    return (
      this.outcomes >= minOutcomesForPercent && this.wrong * 100 >= most.percent * this.outcomes
    )
  }
}

/** Returns the failure with which a run ends; undefined if all objects succeeded. */
export const getRunVerdict = ({
  end,
  counts,
  alike,
  cause,
  tooMany,
}: Report): Failure | undefined => {
  if (end === 'interrupted')
    return new Failure('interrupted', `interrupted; ${formatOutcomeCounts(counts)}`)
  if (cause !== undefined) {
    const message = `stopped: ${cause.message}; ${formatOutcomeCounts(counts)}`
    return new Failure(cause.category, message, getFailureHelp(cause))
  }
  const wrong = counts.failed + counts.unknown
  if (tooMany && end === 'stopped')
    return new Failure('partial', `stopped after too many failures; ${formatOutcomeCounts(counts)}`)
  if (wrong === 0 && counts.not_tried === 0) return undefined
  const all = wrong + counts.done + counts.unchanged + counts.not_tried
  if (wrong === all && alike !== undefined) return new Failure(alike, `all ${all} failed`)
  const left = counts.not_tried === 0 ? '' : `, ${counts.not_tried} not attempted`
  return new Failure('partial', `${wrong} of ${all} failed${left}`)
}

// Stopping a run whose credential or instance fails for all objects.

/** The number of rejected requests in a row after which a run stops. */
const maxRefused = 10
/** The number of requests without an answer in a row after which a run stops. */
const maxUnreachable = 20

/** Describes a rejection. If a page in front of the instance answered, the credential is not to blame. */
const describeRejection = ({ details }: Failure): string =>
  `${details.advice?.code === 'no-instance' ? 'requests were' : 'the credential was'} rejected ten times in a row`

/** True if the credential is missing or rejected. Status 403 concerns a single object. */
const isRefused = ({ category, details }: Failure): boolean =>
  category === 'auth' && details.status !== 403

/** True if the instance is in maintenance, which affects all objects. */
const isMaintenance = ({ details }: Failure): boolean => details.advice?.code === 'maintenance'

/** True if the instance answered a request; undefined if the request was interrupted. */
const isReached = (result: AdmissionResult): boolean | undefined => {
  if ('status' in result)
    return result.status < 500 ? true : result.headers['retry-after'] !== undefined
  return result.lost === 'interrupted' ? undefined : false
}

/**
 * Returns the failure that stops the run if the time for waiting was used up: every further object would fail the same
 * way. Undefined for other failures.
 */
export const toPatienceFailure = (failure: Failure): Failure | undefined => {
  const { category, details } = failure
  if (category === 'rate_limited')
    return new Failure(category, 'the instance limits requests', getFailureHelp(failure))
  if (details.advice?.code !== 'unavailable') return undefined
  return new Failure(category, 'the instance is not available', { advice: details.advice })
}

/**
 * Creates the failure that stops the run because the instance does not answer.
 * @param status the status of the last answer, if there was one
 */
const createUnreachableFailure = (status?: number): Failure => {
  const what = status === undefined ? 'could not be reached' : `answered ${status}`
  return new Failure('unreachable', `the instance ${what} twenty times in a row`, {
    advice: { code: 'way' },
  })
}

/** Stops a run whose credential is rejected, or whose instance does not answer, for many objects in a row. */
export class Breaker {
  #refused = 0
  #maintenance = 0
  #unreachable = 0
  #cause: Failure | undefined
  /** True if single attempts are counted, so that outcomes must not be counted again. */
  #countsAttempts = false

  /** Counts an attempt. One object can make several, each with a long wait. */
  countAttempt(result: AdmissionResult): void {
    this.#countsAttempts = true
    const reached = isReached(result)
    if (reached === undefined) return
    this.#unreachable = reached ? 0 : this.#unreachable + 1
    if (this.#unreachable >= maxUnreachable)
      this.#cause ??= createUnreachableFailure('status' in result ? result.status : undefined)
  }

  /** Counts an outcome: the failure of an object, or undefined for success. */
  countOutcome(failure: Failure | undefined): void {
    const countInRow = (matches: (failure: Failure) => boolean, before: number): number =>
      failure !== undefined && matches(failure) ? before + 1 : 0
    this.#refused = countInRow(isRefused, this.#refused)
    this.#maintenance = countInRow(isMaintenance, this.#maintenance)
    if (!this.#countsAttempts)
      this.#unreachable = countInRow(
        ({ category }) => category === 'unreachable',
        this.#unreachable,
      )
    if (failure === undefined) return
    if (this.#refused >= maxRefused)
      this.#cause ??= new Failure('auth', describeRejection(failure), getFailureHelp(failure))
    if (this.#maintenance >= maxRefused) this.#cause ??= failure
    if (!this.#countsAttempts && this.#unreachable >= maxUnreachable)
      this.#cause ??= createUnreachableFailure()
  }

  /** The failure that stops the run; undefined while it continues. */
  get cause(): Failure | undefined {
    return this.#cause
  }
}
