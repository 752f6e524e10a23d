/** Which process this is, and whether another one still runs. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, told from all others: also from a later one with the same number. */
export interface ProcessId {
  readonly pid: number
  /** Where its number counts: host, boot and, in containers, the space of process numbers. */
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
const textOf = (file: string): string => readFileSync(file, 'utf8')

/** State and beginning of a process by Linux's words (proc(5), fields 3 and 22 of `stat`). */
const statOf = (pid: number): { readonly state: string; readonly started: string } | undefined => {
  const text = read(`/proc/${pid}/stat`, textOf)
  // The second field is the program's name, in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, started] = [fields[0], fields[19]]
  return state === undefined || started === undefined ? undefined : { state, started }
}

let known: ProcessId | undefined

/** This process. */
export const thisProcess = (): ProcessId => {
  known ??= lookUp()
  return known
}

const lookUp = (): ProcessId => {
  const host = hostname()
  const boot = read('/proc/sys/kernel/random/boot_id', textOf)
  const numbers = read('/proc/self/ns/pid', readlinkSync)
  const stat = statOf(process.pid)
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

/** What is known of a process: `unknown` where it runs elsewhere, or where a number alone does not tell. */
export const fateOf = (other: ProcessId): 'runs' | 'gone' | 'unknown' => {
  if (other.place !== thisProcess().place) return 'unknown'
  if (!exists(other.pid)) return 'gone'
  const stat = statOf(other.pid)
  if (stat === undefined || other.started === undefined) return 'unknown'
  // One that ended and was not waited for (Z, X) does nothing any more.
  return stat.started === other.started && !/[ZX]/.test(stat.state) ? 'runs' : 'gone'
}
