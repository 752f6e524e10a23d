/** Reads one configuration: bounded, and never waiting without a word. */
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { openReadable } from '../../base/files/readable.js'
import { Failure, reasonOf, usage } from '../../errors.js'

/** How long is waited, and who is told. */
export interface Patience {
  /** Seconds without a byte until it is given up. */
  readonly timeout: number
  readonly signal: AbortSignal
  note(text: string): void
}

const mostBytes = 10 * 1024 * 1024
const quiet = 500

const tooLarge = (name: string): Failure =>
  usage(`${name} is too large: at most ${mostBytes / 1024 / 1024} MiB are checked`)

const unreadable = (name: string, cause: unknown): Failure =>
  cause instanceof Failure
    ? cause
    : new Failure('usage', `cannot read ${name}: ${reasonOf(cause)}`, { cause })

/**
 * All that a stream gives.
 * @throws Failure `usage` when that is too much, or nothing comes for `timeout` seconds
 */
export const readStream = async (
  stream: Readable,
  name: string,
  { timeout, signal, note }: Patience,
): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  const said = setTimeout(() => note(`waiting for ${name}: nothing came of it yet`), quiet)
  const given = setTimeout(
    () => stream.destroy(usage(`nothing came of ${name} for ${timeout} s (--timeout)`)),
    timeout * 1000,
  )
  const stop = (): unknown => stream.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    for await (const chunk of stream) {
      clearTimeout(said)
      given.refresh()
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > mostBytes) throw tooLarge(name)
      chunks.push(bytes)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(said)
    clearTimeout(given)
    stream.destroy()
  }
}

/**
 * The text of a file, pipe or device.
 * @throws Failure `usage` when it cannot be read, holds too much, or gives nothing in time
 */
export const readFileBounded = async (
  path: string,
  name: string,
  patience: Patience,
): Promise<string> => {
  try {
    return await readStream(openReadable(path), name, patience)
  } catch (cause) {
    if (patience.signal.aborted) throw patience.signal.reason
    throw unreadable(name, cause)
  }
}

/**
 * That a file is there and not too large, before anything is sent.
 * @throws Failure `usage`
 */
export const checkFile = async (path: string, name: string): Promise<void> => {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw new Error('it is a directory')
    if (stats.isFile() && stats.size > mostBytes) throw tooLarge(name)
  } catch (cause) {
    throw unreadable(name, cause)
  }
}
