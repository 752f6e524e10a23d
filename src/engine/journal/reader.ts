/** Reads journals: their lines in chunks, and what they tell about a run, such as the state of its objects. */

import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { describeOther, nonBlocking } from '../../base/files/regular.js'
import { describeDistrust, findOpenDistrust } from '../../base/files/trust.js'
import { newline } from '../../base/json/tokens.js'
import { formatCount } from '../../base/text.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { Counts, End, Item } from '../work/report.js'
import {
  type EndLine,
  type Header,
  isUnsent,
  type JournalLine,
  LineChecksums,
  type ObjectLine,
  parseLine,
  parsePlacement,
} from './lines.js'

const chunkBytes = 1 << 17
/** The maximum length of a line, in bytes. A longer line is damaged: no journal has one nearly as long. */
const maxLineBytes = 1 << 26

const createLineCheck = (): ((text: string) => string) => {
  const sums = new LineChecksums()
  return (text) => sums.check(text)
}

/** Some lines without line breaks and checksums, and the position of the next one. */
export interface LineChunk {
  /** A damaged line is an empty text. */
  readonly texts: readonly string[]
  readonly next: number
}

/** The owner of the journals that may be read: only this user before something is sent, anybody to show them. */
export type JournalOwner = 'own' | 'any'

/**
 * Checks that only this user can have written a file, as its contents may be sent in the user's name.
 * @throws Failure `usage` if another user could write it
 */
const checkOwn = (file: string, stats: Stats): void => {
  const distrusted = findOpenDistrust(file, stats)
  if (distrusted === undefined) return
  const { message, remedy } = describeDistrust(distrusted)
  throw usage(
    `the journal cannot be trusted: ${message}`,
    `Check it with \`svcctl journal show\`. If it is correct, run: ${remedy}`,
  )
}

/**
 * Opens a journal that is a regular file and no link. The owner is checked at every opening, because the file may have
 * been replaced.
 * @throws Failure `usage` if it cannot be opened or trusted
 */
