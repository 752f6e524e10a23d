/** Collects the requests that servers in this process received, in the order of the wire, and which of them overlapped. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

interface HeardRequest {
  readonly port: number
  readonly method: string
  readonly target: string
  readonly headers: IncomingMessage['headers']
  readonly chunks: Buffer[]
  /** The begin and the end, as numbers of a counter. */
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
/** Milliseconds; longer than any answer takes. */
const maxWait = 2_000

/** Headers that show how a request was made. The token of the instance's administrator is usual and left out. */
const recordedHeaders = [
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
const usualHeaders: Readonly<Record<string, string>> = {
  'private-token': 'sandbox-root-token',
  accept: 'application/json',
  'content-type': 'application/json',
}

/** Finds the request ID of an instance in the head of its answer. */
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

  /** Names the instance at a port; an empty name is for the one that most lines use. */
  name(port: number, name: string): void {
    this.#names.set(port, name)
  }

  #getName(port: number): string {
    return this.#names.get(port) ?? 'another'
  }

  /** Returns the requests once all of them are answered, and a description of each request by its ID. */
  async take(unordered: boolean) {
    const until = performance.now() + maxWait
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
    // Instances are asked concurrently, so only the order at each of them is the line's.
    const parts = ports.flatMap((port) => {
      const requests = heard.filter((one) => one.port === port)
      return unordered ? [requests] : groupRequests(requests)
    })
    return { ids, lines: parts.flatMap((part) => this.#printSorted(part)) }
  }

  /** Prints requests whose order is not fixed: reads first, because each object is read before it is written. */
  #printSorted(part: readonly HeardRequest[]): string[] {
    const isRead = ({ method }: HeardRequest): boolean => method === 'GET'
    return [part.filter(isRead), part.filter((one) => !isRead(one))].flatMap((some) =>
      some.map((one) => this.#print(one)).sort(),
    )
  }

  #print({ port, method, target, headers, chunks, status }: HeardRequest): string {
    const name = this.#getName(port)
    const path = target.startsWith(`${apiRoot}/`) ? target.slice(apiRoot.length) : target
    const shown = recordedHeaders.flatMap((header) => {
      const value = headers[header]
      return value === undefined || value === usualHeaders[header] ? [] : [`[${header}: ${value}]`]
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

/** Returns the kind of a request: method and path without the names of objects. */
const getKind = ({ method, target }: HeardRequest): string => {
  const path = target.replace(/\?.*/, '').replace(/\/[^/]*(?:\d|%2F)[^/]*/g, '/x')
  const isList = target.includes('?') || path.split('/').length < 4
  return `${method} ${isList ? path : path.replace(/[^/]*$/, '')}`
}

/** True if a request began before one of the others had ended. */
const doesOverlap = (part: readonly HeardRequest[], next: HeardRequest): boolean =>
  part.some(({ ended }) => ended > next.began)

/** Groups requests that overlapped, and neighbours of the same kind, which could have: their order is not fixed. */
const groupRequests = (heard: readonly HeardRequest[]): readonly (readonly HeardRequest[])[] => {
  const parts: HeardRequest[][] = []
  for (const one of heard) {
    const last = parts.at(-1)
    if (last !== undefined && doesOverlap(last, one)) last.push(one)
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
