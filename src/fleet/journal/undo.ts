/** What of a run can be taken back, and whether it still is as the run left it. */
import { isDeepStrictEqual } from 'node:util'
import { masked } from '../../base/secrets/names.js'
import { mask as scrubbedMark } from '../../base/secrets/scrub.js'
import { usage } from '../../errors.js'
import { type Item, placeOf } from '../items.js'
import type { Attributes, DoneLine } from './lines.js'
import { lineOf } from './parse.js'
import type { Past } from './past.js'
import { textsIn } from './reading.js'

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

const undoableOf = (line: DoneLine): Undoable | undefined => {
  const { before, after } = line
  if (before === undefined) return undefined
  return {
    ...placeOf(line),
    before: withoutMasked(before),
    after: withoutMasked(after ?? null),
    masked: maskedIn(before),
  }
}

async function* doneIn({ file, size }: Past): AsyncGenerator<DoneLine> {
  for await (const texts of textsIn(file, size))
    for (const text of texts) {
      // Most lines are of objects that wait or begin: they are not taken apart.
      if (!text.includes('"done"')) continue
      const line = lineOf(text)
      if (line !== undefined && 'n' in line && line.state === 'done') yield line
    }
}

/**
 * Whether a run can be undone: it kept of every object that it changed what that was before.
 * @throws Failure `usage`
 */
export const checkUndoable = async (past: Past): Promise<void> => {
  for await (const line of doneIn(past))
    if (line.before === undefined)
      throw usage(
        `the run ${past.header.id} cannot be undone: it was made without a record of what was there before`,
        'Runs with --undo-record can.',
      )
}

/** The objects that a run did, with what they were; in its own order. */
export async function* undoOf(past: Past): AsyncGenerator<Undoable> {
  for await (const line of doneIn(past)) {
    const undoable = undoableOf(line)
    if (undoable !== undefined) yield undoable
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
export const takingOf = (
  { before, after }: Pick<Undoable, 'before' | 'after'>,
  now: Attributes,
): Taking => {
  if (agrees(now, before, false)) return 'unchanged'
  // Nobody is seen to have changed what is not shown.
  return agrees(now, after, true) ? 'write' : 'conflict'
}
