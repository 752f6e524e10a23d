/** Reading a journal: its lines, so many at a time, and what they tell of the run: how far it came, and what is left. */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { describeOther, nonBlocking } from '../../base/files/regular.js'
import { describeDistrust, findOpenDistrust } from '../../base/files/trust.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { Counts, End, Item } from '../work/report.js'
import {
  type EndLine,
  type Header,
  type Line,
  type ObjectLine,
  parseLine,
  parsePlacement,
  Sums,
} from './lines.js'

const piece = 1 << 15
const newline = 0x0a
/** A longer line is damaged: nothing that is written into a journal comes near it. */
const longestLine = 1 << 26

const createCheck = (): ((text: string) => string) => {
  const sums = new Sums()
  return (text) => sums.check(text)
}

/** Whole lines without their ends and checksums, and where the next begins. */
export interface Lines {
  /** In the place of a damaged line stands an empty one. */
  readonly texts: readonly string[]
  readonly next: number
}

/** The users whose journals may be read: this user's own if something is done after one, any user's to look at it. */
export type JournalOwner = 'own' | 'any'

/** @throws Failure `usage` for a file that another may have written: what stands in it would be sent in this user's name */
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
 * Opens a regular file that is no link. Every opening looks whose it is, since another file may stand
 * there by then.
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

/** Reads the whole lines of a journal's first bytes, a piece at a time. */
export async function* readTexts(
  file: string,
  size: number,
  whose: JournalOwner = 'own',
): AsyncGenerator<Lines['texts']> {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  try {
    for await (const { texts } of readLinesFrom(handle, 0, () => size)) yield texts
  } finally {
    await handle.close()
  }
}

/**
 * Reads the whole lines from a place on; a line that has no end yet is left out.
 * @param upTo where to stop, asked again before each piece
 * @param check gives a line without its checksum, or nothing; the same for all that is read of a journal
 */
export async function* readLinesFrom(
  handle: Pick<FileHandle, 'read'>,
  from: number,
  upTo: () => number,
  check = createCheck(),
): AsyncGenerator<Lines> {
  // Parts of a line whose end was not read yet, and their bytes; those of a line that is too long are not kept.
  let [parts, held]: [Buffer[], number] = [[], 0]
  for (let at = from; at < upTo(); ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(Math.min(piece, upTo() - at)),
      { position: at },
    )
    if (bytesRead === 0) return
    const bytes = buffer.subarray(0, bytesRead)
    at += bytesRead
    const end = bytes.lastIndexOf(newline)
    if (end < 0) {
      held += bytesRead
      parts = held > longestLine ? [] : [...parts, bytes]
      continue
    }
    // All at once: line by line it is three times the work.
    const lines = Buffer.concat([...parts, bytes.subarray(0, end)])
      .toString()
      .split('\n')
    if (held > longestLine) lines[0] = ''
    parts = [bytes.subarray(end + 1)]
    held = bytesRead - end - 1
    yield { texts: lines.map(check), next: at - held }
  }
}

/** The state of an object, by its latest line. */
export type ObjectState = ObjectLine['state']

const states: readonly ObjectState[] = ['queued', 'begun', 'done', 'unchanged', 'failed', 'unknown']

/** States by place, a byte each: a million of them are a megabyte. */
export class States {
  #bytes = new Uint8Array(1024)
  /** The highest place. */
  last = 0

