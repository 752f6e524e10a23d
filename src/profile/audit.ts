/**
 * Writes the audit log of a profile: one JSON line for each request that writes, without secrets. svcctl never reads it; `audit list` reads
 * the journals of runs.
 */

import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import type { Io } from '../base/io.js'
import { redactSecrets } from '../base/secrets/redact.js'
import { Failure } from '../errors.js'
import { createFileFailure } from './files.js'
import type { Profile } from './types.js'

/** The ways in which a request can end: carried out, refused by the instance, unknown, or never sent. */
const auditOutcomes = ['done', 'refused', 'unknown', 'not_sent'] as const
/** One of `auditOutcomes`. */
type AuditOutcome = (typeof auditOutcomes)[number]

/** A line of the log. */
export interface AuditEntry {
  /** The time at which the request ended (ISO, UTC). */
  readonly time: string
  readonly profile: string
  /** The user who signed in to the profile; null if the request carried another credential. */
  readonly user: string | null
  readonly sudo: string | null
  readonly method: string
  /**
   * The path of the URL without its query, which may contain private data. If the request went to another instance, it is the whole
   * address.
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

/** The facts about an exchange that the log needs. */
interface AuditedExchange {
  readonly method: string
  readonly url: string
  readonly sudo?: string | undefined
  /** False if the request was certainly not sent. */
  readonly sent?: boolean
  readonly status?: number
  readonly requestId?: string
  readonly milliseconds: number
}

/** An open audit log. */
export interface AuditLog {
  /** Appends one complete line. Throws Failure `failed` if the line cannot be written. */
  append(entry: AuditEntry): void
  close(): void
}

const getOutcome = ({ status, sent }: AuditedExchange): AuditOutcome => {
  if (sent === false) return 'not_sent'
  // After an error 5xx, the write may have been carried out.
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
 * @param user the owner of the credential, if known
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
  sudo: exchange.sudo ?? null,
  method: exchange.method,
  path: getPath(exchange.url, profile.baseUrl),
  status: exchange.status ?? null,
  request_id: exchange.requestId ?? null,
  duration_ms: Math.round(exchange.milliseconds),
  outcome: getOutcome(exchange),
})

/** Formats the line without the secrets that were sent: an instance may return one as the ID of the request. */
const formatEntry = (entry: AuditEntry): string =>
  JSON.stringify(entry, (_, value: unknown) =>
    typeof value === 'string' ? redactSecrets(value) : value,
  )

const hint = 'Choose a file that you can write: svcctl profile set <name> --audit-log <file>'

/** True when a line was cut short by a full disk or a crash, so that the next one needs its own line. */
const hasUnfinishedLine = (descriptor: number): boolean => {
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
    throw createFileFailure('open the audit log', file, error, hint)
  }
  return {
    append: (entry) => {
      const what = `${entry.method} ${entry.path} (${entry.status ?? 'no answer'})`
      const createLostFailure = (why: string, cause?: unknown): Failure =>
        new Failure('failed', `${what} was sent but is not in the audit log ${file}: ${why}`, {
          request: file,
          hint: 'Check its effect before you send it again.',
          cause,
        })
      try {
        const start = hasUnfinishedLine(descriptor) ? '\n' : ''
        const line = Buffer.from(`${start}${formatEntry(entry)}\n`)
        if (writeSync(descriptor, line) !== line.length)
          throw createLostFailure('the line was cut short')
      } catch (error) {
        if (error instanceof Failure) throw error
        throw createLostFailure(error instanceof Error ? error.message : String(error), error)
      }
    },
    close: () => closeSync(descriptor),
  }
}

// The record of writes: it is opened before the first write, and has one line for each exchange.

/** The credential of a request. */
interface SentCredential {
  readonly kind: string
  readonly value: string
}

/** Returns the user of the profile's own credential; undefined if the request carried another one. */
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
  /** The log that could not be written. No further write is sent, because it would not be recorded. */
  #broken: string | undefined

  /** @param heard returns the listener to entries, or undefined while there is none */
  constructor(
    private readonly now: Io['now'],
    private readonly heard?: () => ((entry: AuditEntry) => void) | undefined,
  ) {}

  /**
   * Opens a profile's log, if it has one. Returns a function to call with each exchange.
   * @param user the owner of the profile's credential
   * @param reached the base URL if there is no profile
   * @throws Failure `usage` if the log cannot be opened
   */
  open(
    profile: Profile | undefined,
    credential: SentCredential | undefined,
    user: string | undefined,
    reached = '',
  ): ((exchange: AuditedExchange) => void) | undefined {
    const auditLog = profile?.auditLog
    if (auditLog === undefined && this.heard === undefined) return undefined
    const by = { name: profile?.name ?? '', baseUrl: profile?.baseUrl ?? reached }
    const log = auditLog === undefined ? undefined : openAudit(auditLog)
    return (exchange) => {
      if (isRead(exchange.method)) return
      const listener = this.heard?.()
      if (listener === undefined && log === undefined) return
      const sent = getSentUser(credential, user)
      const entry = createAuditEntry(by, exchange, sent, this.now())
      listener?.(entry)
      try {
        log?.append(entry)
      } catch (error) {
        this.#broken = auditLog
        throw error
      }
    }
  }

  /** @throws Failure `failed` for a write after a line could not be written */
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
