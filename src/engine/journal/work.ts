/**
 * The objects of a run by way of its journal: they are written down as fast as they are given, and
 * worked on from there, so that memory does not grow with them and a lost run knows what was left.
 */
import type { FileHandle } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { redactSecrets, scrubbedMark } from '../../base/secrets/scrub.js'
import { placeFailure, usage } from '../../errors.js'
import { type GivenObject, getItemPlace, type Item, maxNamed } from '../work/report.js'
import { SeenObjects } from '../work/seen-objects.js'
import {
  type Attributes,
  type BegunLine,
  type DoneLine,
  type Header,
  type ObjectLine,
  parseLine,
  type QueuedLine,
  Sums,
} from './lines.js'
import {
  openJournal,
  type ResumeStep,
  type RunHistory,
  readLinesFrom,
  readTexts,
} from './reader.js'
import type { Journal } from './writer.js'

/** Objects on their way into the journal. */
export interface Spool {
  /** When the input has ended, or broken: then it rejects. */
  readonly ended: Promise<void>
  readonly isOpen: () => boolean
  /** Returns true if all of it was taken: an input that broke never is. */
  readonly isWhole: () => boolean
  /** Returns the number of objects by now; `duplicates` returns how many were given more than once. */
  readonly queued: () => number
  readonly duplicates: () => number
  /** The number of objects that were there before. */
  readonly before: number
  /** Stops the input: what was read of it is not written down any more. */
  readonly stop: () => void
  /** The first ten: for the question whether they are meant. */
  readonly first: readonly GivenObject[]
}

/** A filter that returns which of the known attributes of an object are written down. */
export type SnapshotFilter = (before: Attributes) => Attributes | undefined

const createQueuedLine = (
  given: GivenObject,
  n: number,
  keep: SnapshotFilter | undefined,
): QueuedLine => {
  const { object, parent, row: input } = given
  const before = given.before === undefined ? undefined : keep?.(given.before)
  return { n, object, parent, state: 'queued', input, before }
}

/** Fails (exit 2) if an object's name is a secret. A secret is never written down, and an object cannot be worked on without its name. */
export const checkPlain = ({ object, parent = '', place }: GivenObject): void => {
  const held = [object, parent].some(
    (text) => redactSecrets(text) !== text || maskAddresses(text) !== text,
  )
  if (!held) return
  const secret = usage(
    'an object name looks like a secret, which a journal must not contain',
    'Check whether a token is among the IDs. Use --journal none to run without a journal.',
  )
  throw placeFailure(secret, place)
}

/**
 * Writes objects down as they come, each once.
 * @param seen those that stand in the journal already
 * @param keep what of that which is known of them is written down; without it nothing
 */
export const startSpool = (
  journal: Journal,
  input: AsyncIterable<GivenObject>,
  seen: SeenObjects = new SeenObjects(),
  keep?: SnapshotFilter,
): Spool => {
  const before = journal.states.last
  let [n, twice, open, stopped, entire] = [before, 0, true, false, false]
  const first: GivenObject[] = []
  const take = async (): Promise<void> => {
    for await (const given of input) {
      if (stopped) return
      if (!seen.add(given)) {
        twice += 1
        continue
      }
      checkPlain(given)
      n += 1
      if (first.length < maxNamed) first.push(given)
      journal.add(createQueuedLine(given, n, keep))
    }
    if (stopped) return
    await journal.append({ input: 'complete', total: n })
    entire = true
  }
  const stop = (): void => {
    stopped = true
  }
  const ended = take().finally(() => {
    open = false
    // Of an input that broke, what came before stands in the journal first.
    journal.flush()
  })
  ended.catch(() => {})
  return {
    ended,
    isOpen: () => open,
    isWhole: () => entire,
    queued: () => n,
    duplicates: () => twice,
    before,
    stop,
    first,
  }
}

/** Writes objects down that are all in hand; the first has the place after the last that is there. */
export const writeQueuedObjects = async (
  journal: Journal,
  objects: readonly GivenObject[],
  keep?: SnapshotFilter,
): Promise<void> => {
  for (const given of objects) {
    checkPlain(given)
    journal.add(createQueuedLine(given, journal.states.last + 1, keep))
  }
  await journal.append({ input: 'complete', total: journal.states.last })
}

