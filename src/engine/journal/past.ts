/** What a journal tells of a run: how far it came, and what is left to do. */
import { constants } from 'node:fs'
import { usage } from '../../errors.js'
import type { Item } from '../work/items.js'
import type { Counts, End } from '../work/report.js'
import type { EndLine, Header, Line, ObjectLine } from './lines.js'
import { Sums } from './lines.js'
import { type Gap, Gaps, gapFailure, parseLine, placedIn } from './parse.js'
import { linesFrom, openJournal, type Whose } from './reading.js'

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

  /** What was done stays done; a later line of a lost process does not undo it. */
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

export interface Past {
  readonly file: string
  readonly header: Header
  readonly states: States
  /** How many objects there are; undefined where the input was cut. */
  readonly total: number | undefined
  /** As the last line says; undefined where the run was killed. */
  readonly end: End | undefined
  readonly counts: Counts
  /** What it does not say any more; undefined where it is whole. */
  readonly gap: Gap | undefined
  /** Where its whole lines end: what follows was torn. */
  readonly size: number
}

/** No journal, or of a later format. */
const foreign = (file: string): Error =>
  usage(`${file} is not a journal`, 'svcctl journal list names those that there are.')

const isHeader = (line: Line | undefined): line is Header => line !== undefined && 'journal' in line

/** What the lines of a journal come to, one after the other. */
class Reader {
  readonly states = new States()
  readonly sums = new Sums()
  header: Header | undefined
  total: number | undefined
  end: EndLine | undefined
  readonly #file: string
  /** No number in it is larger: each object has lines of its own. */
  readonly #size: number
  readonly #gaps = new Gaps()
  #lines = 0

  constructor(file: string, size: number) {
    this.#file = file
    this.#size = size
  }

  take(text: string): void {
    this.#lines += 1
    if (this.header === undefined) this.#begin(text)
    else if (!this.#go(text)) this.#gaps.add(this.#lines)
  }

  get gap(): Gap | undefined {
    return this.#gaps.of(this.states.counts(), { total: this.total, counts: this.end?.counts })
  }

  /** @returns whether the line is whole */
  #go(text: string): boolean {
    // A checksum says that all of a line is there; without one it has to be read.
    const line = (this.sums.required ? placedIn(text) : undefined) ?? parseLine(text)
    // What a later version writes may be of another kind.
    if (line === undefined) return this.sums.required === true && text !== ''
    if ('journal' in line) return true
    if ('n' in line) {
      if (line.n > this.#size) return false
      this.states.note(line.n, line.state)
    } else if ('input' in line) {
      if (line.total > this.#size) return false
      this.total = line.total
    } else this.end = 'end' in line ? line : undefined
    return true
  }

  #begin(text: string): void {
    const line = parseLine(text)
    if (text === '' && this.sums.required === true)
      throw gapFailure(this.#file, 'its first line, which says what the run was')
    if (!isHeader(line)) throw foreign(this.#file)
    this.header = line
  }
}

/**
 * Reads a journal. A torn last line is left out; a damaged one is part of the gap.
 * @throws Failure `usage` where the file cannot be read, or is no journal; `partial` where its first line is damaged
 * @param whose `any` only to look at it
 */
export const readPast = async (file: string, whose: Whose = 'own'): Promise<Past> => {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  let size = 0
  try {
    const { size: length } = await handle.stat()
    const reader = new Reader(file, length)
    for await (const { texts, next } of linesFrom(handle, 0, () => length, reader.sums)) {
      for (const text of texts) reader.take(text)
      size = next
    }
    const { header, states, total, end, gap } = reader
    if (header === undefined) throw foreign(file)
    return { file, header, states, total, end: end?.end, counts: states.counts(), gap, size }
  } finally {
    await handle.close()
  }
}

/** Whether nothing is left to be done: of what is not known nobody can say that it is. */
export const isDone = ({ total, counts, gap }: Pick<Past, 'total' | 'counts' | 'gap'>): boolean =>
  gap === undefined &&
  total !== undefined &&
  counts.failed + counts.unknown + counts.not_tried === 0

/** What resuming does with an object: nothing, do it, do it once more, or look whether it was done. */
export type Next = 'skip' | 'do' | NonNullable<Item['how']>

/**
 * POST and PATCH are never sent twice blindly; what was deleted is not there to be deleted again.
 * @param damaged lines of the journal are: the one that says that the object was done may be among them
 */
export const getNextStep = (state: ObjectState, endpoint: string, damaged = false): Next => {
  if (state === 'done' || state === 'unchanged') return 'skip'
  if (!damaged && (state === 'queued' || state === 'failed')) return 'do'
  if (/^(POST|PATCH) /.test(endpoint)) return 'read'
  return endpoint.startsWith('DELETE ') ? 'again' : 'look'
}
