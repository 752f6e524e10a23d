/** Reads an audit log back, without holding it in memory. */
import { constants } from 'node:fs'
import { nonBlocking, otherThanFile } from '../../base/files/regular.js'
import { isObject } from '../../base/objects.js'
import { getErrorCode } from '../../errors.js'
import { fileFailure } from '../files.js'
import { type AuditEntry, auditFields, auditOutcomes } from './audit.js'

export interface AuditFilter {
  readonly since?: Date
  readonly until?: Date
  readonly user?: string
  /** In any case. */
  readonly method?: string
  /** A status, or the class of a status by its first digit (`4xx`). */
  readonly status?: string
  /** The latest so many. */
  readonly limit?: number
}

export interface AuditEnd {
  readonly records: number
  /** True when earlier entries fit the filter, too. */
  readonly more: boolean
  /** Lines that are no entries: cut short by a crash, or written by something else. */
  readonly unreadable: number
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)

/** What each field of an entry holds. */
const holds: Readonly<Record<keyof AuditEntry, (value: unknown) => boolean>> = {
  time: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  profile: isText,
  user: orNull(isText),
  sudo: orNull(isText),
  method: isText,
  path: isText,
  status: orNull(isNumber),
  request_id: orNull(isText),
  duration_ms: isNumber,
  outcome: (value) => auditOutcomes.some((one) => one === value),
}

const isEntry = (value: unknown): value is AuditEntry =>
  isObject(value) &&
  auditFields.every((field) => Object.hasOwn(value, field) && holds[field](value[field]))

/** What a line says; undefined where it is no entry. */
export const auditEntryIn = (line: string): AuditEntry | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

const fits = (entry: AuditEntry, filter: AuditFilter): boolean => {
  const time = Date.parse(entry.time)
  const { since, until, user, method, status } = filter
  return (
    (since === undefined || time >= since.getTime()) &&
    (until === undefined || time <= until.getTime()) &&
    (user === undefined || entry.user === user || entry.sudo === user) &&
    (method === undefined || entry.method === method.toUpperCase()) &&
    (status === undefined || statusFits(entry.status, status))
  )
}

const statusFits = (status: number | null, wanted: string): boolean =>
  /^\dxx$/i.test(wanted)
    ? String(status ?? '').startsWith(wanted.slice(0, 1))
    : String(status ?? 'none') === wanted

/** No entry is longer: of what is, the rest is not kept. */
const longestLine = 1 << 20

/**
 * The lines of a log; of one that does not exist yet none.
 * @throws Failure `usage` where the file cannot be read
 */
export async function* linesIn(file: string): AsyncGenerator<string> {
  const { open } = await import('node:fs/promises')
  const handle = await open(file, constants.O_RDONLY | nonBlocking).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw fileFailure('read the audit log', file, error)
  })
  if (handle === undefined) return
  try {
    const other = otherThanFile(await handle.stat())
    if (other !== undefined) throw new Error(other)
    let rest = ''
    for await (const chunk of handle.createReadStream({ encoding: 'utf8' })) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = (lines.pop() ?? '').slice(0, longestLine)
      yield* lines
    }
    if (rest !== '') yield rest
  } catch (error) {
    throw fileFailure('read the audit log', file, error)
  } finally {
    await handle.close()
  }
}

/**
 * The entries that fit, oldest first; with `limit` the latest so many. A log that does not exist yet has
 * none. Returns how it ended.
 * @throws Failure `usage` where the file cannot be read
 */
export async function* readAudit(
  file: string,
  filter: AuditFilter = {},
): AsyncGenerator<AuditEntry, AuditEnd> {
  const { limit } = filter
  const latest: AuditEntry[] = []
  let fitting = 0
  let unreadable = 0
  for await (const line of linesIn(file)) {
    if (line.trim() === '') continue
    const entry = auditEntryIn(line)
    if (entry === undefined) unreadable++
    if (entry === undefined || !fits(entry, filter)) continue
    fitting++
    if (limit === undefined) yield entry
    else latest.push(entry)
    // All at once: one by one, each of them would move as often as there are entries.
    if (limit !== undefined && latest.length > 2 * limit) latest.splice(0, latest.length - limit)
  }
  if (limit !== undefined) yield* latest.slice(-limit)
  const records = limit === undefined ? fitting : Math.min(limit, fitting)
  return { records, more: fitting > records, unreadable }
}