const parseQueuedLine = (text: string): QueuedLine | undefined => {
  // Most lines are others, and need no reading.
  if (!text.includes('"queued"')) return undefined
  const line = parseLine(text)
  return line !== undefined && 'n' in line && line.state === 'queued' ? line : undefined
}

/** Reads the objects that were given, as far as a journal knows them. */
export const readSeenObjects = async ({ file, written }: Journal): Promise<SeenObjects> => {
  const seen = new SeenObjects()
  for await (const texts of readTexts(file, written))
    for (const text of texts) {
      const queued = parseQueuedLine(text)
      if (queued !== undefined) seen.add(queued)
    }
  return seen
}

/** Resolves when more is written, or the input has ended. */
const waitForMore = (journal: Journal, { ended }: Spool): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      leaveOff()
      resolve()
    }
    const leaveOff = journal.onWritten(done)
    ended.then(done, done)
  })

type StepSelector = (n: number) => ResumeStep

/** Parses the object of a line, with what is to be done; undefined if it is none, or nothing is to be done. */
const parseItem = (text: string, next: StepSelector): Item | undefined => {
  const queued = parseQueuedLine(text)
  if (queued === undefined) return undefined
  const how = next(queued.n)
  if (how === 'skip') return undefined
  const { n, object, parent, before, input: row } = queued
  return { n, object, parent, before, row, how: how === 'do' ? undefined : how }
}

async function* readItems(
  handle: FileHandle,
  journal: Journal,
  source: Spool | undefined,
  next: StepSelector,
): AsyncGenerator<Item> {
  const sums = new Sums()
  // Most lines say what became of objects, and are not looked at; whether lines have checksums the first one says.
  const check = (text: string): string =>
    sums.required === undefined || text.includes('"queued"') ? sums.check(text) : ''
  for (let at = 0; ; ) {
    // Before the reading: what is written meanwhile is read next time.
    const open = source?.isOpen() === true
    const end = journal.written
    for await (const lines of readLinesFrom(handle, at, () => end, check)) {
      at = lines.next
      for (const text of lines.texts) {
        const item = parseItem(text, next)
        // A place that no other reading knows is part of the gap.
        if (item !== undefined && item.n <= journal.states.last) yield item
      }
    }
    if (at < journal.written) continue
    if (!open) break
    if (source !== undefined) await waitForMore(journal, source)
  }
  await source?.ended
}

/**
 * Reads the objects of a journal in the order in which they were given, as soon as they stand there.
 * @param source what still comes; without, what is there is all
 * @param next what is to be done with the object in a place
 * @throws what broke the input, after all that came before
 */
export async function* readWork(
  journal: Journal,
  source?: Spool,
  next: StepSelector = () => 'do',
): AsyncGenerator<Item> {
  const handle = await openJournal(journal.file)
  try {
    yield* readItems(handle, journal, source, next)
  } finally {
    await handle.close()
  }
}

// What of a run can be taken back, and whether it still is as the run left it.

/** An object as the run found it and as it left it. */
export interface UndoableItem extends Item {
  /** Null: it was not there, and the run made it. */
  readonly before: Attributes
  /** Null: the run removed it. */
  readonly after: Attributes
  /** Attributes that were masked when they were written, and so cannot be brought back. */
  readonly masked: readonly string[]
}

/** The values that stand in the place of a masked attribute. */
const marks = new Set<unknown>([masked, scrubbedMark])

const getMaskedNames = (attributes: Attributes): readonly string[] =>
  Object.entries(attributes ?? {})
    .filter(([, value]) => marks.has(value))
    .map(([name]) => name)

const removeMasked = (attributes: Attributes): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([, value]) => !marks.has(value)))

const noRecord = 'the run did not record previous values'

const toUndoableItem = (line: Item, before: Attributes, after: Attributes): UndoableItem => ({
  ...getItemPlace(line),
  before: removeMasked(before),
  after: removeMasked(after),
  masked: getMaskedNames(before),
})

