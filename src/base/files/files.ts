/**
 * Every file that the program writes is written here: whole or not at all. What is no regular file
 * (a device, a pipe, /dev/stdout) cannot be replaced: it is opened and written into.
 */
import { constants, createReadStream, fstatSync, openSync, type Stats, writev } from 'node:fs'
import {
  type FileHandle,
  lstat,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { Socket } from 'node:net'
import { basename, dirname, join, resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty, ReadStream as Terminal } from 'node:tty'
import { promisify } from 'node:util'
import { Failure, getErrorCode } from '../../errors.js'
import { resolvePath } from '../io.js'
import { describeOther, nonBlocking } from './regular.js'

type Place =
  | {
      readonly kind: 'file'
      /** Links resolved. */
      readonly path: string
      /** The regular file that is there. */
      readonly was?: Stats
    }
  /** A device, a pipe, a socket, or a descriptor that is open already. */
  | { readonly kind: 'stream'; readonly path: string; readonly append: boolean }

/** Folders whose entries are open descriptors, whatever those lead to. */
const descriptors = /^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?|\/dev)\/fd$/
/** As many links as Linux follows. */
const longestChain = 40

const readLinkStats = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })

/** A file that takes the place of what is there: a link is replaced, and never followed. */
const findOwnPlace = async (path: string): Promise<Place> => {
  const was = await readLinkStats(path)
  if (was === undefined || was.isSymbolicLink()) return { kind: 'file', path }
  const other = describeOther(was)
  if (other !== undefined) throw new Error(other)
  return { kind: 'file', path, was }
}

/**
 * Looks at what is there. Links are followed one by one, since one among them may name a descriptor,
 * which leads to a file and must not be replaced by one.
 * @param own whether no link is followed, and nothing but a regular file replaced: as with the tool's own
 * @throws the system's error; an Error in words for a directory
 */
const resolvePlace = async (path: string, own: boolean): Promise<Place> => {
  if (own) return findOwnPlace(resolvePath(path))
  let at = resolvePath(path)
  for (let hops = 0; hops < longestChain; hops++) {
    const folder = await realpath(dirname(at))
    const here = join(folder, basename(at))
    if (descriptors.test(folder)) return { kind: 'stream', path: here, append: true }
    const entry = await readLinkStats(here)
    if (entry === undefined) return { kind: 'file', path: here }
    if (entry.isFile()) return { kind: 'file', path: here, was: entry }
    if (entry.isDirectory()) throw new Error(describeOther(entry))
    if (!entry.isSymbolicLink()) return { kind: 'stream', path: here, append: false }
    at = resolve(folder, await readlink(here))
  }
  throw new Error('it is a symbolic link that points to itself')
}

/**
 * Makes the place of one of the tool's own files fit to be written by a library that follows links: a
 * link is taken away, whatever it names stays.
 * @throws the system's error; an Error in words where something else than a file is there
 */
export const clearPlace = async (path: string): Promise<void> => {
  const place = await resolvePlace(path, true)
  const absent = place.kind === 'file' && place.was === undefined
  if (absent) await rm(place.path, { force: true })
}

interface WholeOptions {
  /**
   * The tool's own, with secrets or what it will trust: only for its owner (0600), never through a
   * link, never into anything but a regular file.
   */
  readonly own?: boolean
  /** True where a link in its place is not followed: it is replaced, and what it names stays. */
  readonly unlinked?: boolean
  /** False if the file need not survive a power cut, as it can be downloaded again. */
  readonly durable?: boolean
  /** Ends the wait for a pipe without a reader. */
  readonly signal?: AbortSignal
}

export interface WholeFile {
  /** The path of the bytes until they are published; undefined if they are written to their destination at once. */
  readonly draft: string | undefined
  /** Takes all of the chunks; nothing else is written before it resolves. */
  write(chunks: readonly Uint8Array[]): Promise<void>
  /** Gives the file its name, or ends the writing into a stream. */
  publish(): Promise<void>
  /** Leaves no trace of a file. Never throws. */
  discard(): Promise<void>
}

/** The pauses before writing again to a pipe that is full or not read yet, in milliseconds. */
const shortest = 1
const longest = 50
/** File systems that know no fsync say so with these. */
const noSync = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

/** Returns the chunks without their first bytes. */
const skipBytes = (chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] => {
  let done = bytes
  const first = chunks.findIndex((chunk) => {
    if (done < chunk.length) return true
    done -= chunk.length
    return false
  })
  if (first < 0) return []
  return chunks.slice(first).map((chunk, i) => (i === 0 ? chunk.subarray(done) : chunk))
}

const wait = async (milliseconds: number, signal: AbortSignal | undefined): Promise<void> => {
  if (signal?.aborted !== true) await sleep(milliseconds)
  if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
}

