/** The types of the HTTP layer, and its advice after a failure. An advice is a sentence, or a code if its words are commands and flags. */
import type { Clock } from '../base/async.js'
import type { FieldMatch, Records } from '../base/json/records.js'
import type { JsonValues } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { FailureDetails } from '../errors.js'

/** A credential. It is sent in one header, and never in the query. */
export interface Credential {
  /** The kinds `bearer` and `basic` are alert keys; `basic` has an empty user name. */
  readonly kind: 'personal' | 'oauth' | 'session' | 'job' | 'bearer' | 'basic'
  readonly value: string
}

export interface Transport {
  readonly proxy?: string
  readonly noProxy?: string
  /** PEM text of further certificate authorities. */
  readonly ca?: string
  /** PEM text of a client certificate and its key. */
  readonly cert?: string
  readonly key?: string
  readonly insecure?: boolean
}

export interface ClientOptions {
  /** Without a trailing slash and without `/api/v4`; may have a path (`https://host/forge`). */
  readonly baseUrl: string
  /** The source of time and randomness. */
  readonly clock: Clock
  readonly credential?: Credential
  /** Called once on a 401; a fresh credential (OAuth refresh) or undefined. */
  readonly renew?: () => Promise<Credential | undefined>
  readonly sudo?: string
  /** Seconds to wait for headers, and for each further piece of the body. */
  readonly timeout: number
  /** The number of further attempts of a request, for errors and for requests to wait (429) together. */
  readonly retries: number
  /** The number of further attempts if the instance asks to wait; `retries` unless given. */
  readonly refusals?: number
  /** The gate of the instance; requests to other origins do not pass it. */
  readonly gate?: Gate
  readonly transport?: Transport
  readonly userAgent: string
  /** Notes for standard error (retries, rewritten links under -v). Already free of credentials. */
  readonly note?: (text: string, level: 'info' | 'verbose') => void
  /** One call per exchange, for -v and the audit log. Credentials are redacted. */
  readonly trace?: (exchange: Exchange) => void
  readonly signal?: AbortSignal
  /** The names that the instance has for headers, if they are not the documented ones. */
  readonly headerNames?: HeaderNames | undefined
  /** Translates the parsed data of an answer for its readers. */
  readonly translate?: ((data: unknown) => unknown) | undefined
  /** True if only GET and HEAD may be sent, whatever the caller asks for. */
  readonly readOnly?: boolean
  /** With `readOnly`: the method of an endpoint that only reads, whatever its method says. */
  readonly readsBy?: string
}

export interface Exchange {
  readonly method: string
  /** The whole URL, which never contains credentials. */
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The user that the request acted as. */
  readonly sudo?: string | undefined
  readonly requestBody?: string
  /** Undefined if no answer came. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly requestId?: string
  readonly milliseconds: number
  readonly error?: string
  /** False if the request certainly did not reach the instance. */
  readonly sent?: boolean
}

/** The options of one call; options left out are those of its client. */
export interface CallOptions {
  /** Aborts this call. */
  readonly signal?: AbortSignal | undefined
  /** The time to wait for an answer, and for each further piece of it, in seconds. */
  readonly timeout?: number | undefined
  /** The number of further attempts. */
  readonly retries?: number | undefined
  /** True to accept an answer of another type than JSON as bytes. An HTML page is still refused, since a proxy probably sent it. */
  readonly anyType?: boolean | undefined
}

/** A request that is independent of an instance: pure data, created by `buildRequest`. */
export interface WireRequest {
  readonly method: string
  /** A path below the API root (`/runners/7?per_page=100`) or, with `absolute`, a whole URL. */
  readonly path: string
  readonly absolute?: true
  readonly headers: Readonly<Record<string, string>>
  /** JSON text or multipart bytes. */
  readonly body?: string | Uint8Array
  /** The parts of a multipart body, which `--curl` shows. */
  readonly parts?: readonly Part[]
  /** Names of attributes and of fields of the answer that hold secrets: never shown. */
  readonly secrets?: ReadonlySet<string>
  /** True for the first page of a list that continues by ID after its last numbered page. */
  readonly keyset?: true
  /** True if the answer holds tokens, so that nothing of it appears in messages but its status and a registered OAuth error. */
  readonly opaque?: true
  /** The options of this call. */
  readonly how?: CallOptions | undefined
}

