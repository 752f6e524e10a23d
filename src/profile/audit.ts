/**
 * The audit log of a profile: a JSON line for each request that writes, without secrets; written, read and filtered
 * here.
 */

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { nonBlocking, otherThanFile } from '../base/files/regular.js'
import { currentIo } from '../base/io.js'
import { isObject } from '../base/objects.js'
import { scrub } from '../base/secrets/scrub.js'
import { Failure, getErrorCode } from '../errors.js'
import { fileFailure } from './files.js'
import type { Profile } from './types.js'

/** How a request ended: carried out, refused by the instance, not known, or never sent. */
const auditOutcomes = ['done', 'refused', 'unknown', 'not_sent'] as const
/** How a request ended. */
type AuditOutcome = (typeof auditOutcomes)[number]

/** A line of the log. */
export interface AuditEntry {
  /** When the request ended; ISO, UTC. */
  readonly time: string
  readonly profile: string
  /** Who signed in to the profile; null where another credential went along. */
  readonly user: string | null
  readonly sudo: string | null
  readonly method: string
  /**
   * Path of the URL, without its query, which may hold what is nobody's business; the whole address
   * where it is not of the profile's instance.
   */
  readonly path: string
  readonly status: number | null
  readonly request_id: string | null
  readonly duration_ms: number
  readonly outcome: AuditOutcome
}

/** The fields of an entry, in order. */
export const auditFields = [
  'time',
  'profile',
  'user',
  'sudo',
  'method',
  'path',
  'status',
  'request_id',
  'duration_ms',
  'outcome',
] as const satisfies readonly (keyof AuditEntry)[]

/** What the log needs of an exchange. */
interface AuditedExchange {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  /** False when it certainly did not reach the instance. */
  readonly sent?: boolean
  readonly status?: number
  readonly requestId?: string
  readonly milliseconds: number
}

/** An open audit log. */
export interface AuditLog {
  /** Appends one line, whole. Throws Failure `failed` where that was not possible. */
  append(entry: AuditEntry): void
  close(): void
}

const getOutcome = ({ status, sent }: AuditedExchange): AuditOutcome => {
  if (sent === false) return 'not_sent'
  // What a server answers with 5xx after a write may or may not have been carried out.
  if (status === undefined || status >= 500) return 'unknown'
  return (status >= 200 && status <= 299) || status === 304 ? 'done' : 'refused'
}

const getPath = (address: string, baseUrl: string): string => {
  if (!URL.canParse(address)) return ''
  const { origin, pathname } = new URL(address)
  return origin === new URL(baseUrl).origin ? pathname : `${origin}${pathname}`
}

/**
 * Creates the entry of an exchange.
 * @param user whose credential was sent, if that is known
 */
export const createAuditEntry = (
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  exchange: AuditedExchange,
  user: string | undefined,
  now: Date,
): AuditEntry => ({
  time: now.toISOString(),
  profile: profile.name,
  user: user ?? null,
  sudo: exchange.requestHeaders.sudo ?? null,
  method: exchange.method,
  path: getPath(exchange.url, profile.baseUrl),
  status: exchange.status ?? null,
  request_id: exchange.requestId ?? null,
  duration_ms: Math.round(exchange.milliseconds),
  outcome: getOutcome(exchange),
})

/** The line without what was sent as a secret: an instance may say it back as the request's id. */
const formatEntry = (entry: AuditEntry): string =>
  JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value))

const hint = 'Choose a file that you can write: svcctl profile set <name> --audit-log <file>'

/** True when a line was cut short by a full disk or a crash, so that the next one needs its own line. */
const endsMidLine = (descriptor: number): boolean => {
  const status = fstatSync(descriptor)
  if (!status.isFile() || status.size === 0) return false
  const last = Buffer.alloc(1)
  readSync(descriptor, last, 0, 1, status.size - 1)
  return last[0] !== 0x0a
}

/**
 * Opens the log before a request is sent, so that nothing is done that cannot be recorded. Lines of several
 * processes do not mix, because each is one write to a file opened for appending.
 * @throws Failure `usage` if the file cannot be opened for writing
 */
