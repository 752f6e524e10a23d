/** Provides answers for handlers that a plain value cannot express, and refusals. */
import type { Readable } from 'node:stream'
import { isObject } from '../base/objects.js'

type Headers = Readonly<Record<string, string>>

/** An answer with a status of its own. A body of undefined sends none. */
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

/** Bytes: sent with Content-Disposition when it has a name, whole or by range when in memory. */
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

/** A long list whose records are only presented once they are on the asked-for page. */
export class LazyList<T> {
  constructor(
    readonly size: number,
    /** The records from `start` up to and without `end`, presented. */
    readonly slice: (start: number, end: number) => readonly T[] | Promise<readonly T[]>,
  ) {}
}

/** Creates a list of records, each shown by `present` when its page is requested. */
export const createLazyList = <R, T>(rows: readonly R[], present: (row: R) => T): LazyList<T> =>
  new LazyList(rows.length, (start, end) => rows.slice(start, end).map(present))

/**
 * One page of a keyset-paginated list: `next` holds the query parameters that the next page
 * differs in, or is null at the end.
 */
export class Keyset<T> {
  constructor(
    readonly items: readonly T[],
    readonly next: Readonly<Record<string, string>> | null,
  ) {}
}

/** Thrown to refuse: the status and body of the answer. */
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

/** Creates a 304: the record has this state already. */
export const replyUnchanged = (): Reply => new Reply(304)

/** Creates a 400 of a parameter check: `{"error": "<name> is missing"}`. */
export const invalid = (text: string): Refusal => new Refusal(400, { error: text })
export const missing = (name: string): Refusal => invalid(`${name} is missing`)
/** Creates a 400 of a record check: `{"message": …}`, a text or `{field: [texts]}`. */
export const badRequest = (detail: string | Readonly<Record<string, unknown>>): Refusal =>
  new Refusal(400, { message: detail })
export const unauthorized = (): Refusal => createRefusal(401, '401 Unauthorized')
export const forbidden = (reason?: string): Refusal =>
  createRefusal(403, reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`)
/** Creates a 404 of a record: `{"message": "404 Project Not Found"}`. */
export const notFound = (what?: string): Refusal =>
  createRefusal(404, what === undefined ? '404 Not found' : `404 ${what} Not Found`)
/** Creates a 412: the record changed after the moment in `If-Unmodified-Since`. */
export const preconditionFailed = (): Refusal => createRefusal(412, '412 Precondition Failed')
export const conflict = (text: string): Refusal => createRefusal(409, text)
/** Creates a 503: this machine lacks what the answer needs. */
export const unavailable = (why: string): Refusal =>
  createRefusal(503, `503 Service Unavailable - ${why}`)
