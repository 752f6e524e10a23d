/** What is said, once, about how an instance is reached. */

import type { Session } from '../../profile/types.js'
import type { Globals } from '../command/globals.js'

export interface WarningsOptions {
  readonly insecure: Globals['insecure']
  readonly env: NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export class Warnings {
  readonly #insecure: boolean
  readonly #ignored: boolean
  readonly #warn: (text: string) => void
  readonly #said = new Set<string>()

  constructor({ insecure, env, warn }: WarningsOptions) {
    this.#insecure = insecure
    this.#warn = warn
    this.#ignored = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
    // Node would say of it that nothing is verified, which is not so.
    if (this.#ignored) delete env.NODE_TLS_REJECT_UNAUTHORIZED
  }

  /** Said each time, since the flag must be given each time; there is no setting for it. */
  reaching(baseUrl: string): void {
    if (!baseUrl.startsWith('https:')) return
    if (this.#insecure)
      this.#once(
        `--insecure: the certificate of ${baseUrl} is not verified, so whoever is on the way can read the token`,
      )
    else if (this.#ignored)
      this.#once(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are verified; --insecure leaves that out for one call',
      )
  }

  /** It would have taken the job's token, and goes without any. */
  withheld({ jobTokenWithheld: why }: Pick<Session, 'jobTokenWithheld'>): void {
    if (why !== undefined) this.#once(why)
  }

  #once(text: string): void {
    if (this.#said.has(text)) return
    this.#said.add(text)
    this.#warn(text)
  }
}
