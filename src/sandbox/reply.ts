/** Provides the replies of handlers that a plain value cannot express, and the refusals that handlers throw. */
import type { Readable } from 'node:stream'
import { isObject } from '../base/objects.js'

type Headers = Readonly<Record<string, string>>

/** A reply with its own status. A body of undefined sends none. */
export class Reply {
  readonly #brand = true
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Headers = {},
  ) {}
  static is(value: unknown): value is Reply {
    return typeof value === 'object' && value !== null && #brand in value && value.#brand
  }
}

/** A reply of bytes. With a name it has Content-Disposition; bytes in memory are also sent by range. */
export class FileReply {
  readonly #brand = true
  constructor(
    readonly content: Buffer | Readable,
    readonly type: string,
    readonly filename?: string,
  ) {}
  static is(value: unknown): value is FileReply {
    return typeof value === 'object' && value !== null && #brand in value && value.#brand
  }
}

/** A long list. Only the records of the requested page are presented. */
export class LazyList<T> {
  constructor(
    readonly size: number,
    /** Returns the presented records from `start` up to and without `end`. */
    readonly slice: (start: number, end: number) => readonly T[] | Promise<readonly T[]>,
  ) {}
}

/** Creates a list of records. `present` is called only for the records of the requested page. */
export const createLazyList = <R, T>(
  rows: readonly R[],
  present: (row: R) => T,
): LazyList<Awaited<T>> =>
  new LazyList(rows.length, (start, end) => Promise.all(rows.slice(start, end).map(present)))

/** One page of a list with keyset pagination. `next` has the query parameters by which the next page differs; it is null at the end. */
export class Keyset<T> {
  constructor(
    readonly items: readonly T[],
    readonly next: Readonly<Record<string, string>> | null,
  ) {}
}

/** The error that a handler throws to refuse a request, with the status and the body of the response. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Headers = {},
  ) {
    super(isObject(body) && typeof body.message === 'string' ? body.message : `refused: ${status}`)
    this.name = 'Refusal'
  }
}

const createRefusal = (status: number, text: string): Refusal =>
  new Refusal(status, { message: text })

/** Creates a 304, for a record that has the requested state already. */
export const createUnchangedReply = (): Reply => new Reply(304)

/** Creates a 400 for an invalid parameter: `{"error": "<name> is missing"}`. */
export const invalid = (text: string): Refusal => new Refusal(400, { error: text })
export const missing = (name: string): Refusal => invalid(`${name} is missing`)
/** Creates a 400 for an invalid record: `{"message": …}`, with a text or `{field: [texts]}`. */
export const badRequest = (detail: string | Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(400, { message: detail })
export const unauthorized = (): Refusal => createRefusal(401, '401 Unauthorized')
export const forbidden = (reason?: string): Refusal =>
  createRefusal(403, reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`)
/** Creates a 404 for a record: `{"message": "404 Project Not Found"}`. */
export const notFound = (what?: string): Refusal =>
  createRefusal(404, what === undefined ? '404 Not found' : `404 ${what} Not Found`)
/** Creates a 410, for a route that the version of the instance no longer has. */
export const gone = (): Refusal => createRefusal(410, '410 Gone')
/** Creates a 412, for a record that changed after the time in `If-Unmodified-Since`. */
export const preconditionFailed = (): Refusal => createRefusal(412, '412 Precondition Failed')
export const conflict = (text: string): Refusal => createRefusal(409, text)
/** Creates a 503, for a request that needs a program which this machine does not have. */
export const unavailable = (why: string): Refusal =>
  createRefusal(503, `503 Service Unavailable - ${why}`)
