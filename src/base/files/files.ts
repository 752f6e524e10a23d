/**
 * Writes files so that they appear complete or not at all, and reads files, pipes and terminals that a person names. A device, a pipe or
 * /dev/stdout cannot be replaced, so these are written directly.
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
import { Failure, getErrorCode, getReason } from '../../errors.js'
import { resolvePath } from '../io.js'
import { addPath, describeOther, nonBlocking } from './regular.js'
import { findDistrust } from './trust.js'

type Destination =
  | {
      readonly kind: 'file'
      /** The path with links resolved. */
      readonly path: string
      /** The existing regular file, if there is one. */
      readonly was?: Stats
    }
  /** A device, a pipe, a socket, or a descriptor that is already open. */
  | { readonly kind: 'stream'; readonly path: string; readonly append: boolean }

/** The folders whose entries are open descriptors. */
const descriptors = /^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?|\/dev)\/fd$/
/** The maximum number of links to follow, as in Linux. */
const maxLinks = 40

const readLinkStats = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })

/** Finds the place for a file that replaces whatever is there: a link is replaced itself, and never followed. */
const findOwnDestination = async (path: string): Promise<Destination> => {
  const was = await readLinkStats(path)
  if (was === undefined || was.isSymbolicLink()) return { kind: 'file', path }
  const other = describeOther(was)
  if (other !== undefined) throw new Error(other)
  return { kind: 'file', path, was }
}

/**
 * Inspects the place of a file. Links are followed one by one: a link may name a descriptor, which leads to a file but must not be replaced
 * by one.
 * @param own true for the tool's own files: no link is followed, and only a regular file is replaced
 * @throws the system's error; an Error with a message for people for a directory
 */
const resolveDestination = async (path: string, own: boolean): Promise<Destination> => {
  if (own) return findOwnDestination(resolvePath(path))
  let at = resolvePath(path)
  for (let hops = 0; hops < maxLinks; hops++) {
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
 * Prepares the place of one of the tool's own files for a library that follows links. A link to a file that only the user can change is
 * followed, because people keep configuration under version control. Any other link is removed, and its target stays.
 * @returns the path to write
 * @throws the system's error; an Error with a message for people if something other than a file is there
 */
export const preparePlace = async (path: string): Promise<string> => {
  const linked = findDistrust(path) === undefined ? await findReplaced(path) : undefined
  if (linked !== undefined) return linked
  const place = await resolveDestination(path, true)
  const absent = place.kind === 'file' && place.was === undefined
  if (absent) await rm(place.path, { force: true })
  return place.path
}

interface WholeOptions {
  /**
   * True for the tool's own files, which contain secrets or data that it trusts. Only the owner may read them (0600). They are never
   * written through a link, and replace only a regular file.
   */
  readonly own?: boolean
  /** True if only the owner may read the file (0600), also one that is replaced. */
  readonly secret?: boolean
  /** True if a link is replaced instead of followed, so that its target stays. */
  readonly unlinked?: boolean
  /** False if the file need not survive a power cut, as it can be downloaded again. */
  readonly durable?: boolean
  /** Ends the wait for a pipe without a reader. */
  readonly signal?: AbortSignal
}

export interface WholeFile {
  /** The path of the bytes until they are published; undefined if they are written to their destination at once. */
  readonly draft: string | undefined
  /** Writes all chunks. It must resolve before anything else is written. */
  write(chunks: readonly Uint8Array[]): Promise<void>
  /** Gives the file its name, or closes a stream. */
  publish(): Promise<void>
  /** Removes the partial file. It never throws. */
  discard(): Promise<void>
}

/** The pauses before writing again to a pipe that is full or not read yet, in milliseconds. */
const shortest = 1
const longest = 50
/** The error codes of file systems that do not support fsync. */
const unsupportedSync = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

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

const sleepUnlessAborted = async (
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> => {
  if (signal?.aborted !== true) await sleep(milliseconds)
  if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
}

/** Writes all chunks in one system call, and the rest in further ones. */
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
      await sleepUnlessAborted(pause, signal)
      pause = Math.min(longest, pause * 2)
    }
  }
}

