/** Options that say how plans are run and shown, and the answers of plans. */

import type { Reader } from '../../catalogue/views.js'
import { Failure } from '../../errors.js'
import { readHeader } from '../../http/headers.js'
import type { WholeAnswer } from '../../http/types.js'
import { type PlanAnswer, type Rows, yieldRecords } from '../rows.js'
import type { Plan } from './description.js'
import type { Globals } from './globals.js'

/** The lines that a confirmation is about. A function is called only if a person is asked. */
export type Details = readonly string[] | (() => Promise<readonly string[]>)

/** Returns the lines; a function is called only now. */
export const resolveDetails = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

/** The lines that say what is lost, for the person who is to confirm it. */
type Lines = string | readonly string[]

export interface Loss {
  /** In a sentence; by default what the endpoint destroys. */
  readonly what?: string
  /** By default the objects of the plans, by their names. */
  readonly details?: Details
  /** Returns what is lost with one of the plans, a line each. It replaces the names of the objects. */
  readonly each?: (plan: Plan) => Lines | Promise<Lines>
  /** The word (`removes`) before each line in the notes that are printed if there is no terminal to ask on. */
  readonly noteVerb?: string
}

/** Returns the loss, as far as it is known by now. */
export const resolveLoss = (how: {
  readonly loses?: Loss | (() => Loss | undefined) | undefined
}): Loss | undefined => (typeof how.loses === 'function' ? how.loses() : how.loses)

// `--tolerate`: which refusals are only noted.

export type TolerateFlag = Pick<Globals, 'tolerate'>

/** True if `--tolerate` accepts the failure of an object, or of a part of what is looked at. */
export const isTolerated = ({ tolerate = [] }: TolerateFlag, failure: Failure): boolean => {
  const { category, details } = failure
  const what = category === 'auth' && details.status === 403 ? 'forbidden' : category
  // Of several instances, one: not an object.
  return what !== 'unreachable' && tolerate.some((one) => one === what)
}

/** Describes a tolerated failure of an object. */
export const describeTolerated = (object: string, { message }: Failure): string =>
  `${object}: ${message} (tolerated)`

export const isBare = ({ bytes, data }: WholeAnswer): boolean =>
  bytes.length === 0 && data === undefined

/** A note about what stays as it is when a person interrupts the run. */
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

/** Does work. An interruption meanwhile says what stays as it is. */
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

/** Returns the facts of an answer besides its data: status and request ID. */
export const getAnswerFacts = ({
  status,
  headers,
}: WholeAnswer): Pick<PlanAnswer, 'requestId' | 'status'> => {
  const requestId = readHeader(headers, 'x-request-id')
  return { status, requestId }
}

/** Returns the status and the request ID of a plan's answer that is there already. */
export const toKeptAnswer = ({
  status,
  requestId,
}: PlanAnswer): Pick<PlanAnswer, 'requestId' | 'status'> => ({
  status,
  requestId,
})

/** Converts a call's answer to the answer of its plan. Bytes that are only passed on are not parsed for it. */
export const toCallAnswer = (whole: WholeAnswer): PlanAnswer => {
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
export const canShowOutcomes = ({ reader }: { readonly reader: Reader }): boolean =>
  reader === 'programs' || reader === 'pages'

/** Yields an empty list if programs read the answer: the line named no object. */
export async function* yieldNone(answer: { readonly reader: Reader }): Rows {
  if (canShowOutcomes(answer)) yield* yieldRecords([])
}
