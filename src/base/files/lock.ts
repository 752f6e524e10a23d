/**
 * Provides locks between processes. A lock is a directory with one file of a random name, which identifies the owner. The directory appears
 * by a rename, so a lock always has an owner. Taking a stale lock over begins with removing exactly that file. So if several processes find
 * the owner gone, none of them removes the lock of the next one.
 */

import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, getErrorCode } from '../../errors.js'
import { onProcessExit } from '../io.js'
import { addPath, makeFolders, readRegular } from './regular.js'

// The identity of this process, and the check whether another one still runs.

/** The identity of a process, which differs from that of a later process with the same number. */
export interface ProcessId {
  readonly pid: number
  /** The place in which its number counts: host, boot and, in containers, the space of process numbers. */
  readonly place: string
  readonly host: string
  /** The time at which it began, as the system writes it; undefined if the system does not provide it. */
  readonly started?: string
}

const readOrEmpty = (file: string, how: (file: string) => string): string => {
  try {
    return how(file).trim()
  } catch {
    return ''
  }
}
const readText = (file: string): string => readFileSync(file, 'utf8')

/** Reads the state and the start time of a process on Linux (proc(5), fields 3 and 22 of `stat`). */
const readProcessStat = (
  pid: number,
): { readonly state: string; readonly started: string } | undefined => {
  const text = readOrEmpty(`/proc/${pid}/stat`, readText)
  // The second field is the program's name in parentheses, which may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields[0], fields[19]]
  return state === undefined || started === undefined ? undefined : { state, started }
}

let known: ProcessId | undefined

/** Returns the identity of this process. */
export const getThisProcess = (): ProcessId => {
  known ??= identifyProcess()
  return known
}

