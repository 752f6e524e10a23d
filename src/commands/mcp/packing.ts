/** Records → an answer of at most 32 KB, counted in bytes as it travels: whole records, and where it goes on. */
import { builtOf } from '../../base/json/built.js'
import { Exact } from '../../base/json/json.js'
import { isObject } from '../../base/objects.js'
import { visibleLines } from '../../terminal/text/escape.js'
import { bytesOf, cutTo } from './cut.js'

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
export interface FittingRecords {
  readonly records: readonly unknown[]
  /** Fields that were cut, of the one record that would not fit whole. */
  readonly cut: readonly string[]
}

/**
 * As many records as there is room for, at least one.
 * @param records the bytes of a JSON value each
 * @param taken by the rest of the answer, in bytes
 */
export const packed = (records: readonly Uint8Array[], taken: number): FittingRecords => {
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
