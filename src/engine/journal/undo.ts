/** What of a run can be taken back, and whether it still is as the run left it. */
import { isDeepStrictEqual } from 'node:util'
import { masked } from '../../base/secrets/names.js'
import { scrubbedMark } from '../../base/secrets/scrub.js'
import { getItemPlace, type Item } from '../work/items.js'
import type { Attributes, BegunLine, DoneLine, Header, ObjectLine } from './lines.js'
import { parseLine } from './parse.js'
import type { Past } from './reader.js'
import { textsIn } from './reader.js'

/** An object as the run found it and as it left it. */
export interface Undoable extends Item {
  /** Null: it was not there, and the run made it. */
  readonly before: Attributes
  /** Null: the run removed it. */
  readonly after: Attributes
  /** Attributes that were masked when they were written, and so cannot be brought back. */
  readonly masked: readonly string[]
}

/** What stands in a masked attribute's place. */
const marks = new Set<unknown>([masked, scrubbedMark])

const maskedIn = (attributes: Attributes): readonly string[] =>
  Object.entries(attributes ?? {})
    .filter(([, value]) => marks.has(value))
    .map(([name]) => name)

const withoutMasked = (attributes: Attributes): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([, value]) => !marks.has(value)))

const noRecord = 'the run did not record previous values'

const undoableOf = (line: Item, before: Attributes, after: Attributes): Undoable => ({
  ...getItemPlace(line),
  before: withoutMasked(before),
  after: withoutMasked(after),
  masked: maskedIn(before),
})

/** What a run wants of an object's attributes, by its header. */
export const wishedIn = (
  { endpoint, input }: Pick<Header, 'endpoint' | 'input'>,
  before: Attributes,
): Attributes => {
  if (endpoint.startsWith('DELETE ')) return null
  const sent = Object.entries(input).filter(([name]) => before !== null && name in before)
  return Object.fromEntries(sent)
}

/** The lines about objects that were begun; most others are of objects that wait. */
async function* begunIn({ file, size }: Past): AsyncGenerator<ObjectLine> {
  for await (const texts of textsIn(file, size))
    for (const text of texts) {
      if (text.includes('"state":"queued"')) continue
      const line = parseLine(text)
      if (line !== undefined && 'n' in line) yield line
    }
}

/** An object as a run found and left it, by the last lines about it, or why that is not known. */
const changeIn = (
  header: Header,
  line: BegunLine | DoneLine,
  begun: BegunLine | undefined,
): Undoable | string => {
  // Null is known: it was not there.
  const before = line.before === undefined ? begun?.before : line.before
  if (before === undefined) return line.unread ?? begun?.unread ?? noRecord
  const after = line.after === undefined ? begun?.after : line.after
  return undoableOf(line, before, after === undefined ? wishedIn(header, before) : after)
}

/**
 * The objects that a run did, or may have done, with what they were; in its own order.
 * @param left is told of each that cannot be brought back, and why
 */
export async function* readUndo(
  past: Past,
  left: (object: string, why: string) => void,
): AsyncGenerator<Undoable> {
  const underWay = new Map<number, BegunLine>()
  const take = (line: BegunLine | DoneLine): Undoable | undefined => {
    const change = changeIn(past.header, line, underWay.get(line.n))
    if (typeof change !== 'string') return change
    left(line.object, change)
    return undefined
  }
  for await (const line of begunIn(past)) {
    if (line.state === 'done') {
      const change = take(line)
      if (change !== undefined) yield change
    }
    if (line.state === 'begun') underWay.set(line.n, line)
    else if (line.state !== 'unknown') underWay.delete(line.n)
  }
  for (const line of underWay.values()) {
    const change = take(line)
    if (change !== undefined) yield change
  }
}

/** What taking back does with an object. */
export type Taking =
  /** it is as the run left it */
  | 'write'
  /** it is as it was before the run */
  | 'unchanged'
  /** somebody changed it since */
  | 'conflict'

/** @param unshown whether what the object does not show may be as it is to be */
const agrees = (now: Attributes, with_: Attributes, unshown: boolean): boolean =>
  with_ === null || now === null
    ? with_ === now
    : Object.entries(with_).every(
        ([name, value]) =>
          (unshown && now[name] === undefined) ||
          isDeepStrictEqual(now[name] ?? null, value ?? null),
      )

/** @param now the object as it is read now; null where it is not there */
export const chooseUndo = (
  { before, after }: Pick<Undoable, 'before' | 'after'>,
  now: Attributes,
): Taking => {
  if (agrees(now, before, false)) return 'unchanged'
  // Nobody is seen to have changed what is not shown.
  return agrees(now, after, true) ? 'write' : 'conflict'
}
