/** Describes tolerated failures, interruptions and the answers of calls, for commands and for the runs of their plans. */

import type { Reader } from '../../catalogue/views.js'
import { Failure, isInterruption } from '../../errors.js'
import { readHeader } from '../../http/headers.js'
import type { WholeAnswer } from '../../http/types.js'
import { type PlanAnswer, type Rows, yieldRecords } from '../rows.js'
import type { Globals } from './globals.js'

// `--tolerate`: failures that are reported without failing the run.

export type TolerateFlag = Pick<Globals, 'tolerate'>

/** True if `--tolerate` accepts the failure of an object or of a section. */
export const isTolerated = ({ tolerate = [] }: TolerateFlag, failure: Failure): boolean => {
  const { category, details } = failure
  // A list that a snapshot lacks is no answer of an instance.
  if (details.lacks === 'answer') return false
  const name = category === 'auth' && details.status === 403 ? 'forbidden' : category
  // `unreachable` tolerates a whole instance, never an object.
  return name !== 'unreachable' && tolerate.some((one) => one === name)
}

/** Describes a tolerated failure of an object in a note. */
export const describeTolerated = (object: string, { message }: Failure): string =>
  `${object}: ${message} (tolerated)`

/** True if an answer has no body. */
export const isEmptyAnswer = ({ bytes, data }: WholeAnswer): boolean =>
  bytes.length === 0 && data === undefined

/** A note about work that continues after a person interrupts the run. */
export interface InterruptNote {
  /** Continues the word `interrupted`: `while waiting; the rebase goes on at the instance`. */
  readonly text: string
  readonly hint: string
}

/** Adds a note to an interruption; returns any other error unchanged. */
export const toInterruption = (error: unknown, { text, hint }: InterruptNote): unknown =>
  isInterruption(error) || (error instanceof Error && error.name === 'AbortError')
    ? new Failure('interrupted', `interrupted ${text}`, { hint })
    : error

/** Runs work. If it is interrupted, the failure says what continues. */
export const withInterruptNote = async <T>(
  note: InterruptNote,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toInterruption(error, note)
  }
}

/** Returns the status and the request ID of an answer. */
export const getAnswerFacts = ({
  status,
  headers,
}: WholeAnswer): Pick<PlanAnswer, 'requestId' | 'status'> => {
  const requestId = readHeader(headers, 'x-request-id')
  return { status, requestId }
}

/** The answer of a call, which has a body. A body that is only passed on is not parsed. */
class CallAnswer implements PlanAnswer {
  readonly status: number
  readonly requestId: string | undefined
  readonly bytes: Uint8Array | undefined
  readonly #whole: WholeAnswer

  constructor(whole: WholeAnswer) {
    this.status = whole.status
    this.requestId = readHeader(whole.headers, 'x-request-id')
    this.bytes = whole.bytes.length === 0 ? undefined : whole.bytes
    this.#whole = whole
  }

  get value(): unknown {
    return this.#whole.data
  }
}

/** Converts the answer of a call to that of its plan. */
export const toCallAnswer = (answer: WholeAnswer): PlanAnswer => {
  if (answer.status === 304) return { unchanged: true }
  return isEmptyAnswer(answer) ? getAnswerFacts(answer) : new CallAnswer(answer)
}

/** The answer of an object that a write did not change. */
export class UnchangedAnswer implements PlanAnswer {
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly bytes: Uint8Array | undefined
  readonly reported: boolean | undefined
  readonly unchanged = true
  readonly #answer: PlanAnswer

  constructor(answer: PlanAnswer) {
    this.status = answer.status
    this.requestId = answer.requestId
    this.bytes = answer.bytes
    this.reported = answer.reported
    this.#answer = answer
  }

  get value(): unknown {
    return this.#answer.value
  }
}

// Answers about objects for which the API returns nothing.

/** True if the format has a row for every object, even if the API returns nothing about it. */
export const canShowOutcomes = ({ reader }: { readonly reader: Reader }): boolean =>
  reader === 'programs' || reader === 'pages'

/** Yields an empty list if programs read the answer, because the line named no object. */
export async function* yieldNone(answer: { readonly reader: Reader }): Rows {
  if (canShowOutcomes(answer)) yield* yieldRecords([])
}
