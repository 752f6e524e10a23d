/** Reading a journal's lines: so many at a time, whatever its length. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { nonBlocking, otherThanFile } from '../../base/files/regular.js'
import { codeOf, reasonOf, usage } from '../../errors.js'

const piece = 1 << 15
const newline = 0x0a

/** Whole lines without their ends, and where the next begins. */
export interface Lines {
  readonly texts: readonly string[]
  readonly next: number
}

/** Opens a regular file that is no link. */
export const openJournal = async (
  file: string,
  flags = constants.O_RDONLY,
): Promise<FileHandle> => {
  const handle = await open(file, flags | (constants.O_NOFOLLOW ?? 0) | nonBlocking).catch(
    (error: unknown) => {
      const reason = codeOf(error) === 'ELOOP' ? 'it is a link' : reasonOf(error)
      throw usage(`the journal ${file} cannot be opened: ${reason}`)
    },
  )
  const other = otherThanFile(await handle.stat())
  if (other === undefined) return handle
  await handle.close()
  throw usage(`the journal ${file} cannot be opened: ${other}`)
}

/** The whole lines of a journal's first bytes, so many at a time. */
export async function* textsIn(file: string, size: number): AsyncGenerator<Lines['texts']> {
  const handle = await openJournal(file)
  try {
    for await (const { texts } of linesFrom(handle, 0, () => size)) yield texts
  } finally {
    await handle.close()
  }
}

/**
 * The whole lines from a place on; what has no end yet is left out.
 * @param upTo where to stop, asked again before each piece
 */
export async function* linesFrom(
  handle: Pick<FileHandle, 'read'>,
  from: number,
  upTo: () => number,
): AsyncGenerator<Lines> {
  let rest: Buffer = Buffer.alloc(0)
  for (let at = from; at < upTo(); ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(Math.min(piece, upTo() - at)),
      { position: at },
    )
    if (bytesRead === 0) return
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
    at += bytesRead
    const end = bytes.lastIndexOf(newline)
    rest = bytes.subarray(end + 1)
    // All at once: line by line it is three times the work.
    if (end >= 0)
      yield { texts: bytes.toString('utf8', 0, end).split('\n'), next: at - rest.length }
  }
}