  get(n: number): ObjectState | undefined {
    return states[(this.#bytes[n] ?? 0) - 1]
  }

  set(n: number, state: ObjectState): void {
    if (n >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(n + 1, this.#bytes.length * 2))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[n] = states.indexOf(state) + 1
    this.last = Math.max(this.last, n)
  }

  /** Notes the state of an object. An object that was done stays done: a later line of a lost process does not undo it. */
  note(n: number, state: ObjectState): void {
    const known = this.get(n)
    if (known === 'done' || known === 'unchanged') return
    if (state === 'queued' && known !== undefined) return
    this.set(n, state)
  }

  counts(): Counts {
    const of: Record<ObjectState, number> = {
      queued: 0,
      begun: 0,
      done: 0,
      unchanged: 0,
      failed: 0,
      unknown: 0,
    }
    for (let n = 1; n <= this.last; n++) {
      const state = this.get(n)
      if (state !== undefined) of[state] += 1
    }
    const { done, unchanged, failed } = of
    return { done, unchanged, failed, unknown: of.unknown + of.begun, not_tried: of.queued }
  }
}

// What a journal does not say any more: damaged lines, and objects that none of its lines names.

/** The number of damaged lines that are named; the others are counted. */
const maxNamed = 10

interface Gap {
  /** The damaged lines by their numbers, from 1 on; the first ten. */
  readonly lines: readonly number[]
  readonly damaged: number
  /** Objects of the run that no line names. */
  readonly missing: number
  /** All of it in words. */
  readonly text: string
}

/** The counts that a journal states of its objects, besides the lines about them. */
interface SaidCounts {
  /** By the line that ends the input. */
  readonly total: number | undefined
  /** By its last line. */
  readonly counts: Counts | undefined
}

const sumOf = ({ done, unchanged, failed, unknown, not_tried }: Counts): number =>
  done + unchanged + failed + unknown + not_tried

const formatObjectCount = (count: number): string => `${count} object${count === 1 ? '' : 's'}`

const describeCountsGap = (found: Counts, said: Counts): string => {
  const names = ['done', 'unchanged', 'failed', 'unknown', 'not_tried'] as const
  const other = names.filter((name) => found[name] !== said[name])
  const words = other.map(
    (name) => `${said[name]} ${name.replace('_', ' ')} and not ${found[name]}`,
  )
  return `its last line reports ${words.join(', ')}`
}

/** Collects the damaged lines of a journal while it is read. */
class Gaps {
  readonly #lines: number[] = []
  #damaged = 0

  add(line: number): void {
    this.#damaged += 1
    if (this.#lines.length < maxNamed) this.#lines.push(line)
  }

  /** The gap of a journal whose lines came to these counts; undefined where it is whole. */
  of(found: Counts, { total, counts }: SaidCounts): Gap | undefined {
    const known = sumOf(found)
    const missing = Math.max(0, (total ?? 0) - known)
    const texts = [
      ...(this.#damaged === 0 ? [] : [this.#damagedText()]),
      ...(missing === 0
        ? []
        : [`${formatObjectCount(missing)} of ${total} ${missing === 1 ? 'is' : 'are'} missing`]),
      ...(total === undefined || known <= total
        ? []
        : [`it lists ${formatObjectCount(known)}, but its total is ${total}`]),
      ...(counts === undefined || isDeepStrictEqual(found, counts)
        ? []
        : [describeCountsGap(found, counts)]),
    ]
    if (texts.length === 0) return undefined
    return { lines: this.#lines, damaged: this.#damaged, missing, text: texts.join('; ') }
  }

  #damagedText(): string {
    const [named, more] = [this.#lines.join(', '), this.#damaged - this.#lines.length]
    if (this.#damaged === 1) return `line ${named} is damaged`
    return `lines ${named}${more === 0 ? '' : ` and ${more} more`} are damaged`
  }
}

/** Creates the failure for a gap that is in the way. */
export const createJournalGapFailure = (file: string, text: string): Failure =>
  new Failure('partial', `the journal ${file} is damaged: ${text}`, {
    hint: 'svcctl journal show shows what can still be read of it.',
  })

// What a journal tells of its run.

export interface RunHistory {
  readonly file: string
  readonly header: Header
  readonly states: States
  /** The number of objects; undefined if the input was cut. */
  readonly total: number | undefined
  /** As the last line says; undefined where the run was killed. */
  readonly end: End | undefined
  readonly counts: Counts
  /** The lines and objects that it does not say any more; undefined if it is whole. */
  readonly gap: Gap | undefined
  /** The place at which its whole lines end: what follows was torn. */
  readonly size: number
  /** True if an object was begun, or another write sent. */
  readonly sent: boolean
}

/** Creates the failure for a file whose first line does not say what its run was: it is damaged, or of no journal that is known. */
const createHeadlessFailure = (file: string, text: string, isSummed = false): Failure => {
  if (isSummed && /^\{"run":1,/.test(text))
    return createJournalGapFailure(file, 'its first line, which says what the run was')
  if (/^\{"journal":\d/.test(text))
    return usage(
      `${file} is a journal of an earlier version of svcctl, which this version does not read`,
      'Undo or resume the run with the version that made it.',
    )
  return usage(`${file} is not a journal`, 'svcctl journal list names those that there are.')
}

const isHeader = (line: Line | undefined): line is Header => line !== undefined && 'run' in line

/** Takes the lines of a journal one after the other, and keeps what they come to. */
class Reader {
  readonly states = new States()
  header: Header | undefined
  total: number | undefined
  end: EndLine | undefined
  /** True if an object was begun, or another write sent. */
  sent = false
  readonly #file: string
  /** No number in it is larger: each object has lines of its own. */
  readonly #size: number
  readonly #gaps = new Gaps()
  readonly #sums = new Sums()
  #lines = 0

  constructor(file: string, size: number) {
    this.#file = file
    this.#size = size
  }

  /** Takes a line as it stands there. */
  take(text: string): void {
    this.#lines += 1
    const bare = this.#sums.check(text)
    if (this.header === undefined) this.#begin(text, bare)
    else if (bare === '' || !this.#go(bare)) this.#gaps.add(this.#lines)
  }

  get gap(): Gap | undefined {
    return this.#gaps.of(this.states.counts(), { total: this.total, counts: this.end?.counts })
  }

  /** @returns whether the line is whole */
  #go(text: string): boolean {
    // A checksum says that all of a line is there; without one it has to be read.
    const line = (this.#sums.required ? parsePlacement(text) : undefined) ?? parseLine(text)
    // What a later version writes may be of another kind.
    if (line === undefined) return this.#sums.required === true
    if ('run' in line) return true
    if ('n' in line) {
      if (line.n > this.#size) return false
      this.states.note(line.n, line.state)
      this.sent ||= line.state === 'begun'
    } else if ('input' in line) {
      if (line.total > this.#size) return false
      this.total = line.total
    } else if ('request' in line) this.sent = true
    else this.end = 'end' in line ? line : undefined
    return true
  }

  #begin(text: string, bare: string): void {
    const line = parseLine(bare)
    if (!isHeader(line)) throw createHeadlessFailure(this.#file, text, this.#sums.required)
    this.header = line
  }
}

const keepText = (text: string): string => text

/**
 * Reads a journal. A torn last line is left out; a damaged one is part of the gap.
 * @throws Failure `usage` where the file cannot be read, or is no journal; `partial` where its first line is damaged
 * @param whose `any` only to look at it
 */
export const readPast = async (file: string, whose: JournalOwner = 'own'): Promise<RunHistory> => {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  let size = 0
  try {
    const { size: length } = await handle.stat()
    const reader = new Reader(file, length)
    for await (const { texts, next } of readLinesFrom(handle, 0, () => length, keepText)) {
      for (const text of texts) reader.take(text)
      size = next
    }
    const { header, states, total, end, gap, sent } = reader
    if (header === undefined) throw createHeadlessFailure(file, '')
    return { file, header, states, total, end: end?.end, counts: states.counts(), gap, size, sent }
  } finally {
    await handle.close()
  }
}

/** True if nothing is left to be done. A run whose journal has a gap is never done, because part of it is not known. */
export const isDone = ({
  total,
  counts,
  gap,
}: Pick<RunHistory, 'total' | 'counts' | 'gap'>): boolean =>
  gap === undefined &&
  total !== undefined &&
  counts.failed + counts.unknown + counts.not_tried === 0

/** The step that resuming takes with an object: nothing, do it, do it once more, or look whether it was done. */
export type ResumeStep = 'skip' | 'do' | NonNullable<Item['how']>

/**
 * Returns the next step for an object. POST and PATCH are never sent twice blindly; what was deleted is not there to be
 * deleted again.
 * @param damaged lines of the journal are: the one that says that the object was done may be among them
 */
export const getNextStep = (state: ObjectState, endpoint: string, damaged = false): ResumeStep => {
  if (state === 'done' || state === 'unchanged') return 'skip'
  if (!damaged && (state === 'queued' || state === 'failed')) return 'do'
  if (/^(POST|PATCH) /.test(endpoint)) return 'read'
  return endpoint.startsWith('DELETE ') ? 'again' : 'look'
}
