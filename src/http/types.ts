/** The types of the HTTP layer, and its advice after a failure. An advice is a sentence, or a code if its words are commands and flags. */
import type { FieldMatch, Records } from '../base/json/records.js'
import type { JsonValues } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Words } from '../catalogue/words.js'
import type { FailureDetails } from '../errors.js'

/** A credential as it travels: one header, never the query. */
export type Credential =
  | { readonly kind: 'personal'; readonly value: string }
  | { readonly kind: 'oauth'; readonly value: string }
  | { readonly kind: 'session'; readonly value: string }
  | { readonly kind: 'job'; readonly value: string }
  /** Alert keys: Bearer, or Basic with an empty user name. */
  | { readonly kind: 'bearer'; readonly value: string }
  | { readonly kind: 'basic'; readonly value: string }

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
  /** The instance's own words, if it has some. */
  readonly words?: Words
  /** True if only GET and HEAD may be sent, whatever the caller asks for. */
  readonly readOnly?: boolean
  /** With `readOnly`: the method of an endpoint that only reads, whatever its method says. */
  readonly readsBy?: string
}

export interface Exchange {
  readonly method: string
  /** Whole URL; credentials never stand in it. */
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody?: string
  /** Absent when no answer came. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly requestId?: string
  readonly milliseconds: number
  readonly error?: string
  /** False when it certainly did not reach the instance. */
  readonly sent?: boolean
}

/** The options of one call; options left out are those of its client. */
export interface CallOptions {
  /** Ends this call. */
  readonly signal?: AbortSignal | undefined
  /** Seconds to wait for an answer, and for each further piece of it. */
  readonly timeout?: number | undefined
  /** The number of further attempts. */
  readonly retries?: number | undefined
  /** An answer of another type than JSON is taken as its bytes; a page is not, which some proxy sent. */
  readonly anyType?: boolean | undefined
}

/** A request before it meets an instance: pure data, made by `buildRequest`. */
export interface WireRequest {
  readonly method: string
  /** Below the API root (`/runners/7?per_page=100`) or, with `absolute`, a whole URL. */
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

/** A part of a multipart body: a text field or a file. */
export type Part =
  | { readonly name: string; readonly value: string; readonly bytes?: never }
  | (FilePart & { readonly name: string })

/** A file of a form: the instance learns its name; sending it again needs its path. */
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
  /** `--param` and unknown attributes of `--input`: sent as they are; a value of `values` beats them. */
  readonly extra?: JsonValues
  /** Parameters that go as multipart file parts (`certificate`, `key`): name → file name and bytes. */
  readonly files?: Readonly<Record<string, FilePart>>
  readonly how?: CallOptions | undefined
}

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly url: string
  /** Decompressed; ends with a Failure when the body was cut short. */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads no further, or not at all. */
  readonly cancel: () => void
}

/** A whole answer; `data` is undefined if there was no body (204, 304). */
export interface WholeAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** Bytes as they came. */
  readonly bytes: Uint8Array
  readonly data: unknown
}

/** A page of a list, but for its records. */
export type PageHead = Pick<WholeAnswer, 'status' | 'headers'>

export interface ListOptions {
  /** The maximum number of records; undefined for all. */
  readonly limit?: number
  /** Window of pages in flight, by page number; 1 follows links, as does a client without a gate. */
  readonly concurrency?: number
  /** Exactly one page (`--page` was given): never follow. */
  readonly single?: boolean
  readonly watch?: FieldMatch
  /** True if the reader of the records has to wait; then one page is held and one more is requested. */
  readonly held?: () => boolean
  /** Accepts an object in place of the list; called before that object is given as the only record. */
  readonly alone?: () => void
  /** Called with each page before its records. */
  readonly onPage?: (page: PageHead) => void
  /** Starts counting the list as work in progress. */
  readonly work?: (() => ListWork) | undefined
  /** Changes what is thrown. */
  readonly mapError?: ((error: unknown) => unknown) | undefined
}

/** A list as work in progress. */
export interface ListWork {
  /** Updates the number of records that have come, and the total if the instance says it. */
  update(records: number, total: number | undefined): void
  /** However the list ended. */
  end(): void
}

