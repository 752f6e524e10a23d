/**
 * What is given back: what the instance says under `data`, and nowhere else. The same JSON stands in
 * `structuredContent` and, for clients that show nothing else, as text (the protocol's section on structured content).
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { builtOf } from '../../base/json/built.js'
import { Exact } from '../../base/json/json.js'
import { isObject } from '../../base/objects.js'
import { scrub } from '../../base/secrets/scrub.js'
import type { Failure } from '../../errors.js'
import { visibleLines } from '../../terminal/text/escape.js'
import { bytesOf, cutTo } from './cut.js'

// Records → an answer of at most 32 KB, counted in bytes as it travels: whole records, and where it goes on.

/** Of one answer, all of it. */
export const mostBytes = 32 * 1024
/** For what stands around an answer on its way, and the names of what was cut. */
const around = 512
const forNames = 4096

/** A value that came, with nothing in it that could steer a screen, and numbers as they were written. */
const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleLines(value)
  if (value instanceof Exact) return value.text
  if (Array.isArray(value)) return value.map(shown)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [visibleLines(name), shown(inner)]),
  )
}

/** What of an answer's records there is room for. */
interface FittingRecords {
  readonly records: readonly unknown[]
  /** Fields that were cut, of the one record that would not fit whole. */
  readonly cut: readonly string[]
}

/**
 * As many records as there is room for, at least one.
 * @param records the bytes of a JSON value each
 * @param taken by the rest of the answer, in bytes
 */
const packed = (records: readonly Uint8Array[], taken: number): FittingRecords => {
  const most = mostBytes - around - taken
  const fitting: unknown[] = []
  let size = 0
  for (const bytes of records) {
    const record = shown(builtOf(bytes))
    const own = bytesOf(record) + 1
    if (size + own > most) {
      if (fitting.length > 0) break
      const { record: rest, cut } = cutTo(record, most - forNames)
      return { records: [rest], cut }
    }
    size += own
    fitting.push(record)
  }
  return { records: fitting, cut: [] }
}

/** So many notes, and so long, go along with an answer. */
const mostNotes = 5
const longestNote = 300

/** What was said beside an answer, bounded. */
export const notesOf = (notes: readonly string[]): readonly string[] => {
  const more = notes.length - mostNotes
  return [
    ...notes.slice(0, mostNotes).map((note) => visibleLines(note.slice(0, longestNote))),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

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
