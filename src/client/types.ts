/** What the client is made of. */
import type { Words } from '../catalogue/words.js'
import type { Gate } from '../http/gate.js'
import type { ClientOptions, Credential, Exchange, WireRequest } from '../http/types.js'
import type { WorkMeter } from './around.js'
import type { Called, Provide } from './credential.js'
import type { WaitKind } from './defaults.js'
import type { SnapshotReader } from './snapshot/answers.js'

type Told = (exchange: Exchange) => void

/** An instance, and how it is reached; what crosses a wall is handed in as a value. */
export interface InstanceOptions extends Pick<ClientOptions, 'note' | 'signal' | 'userAgent'> {
  /** Nothing but GET and HEAD is sent; `marked`: and what the catalogue says reads by another method. */
  readonly readOnly?: boolean | 'marked'
  /** Without a trailing slash and without `/api/v4`; may have a path (`https://host/forge`). */
  readonly baseUrl: string
  readonly credential: Provide
  /** A fresh OAuth token after a 401, or undefined. */
  readonly renew?: () => Promise<Credential | undefined>
  /** The user to act as. */
  readonly sudo?: string
  /** Seconds to wait for an answer; the default where none are given. */
  readonly timeout?: number
  /** How often a request is tried again; the default where nothing is given. */
  readonly retries?: number
  /** What every request to the instance passes. */
  readonly gate?: Gate
  /** Proxy and certificates; asked for once a client, before its first request. */
  readonly transport?: () => Promise<ClientOptions['transport']>
  /** Told before a client is made, how long its answers are. */
  readonly opening?: (patience: WaitKind) => void
  /** Told of each exchange; credentials are redacted. */
  readonly trace?: Told
  /**
   * Opens the record of what is written, before anything is sent that may write; what it gives is told
   * of each exchange. Throws where it cannot be opened.
   * @param credential what goes along
   */
  readonly record?: (credential: Credential | undefined) => Told | undefined
  /** Asked before each write; refuses it by throwing. */
  readonly guard?: (request: WireRequest) => void | Promise<void>
  /** Told of an endpoint that takes a job's token and goes without any credential. */
  readonly without?: (endpoint: Called) => void
  readonly progress?: WorkMeter
  /** Told of each endpoint just before it is asked, and of what came instead of its answer. */
  readonly routes?: {
    readonly asking: (endpoint: Called) => void
    readonly failed: (endpoint: Called, error: unknown) => void
  }
  /** What is thrown in the words of whoever shows it. */
  readonly worded?: (error: unknown) => unknown
  /** The instance's own words. */
  readonly words?: Words
  /** What answers in the place of the instance; nothing is sent. */
  readonly snapshot?: SnapshotReader
}
