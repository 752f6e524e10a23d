/**
 * Writes the objects of a run to its journal as they arrive, and reads them from there to process or undo them. Memory
 * does not grow with their number, and a killed run can be resumed.
 */
import type { FileHandle } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { redactedMark, redactSecrets } from '../../base/secrets/redact.js'
import { placeFailure, usage } from '../../errors.js'
import { canFollowWrite } from '../../http/status.js'
import {
  type GivenObject,
  getItemPlace,
  type Item,
  maxNamed,
  type UndoableItem,
} from '../work/report.js'
import { SeenObjects } from '../work/seen-objects.js'
import {
  type Attributes,
  type BegunLine,
  type DoneLine,
  type FailedLine,
  type Header,
  LineChecksums,
  type ObjectLine,
  parseLine,
  parsePlacement,
  type QueuedLine,
} from './lines.js'
import {
  type JournalOwner,
  openJournal,
  type ResumeStep,
  type RunHistory,
  readLinesFrom,
  readTexts,
} from './reader.js'
import type { Journal } from './writer.js'

/** Objects that are being written to the journal. */
export interface Spool {
  /** Resolves when the input ended; rejects if reading it failed. */
  readonly ended: Promise<void>
  readonly isOpen: () => boolean
  /** Returns true if the complete input was read. */
  readonly isWhole: () => boolean
  /** Returns the number of objects so far; `countDuplicates` returns how many were repeated. */
  readonly countQueued: () => number
  readonly countDuplicates: () => number
  /** The number of objects that the journal had before. */
  readonly before: number
  /** Stops the input: objects that arrive later are not written. */
  readonly stop: () => void
  /** The first ten objects, for the confirmation. */
  readonly first: readonly GivenObject[]
}

/** Returns which of an object's known attributes are recorded. */
export type SnapshotFilter = (before: Attributes) => Attributes | undefined

const createQueuedLine = (given: GivenObject, n: number, keep?: SnapshotFilter): QueuedLine => {
  const { object, parent, row: input } = given
  const before = given.before === undefined ? undefined : keep?.(given.before)
  return { n, object, parent, state: 'queued', input, before }
}

/**
 * Checks that an object's name is no secret. A journal contains no secrets, and an object cannot be processed without
 * its name.
 * @throws Failure `usage` if the name looks like a secret
 */
export const checkNotSecret = ({ object, parent = '', place }: GivenObject): void => {
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
 * Starts to write objects to the journal as they arrive, each once.
 * @param seen the objects that are in the journal already
 * @param keep chooses the attributes to record; without it none are
 */
export const startSpool = (
  journal: Journal,
  input: AsyncIterable<GivenObject>,
  seen: SeenObjects = new SeenObjects(),
  keep?: SnapshotFilter,
): Spool => {
  const before = journal.states.last
  let [n, duplicates, open, stopped, complete] = [before, 0, true, false, false]
  const first: GivenObject[] = []
  const writeAll = async (): Promise<void> => {
    for await (const given of input) {
      if (stopped) return
      if (!seen.add(given)) {
        duplicates += 1
        continue
      }
      checkNotSecret(given)
      n += 1
      if (first.length < maxNamed) first.push(given)
      journal.add(createQueuedLine(given, n, keep))
    }
    if (stopped) return
    await journal.append({ input: 'complete', total: n })
    complete = true
  }
  const stop = (): void => {
    stopped = true
  }
  const ended = writeAll().finally(() => {
    open = false
    // If the input failed, the objects before the failure are written first.
    journal.flush()
  })
  ended.catch(() => {})
  return {
    ended,
    isOpen: () => open,
    isWhole: () => complete,
    countQueued: () => n,
    countDuplicates: () => duplicates,
    before,
    stop,
    first,
  }
}

/** Writes a list of objects to the journal, numbered after the last one. */
export const writeQueuedObjects = async (
  journal: Journal,
  objects: readonly GivenObject[] | AsyncIterable<GivenObject>,
): Promise<void> => {
  for await (const given of objects) {
    checkNotSecret(given)
    journal.add(createQueuedLine(given, journal.states.last + 1))
  }
  await journal.append({ input: 'complete', total: journal.states.last })
}

const parseQueuedLine = (text: string): QueuedLine | undefined => {
  // Most lines are about other states and need not be parsed.
  if (!text.includes('"queued"')) return undefined
  const line = parseLine(text)
  return line !== undefined && 'n' in line && line.state === 'queued' ? line : undefined
}

/**
 * Reads the lines about objects of a journal.
 * @param isWanted returns false for the text of a line that need not be parsed
 */
export async function* readObjectLines(
  { file, size }: Pick<RunHistory, 'file' | 'size'>,
  whose?: JournalOwner,
  isWanted: (text: string) => boolean = () => true,
): AsyncGenerator<ObjectLine> {
  for await (const texts of readTexts(file, size, whose))
    for (const text of texts) {
      const line = isWanted(text) ? parseLine(text) : undefined
      if (line !== undefined && 'n' in line) yield line
    }
}

/** Reads the objects that a journal already contains. */
export const readSeenObjects = async ({ file, written: size }: Journal): Promise<SeenObjects> => {
  const seen = new SeenObjects()
  const isWanted = (text: string): boolean => text.includes('"queued"')
  for await (const line of readObjectLines({ file, size }, 'own', isWanted))
    if (line.state === 'queued') seen.add(line)
  return seen
}

/** Resolves when more lines are written or the input ended. */
const waitForMore = (journal: Journal, { ended }: Spool): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      removeListener()
      resolve()
    }
    const removeListener = journal.onWritten(finish)
    ended.then(finish, finish)
  })

