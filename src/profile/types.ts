/** Declares profiles, credentials and sessions, for this room and for the commands that use them. */

/** The kind of a token, which decides how it is sent. */
export type TokenKind = 'personal' | 'oauth' | 'session' | 'job'
/** The kinds of token that a person may have. */
export type UserTokenKind = Exclude<TokenKind, 'job'>
/** The place where a profile's token is stored: the system keyring, or a file that only its owner can read. */
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
  /** The program and arguments that print the token. It runs without a shell. */
  readonly tokenCommand?: readonly string[]
  /** The URL and client ID of the OAuth refresh. The refresh token is in the token store. */
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
  /** The vocabulary file of the instance. */
  readonly vocabulary?: string
  /** The maximum number of requests per second or minute, such as `100/s`. */
  readonly rate?: string
  /** The findings that make plan, apply and drift fail. */
  readonly failOn?: readonly string[]
  /** The tags by which `-p @tag` finds the profile. */
  readonly tags?: readonly string[]
  /** The place where the profile's token is stored; absent if it has none. Signing in and out writes it. */
  readonly tokenStore?: TokenPlace
  /** The name of the user who signed in, for the audit log. */
  readonly user?: string
}

/**
 * Sends a form, and returns the status and the body as parsed JSON or text. `profile/` has no access to the network, so callers pass this
 * function. Rejects with a Failure if there is no response.
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

/** A credential and its source. */
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
  /** The profile that applies, if any. */
  readonly profile?: Profile
  readonly baseUrl: string
  /** The source of the base URL, in words. */
  readonly baseUrlSource: string
  /** The name that people use for the instance, if its address is meaningless to them. */
  readonly title?: string
  /** The name of the user of the profile's credential, if that credential is used. */
  readonly user?: string
  /** Returns the user's credential, if any. Called only when a request requires it. */
  getCredential(): Promise<ResolvedCredential | undefined>
  /** The variable that holds the user's credential, which no sign-in replaces. */
  readonly variable?: 'SVC_TOKEN' | undefined
  /** Returns the job token, if any: SVC_JOB_TOKEN, or CI_JOB_TOKEN if it is for this instance. */
  getJobToken(): ResolvedCredential | undefined
  /** The reason why CI_JOB_TOKEN is not used, and what to set instead, in full sentences. */
  readonly jobTokenWithheld?: string
  /** Returns a fresh OAuth access token after a 401; undefined if there is none. */
  renew(): Promise<ResolvedCredential | undefined>
  readonly sudo?: string
  /** Warnings to show before anything is sent (a token in clear text, a credential that is not used). */
  readonly warnings?: readonly string[]
}