/** The result of a list that ended. */
export interface ListEnd {
  readonly records: number
  /** True when the instance has more records than were given. */
  readonly more: boolean
  /** `x-total`, where the instance says. */
  readonly total?: number
}

/** A batch of records (usually a page or part of one), each the bytes of one JSON value. */
export type Batch = Records

export interface Client {
  /** A download: one request, its body to be read by the caller; a redirect may lead to another origin. Throws Failure on any status but 2xx and 304. */
  open(request: WireRequest): Promise<Answer>
  /** One request, its answer read whole and parsed when it is JSON. */
  call(request: WireRequest): Promise<WholeAnswer>
  /** A list, page after page, records as bytes, in order. The generator returns how it ended. */
  list(request: WireRequest, options: ListOptions): AsyncGenerator<Batch, ListEnd>
  close(): Promise<void>
}

// The gate that all requests to an instance pass. It is declared here, where it is used, and made where it is
// understood: whoever puts rooms together hands one in.

/** Calls back once when the run is interrupted; gives a way to stop listening. */
export type OnInterrupt = (stop: () => void) => () => void

/** Leave to send one request; only the gate that gave it knows what it holds. */
export interface Admission {
  /** When it was given, by the gate's clock. */
  readonly at: number
  /** The number of times that the gate had closed by then. */
  readonly closings: number
  /** Since when this request, sent before and sent back, has been refused. */
  readonly refused: number | undefined
  /** The number of refusals since another request was answered; 0 unless given. */
  readonly refusals?: number
}

/** The result of an admitted request: the beginning of an answer, or its loss. */
export type AdmissionResult =
  | { readonly status: number; readonly headers: AnswerHeaders }
  | { readonly lost: 'time-out' | 'connection' | 'interrupted' }

export interface Gate {
  /** The number of requests that may be under way now. */
  readonly width: number
  /**
   * Leave to send a request, as soon as there may be one.
   * @param before what the same request had when it was sent back
   * @throws Failure `interrupted`, or for which no request may be sent any more
   */
  admit(onInterrupt: OnInterrupt, before?: Admission): Promise<Admission>
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
  /** The token lacks a scope: which one. */
  | 'scope'
  /** The credential that was sent is not accepted. */
  | 'credential'
  /** No credential was sent. */
  | 'sign-in'
  /** The user may not do that. */
  | 'rights'
  /** No instance may be there, or something in front of it answered. */
  | 'no-instance'
  /** A web server may have decoded the slashes of a path. */
  | 'decoded-path'
  /** The slashes of a name were not encoded: the method and path that were meant. */
  | 'slashes'
  /** The object was not found: it may be private, and no user is signed in. */
  | 'private'
  /** Nothing was found: it may be hidden from this user. */
  | 'hidden'
  /** The instance is in maintenance: how long it asks to wait. */
  | 'maintenance'
  /** The instance is not available: how long it asks to wait. */
  | 'unavailable'
  /** A project has another path now: what its former path, or number, is. */
  | 'moved-project'
  /** Too much was asked at once: how long the instance asks to wait. */
  | 'rate'
  /** The instance rejected the values that were sent. */
  | 'input'
  /** The network, or what stands on the way. */
  | 'way'
  /** The address, or the network. */
  | 'address'
  /** The authority of a certificate is not known. */
  | 'authority'
  /** It takes longer than it may. */
  | 'slow'
  /** A file of the transport: which one. */
  | 'ca'
  | 'client-certificate'
  /** The instance's paging leads nowhere. */
  | 'paging'
  /** The list continues only in the order of IDs. */
  | 'order-by-id'
  /** A response is larger than any may be. */
  | 'response-size'
  /** A record is larger than most formats can handle. */
  | 'record-size'
  /** An address carries a key. */
  | 'key-in-address'

/** A sentence, or what it is about. */
export type NextStep = string | { readonly code: AdviceCode; readonly about?: string }

/** As a failure's details have it. */
export const toDetails = (next: NextStep): Pick<FailureDetails, 'hint' | 'advice'> =>
  typeof next === 'string' ? { hint: next } : { advice: next }