/** The names that an instance has for headers. */
export interface HeaderNames {
  /** The name of the session cookie. */
  readonly cookie: string
  /** Returns the instance's name for a documented one, both in lower case. */
  readonly toOwn: (name: string) => string
}

/** A part of a multipart body: a text field or a file. */
export type Part =
  | { readonly name: string; readonly value: string; readonly bytes?: never }
  | (FilePart & { readonly name: string })

/** A file of a form. The instance receives its name; `--curl` shows its path. */
export interface FilePart {
  readonly filename: string
  readonly path?: string
  readonly bytes: Uint8Array
}

/**
 * A request of a command: an endpoint with values by the API's own names, already parsed and checked. `undefined` is not sent; null is sent
 * as null (body) or empty (query).
 */
export interface Ask {
  readonly endpoint: Endpoint
  readonly values: JsonValues
  /** Values of `--param`, and unknown attributes of `--input`. They are sent as they are, unless `values` has the same name. */
  readonly extra?: JsonValues
  /** Parameters that are sent as file parts of a multipart body (`certificate`, `key`), by name. */
  readonly files?: Readonly<Record<string, FilePart>>
  readonly how?: CallOptions | undefined
}

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly url: string
  /** The decompressed body. Reading it throws a Failure if it was cut short. */
  readonly body: AsyncIterable<Uint8Array>
  /** Stops reading the body, or never begins. */
  readonly cancel: () => void
}

/** A whole answer; `data` is undefined if there was no body (204, 304). */
export interface WholeAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The bytes as received. */
  readonly bytes: Uint8Array
  readonly data: unknown
}

/** An answer without its body. */
export type AnswerHead = Pick<WholeAnswer, 'status' | 'headers'>

export interface ListOptions {
  /** The maximum number of records; undefined for all. */
  readonly limit?: number
  /** The number of pages in flight, if pages are requested by number. 1 follows the links, as a client without a gate does. */
  readonly concurrency?: number
  /** True to read exactly one page (`--page` was given) and follow no links. */
  readonly single?: boolean
  readonly watch?: FieldMatch
  /** True if each record must be an object; anything else is an answer that cannot be read. */
  readonly onlyObjects?: boolean
  /** True if the reader of the records has to wait; then one page is held and one more is requested. */
  readonly held?: () => boolean
  /** Accepts an object in place of the list; called before that object is given as the only record. */
  readonly alone?: () => void
  /** Called with each page before its records. */
  readonly onPage?: (page: AnswerHead) => void
  /** Starts counting the list as work in progress. */
  readonly work?: (() => ListWork) | undefined
  /** Replaces errors that the list throws. */
  readonly mapError?: ((error: unknown) => unknown) | undefined
}

/** A list as work in progress. */
export interface ListWork {
  /** Updates the number of records that have come, and the total if the instance says it. */
  update(records: number, total: number | undefined): void
  /** Ends the work, whether the list ended well or not. */
  end(): void
}

/** The result of a list that ended. */
export interface ListEnd {
  readonly records: number
  /** True if the instance has more records than were returned. */
  readonly more: boolean
  /** The total from `x-total`, if the instance sends it. */
  readonly total?: number
}

/** A batch of records (usually a page or part of one), each the bytes of one JSON value. */
export type Batch = Records

