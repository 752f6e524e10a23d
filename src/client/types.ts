/** The options of a client, the types of its calls, which follow from the endpoint, and which credential a request carries. */
import { isObject } from '../base/objects.js'
import {
  type Endpoint,
  type EndpointTraits,
  type InputOf,
  type ResultOf,
  writes,
} from '../catalogue/endpoint.js'
import type { Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import type {
  ClientOptions,
  Credential,
  Exchange,
  Gate,
  WholeAnswer,
  WireRequest,
} from '../http/types.js'
import type { SharedReads } from './shared-reads.js'
import type { SnapshotReader } from './snapshot-answers.js'

/** Work that goes on, its parts counted. */
export interface Work {
  /** So many more are done. */
  add(count: number): void
  /** How many there will be. */
  total(count: number): void
  end(): void
}

/** Told of what goes on. */
export interface WorkMeter {
  begin(): Work
}

/** What an endpoint takes: placeholders of its path and parameters, by the API's own names. */
export type Input<E> = InputOf<E>

/**
 * A value of which any field may be missing or null, at any depth: the tool does not rely on what an instance answers.
 * Other programs see what the documents say (`../library/verbs.ts`).
 */
type UntrustedValue<T> = unknown extends T
  ? T
  : T extends string
    ? T
    : T extends readonly (infer I)[]
      ? readonly UntrustedValue<I>[]
      : T extends object
        ? { readonly [K in keyof T]?: UntrustedValue<T[K]> | null }
        : T

/** What an endpoint answers with; every field optional and nullable. */
export type Data<E> = UntrustedValue<ResultOf<E>>

/** A record of an endpoint that lists. */
export type RecordOf<E> = ResultOf<E> extends readonly (infer I)[] ? UntrustedValue<I> : never

/** An endpoint that answers with a list, page by page. */
export type ListEndpoint = Endpoint & { readonly returns: { readonly kind: 'many' } }

/** The answer of one call. */
export interface TypedAnswer<E> extends Omit<WholeAnswer, 'data'> {
  /**
   * Parsed when it is looked at. Undefined where nothing came (204, 304), and where what came is not even
   * of the kind that the documents have: `bytes` holds it.
   */
  readonly data: Data<E> | undefined
}

/** Whether a value is of the kind that a shape says: an object, a list. Fields are not looked at. */
const isOfKind = (shape: unknown, value: unknown): boolean => {
  if (value === undefined || !isObject(shape)) return false
  if (Array.isArray(shape.anyOf)) return shape.anyOf.some((inner) => isOfKind(inner, value))
  if (shape.type === 'object') return isObject(value)
  return shape.type !== 'array' || Array.isArray(value)
}

/** Whether a record of a list is of the kind that the endpoint lists. */
export const isItem = <E extends ListEndpoint>(endpoint: E, value: unknown): value is RecordOf<E> =>
  isOfKind(endpoint.returns.shape, value)

const isData = <E extends Endpoint>(endpoint: E, value: unknown): value is Data<E> =>
  endpoint.returns.kind === 'many' ? Array.isArray(value) : isOfKind(endpoint.returns.shape, value)

/** An answer with the type that the catalogue infers for it. */
export const answered = <E extends Endpoint>(endpoint: E, whole: WholeAnswer): TypedAnswer<E> => ({
  status: whole.status,
  headers: whole.headers,
  bytes: whole.bytes,
  get data() {
    const { data } = whole
    return isData(endpoint, data) ? data : undefined
  },
})

// What the client is made of.

type Trace = (exchange: Exchange) => void

/** An instance, and how it is reached; what crosses a wall is handed in as a value. */
export interface InstanceOptions extends Pick<ClientOptions, 'note' | 'signal' | 'userAgent'> {
  /** Nothing but GET and HEAD is sent; `marked`: and what the catalogue says reads by another method. */
  readonly readOnly?: boolean | 'marked'
  /** Without a trailing slash and without `/api/v4`; may have a path (`https://host/forge`). */
  readonly baseUrl: string
  readonly credential: CredentialProvider
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
  /** Told before a client is made. */
  readonly opening?: () => void
  /** Told of each exchange; credentials are redacted. */
  readonly trace?: Trace
  /**
   * Opens the record of what is written, before anything is sent that may write; what it gives is told
   * of each exchange. Throws where it cannot be opened.
   * @param credential what goes along
   */
  readonly record?: (credential: Credential | undefined) => Trace | undefined
  /** Asked before each write; refuses it by throwing. */
  readonly guard?: (request: WireRequest) => void | Promise<void>
  /** Told of an endpoint that takes a job's token and goes without any credential. */
  readonly without?: (endpoint: EndpointTraits) => void
  readonly progress?: WorkMeter
  /** Told of each endpoint just before it is asked, and of what came instead of its answer. */
  readonly routes?: {
    readonly asking: (endpoint: EndpointTraits) => void
    readonly failed: (endpoint: EndpointTraits, error: unknown) => void
  }
  /** What is thrown in the words of whoever shows it. */
  readonly mapError?: (error: unknown) => unknown
  /** The instance's own words. */
  readonly words?: Words
  /** What answers in the place of the instance; nothing is sent. */
  readonly snapshot?: SnapshotReader
  /** Answers that several instances of one run share. */
  readonly reads?: Pick<SharedReads, 'over'> | undefined
}

/** Whose credential is asked for. */
export type Need = 'user' | 'job'
/** Gives the user's credential, or the job's; undefined where there is none. */
export type CredentialProvider = (need: Need) => Promise<Credential | undefined>

/**
 * What lacks: `job` where an endpoint takes only a job's token, `user` where it does not take the job's
 * that is there, `any` where there is none at all.
 */
export type CredentialGap = 'job' | 'user' | 'any'

const texts: Readonly<Record<CredentialGap, (what: string, baseUrl: string) => string>> = {
  job: (what) => `${what} requires a job token, and none is set`,
  user: (what) => `${what} does not accept a job token, and no other credential is set`,
  any: (what, baseUrl) => `${what} requires a credential for ${baseUrl}, and none is set`,
}

/** There is no credential that an endpoint takes; nothing was sent. */
export class MissingCredential extends Failure {
  readonly lack: CredentialGap

  constructor(
    lack: CredentialGap,
    endpoint: EndpointTraits | undefined,
    baseUrl: string,
    hint?: string,
  ) {
    const what = endpoint?.route ?? 'this call'
    super('auth', texts[lack](what, baseUrl), hint === undefined ? {} : { hint })
    this.lack = lack
  }
}

/**
 * The credential for an endpoint; undefined where it goes without. Without an endpoint, the user's.
 * @throws Lacking where the endpoint cannot do without, or takes no job token
 */
export const credentialFor = async (
  provide: CredentialProvider,
  baseUrl: string,
  endpoint?: EndpointTraits,
): Promise<Credential | undefined> => {
  const wanted = endpoint?.credential ?? 'user'
  if (wanted === 'parameter') return undefined
  const user = wanted === 'job' ? undefined : await provide('user')
  if (user !== undefined || wanted === 'optional') return user
  const job = await provide('job')
  if (wanted === 'user' && job !== undefined) throw new MissingCredential('user', endpoint, baseUrl)
  if (job !== undefined) return job
  if (wanted === 'job') throw new MissingCredential('job', endpoint, baseUrl)
  // Reading may well work without: a public project's data is public.
  if (endpoint !== undefined && !writes(endpoint)) return undefined
  throw new MissingCredential('any', endpoint, baseUrl)
}
