/** Sums up a run: counts, the first failures, and the failure that it ends with. */

import type { Fields } from '../../base/objects.js'
import { groupDigits } from '../../base/text.js'
import { type Category, Failure, getFailureHelp, recoverFrom, usage } from '../../errors.js'
import type { AdmissionResult } from '../../http/types.js'

// What a run works on.

/** The number of objects that are named so that a person knows which they are; the others are counted. */
export const maxNamed = 10

/** An object as it was given. */
export interface GivenObject {
  readonly object: string
  /** The project or group that it belongs to, if that goes along with it. */
  readonly parent?: string
  /** The fields that the run may change, as they were when the object was selected; null if the object was not there. */
  readonly before?: Fields | null
  /** Its own attributes, where they came with it. */
  readonly row?: Fields
  /** Its place in standard input, if it comes from there. */
  readonly place?: string | undefined
}

/** An object in its place. */
export interface Item extends GivenObject {
  /** Its place in the run, from 1 on. */
  readonly n: number
  /**
   * The way in which an object that may have been done is resumed. `read` only looks at it; `again` takes it for done
   * where it is gone; `look` does it where it is not as it is to be.
   */
  readonly how?: 'read' | 'again' | 'look'
}

/** Returns the place of an object in a run, as its journal has it. */
export const getItemPlace = ({
  n,
  object,
  parent,
}: Item): Pick<Item, 'n' | 'object' | 'parent'> => ({
  n,
  object,
  parent,
})

/** Numbers are the same with and without zeros before them. */
export const normalizeId = (text: string): string =>
  /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text

// What a run says at its end.

const categoryWords: Readonly<Partial<Record<Category, string>>> = {
  failed: 'rejected by the instance',
  auth: 'refused',
  not_found: 'not found',
  conflict: 'in conflict',
  rate_limited: 'too many requests',
  unreachable: 'unreachable',
}

/** Describes failures by kind (`2 not found, 1 refused`); empty unless all that failed are in hand. */
const describeKinds = (failures: readonly FailedItem[], count: number): string => {
  if (failures.length !== count) return ''
  const kinds = new Map<string, number>()
  for (const { failure } of failures) {
    const { category, details } = failure
    const word = details.unsent ? 'not sent' : (categoryWords[category] ?? category)
    kinds.set(word, (kinds.get(word) ?? 0) + 1)
  }
  const words = [...kinds].map(([word, times]) => `${groupDigits(times)} ${word}`)
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** Describes what resuming a run would do; empty if that could only fail again. */
const describeRemainder = ({ counts, mayHelp }: Report): string => {
  const failed = mayHelp ? counts.failed + counts.unknown : counts.unknown
  const rest = counts.not_tried
  if (rest > 0)
    return failed > 0 ? 'completes the run and retries the failed objects' : 'completes the run'
  return failed > 0 ? 'retries the failed objects' : ''
}

/** `2 done, 1 failed`: what there is none of is left out, but for what was done. */
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

/** The journal of a run, and the line that resumes the run. */
export interface JournalPlace {
  readonly file: string
  /** The line that goes on with it; undefined where that cannot be. */
  readonly again: string | undefined
  /** The input was not read to its end: it is to be given again, as it was or with what was wrong in it corrected. */
  readonly cut?: 'same' | 'corrected' | undefined
}

/**
 * Formats the last line of a run: `9,994 done, 3 unchanged, 3 failed (2 not found, 1 refused). Journal: … — svcctl runners
 * pause --resume last retries the failed objects`.
 */
export const formatClosingLine = (report: Report, kept?: JournalPlace): string => {
  const { counts, failures } = report
  const wrong = counts.failed + counts.unknown
  const parts = formatOutcomeCounts(
    counts,
    counts.unknown === 0 ? describeKinds(failures, wrong) : '',
  )
  if (kept === undefined) return parts
  const { file, again, cut } = kept
  if (cut !== undefined && again !== undefined)
    return `${parts}. Journal: ${file} — svcctl ${again} - completes the run with the ${cut} input`
  const remainder = describeRemainder(report)
  const how = remainder === '' || again === undefined ? '' : ` — svcctl ${again} ${remainder}`
  return `${parts}. Journal: ${file}${how}`
}

/** The state of an object after its work, with the result or the failure. */
export type Outcome<R> =
  | { readonly state: 'done'; readonly result: R }
  | { readonly state: 'unchanged'; readonly result?: R }
  | { readonly state: 'failed' | 'unknown'; readonly failure: Failure }

/**
 * Converts what the work on an object threw to the outcome of the object.
 * @throws what is no object's own: an interruption, a defect
 */
export const toOutcome = (error: unknown): Outcome<never> => {
  const failure = recoverFrom(error)
  return { state: failure.details.unknownOutcome === true ? 'unknown' : 'failed', failure }
}

export interface ItemOutcome<R, I extends Item = Item> {
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

export interface FailedItem {
  readonly item: Item
  readonly failure: Failure
}

export interface Report {
  readonly end: End
  readonly counts: Counts
  /** The first twenty that failed, or of which it is not known. */
  readonly failures: readonly FailedItem[]
  /** The category that all failures have in common. */
  readonly alike: Category | undefined
  /** True if anything that failed may go well another time. */
  readonly mayHelp: boolean
  /** Why it stopped by itself, where one cause is behind it. */
  readonly cause: Failure | undefined
  /** `--max-failures` was reached. */
  readonly tooMany: boolean
}

/** The number of failures that are reported in full; of the others there is a count at the end. */
export const maxTold = 20
/** Before so many outcomes a part of them says nothing. */
const minOutcomes = 20

/** `--max-failures`. */
export type FailureLimit = { readonly count: number } | { readonly percent: number }

/**
 * `5`, or `10%` of the outcomes; undefined where nothing is said.
 * @throws Failure `usage`
 */
export const parseFailureLimit = (text: string | undefined): FailureLimit | undefined => {
  if (text === undefined) return undefined
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?)\s*(?:(%)\s*)?$/.exec(text) ?? []
  const value = Number(number)
  if (percent !== undefined && value > 0 && value <= 100) return { percent: value }
  if (percent === undefined && Number.isSafeInteger(value) && value > 0) return { count: value }
  throw usage(
    `${JSON.stringify(text)} is not a valid number of failures`,
    'Use a number of at least 1, or a share of the objects, such as 10%.',
  )
}

/** Refusals that stay so until somebody changes something: of the request, of rights, of the object. */
const lasting: ReadonlySet<number | undefined> = new Set([400, 403, 404, 405, 409, 410, 412, 422])

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
    else {
      if (outcome.state === 'failed') this.#failed += 1
      else this.#unknown += 1
      this.#keep(item, outcome.failure)
    }
  }

  #keep(item: Item, failure: Failure): void {
    if (this.failures.length < maxTold) this.failures.push({ item, failure })
    const { status, unsent } = failure.details
    if (!lasting.has(status) && unsent !== true) this.mayHelp = true
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

  /** Returns true if there are as many failures as there may be. */
  exceeds(most: FailureLimit | undefined): boolean {
    if (most === undefined || this.wrong === 0) return false
    if ('count' in most) return this.wrong >= most.count
    return this.outcomes >= minOutcomes && this.wrong * 100 >= most.percent * this.outcomes
  }
}

