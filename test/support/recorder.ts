/** A server that writes down what it is asked and answers as it is told, on the loopback. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
export interface Scripted {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** An object becomes JSON; bytes go as they are. */
  readonly body?: unknown
}
export type Script = (seen: Seen, index: number) => Scripted | undefined

/** A script that may take its time. */
export type Answering = (...of: Parameters<Script>) => ReturnType<Script> | Promise<Scripted>

export interface Recorder {
  readonly url: string
  readonly seen: Seen[]
  /** Method and path with query, below the API root. */
  readonly lines: () => string[]
  answer: Answering
  close(): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

const send = (response: ServerResponse, scripted: Scripted): void => {
  const { status = 200, headers = {}, body } = scripted
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const text = body === undefined ? '' : raw ? body : JSON.stringify(body)
  response.writeHead(status, {
    ...(text === '' ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
  })
  response.end(text)
}

/** Starts a recorder; what the script leaves out is answered with an empty list or object. */
export const record = async (answer: Answering = () => undefined): Promise<Recorder> => {
  const seen: Seen[] = []
  const recorder: Recorder = {
    url: '',
    seen,
    lines: () => seen.map((s) => `${s.method} ${s.url.replace(/^\/api\/v4/, '')}`),
    answer,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const one: Seen = { method, url, headers, body: await bodyOf(request) }
    seen.push(one)
    const scripted = await recorder.answer(one, seen.length - 1)
    send(response, scripted ?? { body: method === 'GET' ? [] : {} })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(recorder, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
}

/** A recorder for the tests of a file: there while they run, and forgetful between them. */
export const recording = (): Recorder => {
  const quiet: Script = () => undefined
  const recorder: Recorder = {
    url: '',
    seen: [],
    lines: () => [],
    answer: quiet,
    close: async () => {},
  }
  beforeAll(async () => {
    const { answer: _, ...started } = await record((seen, index) => recorder.answer(seen, index))
    Object.assign(recorder, started)
  })
  beforeEach(() => {
    recorder.seen.length = 0
    recorder.answer = quiet
  })
  afterAll(() => recorder.close())
  return recorder
}
