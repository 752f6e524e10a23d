/** Provides a loopback server that records requests and answers them by a script. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** An object is sent as JSON, bytes unchanged. */
  readonly body?: unknown
}
export type Script = (seen: SeenRequest, index: number) => ScriptedAnswer | undefined

/** A script that may be asynchronous. */
export type AsyncScript = (
  ...of: Parameters<Script>
) => ReturnType<Script> | Promise<ScriptedAnswer>

export interface Recorder {
  readonly url: string
  readonly seen: SeenRequest[]
  /** The method and path with query of each request, below the API root. */
  readonly lines: () => string[]
  answer: AsyncScript
  close(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}

const sendAnswer = (response: ServerResponse, scripted: ScriptedAnswer): void => {
  const { status = 200, headers = {}, body } = scripted
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const text = body === undefined ? '' : raw ? body : JSON.stringify(body)
  response.writeHead(status, {
    ...(text === '' ? {} : { 'content-type': 'application/json' }),
    ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
  })
  response.end(text)
}

/** Starts a recorder on loopback. If the script gives no answer, it sends an empty list or object. */
export const startRecorder = async (answer: AsyncScript = () => undefined): Promise<Recorder> => {
  const seen: SeenRequest[] = []
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
    const one: SeenRequest = { method, url, headers, body: await readBody(request) }
    seen.push(one)
    const scripted = await recorder.answer(one, seen.length - 1)
    sendAnswer(response, scripted ?? { body: method === 'GET' ? [] : {} })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(recorder, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
}

/** Starts a recorder for the tests of a file, and clears it before each test. */
export const useRecorder = (): Recorder => {
  const quiet: Script = () => undefined
  const recorder: Recorder = {
    url: '',
    seen: [],
    lines: () => [],
    answer: quiet,
    close: async () => {},
  }
  beforeAll(async () => {
    const { answer: _, ...started } = await startRecorder((seen, index) =>
      recorder.answer(seen, index),
    )
    Object.assign(recorder, started)
  })
  beforeEach(() => {
    recorder.seen.length = 0
    recorder.answer = quiet
  })
  afterAll(() => recorder.close())
  return recorder
}
