/**
 * What is given back: what the instance says under `data`, and nowhere else. The same JSON stands in
 * `structuredContent` and, for clients that show nothing else, as text (the protocol's section on structured content).
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { scrub } from '../../base/secrets/scrub.js'
import type { Failure } from '../../errors.js'
import { visibleLines } from '../../terminal/text/escape.js'
import { bytesOf } from './cut.js'
import { notesOf, packed } from './packing.js'

/** Longer words of a failure say nothing more. */
const longestMessage = 2000

export const answered = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
})

const bounded = (text: string): string => visibleLines(scrub(text)).slice(0, longestMessage)

/** An answer to a call that failed: the instance may have a part in its words, so they are data. */
export const refused = ({ category, message, details }: Failure): CallToolResult => {
  const { status, hint, unknownOutcome, requestId } = details
  const error = {
    category,
    status,
    ...(unknownOutcome === true ? { outcome: 'unknown' } : {}),
  }
  const data = {
    message: bounded(message),
    hint: hint && bounded(hint),
    request_id: requestId && bounded(requestId),
  }
  return { ...answered({ error, data }), isError: true }
}

/** An answer of records. */
interface OfRecords {
  /** What stands beside `data`, at its largest. */
  readonly beside: object
  /** What the records are called. */
  readonly name: 'records' | 'changes'
  readonly records: readonly Uint8Array[]
  readonly notes: readonly string[]
  /** What stands beside it, once it is known how many records there was room for. */
  readonly finally?: (count: number) => object
}

/** As many of the records as there is room for. */
export const recordsAnswered = (of: OfRecords): CallToolResult => {
  const { beside, name, records, finally: known = () => beside } = of
  const notes = notesOf(of.notes)
  const whole = (shown: readonly unknown[], cut: readonly string[], more: object) => ({
    ...more,
    ...(cut.length === 0 ? {} : { cut: true }),
    data: {
      [name]: shown,
      ...(cut.length === 0 ? {} : { cut_fields: cut }),
      ...(notes.length === 0 ? {} : { notes }),
    },
  })
  const { records: shown, cut } = packed(records, bytesOf(whole([], [], beside)))
  return answered(whole(shown, cut, known(shown.length)))
}
