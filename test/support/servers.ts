/** Provides small loopback servers, which are closed when their test ends. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
export interface TestServer {
  readonly base: string
  readonly seen: SeenRequest[]
  /** The number of connections so far. */
  readonly connections: () => number
}
export type RequestHandler = (seen: SeenRequest, response: ServerResponse, count: number) => void

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

/** Starts an HTTP server on loopback that records its requests. */
export const serve = async (handler: RequestHandler): Promise<TestServer> => {
  const seen: SeenRequest[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
    }
    seen.push(one)
    handler(one, response, seen.length)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { base: `http://127.0.0.1:${port}`, seen, connections: () => connections }
}

/** Starts a server that sends bytes of the test's choice. */
export const serveRaw = async (
  handler: (socket: Socket, head: string, count: number) => void,
): Promise<{ base: string; count: () => number }> => {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createNetServer((socket) => {
    sockets.add(socket)
    let head = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      head += data.toString()
      if (!head.includes('\r\n\r\n')) return
      const request = head
      head = ''
      count += 1
      handler(socket, request, count)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { base: `http://127.0.0.1:${port}`, count: () => count }
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers = {},
): void => {
  const body = JSON.stringify(value)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body)
}

/** Returns the error of a rejected promise. */
export const getRejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it was not rejected')
}
