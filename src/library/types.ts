/** The options of `connect()`. */
import type { Exchange, Transport } from '../http/types.js'
import type { Environment, UserTokenKind } from '../profile/types.js'

/** An `AbortSignal`, if the project has that type. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : never

/**
 * The types of one instance beyond the documents. They are empty until a declaration extends them, as `svcctl client types` writes one.
 * `settings` has additional settings with their types, and `values` additional values of parameters, by `area.parameter`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: other programs' declarations are merged with it
export interface InstanceTypes {}

interface CommonOptions {
  /** The user to act as (administrators). */
  readonly sudo?: string
  /** Seconds to wait for an answer, and for each further piece of it; 60. */
  readonly timeout?: number
  /** The number of further attempts of a request that may be repeated; 3. */
  readonly retries?: number
  /** Seconds that rate limits (429) or maintenance may last; 900. */
  readonly maxWait?: number
  /** Requests under way at once, at most; found out unless given. */
  readonly concurrency?: number | 'auto'
  /** `100/s`, `600/min`: no faster than this. */
  readonly rate?: string
  /** A file with the instance's own words. */
  readonly vocabulary?: string
  /** Ends everything under way. */
  readonly signal?: Signal
  /** Called with notes about waits, further attempts, and anything to know before requests are sent. */
  readonly note?: (text: string) => void
  /** Called with each exchange; its credentials are masked. */
  readonly trace?: (exchange: Exchange) => void
}

/** Connects by address: nothing of the machine is read. */
export interface ByAddress extends CommonOptions {
  /** `https://host` or `https://host/path`. */
  readonly baseUrl: string
  readonly token?: string
  /** The kind of the token; `personal` unless given. */
  readonly tokenKind?: UserTokenKind
  /** For what only a job may ask. */
  readonly jobToken?: string
  /** Proxy, certificate authorities and client certificate, as texts. */
  readonly transport?: Transport
  readonly profile?: never
  readonly env?: never
}

/** A profile of the tool by its name, the current one where only an environment is given. */
type ProfileChoice =
  | { readonly profile: string; readonly env?: Environment }
  | { readonly profile?: string; readonly env: Environment }

interface ProfileOptions extends CommonOptions {
  /** The name of a profile that is protected: without it nothing is destroyed there. */
  readonly confirm?: string
  readonly baseUrl?: string
  readonly token?: never
  readonly jobToken?: never
  readonly transport?: never
}

/**
 * Connects by a profile of the command-line tool: its address, credential, proxy and guard rails apply, and of the
 * variables (`SVC_BASE_URL`, `SVC_TOKEN`, `HTTPS_PROXY` …) those of `env`: `process.env`.
 */
export type ByProfile = ProfileOptions & ProfileChoice

/** The options of `connect()`. */
export type ConnectOptions = ByAddress | ByProfile
