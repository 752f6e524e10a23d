/** Where and who: what a command knows about the instance it talks to. */

export type TokenKind = 'personal' | 'oauth' | 'session' | 'job'

/** A profile as `profile get` shows it: no secrets. */
export interface Profile {
  readonly name: string
  readonly baseUrl: string
  readonly tokenKind?: TokenKind
  readonly output?: string
  readonly project?: string
  readonly group?: string
  readonly sudo?: string
  /** Program and arguments whose standard output is the token; run without a shell. */
  readonly tokenCommand?: readonly string[]
  /** OAuth refresh: where, and as which client. The refresh token is in the token store. */
  readonly tokenUrl?: string
  readonly clientId?: string
  readonly readOnly?: boolean
  readonly protected?: boolean
  readonly auditLog?: string
  readonly proxy?: string
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
  readonly timeout?: number
  readonly retries?: number
}

/** What flags say; absent when not given. */
export interface InstanceFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly sandbox?: boolean
  readonly sudo?: string
}

export interface ResolvedCredential {
  readonly kind: TokenKind
  readonly value: string
  /** Where it comes from, in words: `SVC_TOKEN`, `keyring`, `token file`, `token command`. */
  readonly source: string
}

/** The outcome of flags, environment and profile, by precedence. */
export interface Session {
  /** The profile that applies, when one does. */
  readonly profile?: Profile
  readonly baseUrl: string
  /** Where the base URL comes from, in words. */
  readonly baseUrlSource: string
  /** The user's credential, if any. Called only when a request needs it. */
  credential(): Promise<ResolvedCredential | undefined>
  /** The job token, if any (SVC_JOB_TOKEN, else CI_JOB_TOKEN). */
  jobToken(): ResolvedCredential | undefined
  /** OAuth: a fresh access token after a 401, or undefined. */
  renew(): Promise<ResolvedCredential | undefined>
  readonly sudo?: string
}