const identifyProcess = (): ProcessId => {
  const host = hostname()
  const boot = readOrEmpty('/proc/sys/kernel/random/boot_id', readText)
  const numbers = readOrEmpty('/proc/self/ns/pid', readlinkSync)
  const stat = readProcessStat(process.pid)
  return {
    pid: process.pid,
    host,
    place: [host, boot, numbers].join(' '),
    started: stat?.started,
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user must not be signalled, but it exists.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Returns the state of a process: `unknown` if it runs elsewhere, or if its number alone does not identify it. */
export const getProcessState = (other: ProcessId): 'runs' | 'gone' | 'unknown' => {
  if (other.place !== getThisProcess().place) return 'unknown'
  if (!isRunning(other.pid)) return 'gone'
  const stat = readProcessStat(other.pid)
  if (stat === undefined || other.started === undefined) return 'unknown'
  // A zombie (Z, X) has ended, although its parent has not waited for it.
  return stat.started === other.started && !/[ZX]/.test(stat.state) ? 'runs' : 'gone'
}

/** The silence, in milliseconds, after which an owner that cannot be examined counts as gone. */
const maxSilence = 10_000
/** The interval at which an owner gives a sign of life, in milliseconds. */
const heartbeat = 2500
/** The wait, in milliseconds, after which a note names the owner of the lock. */
const noteDelay = 500

export interface LockOptions {
  /** The time to wait for another process, in milliseconds. */
  readonly patience: number
  /** Reports once which process is waited for. */
  readonly note?: ((text: string) => void) | undefined
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined
  /** Creates the failure that is thrown if another process does not release the lock. */
  readonly held: (owner: string) => Failure
}

export interface Lock {
  /** Returns true if this process still has the lock: another one may have taken it over while this one slept. */
  isHeld(): boolean
  release(): void
}

/** The file in a lock's directory, and the process that owns it. */
interface LockEntry {
  readonly file: string
  readonly owner: ProcessId | undefined
  /** The time of the last sign of life, by the file system's clock. */
  readonly sign: number
}

const ownerFile = /^owner-[\w-]+$/

/** Runs a step that may fail because another process was faster. @returns false if it failed with one of the codes */
const runUnless = (codes: readonly string[], work: () => void): boolean => {
  try {
    work()
    return true
  } catch (error) {
    if (codes.includes(getErrorCode(error))) return false
    throw error
  }
}

const toOwner = (file: string): ProcessId | undefined => {
  try {
    const { pid, place, host, started } = JSON.parse(
      readRegular(file).toString(),
    ) as Partial<ProcessId>
    if (!Number.isSafeInteger(pid) || pid === undefined || pid < 1) return undefined
    if (typeof place !== 'string' || typeof host !== 'string') return undefined
    return { pid, place, host, ...(typeof started === 'string' ? { started } : {}) }
  } catch {
    return undefined
  }
}

/** Returns the entry of the lock; undefined if the lock is free. */
const readLockEntry = (directory: string): LockEntry | undefined => {
  let found: LockEntry | undefined
  runUnless(['ENOENT'], () => {
    const name = readdirSync(directory).find((entry) => ownerFile.test(entry))
    if (name === undefined) return
    const file = join(directory, name)
    found = { file, owner: toOwner(file), sign: statSync(file).mtimeMs }
  })
  return found
}

/** Creates a name that no other lock has. Node's own random names take long to load. */
const createUniqueName = (): string =>
  `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** The error codes of a rename that fails because a full directory is there. */
const occupiedCodes = ['ENOTEMPTY', 'EEXIST', ...(process.platform === 'win32' ? ['EPERM'] : [])]

/** Takes a free lock; returns undefined if another process was faster. */
const takeFreeLock = (directory: string): string | undefined => {
  const made = createUniqueName()
  const prepared = `${directory}.${made}`
  const name = `owner-${made}`
  try {
    makeFolders(prepared, 0o700)
    writeFileSync(join(prepared, name), JSON.stringify(getThisProcess()), { mode: 0o600 })
    // An empty directory is a released lock. Windows does not rename over it, and no system renames over a full one.
    runUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(directory))
    const taken = runUnless(occupiedCodes, () => renameSync(prepared, directory))
    if (taken) return join(directory, name)
  } catch (error) {
    rmSync(prepared, { recursive: true, force: true })
    throw addPath(error, directory)
  }
  rmSync(prepared, { recursive: true, force: true })
  return undefined
}

/** Removes exactly this owner's lock, even if another process has taken it over. */
const releaseLock = (directory: string, file: string): void => {
  runUnless(['ENOENT'], () => unlinkSync(file))
  runUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(directory))
}

/** The functions that release the locks of this process at its end. A single listener calls them, while there are any. */
const releasesAtExit = new Set<() => void>()
let stopListening = (): void => {}

const addReleaseAtExit = (release: () => void): void => {
  if (releasesAtExit.size === 0)
    stopListening = onProcessExit(() => {
      for (const one of releasesAtExit) one()
    })
  releasesAtExit.add(release)
}

const removeReleaseAtExit = (release: () => void): void => {
  if (releasesAtExit.delete(release) && releasesAtExit.size === 0) stopListening()
}

const holdLock = (directory: string, file: string): Lock => {
  const isHeld = (): boolean => existsSync(file)
  const timer = setInterval(() => {
    const now = new Date()
    try {
      utimesSync(file, now, now)
    } catch {
      // The lock was taken over, or the disk failed. The next write detects it.
    }
  }, heartbeat).unref()
  const atExit = (): void => {
    try {
      releaseLock(directory, file)
    } catch {
      // The next process detects that this one is gone.
    }
  }
  addReleaseAtExit(atExit)
  const release = (): void => {
    clearInterval(timer)
    removeReleaseAtExit(atExit)
    atExit()
  }
  return { isHeld, release }
}

const describeOwner = (found: LockEntry | undefined): string => {
  const owner = found?.owner
  if (owner === undefined) return 'another process'
  const elsewhere = owner.place === getThisProcess().place ? '' : ` on ${owner.host}`
  return `process ${owner.pid}${elsewhere}`
}

/** Creates a test of whether the owner of a lock has been silent for too long, by this process's own clock. */
const createSilenceTest = () => {
  let last = ''
  let since = 0
  return ({ file, sign }: LockEntry): boolean => {
    const seen = `${file} ${sign}`
    if (seen !== last) {
      last = seen
      since = performance.now()
    }
    return performance.now() - since > maxSilence
  }
}

/** Tries once to take the lock, and returns it or its owner. The lock of an owner that is gone is removed first. */
const tryLock = (
  directory: string,
  isSilent: (found: LockEntry) => boolean,
): { readonly lock: Lock } | { readonly by: LockEntry | undefined } => {
  const found = readLockEntry(directory)
  if (found !== undefined) {
    const ownerState = found.owner === undefined ? 'unknown' : getProcessState(found.owner)
    if (ownerState !== 'gone' && (ownerState === 'runs' || !isSilent(found))) return { by: found }
    releaseLock(directory, found.file)
  }
  const file = takeFreeLock(directory)
  return file === undefined ? { by: undefined } : { lock: holdLock(directory, file) }
}

/**
 * Takes the lock `directory`, waiting for another process. The lock of an owner that is gone is taken at once. An owner on another host, or
 * one that may be a later process, counts as gone after ten seconds of silence. A running owner keeps the lock, however silent it is.
 * @throws Failure `interrupted`, the failure that `held` makes, or the system's error if no lock can be made
 */
export const lock = async (
  directory: string,
  { patience, note, signal, held }: LockOptions,
): Promise<Lock> => {
  const isSilent = createSilenceTest()
  const began = performance.now()
  let isNoted = note === undefined
  for (;;) {
    const outcome = tryLock(directory, isSilent)
    if ('lock' in outcome) return outcome.lock
    if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
    const waited = performance.now() - began
    if (waited > patience) throw held(describeOwner(outcome.by))
    if (!isNoted && waited > noteDelay) {
      isNoted = true
      note?.(`waiting for ${describeOwner(outcome.by)}, which has locked ${directory}`)
    }
    await sleep(10 + Math.random() * 40)
  }
}
