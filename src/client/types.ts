/** Declares the options of a client and the types of its calls, which follow from the endpoint, and selects the credential of a request. */
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

/** Work in progress, with its parts counted. */
export interface Work {
  /** Adds to the number of parts that are done. */
  add(count: number): void
  /** Sets the number of parts that there will be. */
  setTotal(count: number): void
  end(): void
}

/** The receiver of work in progress. */
export interface WorkMeter {
  begin(): Work
}

/** The input of an endpoint: placeholders of its path and parameters, by the API's own names. */
export type Input<E> = InputOf<E>

/**
 * A value in which any field may be missing or null, at any depth, since the tool does not rely on the answers of an instance. Other
 * programs see the documented types (`../library/verbs.ts`).
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

/** The answer of an endpoint; every field is optional and nullable. */
export type Data<E> = UntrustedValue<ResultOf<E>>

/** A record of an endpoint that returns a list. */
export type RecordOf<E> = ResultOf<E> extends readonly (infer I)[] ? UntrustedValue<I> : never

/** An endpoint that returns a list, page by page. */
export type ListEndpoint = Endpoint & { readonly returns: { readonly kind: 'many' } }

/** The answer of one call. */
export interface TypedAnswer<E> extends Omit<WholeAnswer, 'data'> {
  /**
   * The parsed data, on first access. Undefined if there was no body (204, 304), or if the body is not of the documented kind: then only
   * `bytes` has it.
   */
  readonly data: Data<E> | undefined
}

/** True if a value is of the kind of a shape, an object or a list. Fields are not checked. */
const isOfKind = (shape: unknown, value: unknown): boolean => {
  if (value === undefined || !isObject(shape)) return false
  if (Array.isArray(shape.anyOf)) return shape.anyOf.some((inner) => isOfKind(inner, value))
  if (shape.type === 'object') return isObject(value)
  return shape.type !== 'array' || Array.isArray(value)
}

/** True if a record of a list is of the kind that the endpoint documents. */
export const isItem = <E extends ListEndpoint>(endpoint: E, value: unknown): value is RecordOf<E> =>
  isOfKind(endpoint.returns.shape, value)

const isData = <E extends Endpoint>(endpoint: E, value: unknown): value is Data<E> =>
  endpoint.returns.kind === 'many' ? Array.isArray(value) : isOfKind(endpoint.returns.shape, value)

/** Gives an answer the type that the catalogue infers for its endpoint. */
export const toTypedAnswer = <E extends Endpoint>(
  endpoint: E,
  answer: WholeAnswer,
): TypedAnswer<E> => ({
  status: answer.status,
  headers: answer.headers,
  bytes: answer.bytes,
  get data() {
    const { data } = answer
    return isData(endpoint, data) ? data : undefined
  },
})

// The options of a client.

type Trace = (exchange: Exchange) => void

/** The options of a client of an instance. Services of other rooms are passed in as values. */
export interface InstanceOptions
  extends Pick<ClientOptions, 'clock' | 'note' | 'signal' | 'userAgent'> {
  /** If true, only GET and HEAD may be sent; with `marked`, also requests that the catalogue marks as reading. */
  readonly readOnly?: boolean | 'marked'
  /** Without a trailing slash and without `/api/v4`; may have a path (`https://host/forge`). */
  readonly baseUrl: string
  readonly credential: CredentialProvider
  /** Returns a new OAuth token after a 401, or undefined. */
  readonly renew?: () => Promise<Credential | undefined>
  /** The user to act as. */
  readonly sudo?: string
  /** Seconds to wait for an answer; the default unless given. */
  readonly timeout?: number
  /** The number of further attempts of a request; the default unless given. */
  readonly retries?: number
  /** The gate that every request to the instance passes. */
  readonly gate?: Gate
  /** Returns proxy and certificates. It is called once for each HTTP client, before its first request. */
  readonly loadTransport?: () => Promise<ClientOptions['transport']>
  /** Called before a client is created. */
  readonly onOpening?: () => void
  /** Called with each exchange; credentials are redacted. */
  readonly trace?: Trace
  /**
   * Opens the record of writes before any request that may write is sent. The result is called with each exchange. Throws if the record
   * cannot be opened.
   * @param credential the credential of the request
   */
  readonly record?: (credential: Credential | undefined) => Trace | undefined
  /** Called before each write; it throws to refuse the write. */
  readonly guard?: (request: WireRequest) => void | Promise<void>
  /** Called with an endpoint that takes a job token and is called without any credential. */
  readonly onMissingCredential?: (endpoint: EndpointTraits) => void
  readonly progress?: WorkMeter
  /** Called with each endpoint before its request, and with the error if it fails. */
  readonly routes?: {
    readonly beforeRequest: (endpoint: EndpointTraits) => void
    readonly afterFailure: (endpoint: EndpointTraits, error: unknown) => void
  }
  /** Converts errors for the program that shows them. */
  readonly mapError?: (error: unknown) => unknown
  /** The vocabulary, which is used if it applies to the instance. */
  readonly words?: Words | undefined
  /** The snapshot that answers in place of the instance; nothing is sent. */
  readonly snapshot?: SnapshotReader
  /** Answers that several instances of one run share. */
  readonly reads?: Pick<SharedReads, 'wrap'> | undefined
}

/** The owner of a requested credential. */
export type Need = 'user' | 'job'
/** Returns the user's or the job's credential; undefined if there is none. */
export type CredentialProvider = (need: Need) => Promise<Credential | undefined>

/**
 * The kind of credential that is missing. `job`: the endpoint takes only a job token. `user`: it does not take the job token that is set.
 * `any`: no credential is set.
 */
export type CredentialGap = 'job' | 'user' | 'any'

const texts: Readonly<Record<CredentialGap, (what: string, baseUrl: string) => string>> = {
  job: (what) => `${what} requires a job token, and none is set`,
  user: (what) => `${what} does not accept a job token, and no other credential is set`,
  any: (what, baseUrl) => `${what} requires a credential for ${baseUrl}, and none is set`,
}

/** The failure of a call without a credential that its endpoint takes. Nothing was sent. */
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
 * Finds the credential for an endpoint; undefined if it needs none. Without an endpoint, it is the user's.
 * @throws MissingCredential if the endpoint requires a credential, or does not take the job token
 */
export const findCredential = async (
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
  // Reading may work without a credential, since the data of a public project is public.
  if (endpoint !== undefined && !writes(endpoint)) return undefined
  throw new MissingCredential('any', endpoint, baseUrl)
}
