/** The record of calls, in the audit log of the profile: a line for each, whatever came of it. */
import { Failure } from '../../errors.js'
import { type AuditEntry, type AuditLog, openAudit } from '../../profile/audit/audit.js'
import type { Session } from '../../profile/types.js'

/** Told how a call ended: well, without a failure. */
type Ended = (failure?: Failure) => void

export interface CallLog {
  /**
   * A call begins.
   * @throws Failure `failed` once a line was lost: nothing more is done that would not be on record
   */
  begin(tool: string, input: Readonly<Record<string, unknown>>): Ended
  close(): void
}

/** Arguments that say which object: they stand in addresses as well. */
const naming = /^(?:id|project|group|user|key|sha|slug|domain|path|\w+_i?id)$/
const longest = 300

/** What was asked for: the command, and whose object; never another value. */
const whatOf = (tool: string, input: Readonly<Record<string, unknown>>): string => {
  const { command, arguments: inner } = input
  const values = typeof inner === 'object' && inner !== null ? inner : input
  const named = Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    naming.test(name) && ['string', 'number'].includes(typeof value) ? [`${name}=${value}`] : [],
  )
  const words = [tool, ...(typeof command === 'string' ? [command] : []), ...named]
  return words.join(' ').slice(0, longest)
}

const outcomeOf = (failure: Failure | undefined): AuditEntry['outcome'] => {
  if (failure === undefined) return 'done'
  const { status, unknownOutcome } = failure.details
  if (failure.category === 'usage') return 'not_sent'
  // Without an answer, and after an interruption, nobody knows what became of it.
  return status === undefined || unknownOutcome === true ? 'unknown' : 'refused'
}

const none: CallLog = { begin: () => () => undefined, close: () => undefined }

const journaled = (log: AuditLog, { profile, user, sudo }: Session): CallLog => {
  let broken: unknown
  return {
    begin: (tool, input) => {
      if (broken !== undefined)
        throw new Failure('failed', 'not executed, because the audit log cannot be written')
      const begun = performance.now()
      return (failure) => {
        try {
          log.append({
            time: new Date().toISOString(),
            profile: profile?.name ?? '',
            user: user ?? null,
            sudo: sudo ?? null,
            method: 'MCP',
            path: whatOf(tool, input),
            status: failure?.details.status ?? null,
            request_id: failure?.details.requestId ?? null,
            duration_ms: Math.round(performance.now() - begun),
            outcome: outcomeOf(failure),
          })
        } catch (error) {
          broken = error
          throw error
        }
      }
    },
    close: () => log.close(),
  }
}

/**
 * The record of calls of a session; nothing is kept without a profile that has an audit log.
 * @throws Failure `usage` where it cannot be opened
 */
export const openCallLog = (session: Session | undefined): CallLog => {
  const file = session?.profile?.auditLog
  return session === undefined || file === undefined ? none : journaled(openAudit(file), session)
}
