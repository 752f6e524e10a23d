/** A server whose answers are written byte by byte, so that it can lie about everything that HTTP says. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface SeenRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  /** The header lines as they came, without the request line. */
  readonly headers: string
  /** 0 for the first request that this server saw. */
  readonly index: number
}

/** Answers a request that has come whole. */
export type Behaviour = (asked: SeenRequest, socket: Socket) => void

export interface LyingServer {
  readonly url: string
  readonly seen: SeenRequest[]
  behave: Behaviour
  close(): Promise<void>
}

/** Splits off the first whole request. Returns undefined if it is not whole yet. */
const splitRequest = (text: string): { head: string; rest: string } | undefined => {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const rest = text.slice(end + 4)
  return rest.length < length ? undefined : { head, rest: rest.slice(length) }
}

/** Starts a server on the loopback interface. */
export const startLyingServer = async (behave: Behaviour): Promise<LyingServer> => {
  const seen: SeenRequest[] = []
  const sockets = new Set<Socket>()
  const take = (head: string, socket: Socket): void => {
    const [line = '', ...headers] = head.split('\r\n')
    const [method = '', path = ''] = line.split(' ')
    const asked: SeenRequest = { method, path, headers: headers.join('\n'), index: seen.length }
    seen.push(asked)
    lying.behave(asked, socket)
  }
  const server = createServer((socket) => {
    let text = ''
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let one = splitRequest(text); one !== undefined; one = splitRequest(text)) {
        text = one.rest
        take(one.head, socket)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const lying: LyingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    behave,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return lying
}
