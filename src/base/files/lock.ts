/**
 * One process at a time. A lock is a directory that holds one file, named by chance, which says whose it
 * is. It comes into being by a rename, so that there is none without its owner; taking over removes that
 * one file first, so that of many who find an owner gone none removes the lock of the next.
 */

import {
  existsSync,
  mkdirSync,
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
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure, getErrorCode } from '../../errors.js'
import { getCurrentIo } from '../io.js'
import { readRegular } from './regular.js'

// Which process this is, and whether another one still runs.

/** The identity of a process, which differs from that of a later process with the same number. */
export interface ProcessId {
  readonly pid: number
  /** The place in which its number counts: host, boot and, in containers, the space of process numbers. */
  readonly place: string
  readonly host: string
  /** When it began, in the system's own words; absent where the system has none at hand. */
  readonly started?: string
}

const read = (file: string, how: (file: string) => string): string => {
  try {
    return how(file).trim()
  } catch {
    return ''
  }
}
const readText = (file: string): string => readFileSync(file, 'utf8')

/** State and beginning of a process by Linux's words (proc(5), fields 3 and 22 of `stat`). */
const readProcessStat = (
  pid: number,
): { readonly state: string; readonly started: string } | undefined => {
  const text = read(`/proc/${pid}/stat`, readText)
  // The second field is the program's name, in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields[0], fields[19]]
  return state === undefined || started === undefined ? undefined : { state, started }
}

let known: ProcessId | undefined

/** This process. */
export const getThisProcess = (): ProcessId => {
  known ??= lookUp()
  return known
}

const lookUp = (): ProcessId => {
  const host = hostname()
  const boot = read('/proc/sys/kernel/random/boot_id', readText)
  const numbers = read('/proc/self/ns/pid', readlinkSync)
  const stat = readProcessStat(process.pid)
  return {
    pid: process.pid,
    host,
    place: [host, boot, numbers].join(' '),
    started: stat?.started,
  }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be signalled, but is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Returns the state of a process: `unknown` if it runs elsewhere, or if its number alone does not identify it. */
export const getProcessState = (other: ProcessId): 'runs' | 'gone' | 'unknown' => {
  if (other.place !== getThisProcess().place) return 'unknown'
  if (!exists(other.pid)) return 'gone'
  const stat = readProcessStat(other.pid)
  if (stat === undefined || other.started === undefined) return 'unknown'
  // One that ended and was not waited for (Z, X) does nothing any more.
  return stat.started === other.started && !/[ZX]/.test(stat.state) ? 'runs' : 'gone'
}

/** The silence, in milliseconds, after which an owner that cannot be examined counts as gone. */
const silence = 10_000
/** The interval at which an owner gives a sign of life, in milliseconds. */
const beat = 2500
/** The wait, in milliseconds, after which a note names the owner of the lock. */
const unsaid = 500

export interface LockOptions {
  /** Milliseconds to wait for another process. */
  readonly patience: number
  /** Hears, once, who is waited for. */
  readonly note?: ((text: string) => void) | undefined
  /** Ends the wait. */
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
  /** Time of the last sign of life, by the file system's clock. */
  readonly sign: number
}

const ownerFile = /^owner-[\w-]+$/

/** Does what may fail only because another process was faster. */
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
const look = (directory: string): LockEntry | undefined => {
  let found: LockEntry | undefined
  runUnless(['ENOENT'], () => {
    const name = readdirSync(directory).find((entry) => ownerFile.test(entry))
    if (name === undefined) return
    const file = path.join(directory, name)
    found = { file, owner: toOwner(file), sign: statSync(file).mtimeMs }
  })
  return found
}

/** A name that no other lock has. Node's own random names take long to load. */
const mark = (): string =>
  `${process.pid}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** The error codes of a rename that fails because a full directory is there. */
const inTheWay = ['ENOTEMPTY', 'EEXIST', ...(process.platform === 'win32' ? ['EPERM'] : [])]

/** Takes a free lock; returns undefined if another process was faster. */
const take = (directory: string): string | undefined => {
  const made = mark()
  const prepared = `${directory}.${made}`
  const name = `owner-${made}`
  try {
    mkdirSync(prepared, { mode: 0o700 })
    writeFileSync(path.join(prepared, name), JSON.stringify(getThisProcess()), { mode: 0o600 })
    // An empty one is nobody's. Windows does not rename over it, and no system over a full one.
    runUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(directory))
    const taken = runUnless(inTheWay, () => renameSync(prepared, directory))
    if (taken) return path.join(directory, name)
  } catch (error) {
    rmSync(prepared, { recursive: true, force: true })
    throw error
  }
  rmSync(prepared, { recursive: true, force: true })
  return undefined
}

/** Removes exactly this owner's lock, whatever has become of it. */
const releaseLock = (directory: string, file: string): void => {
  runUnless(['ENOENT'], () => unlinkSync(file))
  runUnless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(directory))
}

const keep = (directory: string, file: string): Lock => {
  const isHeld = (): boolean => existsSync(file)
  const timer = setInterval(() => {
    const now = getCurrentIo().now()
    try {
      utimesSync(file, now, now)
    } catch {
      // Taken over, or a disk that fails: the next write finds out.
    }
  }, beat).unref()
  const atExit = (): void => {
    try {
      releaseLock(directory, file)
    } catch {
      // The next process finds that this one is gone.
    }
  }
  const releaseExit = getCurrentIo().onExit(atExit)
  const release = (): void => {
    clearInterval(timer)
    releaseExit()
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

/** Watches one lock: whether its owner has been silent for too long, by this process's own clock. */
const watch = () => {
  let last = ''
  let since = 0
  return ({ file, sign }: LockEntry): boolean => {
    const seen = `${file} ${sign}`
    if (seen !== last) {
      last = seen
      since = performance.now()
    }
    return performance.now() - since > silence
  }
}

/** One try: the lock, or who has it. The lock of an owner that is gone is removed first. */
const tryLock = (
  directory: string,
  isSilent: (found: LockEntry) => boolean,
): { readonly lock: Lock } | { readonly by: LockEntry | undefined } => {
  const found = look(directory)
  if (found !== undefined) {
    const fate = found.owner === undefined ? 'unknown' : getProcessState(found.owner)
    if (fate !== 'gone' && (fate === 'runs' || !isSilent(found))) return { by: found }
    releaseLock(directory, found.file)
  }
  const file = take(directory)
  return file === undefined ? { by: undefined } : { lock: keep(directory, file) }
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
  const isSilent = watch()
  const began = performance.now()
  let said = note === undefined
  for (;;) {
    const outcome = tryLock(directory, isSilent)
    if ('lock' in outcome) return outcome.lock
    if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
    const waited = performance.now() - began
    if (waited > patience) throw held(describeOwner(outcome.by))
    if (!said && waited > unsaid) {
      said = true
      note?.(`waiting for ${describeOwner(outcome.by)}, which has locked ${directory}`)
    }
    await sleep(10 + Math.random() * 40)
  }
}
