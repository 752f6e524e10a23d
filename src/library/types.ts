/** Declares the options of `connect()`, and the types that a program can add for its instance. */
import type { Exchange, Transport } from '../http/types.js'
import type { Environment, UserTokenKind } from '../profile/types.js'

/** The type `AbortSignal`; `never` if the type libraries of the program do not declare it. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : never

/**
 * The types that one instance has beyond the documents. It is empty until a declaration that `svcctl client types` writes extends it.
 * `settings` declares additional settings with their types, and `values` additional values of parameters, by `area.parameter`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: other programs' declarations are merged with it
export interface InstanceTypes {}

interface CommonOptions {
  /** The user to act as. Only administrators can set it. */
  readonly sudo?: string
  /** Seconds to wait for an answer, and then for each further part of its body [60]. */
  readonly timeout?: number
  /** The number of retries of a request that can be repeated safely [3]. */
  readonly retries?: number
  /** The maximum number of seconds to wait for the end of a rate limit (429) or of maintenance [900]. */
  readonly maxWait?: number
  /** The maximum number of concurrent requests; `auto` adapts it to the instance [auto]. */
  readonly concurrency?: number | 'auto'
  /** The maximum rate of requests: `100/s`, `600/min`. */
  readonly rate?: string
  /** The path of a vocabulary file, which has the names that the instance uses instead of the documented ones. */
  readonly vocabulary?: string
  /** Interrupts all requests and waits. */
  readonly signal?: Signal
  /** Receives notes about waits, retries, and anything to know before requests are sent. */
  readonly note?: (text: string) => void
  /** Receives each request with its answer. Credentials in it are masked. */
  readonly trace?: (exchange: Exchange) => void
}

/** Connects to an address. Profiles and environment variables of the machine are ignored. */
export interface ByAddress extends CommonOptions {
  /** `https://host` or `https://host/path`. */
  readonly baseUrl: string
  readonly token?: string
  /** The kind of the token [personal]. */
  readonly tokenKind?: UserTokenKind
  /** The token of a CI job, for requests that only jobs may send. */
  readonly jobToken?: string
  /** Proxy, certificate authorities and client certificate, as texts. */
  readonly transport?: Transport
  readonly profile?: never
  readonly env?: never
}

/** The name of a profile. If only an environment is given, the current profile applies. */
type ProfileChoice =
  | { readonly profile: string; readonly env?: Environment }
  | { readonly profile?: string; readonly env: Environment }

interface ProfileOptions extends CommonOptions {
  /** The name of the profile, to confirm destructive requests. A protected profile refuses them without it. */
  readonly confirm?: string
  readonly baseUrl?: string
  readonly token?: never
  readonly jobToken?: never
  readonly transport?: never
}

/**
 * Connects with a profile of the command-line tool: its address, credential, proxy and guard rails apply. Variables such as `SVC_TOKEN`
 * and `HTTPS_PROXY` apply only if they are passed in `env`, for example as `process.env`.
 */
export type ByProfile = ProfileOptions & ProfileChoice

/** The options of `connect()`. */
export type ConnectOptions = ByAddress | ByProfile
