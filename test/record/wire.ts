/** The requests that servers in this process got: as they came over the wire, and which of them were under way at once. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

interface HeardRequest {
  readonly port: number
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly chunks: Buffer[]
  /** When it began and ended, counted in such moments. */
  readonly began: number
  ended: number
  status: number | undefined
  id: string | undefined
}

interface Message {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const apiRoot = '/api/v4'
const startName = 'http.server.request.start'
/** Longer than any answer takes, in milliseconds. */
const patience = 2_000

/** Headers that tell how something was asked for, beside the token of the instance's administrator. */
const told = [
  'private-token',
  'authorization',
  'job-token',
  'sudo',
  'accept',
  'content-type',
  'range',
  'if-none-match',
  'cookie',
]
const usual: Readonly<Record<string, string>> = {
  'private-token': 'sandbox-root-token',
  accept: 'application/json',
  'content-type': 'application/json',
}

/** Finds the ID that an instance gives a request, among what is written as the head of its answer. */
const findRequestId = (args: readonly unknown[]): string | undefined =>
  /"x-request-id"[:,]"([^"]+)"/i.exec(JSON.stringify(args))?.[1]

export class Wire {
  #heard: HeardRequest[] = []
  #moment = 0
  #names = new Map<number, string>()

  readonly #onStart = (message: unknown): void => {
    const { request, response } = message as Message
    const one: HeardRequest = {
      port: request.socket.localPort ?? 0,
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      chunks: [],
      began: this.#moment++,
      ended: Number.POSITIVE_INFINITY,
      status: undefined,
      id: undefined,
    }
    this.#heard.push(one)
    const push = request.push.bind(request)
    request.push = (chunk, encoding) => {
      if (chunk) one.chunks.push(Buffer.from(chunk))
      return push(chunk, encoding)
    }
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
    response.writeHead = (...args: unknown[]) => {
      one.id = findRequestId(args)
      return writeHead(...args)
    }
    response.once('finish', () => {
      one.status = response.statusCode
      one.ended = this.#moment++
    })
    response.once('close', () => {
      if (one.ended === Number.POSITIVE_INFINITY) one.ended = this.#moment++
    })
  }

  open(): void {
    subscribe(startName, this.#onStart)
  }

  close(): void {
    unsubscribe(startName, this.#onStart)
  }

  /** Says what the instance at a port is called; nothing for the one that most lines talk to. */
  name(port: number, name: string): void {
    this.#names.set(port, name)
  }

  #getName(port: number): string {
    return this.#names.get(port) ?? 'another'
  }

  /** Returns what was heard, once all of it is answered, and the ID of each request with what it was. */
  async take(unordered: boolean) {
    const until = performance.now() + patience
    while (
      this.#heard.some(({ ended }) => ended === Number.POSITIVE_INFINITY) &&
      performance.now() < until
    )
      await new Promise((resolve) => setImmediate(resolve))
    const heard = this.#heard
    this.#heard = []
    const ids = new Map(
      heard.flatMap((one) =>
        one.id === undefined
          ? []
          : [[one.id, `${one.method} ${one.target.replace(apiRoot, '')}`] as const],
      ),
    )
    const ports = [...new Set(heard.map(({ port }) => port))].sort((a, b) =>
      this.#getName(a) < this.#getName(b) ? -1 : 1,
    )
    // Instances are asked side by side: only the order at each of them is the line's.
    const parts = ports.flatMap((port) => {
      const requests = heard.filter((one) => one.port === port)
      return unordered ? [requests] : groupRequests(requests)
    })
    return { ids, lines: parts.flatMap((part) => part.map((one) => this.#print(one)).sort()) }
  }

  #print({ port, method, target, headers, chunks, status }: HeardRequest): string {
    const name = this.#getName(port)
    const path = target.startsWith(`${apiRoot}/`) ? target.slice(apiRoot.length) : target
    const shown = told.flatMap((header) => {
      const value = headers[header]
      return value === undefined || value === usual[header] ? [] : [`[${header}: ${value}]`]
    })
    const body = Buffer.concat(chunks).toString()
    const text = body === '' ? [] : [/^[[{][^\n]*$/.test(body) ? body : JSON.stringify(body)]
    return [
      ...(name === '' ? [] : [`${name}:`]),
      method,
      path,
      ...shown,
      ...text,
      '→',
      status ?? 'no answer',
    ].join(' ')
  }
}

/** Returns the kind of a request: its method and its path without what names an object, as the last word of one without a query does. */
const getKind = ({ method, target }: HeardRequest): string => {
  const path = target.replace(/\?.*/, '').replace(/\/[^/]*(?:\d|%2F)[^/]*/g, '/x')
  const isList = target.includes('?') || path.split('/').length < 4
  return `${method} ${isList ? path : path.replace(/[^/]*$/, '')}`
}

/** True if a request was under way while one of others was. */
const overlaps = (part: readonly HeardRequest[], next: HeardRequest): boolean =>
  part.some(({ ended }) => ended > next.began)

/** Groups requests that were under way at once, and neighbours of the same kind, which may have been: their order is nobody's. */
const groupRequests = (heard: readonly HeardRequest[]): readonly (readonly HeardRequest[])[] => {
  const parts: HeardRequest[][] = []
  for (const one of heard) {
    const last = parts.at(-1)
    if (last !== undefined && overlaps(last, one)) last.push(one)
    else parts.push([one])
  }
  const joined: HeardRequest[][] = []
  for (const part of parts) {
    const last = joined.at(-1)
    const kinds = new Set(last?.map(getKind))
    if (last !== undefined && part.every((one) => kinds.has(getKind(one)))) last.push(...part)
    else joined.push(part)
  }
  return joined
}