/** Returns the attributes that an object is to have after a run, by the run's header. */
export const getWishedAttributes = (
  { endpoint, input }: Pick<Header, 'endpoint' | 'input'>,
  before: Attributes,
): Attributes => {
  if (endpoint.startsWith('DELETE ')) return null
  const sent = Object.entries(input).filter(
    ([name]) => before !== null && Object.hasOwn(before, name),
  )
  return Object.fromEntries(sent)
}

/** True if each object of a run was sent values of its own row. */
const hasRows = ({ input }: Header): boolean =>
  Object.values(input).some((value) => isObject(value) && '$row' in value)

/** Reads the lines about objects that were begun, and those with their rows; most others are of objects that wait. */
async function* readBegunLines({ file, size, header }: RunHistory): AsyncGenerator<ObjectLine> {
  const rows = hasRows(header)
  for await (const texts of readTexts(file, size))
    for (const text of texts) {
      if (!rows && text.includes('"state":"queued"')) continue
      const line = parseLine(text)
      if (line !== undefined && 'n' in line) yield line
    }
}

/** Returns an object as a run found and left it, by the last lines about it, or why that is not known. */
const changeIn = (
  header: Header,
  line: BegunLine | DoneLine,
  begun: BegunLine | undefined,
): UndoableItem | string => {
  // Null is known: it was not there.
  const before = line.before === undefined ? begun?.before : line.before
  if (before === undefined) return line.unread ?? begun?.unread ?? noRecord
  const after = line.after === undefined ? begun?.after : line.after
  return toUndoableItem(
    line,
    before,
    after === undefined ? getWishedAttributes(header, before) : after,
  )
}

/**
 * Reads the objects that a run did, or may have done, with what they were, in the run's order.
 * @param left takes each object that cannot be brought back, and why
 */
async function* readChanges(
  past: RunHistory,
  left: (object: string, why: string) => void,
): AsyncGenerator<UndoableItem> {
  const underWay = new Map<number, BegunLine>()
  const rows = new Map<number, QueuedLine['input']>()
  const take = (line: BegunLine | DoneLine): UndoableItem | undefined => {
    const change = changeIn(past.header, line, underWay.get(line.n))
    const row = rows.get(line.n)
    if (typeof change !== 'string') return row === undefined ? change : { ...change, row }
    left(line.object, change)
    return undefined
  }
  for await (const line of readBegunLines(past)) {
    if (line.state === 'queued') {
      if (line.input !== undefined) rows.set(line.n, line.input)
      continue
    }
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

/** Objects that a run changed twice (`runners drain --resume-after`), each once: as it was before the first, and after the last. */
async function* mergeChanges(changes: AsyncIterable<UndoableItem>): AsyncGenerator<UndoableItem> {
  const all = new Map<number, UndoableItem>()
  for await (const change of changes) {
    const first = all.get(change.n)
    all.set(change.n, first === undefined ? change : { ...first, after: change.after })
  }
  yield* all.values()
}

/** Reads the objects that can be undone, as `readChanges` does, but each object once. */
export const readUndo = (
  ...[past, left]: Parameters<typeof readChanges>
): AsyncGenerator<UndoableItem> => {
  const changes = readChanges(past, left)
  // Only such runs do more than one thing to an object.
  return past.header.final === undefined ? changes : mergeChanges(changes)
}

/** The action of undo for an object. */
type UndoAction =
  /** it is as the run left it */
  | 'write'
  /** it is as it was before the run */
  | 'unchanged'
  /** somebody changed it since */
  | 'conflict'

/**
 * True if an object is as it is to be.
 * @param unshown whether what the object does not show may be as it is to be
 */
const matchesState = (now: Attributes, with_: Attributes, unshown: boolean): boolean =>
  with_ === null || now === null
    ? with_ === now
    : Object.entries(with_).every(
        ([name, value]) =>
          (unshown && now[name] === undefined) ||
          isDeepStrictEqual(now[name] ?? null, value ?? null),
      )

/**
 * Chooses the action of undo for an object.
 * @param now the object as it is read now; null where it is not there
 */
export const chooseUndo = (
  { before, after }: Pick<UndoableItem, 'before' | 'after'>,
  now: Attributes,
): UndoAction => {
  if (matchesState(now, before, false)) return 'unchanged'
  // Nobody is seen to have changed what is not shown.
  return matchesState(now, after, true) ? 'write' : 'conflict'
}
