/** The audit log of a profile: a JSON line for each request that writes, without secrets. */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { scrub } from '../../base/secrets/scrub.js'
import { Failure } from '../../errors.js'
import { fileFailure } from '../files.js'
import type { Profile } from '../types.js'

/** How a request ended: carried out, refused by the instance, not known, or never sent. */
export const auditOutcomes = ['done', 'refused', 'unknown', 'not_sent'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

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

/** Names of the fields of an entry, in their order. */
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
export interface Audited {
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  /** False when it certainly did not reach the instance. */
  readonly sent?: boolean
  readonly status?: number
  readonly requestId?: string
  readonly milliseconds: number
}

export interface AuditLog {
  /** Appends one line, whole. Throws Failure `failed` where that was not possible. */
  append(entry: AuditEntry): void
  close(): void
}

const outcomeOf = ({ status, sent }: Audited): AuditOutcome => {
  if (sent === false) return 'not_sent'
  // What a server answers with 5xx after a write may or may not have been carried out.
  if (status === undefined || status >= 500) return 'unknown'
  return (status >= 200 && status <= 299) || status === 304 ? 'done' : 'refused'
}

const pathOf = (address: string, baseUrl: string): string => {
  if (!URL.canParse(address)) return ''
  const { origin, pathname } = new URL(address)
  return origin === new URL(baseUrl).origin ? pathname : `${origin}${pathname}`
}

/**
 * The line of an exchange.
 * @param user whose credential went along, where that is known
 */
export const auditEntry = (
  profile: Pick<Profile, 'name' | 'baseUrl'>,
  exchange: Audited,
  user: string | undefined,
  now: Date,
): AuditEntry => ({
  time: now.toISOString(),
  profile: profile.name,
  user: user ?? null,
  sudo: exchange.requestHeaders.sudo ?? null,
  method: exchange.method,
  path: pathOf(exchange.url, profile.baseUrl),
  status: exchange.status ?? null,
  request_id: exchange.requestId ?? null,
  duration_ms: Math.round(exchange.milliseconds),
  outcome: outcomeOf(exchange),
})

/** The line without what was sent as a secret: an instance may say it back as the request's id. */
const lineOf = (entry: AuditEntry): string =>
  JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? scrub(value) : value))

const hint = 'Choose a file that you can write: svcctl profile set <name> --audit-log <file>'

/** True when a line was cut short by a full disk or a crash, so that the next one needs its own line. */
const endsTorn = (descriptor: number): boolean => {
  const status = fstatSync(descriptor)
  if (!status.isFile() || status.size === 0) return false
  const last = Buffer.alloc(1)
  readSync(descriptor, last, 0, 1, status.size - 1)
  return last[0] !== 0x0a
}

/**
 * Opens the log before a request is sent, so that what cannot be recorded is not done. Lines of several
 * processes do not mix: each is one write to a file opened for appending.
 * @throws Failure `usage` where the file cannot be opened for writing
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
        const start = endsTorn(descriptor) ? '\n' : ''
        const line = Buffer.from(`${start}${lineOf(entry)}\n`)
        if (writeSync(descriptor, line) !== line.length) throw lost('the line was cut short')
      } catch (error) {
        if (error instanceof Failure) throw error
        throw lost(error instanceof Error ? error.message : String(error), error)
      }
    },
    close: () => closeSync(descriptor),
  }
}