type WritableHandle = Pick<FileHandle, 'writev' | 'close'>

/** Opens a socket of this process by the number of its descriptor, since a socket has no path that could be opened. */
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
    await sleepUnlessAborted(longest, signal)
  }
}

const createStreamFile = async (
  { path, append }: Extract<Destination, { kind: 'stream' }>,
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
    if (!unsupportedSync.has(getErrorCode(error))) throw error
  }
}

/** Syncs a folder, so that the name of a new file survives a power cut. */
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
const mayKeepOwner = async (was: Stats, folder: string, secret: boolean): Promise<boolean> =>
  !secret || (await stat(folder)).uid === was.uid

/** Copies mode and owner of the file that is replaced. Without the permission to change the owner, the file keeps its own. */
const copyModeAndOwner = async (
  handle: FileHandle,
  path: string,
  was: Stats,
  secret: boolean,
): Promise<void> => {
  const { uid, gid } = await handle.stat()
  if ((uid !== was.uid || gid !== was.gid) && (await mayKeepOwner(was, dirname(path), secret)))
    await handle.chown(was.uid, was.gid).catch(() => {})
  // The setuid and setgid bits are not copied, since the content is different now.
  await handle.chmod(secret ? 0o600 : was.mode & 0o777).catch(() => {})
}

const createReplacement = async (
  { path, was }: Extract<Destination, { kind: 'file' }>,
  { own = false, secret = own, durable = true }: WholeOptions,
): Promise<WholeFile> => {
  const { randomBytes } = await import('node:crypto')
  const draft = join(dirname(path), `.svcctl-${randomBytes(8).toString('hex')}.part`)
  const handle = await open(draft, 'wx', secret ? 0o600 : (was?.mode ?? 0o666) & 0o777)
  const discard = async (): Promise<void> => {
    await handle.close().catch(() => {})
    await rm(draft, { force: true }).catch(() => {})
  }
  const publish = async (): Promise<void> => {
    if (was !== undefined) await copyModeAndOwner(handle, path, was, secret)
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
  const place = await resolveDestination(path, false)
  return place.kind === 'file' && place.was !== undefined ? place.path : undefined
}

/** True if writing to a path goes into a device, a pipe or an open descriptor. @throws as `findReplaced` */
export const isStream = async (path: string): Promise<boolean> =>
  (await resolveDestination(path, false)).kind === 'stream'

/**
 * Begins to write a file, next to its place, under an unpredictable name and in a new file. A link is followed and stays; the file that it
 * names is replaced.
 * @throws the system's error; an Error in words if the file cannot be written; Failure `interrupted`
 */
export const openWhole = async (path: string, options: WholeOptions = {}): Promise<WholeFile> => {
  const place = await resolveDestination(path, options.own === true || options.unlinked === true)
  return place.kind === 'stream'
    ? createStreamFile(place, options)
    : createReplacement(place, options)
}

/** Writes a file. Afterwards it has either all of the data or its former content. @throws as `openWhole` */
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
    throw addPath(error, path)
  }
}

// Readers for files, pipes and terminals that a person names, which can be interrupted at any time.

/**
 * Opens a file, pipe or terminal as a stream, which closes the descriptor at its end. The event loop waits for a pipe: a blocking read
 * would occupy a thread and delay the exit.
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
 * Reads all bytes of a file, pipe or terminal.
 * @param max the maximum number of bytes, so that an endless input is not read forever
 * @throws the system's error, an Error with a message for people for more than `max`; an `AbortError` after the signal
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

/**
 * Reads all bytes of a file that a line names.
 * @param label the flag or argument that names it
 * @throws Failure `usage` with the label and the reason
 */
export const readGivenFile = async (
  label: string,
  path: string,
  max: number,
  signal?: AbortSignal,
): Promise<Buffer> => {
  try {
    return await readReadable(path, signal, max)
  } catch (cause) {
    throw new Failure('usage', `${label}: cannot read ${path}: ${getReason(cause)}`, { cause })
  }
}
