/** Reading what a person names: a file, a pipe or a terminal, which an interruption ends at any time. */
import { constants, createReadStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { isatty, ReadStream as Terminal } from 'node:tty'
import { nonBlocking } from './regular.js'

/**
 * Opens a file, pipe or terminal as a stream, which closes the descriptor. The event loop waits for a pipe: a read
 * of its file would hold a thread, and the exit.
 * @throws the system's error
 */
export const openReadable = (path: string): Readable => {
  const fd = openSync(path, constants.O_RDONLY | nonBlocking)
  if (isatty(fd)) return new Terminal(fd)
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream(path, { fd })
}

/**
 * All bytes of a file, pipe or terminal.
 * @param max how many there may be: what has no end is not read for ever
 * @throws the system's error, an Error in words for more than `max`; an `AbortError` after the signal
 */
export const readReadable = async (
  path: string,
  signal?: AbortSignal,
  max = Number.POSITIVE_INFINITY,
): Promise<Buffer> => {
  const stream = openReadable(path)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of signal === undefined ? stream : addAbortSignal(signal, stream)) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    // Leaving the loop closes the stream.
    if (size > max) throw new Error(`it is larger than ${Math.round(max / 1e6)} MB`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks, size)
}
