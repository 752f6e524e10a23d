/** The record of what is written: opened before the first write, a line for each exchange. */
import { Failure } from '../../errors.js'
import type { Profile } from '../types.js'
import { type Audited, auditEntry, openAudit } from './audit.js'

/** What goes along. */
interface Along {
  readonly kind: string
  readonly value: string
}

/** The user of a profile's own credential, when it is the one that goes along. */
const asUser = (credential: Along | undefined, user: string | undefined): string | undefined =>
  credential === undefined || ['job', 'bearer', 'basic'].includes(credential.kind)
    ? undefined
    : user

const reads = (method: string): boolean => method === 'GET' || method === 'HEAD'

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
    credential: Along | undefined,
    user: string | undefined,
  ): ((exchange: Audited) => void) | undefined {
    if (profile?.auditLog === undefined) return undefined
    const { auditLog } = profile
    const log = openAudit(auditLog)
    return (exchange) => {
      if (reads(exchange.method)) return
      try {
        log.append(auditEntry(profile, exchange, asUser(credential, user), new Date()))
      } catch (error) {
        this.#broken = auditLog
        throw error
      }
    }
  }

  /** @throws Failure `failed` for a write once a line was lost */
  check({ method, path }: { readonly method: string; readonly path: string }): void {
    if (this.#broken === undefined || reads(method)) return
    throw new Failure(
      'failed',
      `not sent, because the audit log ${this.#broken} cannot be written`,
      {
        request: `${method} ${path}`,
      },
    )
  }
}