export const openAudit = (file: string): AuditLog => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'a+', 0o600)
  } catch (error) {
    throw fileFailure('open the audit log', file, error, hint)
  }
  return {
    append: (entry) => {
      const what = `${entry.method} ${entry.path} (${entry.status ?? 'no answer'})`
      const lost = (why: string, cause?: unknown): Failure =>
        new Failure('failed', `${what} was sent but is not in the audit log ${file}: ${why}`, {
          request: file,
          hint: 'Check its effect before you send it again.',
          cause,
        })
      try {
        const start = endsMidLine(descriptor) ? '\n' : ''
        const line = Buffer.from(`${start}${formatEntry(entry)}\n`)
        if (writeSync(descriptor, line) !== line.length) throw lost('the line was cut short')
      } catch (error) {
        if (error instanceof Failure) throw error
        throw lost(error instanceof Error ? error.message : String(error), error)
      }
    },
    close: () => closeSync(descriptor),
  }
}

// The record of what is written: opened before the first write, a line for each exchange.

/** What goes along. */
interface SentCredential {
  readonly kind: string
  readonly value: string
}

/** The user of a profile's own credential, when it is the one that goes along. */
const getSentUser = (
  credential: SentCredential | undefined,
  user: string | undefined,
): string | undefined =>
  credential === undefined || ['job', 'bearer', 'basic'].includes(credential.kind)
    ? undefined
    : user

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Records the exchanges of a run, and refuses further writes once a line was lost. */
export class Audit {
  /** The log of which a line was lost: nothing more is sent that would not be on record. */
  #broken: string | undefined

  /**
   * Opens a profile's log; what it gives is told of each exchange.
   * @param user whose credential the profile's own is
   * @throws Failure `usage` where the log cannot be opened
   */
  open(
    profile: Profile | undefined,
    credential: SentCredential | undefined,
    user: string | undefined,
  ): ((exchange: AuditedExchange) => void) | undefined {
    if (profile?.auditLog === undefined) return undefined
    const { auditLog } = profile
    const log = openAudit(auditLog)
    return (exchange) => {
      if (isRead(exchange.method)) return
      try {
        log.append(
          createAuditEntry(profile, exchange, getSentUser(credential, user), currentIo().now()),
        )
      } catch (error) {
        this.#broken = auditLog
        throw error
      }
    }
  }

  /** @throws Failure `failed` for a write once a line was lost */
  check({ method, path }: { readonly method: string; readonly path: string }): void {
    if (this.#broken === undefined || isRead(method)) return
    throw new Failure(
      'failed',
      `not sent, because the audit log ${this.#broken} cannot be written`,
      {
        request: `${method} ${path}`,
      },
    )
  }
}

// Reads an audit log back, without holding it in memory.

/** Which entries to read. */
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

/** How reading the log ended. */
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
const fieldChecks: Readonly<Record<keyof AuditEntry, (value: unknown) => boolean>> = {
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
  auditFields.every((field) => Object.hasOwn(value, field) && fieldChecks[field](value[field]))

/** Parses a line; undefined if it is no entry. */
export const auditEntryIn = (line: string): AuditEntry | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

const matchesFilter = (entry: AuditEntry, filter: AuditFilter): boolean => {
  const time = Date.parse(entry.time)
  const { since, until, user, method, status } = filter
  return (
    (since === undefined || time >= since.getTime()) &&
    (until === undefined || time <= until.getTime()) &&
    (user === undefined || entry.user === user || entry.sudo === user) &&
    (method === undefined || entry.method === method.toUpperCase()) &&
    (status === undefined || matchesStatus(entry.status, status))
  )
}

const matchesStatus = (status: number | null, wanted: string): boolean =>
  /^\dxx$/i.test(wanted)
    ? String(status ?? '').startsWith(wanted.slice(0, 1))
    : String(status ?? 'none') === wanted

/** No entry is longer: of what is, the rest is not kept. */
const maxLineLength = 1 << 20

/**
 * Reads the lines of a log; none if it does not exist yet.
 * @throws Failure `usage` if the file cannot be read
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
      rest = (lines.pop() ?? '').slice(0, maxLineLength)
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
 * Reads the entries that match, oldest first; with `limit` the latest ones. Returns how it ended.
 * @throws Failure `usage` if the file cannot be read
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
    if (entry === undefined || !matchesFilter(entry, filter)) continue
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
