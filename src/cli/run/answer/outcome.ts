/** What became of a call: the bytes of its answer, and their value for whoever looks into it. */
import { builtOf } from '../../../base/json/built.js'
import type { PlanAnswer } from '../../../commands/services.js'
import { headerOf } from '../../../http/answers/headers.js'
import type { Whole } from '../../../http/types.js'

export const isBare = ({ bytes, data }: Whole): boolean => bytes.length === 0 && data === undefined

/** What is to be known of an answer besides what it shows. */
export const factsOf = ({
  status,
  headers,
}: Whole): Pick<PlanAnswer, 'requestId'> & { readonly status: number } => {
  const requestId = headerOf(headers, 'x-request-id')
  return { status, ...(requestId === undefined ? {} : { requestId }) }
}

/** Bytes that are only passed on are not parsed for it. */
export const outcomeOf = (whole: Whole): PlanAnswer => ({
  ...factsOf(whole),
  ...(whole.bytes.length === 0 ? {} : { bytes: whole.bytes }),
  get value() {
    return whole.data
  },
})

export const showsNothing = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined && value === undefined

/** The value as it is printed: with its numbers as they came. */
export const printedValue = ({ bytes, value }: PlanAnswer): unknown =>
  bytes === undefined ? value : builtOf(bytes)

const bracket = 0x5b

export const isList = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined ? Array.isArray(value) : bytes.find((byte) => byte > 0x20) === bracket
