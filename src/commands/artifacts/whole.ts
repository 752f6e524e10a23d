/** Whether a download is the archive, or the file, that it should be: what HTTP itself cannot tell. */
import { Failure } from '../../errors.js'
import { isPage, pageTitle } from '../../http/answers/text.js'
import type { Answer } from '../../http/types.js'
import { getEntryEnd, openArchive, readEntries } from './archive.js'

// Whether an archive is there to its end: what HTTP itself cannot tell.

/** The record at the end of an archive, without its comment, and the two of large archives before it. */
const recordLength = 22
const locatorLength = 20
const largeLength = 56
/** With the longest comment that there may be. */
const longest = recordLength + 0xffff + locatorLength + largeLength

/** Keeps the end of what passes by. */
export class Tail {
  #chunks: Uint8Array[] = []
  #held = 0
  #length = 0

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    this.#length += chunk.length
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#held - first.length >= longest;
      first = this.#chunks[0]
    ) {
      this.#held -= first.length
      this.#chunks.shift()
    }
  }

  /** Bytes that passed. */
  get length(): number {
    return this.#length
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Where the last record stands, such that its comment reaches to the end. */
const recordIn = (tail: Buffer): number => {
  for (
    let at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1')
  ) {
    const comment = at + recordLength
    if (comment <= tail.length && comment + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return -1
}

interface Table {
  readonly offset: number
  readonly size: number
  /** Where the records begin that follow it. */
  readonly before: number
}

/** Of an archive past 4 GiB or 65,535 entries: where the larger record stands. */
const largeRecord = (tail: Buffer, record: number): number | undefined => {
  const locator = record - locatorLength
  return locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50
    ? Number(tail.readBigUInt64LE(locator + 8))
    : undefined
}

/** The table of contents, as the records after it have it; undefined where they contradict each other. */
const tableOf = (tail: Buffer, record: number, start: number): Table | undefined => {
  const small = {
    size: tail.readUInt32LE(record + 12),
    offset: tail.readUInt32LE(record + 16),
  }
  const before = largeRecord(tail, record)
  if (before === undefined) return { ...small, before: start + record }
  const at = before - start
  if (at < 0 || at + largeLength > record || tail.readUInt32LE(at) !== 0x06064b50) return undefined
  const [size, offset] = [tail.readBigUInt64LE(at + 40), tail.readBigUInt64LE(at + 48)]
  return { offset: Number(offset), size: Number(size), before }
}

/** Why these bytes do not end as an archive does; undefined where they do. */
export const endingFault = (tail: Tail): string | undefined => {
  const bytes = tail.bytes()
  const start = tail.length - bytes.length
  const record = recordIn(bytes)
  if (record < 0) return 'it has no valid end record'
  const table = tableOf(bytes, record, start)
  if (table === undefined) return 'its end records contradict each other'
  const gap = table.before - table.offset - table.size
  // Right before its records, else somewhere before them: an archive within a cut one ends like this, too.
  const seen = bytes.indexOf('PK\x01\x02', Math.max(0, table.offset - start), 'latin1')
  if (gap === 0 || (gap > 0 && seen >= 0 && seen === table.offset - start)) return undefined
  return 'bytes are missing in the middle'
}

/** Why a file is no archive that holds what its table of contents says; undefined where it is. */
export const contentsFault = async (path: string): Promise<string | undefined> => {
  try {
    const expectArchive = await openArchive(path, false)
    try {
      for await (const entry of readEntries(expectArchive))
        if (getEntryEnd(entry) > expectArchive.table)
          return 'its table of contents points outside of the file'
    } finally {
      await expectArchive.close()
    }
  } catch (error) {
    return `its table of contents is damaged (${error instanceof Error ? error.message : ''})`
  }
  return undefined
}

/** How an archive begins, with entries or without. */
const beginnings = ['PK\x03\x04', 'PK\x05\x06']
const signatureLength = 4
/** A page is known by its beginning. */
const glance = 4096

const unusable = (answer: Answer, message: string, hint: string): Failure =>
  new Failure('unreachable', message, { request: `GET ${answer.url}`, status: answer.status, hint })

/** Whether a download may begin like this. */
export type Expected = (beginning: string, answer: Answer) => boolean

const saysType = ({ headers }: Answer, type: RegExp): boolean =>
  type.test(String(headers['content-type']))
const jsonType = /^application\/(?:[^;]*\+)?json\b/i
const isJson = (beginning: string): boolean => /^[\ufeff\s]*[[{]/.test(beginning)

/** An archive, whatever stands before it; a page, JSON or nothing is none. */
export const archive: Expected = (beginning, answer) =>
  beginnings.some((signature) => beginning.startsWith(signature)) ||
  !(
    beginning === '' ||
    isPage(beginning) ||
    isJson(beginning) ||
    saysType(answer, /^text\/html/i) ||
    saysType(answer, jsonType)
  )

/** A file of any kind; a page only where its name says so, or the instance does not call it one. */
export const expectFile =
  (name: string): Expected =>
  (beginning, answer) =>
    /\.x?html?$/i.test(name) || !saysType(answer, /^text\/html/i) || !isPage(beginning)

const whatCame = (beginning: string, answer: Answer): string => {
  if (beginning === '') return 'nothing'
  if (isPage(beginning)) {
    const title = pageTitle(beginning)
    return `an HTML page${title === undefined ? '' : `, “${title}”`}`
  }
  return isJson(beginning) || saysType(answer, jsonType) ? 'JSON' : 'something else'
}

const somethingElse = (answer: Answer, beginning: string): Failure =>
  unusable(
    answer,
    `expected a file from the instance, but it sent ${whatCame(beginning, answer)}`,
    'There is a proxy or a sign-in page in front of the instance, or the base URL is wrong.',
  )

/**
 * Takes only an answer that is the whole: nobody asked for a part, and there is none without a body.
 * @throws Failure `unreachable`
 */
export const checkStatus = (answer: Answer): void => {
  if (answer.status === 200) return
  answer.cancel()
  const what = answer.status === 206 ? 'a part of the file that was not requested' : 'no file'
  throw unusable(
    answer,
    `the instance answered ${answer.status}: ${what}`,
    'A proxy may be at fault. Try again, or run `svcctl doctor`.',
  )
}

/**
 * The same bytes, refused where they do not begin as expected: a sign-in page must not be kept as an
 * archive.
 * @throws Failure `unreachable`
 */
export async function* beginningAs(
  expected: Expected,
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const check = (held: Buffer): void => {
    const beginning = held.toString('latin1', 0, glance)
    if (!expected(beginning, answer)) throw somethingElse(answer, held.toString('utf8', 0, glance))
  }
  let held: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of body) {
    if (held === undefined) {
      yield chunk
      continue
    }
    held = Buffer.concat([held, chunk])
    if (held.length < signatureLength) continue
    check(held)
    yield held
    held = undefined
  }
  if (held === undefined) return
  check(held)
  if (held.length > 0) yield held
}

/** Whether the answer said where it ends, so that a cut one was noticed on the way. */
export const saysItsEnd = ({ headers }: Answer): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const cutShort = (answer: Answer, why: string): Failure =>
  unusable(answer, `the archive is incomplete or damaged: ${why}`, 'Try again.')

/**
 * The same bytes of an archive, and a refusal after them where they do not end as one.
 * @throws Failure `unreachable`
 */
export async function* endingWhole(
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const tail = new Tail()
  for await (const chunk of body) {
    tail.push(chunk)
    yield chunk
  }
  const fault = endingFault(tail)
  if (fault !== undefined) throw cutShort(answer, fault)
}

/**
 * Refuses an archive that lacks something of what it says it has.
 * @param path where it was written
 * @throws Failure `unreachable`
 */
export const checkContents = async (path: string, answer: Answer): Promise<void> => {
  const fault = await contentsFault(path)
  if (fault !== undefined) throw cutShort(answer, fault)
}