/** True if a failure is that of one object or parent: what was asked wrongly is wrong for all. */
export const isOwn = (error: unknown): error is Failure =>
  error instanceof Failure && !['usage', 'interrupted', 'internal'].includes(error.category)

/** Returns the failure with which a run ends; undefined if all went well. */
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

// What stops a run over many objects: a token, or an instance, that is dead for all of them.

const maxRefused = 10
/** Describes a rejection. A page comes from something in front of the instance, which says nothing of the credential. */
const describeRejection = ({ details }: Failure): string =>
  `${details.advice?.code === 'no-instance' ? 'requests were' : 'the credential was'} rejected ten times in a row`
const maxUnreachable = 20

/** True if there is no credential, or it is not accepted; 403 is about the one object. */
const isRefused = ({ category, details }: Failure): boolean =>
  category === 'auth' && details.status !== 403

/** True for maintenance, which is of all objects alike. */
const isMaintenance = ({ details }: Failure): boolean => details.advice?.code === 'maintenance'

/** True if the instance was there for a request; undefined if it was not asked to the end. */
const isReached = (came: AdmissionResult): boolean | undefined => {
  if ('status' in came) return came.status < 500 ? true : came.headers['retry-after'] !== undefined
  return came.lost === 'interrupted' ? undefined : false
}

/** Returns why the run stops if the gate's patience ended for one object, since it did so for all; undefined if it did not end. */
export const toPatienceFailure = (failure: Failure): Failure | undefined => {
  const { category, details } = failure
  if (category === 'rate_limited')
    return new Failure(category, 'the instance limits requests', getFailureHelp(failure))
  if (details.advice?.code !== 'unavailable') return undefined
  return new Failure(category, 'the instance is not available', { advice: details.advice })
}

/**
 * Creates the failure that stops the run.
 * @param status of the last answer, where there was one
 */
const createUnreachable = (status?: number): Failure => {
  const what = status === undefined ? 'could not be reached' : `answered ${status}`
  return new Failure('unreachable', `the instance ${what} twenty times in a row`, {
    hint: 'Run `svcctl doctor` to diagnose the connection.',
  })
}

export class Breaker {
  #refused = 0
  #maintenance = 0
  #unreachable = 0
  #cause: Failure | undefined
  /** Attempts are heard of, so that outcomes are not counted once more. */
  #hearing = false

  /** Counts what one attempt came to, as attempts come: one object may make several, each a long wait. */
  came(came: AdmissionResult): void {
    this.#hearing = true
    const there = isReached(came)
    if (there === undefined) return
    this.#unreachable = there ? 0 : this.#unreachable + 1
    if (this.#unreachable >= maxUnreachable)
      this.#cause ??= createUnreachable('status' in came ? came.status : undefined)
  }

  /** Counts what one object came to: its failure, or undefined if it went well. */
  observe(failure: Failure | undefined): void {
    const counted = (is: (failure: Failure) => boolean, before: number): number =>
      failure !== undefined && is(failure) ? before + 1 : 0
    this.#refused = counted(isRefused, this.#refused)
    this.#maintenance = counted(isMaintenance, this.#maintenance)
    if (!this.#hearing)
      this.#unreachable = counted(({ category }) => category === 'unreachable', this.#unreachable)
    if (failure === undefined) return
    if (this.#refused >= maxRefused)
      this.#cause ??= new Failure('auth', describeRejection(failure), getFailureHelp(failure))
    if (this.#maintenance >= maxRefused) this.#cause ??= failure
    if (!this.#hearing && this.#unreachable >= maxUnreachable) this.#cause ??= createUnreachable()
  }

  /** Why the run is stopped; undefined while it goes on. */
  get cause(): Failure | undefined {
    return this.#cause
  }
}
