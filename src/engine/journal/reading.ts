/** Reading a journal's lines: so many at a time, whatever its length. */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { nonBlocking, otherThanFile } from '../../base/files/regular.js'
import { describeDistrust, distrustOpen } from '../../base/files/trust.js'
import { getErrorCode, getReason, usage } from '../../errors.js'
import { Sums } from './lines.js'

const piece = 1 << 15
const newline = 0x0a
/** A longer line is damaged: nothing that is written into a journal comes near it. */
const longestLine = 1 << 26

/** Whole lines without their ends and checksums, and where the next begins. */
export interface Lines {
  /** In the place of a damaged line stands an empty one. */
  readonly texts: readonly string[]
  readonly next: number
}

/** Whose journals are read: what is done after one must be this user's own; anybody's may be looked at. */
export type Whose = 'own' | 'any'

/** @throws Failure `usage` for a file that another may have written: what stands in it would be sent in this user's name */
const checkOwn = (file: string, stats: Stats): void => {
  const distrusted = distrustOpen(file, stats)
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
  whose: Whose = 'own',
): Promise<FileHandle> => {
  const handle = await open(file, flags | (constants.O_NOFOLLOW ?? 0) | nonBlocking).catch(
    (error: unknown) => {
      const reason = getErrorCode(error) === 'ELOOP' ? 'it is a symbolic link' : getReason(error)
      throw usage(`cannot open the journal ${file}: ${reason}`)
    },
  )
  try {
    const stats = await handle.stat()
    const other = otherThanFile(stats)
    if (other !== undefined) throw usage(`cannot open the journal ${file}: ${other}`)
    if (whose === 'own') checkOwn(file, stats)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The whole lines of a journal's first bytes, so many at a time. */
export async function* textsIn(
  file: string,
  size: number,
  whose: Whose = 'own',
): AsyncGenerator<Lines['texts']> {
  const handle = await openJournal(file, constants.O_RDONLY, whose)
  try {
    for await (const { texts } of linesFrom(handle, 0, () => size)) yield texts
  } finally {
    await handle.close()
  }
}

/**
 * The whole lines from a place on; what has no end yet is left out.
 * @param upTo where to stop, asked again before each piece
 * @param sums checks the lines; the same for all that is read of a journal
 */
export async function* linesFrom(
  handle: Pick<FileHandle, 'read'>,
  from: number,
  upTo: () => number,
  sums = new Sums(),
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
    yield { texts: lines.map((line) => sums.check(line)), next: at - held }
  }
}