type StepSelector = (n: number) => ResumeStep

/**
 * Parses the object of a line, with its next step; undefined if the line is about no object, or nothing is left to do.
 */
const parseItem = (text: string, next: StepSelector): Item | undefined => {
  const queued = parseQueuedLine(text)
  if (queued === undefined) return undefined
  const step = next(queued.n)
  if (step === 'skip') return undefined
  const { n, object, parent, before, input: row } = queued
  return { n, object, parent, before, row, resumeBy: step === 'do' ? undefined : step }
}

async function* readItems(
  handle: FileHandle,
  journal: Journal,
  source: Spool | undefined,
  next: StepSelector,
): AsyncGenerator<Item> {
  const sums = new LineChecksums()
  // Most lines are outcomes, or objects that are done. The first line tells whether lines have checksums.
  const check = (text: string): string => {
    const place = sums.required === undefined ? undefined : parsePlacement(text)
    const isOver = place !== undefined && (place.state !== 'queued' || next(place.n) === 'skip')
    return isOver ? '' : sums.check(text)
  }
  for (let at = 0; ; ) {
    // Checked before reading: lines that are written meanwhile are read in the next round.
    const open = source?.isOpen() === true
    const end = journal.written
    for await (const lines of readLinesFrom(handle, at, () => end, check)) {
      at = lines.next
      for (const text of lines.texts) {
        const item = parseItem(text, next)
        // A number that no earlier reading of the journal found is damage.
        if (item !== undefined && item.n <= journal.states.last) yield item
      }
    }
    if (at < journal.written) continue
    if (!open) break
    await waitForMore(journal, source)
  }
  await source?.ended
}

/**
 * Yields the objects of a journal in their order, as soon as they are written.
 * @param source the objects that are still being written; without it, the journal is complete
 * @param next returns the next step for the object with a number
 * @throws the failure of the input, after all objects before it
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

// The objects of a run that can be undone.

/** The marks that stand for masked values. */
const maskMarks = new Set<unknown>([masked, redactedMark])

const getMaskedNames = (attributes: Attributes): readonly string[] =>
  Object.entries(attributes ?? {})
    .filter(([, value]) => maskMarks.has(value))
    .map(([name]) => name)

const removeMasked = (attributes: Attributes): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([, value]) => !maskMarks.has(value)))

const noRecord = 'the run did not record previous values'

const toUndoableItem = (line: Item, before: Attributes, after: Attributes): UndoableItem => ({
  ...getItemPlace(line),
  before: removeMasked(before),
  after: removeMasked(after),
  masked: getMaskedNames(before),
})

/** Returns the attributes that an object should have after a run, according to the run's header. */
export const getIntendedAttributes = (
  { endpoint, input }: Pick<Header, 'endpoint' | 'input'>,
  before: Attributes,
): Attributes => {
  if (endpoint.startsWith('DELETE ')) return null
  const sent = Object.entries(input).filter(
    ([name]) => before !== null && Object.hasOwn(before, name),
  )
  return Object.fromEntries(sent)
}

/** True if the objects of a run had values from rows of their own. */
const hasRows = ({ input }: Header): boolean =>
  Object.values(input).some((value) => isObject(value) && '$row' in value)

