/** Types of profiles, credentials and sessions. */

/** The kind of a token, which decides how it is sent. */
export type TokenKind = 'personal' | 'oauth' | 'session' | 'job'
/** The kinds of token that a person may have. */
export type UserTokenKind = Exclude<TokenKind, 'job'>
/** The place where a profile's token is stored. */
export type TokenPlace = 'keyring' | 'file'
export type { Environment } from '../base/io.js'

/** A profile as `profile get` shows it, without secrets. */
export interface Profile {
  readonly name: string
  readonly baseUrl: string
  readonly tokenKind?: UserTokenKind
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
  readonly maxWait?: number
  /** File with the instance's own words. */
  readonly vocabulary?: string
  /** Requests a second or minute, at most: `100/s`. */
  readonly rate?: string
  /** The findings that make plan, apply and drift fail. */
  readonly failOn?: readonly string[]
  /** The tags by which `-p @tag` finds the profile. */
  readonly tags?: readonly string[]
  /** The place where the profile's token is stored; absent if it has none. Signing in and out writes it. */
  readonly tokenStore?: TokenPlace
  /** Name of the user who signed in, for the audit log. */
  readonly user?: string
}

/**
 * Sends a form, and returns the status and the body: parsed JSON, or text. It is passed in, because `profile/` does
 * not access the network. Rejects with a Failure if there is no response.
 */
export type Post = (
  url: string,
  form: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly body: unknown }>

/** The flags that choose an instance. */
export interface InstanceFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly sandbox?: boolean
  readonly sudo?: string
}

/** A credential, and where it comes from. */
export interface ResolvedCredential {
  readonly kind: TokenKind
  readonly value: string
  /** The source of the credential, in words: `SVC_TOKEN`, `keyring`, `token file`, `token command`. */
  readonly source: string
  /** The date and time when it expires (ISO), as the instance stated when the user signed in. */
  readonly expiresAt?: string
  /** True if the credential is replaced automatically when it expires. */
  readonly renews?: true
}

/** The instance and credential of a run. */
export interface Session {
  /** The profile that applies, when one does. */
  readonly profile?: Profile
  readonly baseUrl: string
  /** The source of the base URL, in words. */
  readonly baseUrlSource: string
  /** The name that people use for the instance, if its address is meaningless to them. */
  readonly title?: string
  /** Name of the user behind the profile's own credential, when that is the one that counts. */
  readonly user?: string
  /** The user's credential, if any. Called only when a request needs it. */
  credential(): Promise<ResolvedCredential | undefined>
  /** The job token, if any (SVC_JOB_TOKEN, else CI_JOB_TOKEN where it is this instance's). */
  jobToken(): ResolvedCredential | undefined
  /** Why the job's token is not used here, and what to set: full sentences. */
  readonly jobTokenWithheld?: string
  /** OAuth: a fresh access token after a 401, or undefined. */
  renew(): Promise<ResolvedCredential | undefined>
  readonly sudo?: string
  /** Warnings to show before anything is sent (a token in clear text, a credential that is not used). */
  readonly warnings?: readonly string[]
}
