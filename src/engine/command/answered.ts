/** What a call came to: the bytes of its answer, and their value for whoever looks into it. */

import type { Failure } from '../../errors.js'
import { readHeader } from '../../http/answers/headers.js'
import type { Whole } from '../../http/types.js'
import type { Globals } from './globals.js'
import type { PlanAnswer } from './running.js'

// `--tolerate`: which refusals are only noted.

export type Tolerating = Pick<Globals, 'tolerate'>

/** Whether what an object, or a part of what is looked at, was refused with is no failure. */
export const isTolerated = ({ tolerate = [] }: Tolerating, failure: Failure): boolean => {
  const { category, details } = failure
  const what = category === 'auth' && details.status === 403 ? 'forbidden' : category
  // Of several instances, one: not an object.
  return what !== 'unreachable' && tolerate.some((one) => one === what)
}

/** What is said of one. */
export const toleratedText = (object: string, { message }: Failure): string =>
  `${object}: ${message} (tolerated)`

export const isBare = ({ bytes, data }: Whole): boolean => bytes.length === 0 && data === undefined

/** What is to be known of an answer besides what it shows. */
export const getAnswerFacts = ({
  status,
  headers,
}: Whole): Pick<PlanAnswer, 'requestId' | 'status'> => {
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

/** The same answer about an object that the write left as it was. */
export const asUnchanged = (answer: PlanAnswer): PlanAnswer => ({
  ...toKeptAnswer(answer),
  bytes: answer.bytes,
  told: answer.told,
  unchanged: true,
  get value() {
    return answer.value
  },
})

/** The outcome of a plan's call. Bytes that are only passed on are not parsed for it. */
export const toAnswer = (whole: Whole): PlanAnswer => {
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