export const openJournal = async (
  file: string,
  flags = constants.O_RDONLY,
  whose: JournalOwner = 'own',
): Promise<FileHandle> => {
  const handle = await open(file, flags | (constants.O_NOFOLLOW ?? 0) | nonBlocking).catch(
    (error: unknown) => {
      const reason = getErrorCode(error) === 'ELOOP' ? 'it is a symbolic link' : getReason(error)
      throw usage(`cannot open the journal ${file}: ${reason}`)
    },
  )
  try {
    const stats = await handle.stat()
    const other = describeOther(stats)
    if (other !== undefined) throw usage(`cannot open the journal ${file}: ${other}`)
    if (whose === 'own') checkOwn(file, stats)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Reads the complete lines in the first `size` bytes of a journal, in chunks. */
export async function* readTexts(
  file: string,
  size: number,
  whose: JournalOwner = 'own',
): AsyncGenerator<LineChunk['texts']> {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  try {
    for await (const { texts } of readLinesFrom(handle, 0, () => size)) yield texts
  } finally {
    await handle.close()
  }
}

/**
 * Reads complete lines from a position on; a line without an end is left out.
 * @param upTo returns the position at which to stop; called before each chunk
 * @param check returns a line without its checksum, or an empty text; one function for the whole journal
 */
export async function* readLinesFrom(
  handle: Pick<FileHandle, 'read'>,
  from: number,
  upTo: () => number,
  check = createLineCheck(),
): AsyncGenerator<LineChunk> {
  // The beginning of an incomplete line, and its length. The bytes of a line that is too long are dropped.
  let [parts, held]: [Buffer[], number] = [[], 0]
  for (let at = from; at < upTo(); ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(Math.min(chunkBytes, upTo() - at)),
      { position: at },
    )
    if (bytesRead === 0) return
    const bytes = buffer.subarray(0, bytesRead)
    at += bytesRead
    const end = bytes.lastIndexOf(newline)
    if (end < 0) {
      held += bytesRead
      parts = held > maxLineBytes ? [] : [...parts, bytes]
      continue
    }
    // Converting all lines together is three times as fast as line by line.
    const lines = Buffer.concat([...parts, bytes.subarray(0, end)])
      .toString()
      .split('\n')
    if (held > maxLineBytes) lines[0] = ''
    parts = [bytes.subarray(end + 1)]
    held = bytesRead - end - 1
    yield { texts: lines.map(check), next: at - held }
  }
}

/** The state of an object according to its last line. */
export type ObjectState = ObjectLine['state']

/** The states of a run's objects by number. */
export class ObjectStates {
  readonly #states = new Map<number, ObjectState>()
  /** The highest number. */
  last = 0

  get(n: number): ObjectState | undefined {
    return this.#states.get(n)
  }

  /**
   * Updates the state of an object by a line. A completed object stays so: a late line of a lost process does not change it. A run that
   * cannot be resumed has a single process, and may change its objects twice.
   */
  update({ n, state }: Pick<ObjectLine, 'n' | 'state'>, { final }: Pick<Header, 'final'>): void {
    const known = this.get(n)
    if (final === undefined && (known === 'done' || known === 'unchanged')) return
    if (state === 'queued' && known !== undefined) return
    this.#states.set(n, state)
    this.last = Math.max(this.last, n)
  }

  count(): Counts {
    const counts = { done: 0, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 }
    for (const state of this.#states.values()) {
      const outcome = state === 'begun' ? 'unknown' : state
      counts[outcome === 'queued' ? 'not_tried' : outcome] += 1
    }
    return counts
  }
}

// Damage: broken lines, and objects without any line.

/** The maximum number of damaged lines that are named; further ones are counted. */
const maxNamed = 10

interface Gap {
  /** The numbers of the damaged lines, from 1 on; at most ten. */
  readonly lines: readonly number[]
  readonly damaged: number
  /** The number of objects without a line. */
  readonly missing: number
  /** A description of all damage. */
  readonly text: string
}

const sumCounts = ({ done, unchanged, failed, unknown, not_tried }: Counts): number =>
  done + unchanged + failed + unknown + not_tried

const describeCountsGap = (found: Counts, stated: Counts): string => {
  const names = ['done', 'unchanged', 'failed', 'unknown', 'not_tried'] as const
  const other = names.filter((name) => found[name] !== stated[name])
  const words = other.map(
    (name) => `${stated[name]} ${name.replace('_', ' ')} and not ${found[name]}`,
  )
  return `its last line reports ${words.join(', ')}`
}

const describeDamage = (lines: readonly number[]): string => {
  const [named, more] = [lines.slice(0, maxNamed).join(', '), lines.length - maxNamed]
  if (lines.length === 1) return `line ${named} is damaged`
  return `lines ${named}${more > 0 ? ` and ${more} more` : ''} are damaged`
}

/**
 * Finds the damage of a journal; undefined if there is none.
 * @param damaged the numbers of the damaged lines
 * @param found the counts of its lines
 * @param total the number of objects, from the line that ends the input
 * @param stated the outcomes, from the last line
 */
const findGap = (
  damaged: readonly number[],
  found: Counts,
  total: number | undefined,
  stated: Counts | undefined,
): Gap | undefined => {
  const known = sumCounts(found)
  const missing = Math.max(0, (total ?? 0) - known)
  const texts = [
    damaged.length > 0 && describeDamage(damaged),
    missing > 0 &&
      `${formatCount(missing, 'object')} of ${total} ${missing === 1 ? 'is' : 'are'} missing`,
    total !== undefined &&
      known > total &&
      `it lists ${formatCount(known, 'object')}, but its total is ${total}`,
    stated !== undefined && !isDeepStrictEqual(found, stated) && describeCountsGap(found, stated),
  ].filter((text) => text !== false)
  if (texts.length === 0) return undefined
  const lines = damaged.slice(0, maxNamed)
  return { lines, damaged: damaged.length, missing, text: texts.join('; ') }
}

/** Creates the failure for a damaged journal. */
export const createJournalGapFailure = (file: string, text: string): Failure =>
  new Failure('partial', `the journal ${file} is damaged: ${text}`, {
    hint: 'svcctl journal show shows what can still be read of it.',
  })

/** Creates the failure for a journal whose first line cannot be read. */
export const createHeadlessFailure = (file: string): Failure =>
  createJournalGapFailure(file, 'its first line, which says what the run was')

// The history of a run, from its journal.

export interface RunHistory {
  readonly file: string
  readonly header: Header
  readonly states: ObjectStates
  /** The number of objects; undefined if the input was interrupted. */
  readonly total: number | undefined
  /** The end of the run, from the last line; undefined if it was killed. */
  readonly end: End | undefined
  readonly counts: Counts
  /** The damage of the journal; undefined if it is complete. */
  readonly gap: Gap | undefined
  /** The position after the last complete line; what follows is a torn line. */
  readonly size: number
  /** True if an object was begun or another write was sent. */
  readonly begun: boolean
  /** True if a write was sent, or may have been: objects may also fail before that. */
  readonly sent: boolean
}

/** Creates the failure for a file without a valid first line: damaged, from an earlier version, or no journal. */
const createUnknownFailure = (file: string, text: string, isSummed = false): Failure => {
  if (isSummed && /^\{"run":1,/.test(text)) return createHeadlessFailure(file)
  if (/^\{"journal":\d/.test(text))
    return usage(
      `${file} is a journal of an earlier version of svcctl, which this version does not read`,
      'Undo or resume the run with the version that made it.',
    )
  return usage(`${file} is not a journal`, 'svcctl journal list names those that there are.')
}

const isHeader = (line: JournalLine | undefined): line is Header =>
  line !== undefined && 'run' in line

/** Reads the lines of a journal one after the other and collects the history of its run. */
class HistoryReader {
  readonly states = new ObjectStates()
  header: Header | undefined
  total: number | undefined
  end: EndLine | undefined
  /** True if an object was begun or another write was sent. */
  begun = false
  #sent = false
  /** The numbers of the objects that were begun and have no outcome yet. */
  readonly #pending = new Set<number>()
  readonly #damaged: number[] = []
  readonly #sums = new LineChecksums()
  #lines = 0

  /** @param size of the file in bytes: no object can have a higher number, as each has a line */
  constructor(
    private readonly file: string,
    private readonly size: number,
  ) {}

  /** Reads one line of the file. */
  readLine(text: string): void {
    this.#lines += 1
    const bare = this.#sums.check(text)
    if (this.header === undefined) this.#readHeader(text, bare)
    else if (bare === '' || !this.#applyLine(bare, this.header)) this.#damaged.push(this.#lines)
  }

  /** True if a write was sent, or may have been. */
  get sent(): boolean {
    return this.#sent || this.#pending.size > 0
  }

  get gap(): Gap | undefined {
    return findGap(this.#damaged, this.states.count(), this.total, this.end?.counts)
  }

  /**
   * Applies a line to the history.
   * @returns false if the line is damaged
   */
  #applyLine(text: string, header: Header): boolean {
    // A checksum proves that a line is complete, so only its start is parsed; without checksums the whole line is.
    const line = (this.#sums.required ? parsePlacement(text) : undefined) ?? parseLine(text)
    // A valid line of an unknown kind comes from a later version.
    if (line === undefined) return this.#sums.required === true
    if ('run' in line) return true
    if ('n' in line) {
      if (line.n > this.size) return false
      this.states.update(line, header)
      this.#recordState(line, text)
    } else if ('input' in line) {
      if (line.total > this.size) return false
      this.total = line.total
    } else if ('request' in line) {
      this.begun = true
      this.#sent = true
    } else this.end = 'end' in line ? line : undefined
    return true
  }

  #recordState({ n, state }: Pick<ObjectLine, 'n' | 'state'>, text: string): void {
    if (state === 'queued') return
    if (state === 'begun') {
      this.begun = true
      this.#pending.add(n)
    } else {
      this.#pending.delete(n)
      this.#sent ||= state !== 'failed' || !isUnsent(parseLine(text))
    }
  }

  #readHeader(text: string, bare: string): void {
    const line = parseLine(bare)
    if (!isHeader(line)) throw createUnknownFailure(this.file, text, this.#sums.required)
    this.header = line
  }
}

const returnText = (text: string): string => text

/**
 * Reads the history of a run from its journal. A torn last line is ignored; damaged lines are reported in `gap`.
 * @param whose `any` if the history is only shown
 * @throws Failure `usage` if the file cannot be read or is no journal; `partial` if its first line is damaged
 */
export const readRunHistory = async (
  file: string,
  whose: JournalOwner = 'own',
): Promise<RunHistory> => {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  let size = 0
  try {
    const { size: length } = await handle.stat()
    const reader = new HistoryReader(file, length)
    for await (const { texts, next } of readLinesFrom(handle, 0, () => length, returnText)) {
      for (const text of texts) reader.readLine(text)
      size = next
    }
    const { header, states, total, end, gap, begun, sent } = reader
    if (header === undefined) throw createUnknownFailure(file, '')
    return {
      file,
      header,
      states,
      total,
      end: end?.end,
      counts: states.count(),
      gap,
      size,
      begun,
      sent,
    }
  } finally {
    await handle.close()
  }
}

/** Returns how many objects of a run are left to do. */
export const countOpen = ({ failed, unknown, not_tried }: Counts): number =>
  failed + unknown + not_tried

/** True if nothing is left to do. A damaged journal is never done, because part of the run is unknown. */
export const isDone = ({
  total,
  counts,
  gap,
}: Pick<RunHistory, 'total' | 'counts' | 'gap'>): boolean =>
  gap === undefined && total !== undefined && countOpen(counts) === 0

/** The action of resuming for an object: skip it, do it, do it again, or check first whether it was done. */
export type ResumeStep = 'skip' | 'do' | NonNullable<Item['resumeBy']>

/**
 * Returns the next step for an object. POST and PATCH are never repeated blindly. A DELETE is safe to repeat.
 * @param damaged true if lines are damaged: the line with the object's outcome may be among them
 */
export const getNextStep = (state: ObjectState, endpoint: string, damaged = false): ResumeStep => {
  if (state === 'done' || state === 'unchanged') return 'skip'
  if (!damaged && (state === 'queued' || state === 'failed')) return 'do'
  if (/^(POST|PATCH) /.test(endpoint)) return 'verifying'
  return endpoint.startsWith('DELETE ') ? 'repeating' : 'comparing'
}