/** Returns an object as a run found and left it, from its last lines; or the reason why that is unknown. */
const findChange = (
  header: Header,
  line: BegunLine | DoneLine,
  begun: BegunLine | undefined,
): UndoableItem | string => {
  // Null is a known state: the object did not exist.
  const before = line.before === undefined ? begun?.before : line.before
  if (before === undefined) return line.unread ?? begun?.unread ?? noRecord
  const after = line.after === undefined ? begun?.after : line.after
  return toUndoableItem(
    line,
    before,
    after === undefined ? getIntendedAttributes(header, before) : after,
  )
}

/** The attempts at an object whose outcome no line tells. */
interface OpenObject {
  /** The line of the first attempt that knows the previous state. */
  readonly begun: BegunLine
  /** True if the answer of an attempt was lost, so that it may have changed the object. */
  readonly lost: boolean
}

/** Adds a further attempt, whose previous state may be what an earlier one left. */
const addAttempt = (earlier: OpenObject | undefined, line: BegunLine): OpenObject => ({
  begun: earlier?.begun.before === undefined ? line : earlier.begun,
  lost: earlier !== undefined,
})

/** True if a failed attempt may have changed its object: an instance can fail (500) after it wrote, or an earlier answer was lost. */
const mayBeChanged = ({ status = 0 }: FailedLine, object: OpenObject | undefined): boolean =>
  object?.lost === true || (canFollowWrite(status) && object?.begun.before !== undefined)

/**
 * True if an object that was found as wanted had the changes of an earlier attempt, whose answer was lost. An undo is checked before it
 * begins, so that its journal has the earlier attempt only.
 */
const isEarlierChange = (header: Header, line: DoneLine, { begun, lost }: OpenObject): boolean => {
  const { before, after } = begun
  if (before === undefined) return false
  if (!lost && (line.status !== undefined || header.undoes === undefined)) return false
  return !isDeepStrictEqual(before, after ?? getIntendedAttributes(header, before))
}

/**
 * Reads the objects that a run changed or may have changed, in the run's order, with their previous attributes.
 * @param onIrreversible receives each object that cannot be restored, and why
 */
async function* readChanges(
  past: RunHistory,
  onIrreversible: (object: ObjectLine, why: string) => void,
): AsyncGenerator<UndoableItem> {
  const open = new Map<number, OpenObject>()
  const hasRowValues = hasRows(past.header)
  const rows = new Map<number, QueuedLine['input']>()
  const toChange = (line: BegunLine | DoneLine): UndoableItem | undefined => {
    const change = findChange(past.header, line, open.get(line.n)?.begun)
    const row = rows.get(line.n)
    if (typeof change !== 'string') return row === undefined ? change : { ...change, row }
    onIrreversible(line, change)
    return undefined
  }
  /** Returns the line that tells what an ended attempt changed; undefined if it changed nothing. */
  const findChangeLine = (line: DoneLine): BegunLine | DoneLine | undefined => {
    if (line.state === 'done') return line
    const attempts = open.get(line.n)
    return attempts && isEarlierChange(past.header, line, attempts) ? attempts.begun : undefined
  }
  // Most lines are about waiting objects.
  const isWanted = (text: string): boolean => hasRowValues || !text.includes('"state":"queued"')
  for await (const line of readObjectLines(past, 'own', isWanted)) {
    const { n } = line
    if (line.state === 'queued' && line.input !== undefined) rows.set(n, line.input)
    if (line.state === 'begun') open.set(n, addAttempt(open.get(n), line))
    if (line.state === 'failed' && !mayBeChanged(line, open.get(n))) open.delete(n)
    if (line.state !== 'done' && line.state !== 'unchanged') continue
    const changing = findChangeLine(line)
    const change = changing && toChange(changing)
    if (change !== undefined) yield change
    open.delete(n)
  }
  for (const { begun } of open.values()) {
    const change = toChange(begun)
    if (change !== undefined) yield change
  }
}

/**
 * Merges the changes of each object that a run changed twice (`runners drain --resume-after`): the state before the
 * first and after the last.
 */
async function* mergeChanges(changes: AsyncIterable<UndoableItem>): AsyncGenerator<UndoableItem> {
  const all = new Map<number, UndoableItem>()
  for await (const change of changes) {
    const first = all.get(change.n)
    all.set(change.n, first === undefined ? change : { ...first, after: change.after })
  }
  yield* all.values()
}

/**
 * Yields the objects of a run that can be undone, each once.
 * @param onIrreversible receives each object that cannot be restored, and why
 */
export const readUndoable = (
  ...[past, onIrreversible]: Parameters<typeof readChanges>
): AsyncGenerator<UndoableItem> => {
  const changes = readChanges(past, onIrreversible)
  // Only runs that cannot be resumed change an object more than once.
  return past.header.final === undefined ? changes : mergeChanges(changes)
}