/** All chunks in one system call, and in further ones what has not been taken. */
export const writeAll = async (
  handle: Pick<FileHandle, 'writev'>,
  chunks: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<void> => {
  let pause = shortest
  for (let left = skipBytes(chunks, 0); left.length > 0; ) {
    try {
      left = skipBytes(left, (await handle.writev(left)).bytesWritten)
      pause = shortest
    } catch (error) {
      if (getErrorCode(error) !== 'EAGAIN') throw error
      await wait(pause, signal)
      pause = Math.min(longest, pause * 2)
    }
  }
}

type WritableHandle = Pick<FileHandle, 'writev' | 'close'>

/** A socket cannot be opened; one that this process has is written into by its number. */
const openOwnSocket = async (path: string): Promise<WritableHandle | undefined> => {
  const [, pid, number] = /^\/proc\/(\d+)\/fd\/(\d+)$/.exec(path) ?? []
  if (Number(pid) !== process.pid || !(await stat(path)).isSocket()) return undefined
  const write = promisify(writev)
  return { writev: (chunks) => write(Number(number), chunks), close: async () => {} }
}

/** Opens a device, pipe or socket. It polls a pipe without a reader, since a blocking open could not be interrupted. */
const openStream = async (
  path: string,
  append: boolean,
  signal: AbortSignal | undefined,
): Promise<WritableHandle> => {
  const { O_WRONLY, O_APPEND, O_NOCTTY = 0 } = constants
  for (;;) {
    try {
      return await open(path, O_WRONLY | O_NOCTTY | nonBlocking | (append ? O_APPEND : 0))
    } catch (error) {
      const socket = getErrorCode(error) === 'ENXIO' ? await openOwnSocket(path) : undefined
      if (socket !== undefined) return socket
      if (getErrorCode(error) !== 'ENXIO' || !(await stat(path)).isFIFO()) throw error
    }
    await wait(longest, signal)
  }
}

const stream = async (
  { path, append }: Extract<Place, { kind: 'stream' }>,
  { signal }: WholeOptions,
): Promise<WholeFile> => {
  const handle = await openStream(path, append, signal)
  return {
    draft: undefined,
    write: (chunks) => writeAll(handle, chunks, signal),
    publish: () => handle.close(),
    discard: () => handle.close().catch(() => {}),
  }
}

const syncFile = async (handle: FileHandle): Promise<void> => {
  try {
    await handle.sync()
  } catch (error) {
    if (!noSync.has(getErrorCode(error))) throw error
  }
}

/** The name itself reaches the disk with its folder. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    await syncFile(handle)
  } finally {
    await handle.close()
  }
}

/** True if the former owner may own the new file; for a secret, only if that user owns the folder as well. */
const mayKeep = async (was: Stats, folder: string, own: boolean): Promise<boolean> =>
  !own || (await stat(folder)).uid === was.uid

/** Mode and owner of the file that is replaced; who may not give files away keeps them. */
const copyModeAndOwner = async (
  handle: FileHandle,
  path: string,
  was: Stats,
  own: boolean,
): Promise<void> => {
  const { uid, gid } = await handle.stat()
  if ((uid !== was.uid || gid !== was.gid) && (await mayKeep(was, dirname(path), own)))
    await handle.chown(was.uid, was.gid).catch(() => {})
  // Not the bits that run it as its owner: it holds something else now.
  await handle.chmod(own ? 0o600 : was.mode & 0o777).catch(() => {})
}

const createReplacement = async (
  { path, was }: Extract<Place, { kind: 'file' }>,
  { own = false, durable = true }: WholeOptions,
): Promise<WholeFile> => {
  const { randomBytes } = await import('node:crypto')
  const draft = join(dirname(path), `.svcctl-${randomBytes(8).toString('hex')}.part`)
  const handle = await open(draft, 'wx', own ? 0o600 : was === undefined ? 0o666 : was.mode & 0o777)
  const discard = async (): Promise<void> => {
    await handle.close().catch(() => {})
    await rm(draft, { force: true }).catch(() => {})
  }
  const publish = async (): Promise<void> => {
    if (was !== undefined) await copyModeAndOwner(handle, path, was, own)
    if (durable) await syncFile(handle)
    await handle.close()
    await rename(draft, path)
    if (durable) await syncFolder(dirname(path)).catch(() => {})
  }
  return { draft, write: (chunks) => writeAll(handle, chunks), publish, discard }
}

/**
 * Finds the regular file that would be replaced by writing to a path, with links resolved.
 * @returns undefined if nothing is there, or if it is a device, a pipe or an open descriptor
 * @throws the system's error; an Error in words for a directory
 */
export const findReplaced = async (path: string): Promise<string | undefined> => {
  const place = await resolvePlace(path, false)
  return place.kind === 'file' && place.was !== undefined ? place.path : undefined
}

/** True if writing to a path goes into a device, a pipe or an open descriptor. @throws as `findReplaced` */
export const isStream = async (path: string): Promise<boolean> =>
  (await resolvePlace(path, false)).kind === 'stream'

/**
 * Begins to write a file, next to its place, under an unpredictable name and in a new file. A link is followed and stays; the file that it
 * names is replaced.
 * @throws the system's error; an Error in words if the file cannot be written; Failure `interrupted`
 */
export const openWhole = async (path: string, options: WholeOptions = {}): Promise<WholeFile> => {
  const place = await resolvePlace(path, options.own === true || options.unlinked === true)
  return place.kind === 'stream' ? stream(place, options) : createReplacement(place, options)
}

/**
 * Writes a file: there is all of it afterwards, or what was there before.
 * @throws as `openWhole`
 */
export const writeWhole = async (
  path: string,
  data: string | Uint8Array | readonly Uint8Array[],
  options: WholeOptions = {},
): Promise<void> => {
  const file = await openWhole(path, options)
  const chunks = typeof data === 'string' ? [Buffer.from(data)] : data
  try {
    await file.write(chunks instanceof Uint8Array ? [chunks] : chunks)
    await file.publish()
  } catch (error) {
    await file.discard()
    throw error
  }
}

// Reading what a person names: a file, a pipe or a terminal, which an interruption ends at any
// time.

/**
 * Opens a file, pipe or terminal as a stream, which closes the descriptor. The event loop waits for a pipe: a read
 * of its file would hold a thread, and the exit.
 * @throws the system's error
 */
export const openReadable = (path: string): Readable => {
  const fd = openSync(resolvePath(path), constants.O_RDONLY | nonBlocking)
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