export interface Client {
  /**
   * Opens a download: one request, whose body the caller reads. A redirect may lead to another origin.
   * @throws Failure for any status but 2xx and 304
   */
  open(request: WireRequest): Promise<Answer>
  /** Sends one request, and reads the whole answer, which is parsed if it is JSON. */
  call(request: WireRequest): Promise<WholeAnswer>
  /** Lists records as bytes, page after page and in order. The generator returns how the list ended. */
  list(request: WireRequest, options: ListOptions): AsyncGenerator<Batch, ListEnd>
  close(): Promise<void>
}

// The gate that all requests to an instance pass. Its interface is declared here, where it is used, so that the client does not depend on
// the implementation in `gate.ts`.

/** The permission to send one request. Only the gate that granted it reads further fields of it. */
export interface Admission {
  /** The time at which it was granted, by the gate's clock. */
  readonly at: number
}

/** The result of an admitted request: the beginning of an answer, or its loss. */
export type AdmissionResult =
  | AnswerHead
  | { readonly lost: 'time-out' | 'connection' | 'interrupted' }

export interface Gate {
  /** The number of requests that may be under way now. */
  readonly width: number
  /**
   * Waits until a request may be sent.
   * @param before the admission of the same request when it was refused
   * @throws Failure `interrupted`, or the failure because of which no request may be sent any more
   */
  admit(signal: AbortSignal, before?: Admission): Promise<Admission>
  /**
   * Records the result of an admission; it is called once for each.
   * @param retries how often the request may be sent again; without limit unless given
   * @returns true if the instance asks to send the request again later (429; 503 with `Retry-After`), and it may be sent: it asks for
   * admission again
   */
  observe(admission: Admission, came: AdmissionResult, retries?: number): boolean
}

export type AdviceCode =
  /** The user may not act as another. */
  | 'sudo'
  /** The user to act as does not exist. */
  | 'sudo-user'
  /** The token lacks a scope, which `about` names. */
  | 'scope'
  /** The credential that was sent is not accepted. */
  | 'credential'
  /** No credential was sent. */
  | 'sign-in'
  /** The user lacks the permission. */
  | 'rights'
  /** The base URL may not belong to an instance, or something in front of it answered. */
  | 'no-instance'
  /** A web server may have decoded the slashes of a path. */
  | 'decoded-path'
  /** The slashes of a name were not encoded; `about` is the intended method and path. */
  | 'slashes'
  /** The object was not found. It may be private, and no user is signed in. */
  | 'private'
  /** The object was not found. It may be hidden from this user. */
  | 'hidden'
  /** The instance is in maintenance; `about` is the requested wait. */
  | 'maintenance'
  /** The instance is not available; `about` is the requested wait. */
  | 'unavailable'
  /** The project has another path now; `about` is its former path or its number. */
  | 'moved-project'
  /** The instance limits requests; `about` is the requested wait. */
  | 'rate'
  /** The instance rejected the values that were sent. */
  | 'input'
  /** The network, or a proxy on the way, may be at fault. */
  | 'way'
  /** The address or the network may be wrong. */
  | 'address'
  /** The authority of a certificate is not known. */
  | 'authority'
  /** The answer exceeded the time-out. */
  | 'slow'
  /** The server requires a client certificate. */
  | 'identity'
  /** The file of certificate authorities cannot be used. */
  | 'ca'
  | 'client-certificate'
  /** The links or headers of the list's pages are wrong. */
  | 'paging'
  /** The list continues only in the order of IDs. */
  | 'order-by-id'
  /** The response exceeds the maximum size. */
  | 'response-size'
  /** A record is larger than most formats can handle. */
  | 'record-size'
  /** The URL contains a key. */
  | 'key-in-address'

/** The next step for people: a sentence, or a code with its subject. */
export type NextStep = string | { readonly code: AdviceCode; readonly about?: string }

/** Converts a next step to the details of a failure. */
export const toDetails = (next: NextStep): Pick<FailureDetails, 'hint' | 'advice'> =>
  typeof next === 'string' ? { hint: next } : { advice: next }
