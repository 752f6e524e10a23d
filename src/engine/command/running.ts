/** How plans are run and shown, and what becomes of them. */

import type { Reader } from '../../catalogue/views.js'
import { Failure } from '../../errors.js'
import { readHeader } from '../../http/headers.js'
import type { WholeAnswer } from '../../http/types.js'
import { type PlanAnswer, type RecordView, type Rows, yieldRecords } from '../rows.js'
import type { Plan } from './description.js'
import type { Globals } from './globals.js'

/** What a confirmation is about, a line each; a function is called only when somebody is asked. */
export type Details = readonly string[] | (() => Promise<readonly string[]>)

/** The lines, made only now where they are asked for late. */
export const resolveDetails = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

/** What is lost, for whoever is to confirm it. */
type Lines = string | readonly string[]

export interface Loss {
  /** In a sentence; by default what the endpoint destroys. */
  readonly what?: string
  /** By default the objects of the plans, by their names. */
  readonly details?: Details
  /** What is lost with one of them instead, a line each. */
  readonly each?: (plan: Plan) => Lines | Promise<Lines>
  /** Where nobody can be asked, each is noted all the same, after this word (`removes`). */
  readonly noteVerb?: string
}

/** How plans are run. */
export interface BulkOptions {
  /** What happens to one plan; the default sends it and returns the answer's data. */
  readonly run?: (plan: Plan) => Promise<PlanAnswer>
  /** Sends all of them before the first is run; they are on record by then. */
  readonly together?: (plans: readonly Plan[]) => Promise<void>
  /** What goes as one request for several, before each of them is run; they are on record by then. */
  readonly merging?: {
    /** The same for plans that go together; undefined for one that goes alone. */
    readonly keyOf: (plan: Plan) => string | undefined
    readonly send: (plans: readonly Plan[]) => Promise<void>
  }
  /** Why its journal cannot be resumed, where it does more than that says. */
  readonly final?: string
  /** Its requests are on record elsewhere. */
  readonly kept?: false
  /** Past tense for notes: `paused`, `deleted`. */
  readonly done?: string
  readonly emit?: RecordView
  /** Rows of its own in the place of the answer about one object. */
  readonly present?: (
    plan: Plan,
    answer: PlanAnswer,
  ) => { readonly records: readonly unknown[]; readonly emit: RecordView }
  /** What the command knows of what is lost, where that is only known when all are planned a function; endpoints that destroy are confirmed without it. */
  readonly loses?: Loss | (() => Loss | undefined)
}

/** What is lost, as far as that is known by now. */
export const lossIn = ({ loses }: Pick<BulkOptions, 'loses'>): Loss | undefined =>
  typeof loses === 'function' ? loses() : loses

// `--tolerate`: which refusals are only noted.

export type TolerateFlag = Pick<Globals, 'tolerate'>

/** Whether what an object, or a part of what is looked at, was refused with is no failure. */
export const isTolerated = ({ tolerate = [] }: TolerateFlag, failure: Failure): boolean => {
  const { category, details } = failure
  const what = category === 'auth' && details.status === 403 ? 'forbidden' : category
  // Of several instances, one: not an object.
  return what !== 'unreachable' && tolerate.some((one) => one === what)
}

/** What is said of one. */
export const toleratedText = (object: string, { message }: Failure): string =>
  `${object}: ${message} (tolerated)`

export const isBare = ({ bytes, data }: WholeAnswer): boolean =>
  bytes.length === 0 && data === undefined

/** What stays as it is when somebody leaves. */
export interface InterruptNote {
  /** Goes on after `interrupted`: `while waiting; the rebase goes on at the instance`. */
  readonly text: string
  readonly hint: string
}

const isInterruption = (error: unknown): boolean =>
  error instanceof Failure
    ? error.category === 'interrupted'
    : error instanceof Error && error.name === 'AbortError'

/** Adds to an interruption what stays as it is; anything else is itself. */
export const toInterruption = (error: unknown, { text, hint }: InterruptNote): unknown =>
  isInterruption(error) ? new Failure('interrupted', `interrupted ${text}`, { hint }) : error

/** Does work; who leaves meanwhile is told what stays as it is. */
export const withInterruptNote = async <T>(
  stays: InterruptNote,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toInterruption(error, stays)
  }
}

/** What is to be known of an answer besides what it shows. */
export const getAnswerFacts = ({
  status,
  headers,
}: WholeAnswer): Pick<PlanAnswer, 'requestId' | 'status'> => {
  const requestId = readHeader(headers, 'x-request-id')
  return { status, requestId }
}

/** The same of an answer that is there already. */
export const toKeptAnswer = ({
  status,
  requestId,
}: PlanAnswer): Pick<PlanAnswer, 'requestId' | 'status'> => ({
  status,
  requestId,
})

/** The outcome of a plan's call. Bytes that are only passed on are not parsed for it. */
export const toAnswer = (whole: WholeAnswer): PlanAnswer => {
  if (whole.status === 304) return { unchanged: true }
  if (isBare(whole)) return getAnswerFacts(whole)
  return {
    ...getAnswerFacts(whole),
    bytes: whole.bytes.length === 0 ? undefined : whole.bytes,
    get value() {
      return whole.data
    },
  }
}

// Answers for programs, where the API says nothing of an object or there is none.

/** Returns true if the answer has a place for every object, also for one of which the API says nothing. */
export const showsOutcomes = ({ reader }: { readonly reader: Reader }): boolean =>
  reader === 'programs' || reader === 'pages'

/** Yields an empty list if programs read the answer: the line named no object. */
export async function* yieldNone(answer: { readonly reader: Reader }): Rows {
  if (showsOutcomes(answer)) yield* yieldRecords([])
}
