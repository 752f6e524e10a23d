/** Checks that a download is the complete archive or file that was requested, which HTTP alone cannot guarantee. */
import { Failure } from '../../errors.js'
import { findPageTitle, isPage } from '../../http/answers/network.js'
import { type Answer, type NextStep, toDetails } from '../../http/types.js'
import { getEntryEnd, openArchive, readEntries } from './archive.js'

// The end of an archive, which shows whether bytes are missing.

/** The lengths of the records at the end of an archive in bytes: the end record without its comment, and two for large archives. */
const endRecordLength = 22
const locatorLength = 20
const zip64RecordLength = 56
/** The maximum length of the end records with the longest possible comment, in bytes. */
const longest = endRecordLength + 0xffff + locatorLength + zip64RecordLength

/** Keeps the last bytes of a stream, enough for the end records of an archive. */
export class TailBuffer {
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

  /** The number of bytes that were received. */
  get length(): number {
    return this.#length
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Returns the position of the last end record whose comment ends with the file; -1 if there is none. */
const findEndRecord = (tail: Buffer): number => {
  for (
    let at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1')
  ) {
    const comment = at + endRecordLength
    if (comment <= tail.length && comment + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return -1
}

interface ContentsTable {
  readonly offset: number
  readonly size: number
  /** The position of the records that follow the table. */
  readonly before: number
}

/** Returns the position of the larger end record, which archives above 4 GiB or 65,535 entries have. */
const findZip64Record = (tail: Buffer, record: number): number | undefined => {
  const locator = record - locatorLength
  return locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50
    ? Number(tail.readBigUInt64LE(locator + 8))
    : undefined
}

/** Reads the position of the table of contents from the end records; undefined if they contradict each other. */
const readContentsTable = (
  tail: Buffer,
  record: number,
  start: number,
): ContentsTable | undefined => {
  const small = {
    size: tail.readUInt32LE(record + 12),
    offset: tail.readUInt32LE(record + 16),
  }
  const before = findZip64Record(tail, record)
  if (before === undefined) return { ...small, before: start + record }
  const at = before - start
  if (at < 0 || at + zip64RecordLength > record || tail.readUInt32LE(at) !== 0x06064b50)
    return undefined
  const [size, offset] = [tail.readBigUInt64LE(at + 40), tail.readBigUInt64LE(at + 48)]
  return { offset: Number(offset), size: Number(size), before }
}

/** Explains why the last bytes are not the end of an archive; undefined if they are. */
export const findEndFault = (tail: TailBuffer): string | undefined => {
  const bytes = tail.toBuffer()
  const start = tail.length - bytes.length
  const record = findEndRecord(bytes)
  if (record < 0) return 'it has no valid end record'
  const table = readContentsTable(bytes, record, start)
  if (table === undefined) return 'its end records contradict each other'
  const gap = table.before - table.offset - table.size
  // The table usually ends at its records. If there is a gap, the table must begin where the records state, as it may in a nested archive.
  const seen = bytes.indexOf('PK\x01\x02', Math.max(0, table.offset - start), 'latin1')
  if (gap === 0 || (gap > 0 && seen >= 0 && seen === table.offset - start)) return undefined
  return 'bytes are missing in the middle'
}

/** Explains why a file does not contain what its table of contents names; undefined if it does. */
export const findContentsFault = async (path: string): Promise<string | undefined> => {
  try {
    const archive = await openArchive(path, false)
    try {
      for await (const entry of readEntries(archive))
        if (getEntryEnd(entry) > archive.table)
          return 'its table of contents points outside of the file'
    } finally {
      await archive.close()
    }
  } catch (error) {
    return `its table of contents is damaged (${error instanceof Error ? error.message : ''})`
  }
  return undefined
}

/** The first bytes of an archive, with and without entries. */
const archiveSignatures = ['PK\x03\x04', 'PK\x05\x06']
const signatureLength = 4
/** The number of bytes that are sufficient to recognize an HTML page. */
const sampleSize = 4096

const createAnswerFailure = (answer: Answer, message: string, next: NextStep): Failure =>
  new Failure('unreachable', message, {
    request: `GET ${answer.url}`,
    status: answer.status,
    ...toDetails(next),
  })

/** Returns true if a download may begin like this. */
type ExpectedContent = (beginning: string, answer: Answer) => boolean

const hasMediaType = ({ headers }: Answer, type: RegExp): boolean =>
  type.test(String(headers['content-type']))
const jsonType = /^application\/(?:[^;]*\+)?json\b/i
const isJson = (beginning: string): boolean => /^[\ufeff\s]*[[{]/.test(beginning)

/** Accepts anything but an HTML page, JSON and an empty body, because an archive may begin with other bytes. */
const isArchiveStart: ExpectedContent = (beginning, answer) =>
  archiveSignatures.some((signature) => beginning.startsWith(signature)) ||
  !(
    beginning === '' ||
    isPage(beginning) ||
    isJson(beginning) ||
    hasMediaType(answer, /^text\/html/i) ||
    hasMediaType(answer, jsonType)
  )

/** Accepts any file; an HTML page only if the name says so or the instance does not declare it as one. */
const createFileTest =
  (name: string): ExpectedContent =>
  (beginning, answer) =>
    /\.x?html?$/i.test(name) || !hasMediaType(answer, /^text\/html/i) || !isPage(beginning)

const describeContent = (beginning: string, answer: Answer): string => {
  if (beginning === '') return 'nothing'
  if (isPage(beginning)) {
    const title = findPageTitle(beginning)
    return `an HTML page${title === undefined ? '' : `, “${title}”`}`
  }
  return isJson(beginning) || hasMediaType(answer, jsonType) ? 'JSON' : 'something else'
}

const createContentFailure = (answer: Answer, beginning: string): Failure =>
  createAnswerFailure(
    answer,
    `expected a file from the instance, but it sent ${describeContent(beginning, answer)}`,
    'There is a proxy or a sign-in page in front of the instance, or the base URL is wrong.',
  )

/**
 * Accepts only status 200, since no partial content was requested.
 * @throws Failure `unreachable`
 */
const checkStatus = (answer: Answer): void => {
  if (answer.status === 200) return
  answer.cancel()
  const what = answer.status === 206 ? 'a part of the file that was not requested' : 'no file'
  throw createAnswerFailure(answer, `the instance answered ${answer.status}: ${what}`, {
    code: 'way',
  })
}

/**
 * Yields the bytes if they begin as expected, so that a sign-in page is not saved as an archive.
 * @throws Failure `unreachable`
 */
async function* checkBeginning(
  expected: ExpectedContent,
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const check = (held: Buffer): void => {
    const beginning = held.toString('latin1', 0, sampleSize)
    if (!expected(beginning, answer))
      throw createContentFailure(answer, held.toString('utf8', 0, sampleSize))
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

/** True if the answer has a length or is chunked, so that an incomplete body is an error of the connection. */
const hasLength = ({ headers }: Answer): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

const createArchiveFailure = (answer: Answer, why: string): Failure =>
  createAnswerFailure(answer, `the archive is incomplete or damaged: ${why}`, 'Try again.')

/**
 * Yields the bytes of an archive, and fails after the last one if they do not end like an archive.
 * @throws Failure `unreachable`
 */
async function* checkEnd(
  body: AsyncIterable<Uint8Array>,
  answer: Answer,
): AsyncGenerator<Uint8Array> {
  const tail = new TailBuffer()
  for await (const chunk of body) {
    tail.push(chunk)
    yield chunk
  }
  const fault = findEndFault(tail)
  if (fault !== undefined) throw createArchiveFailure(answer, fault)
}

/** A download whose bytes are checked while they are received. */
export interface CheckedBody {
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Checks the written file, for what cannot be checked while it is received.
   * @throws Failure `unreachable` if parts are missing
   */
  readonly check?: (path: string) => Promise<void>
}

/**
 * Checks that a download is complete, and is the requested file.
 * @param file the name of the expected file; undefined for an archive
 * @param warn receives a warning if the download cannot be checked
 * @throws Failure `unreachable` for an answer without the file
 */
export const checkBody = (
  answer: Answer,
  bytes: AsyncIterable<Uint8Array>,
  file: string | undefined,
  warn: (text: string) => void,
): CheckedBody => {
  checkStatus(answer)
  if (file === undefined) {
    const check = async (path: string): Promise<void> => {
      const fault = await findContentsFault(path)
      if (fault !== undefined) throw createArchiveFailure(answer, fault)
    }
    return { body: checkEnd(checkBeginning(isArchiveStart, bytes, answer), answer), check }
  }
  if (!hasLength(answer))
    warn('the instance does not send the file size, so an incomplete download cannot be detected')
  return { body: checkBeginning(createFileTest(file), bytes, answer) }
}
