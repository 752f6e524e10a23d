/** A server that answers byte by byte as it is told, so that it can lie about everything HTTP says. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface Asked {
  readonly method: string
  /** Path with query. */
  readonly path: string
  /** The head as it came, without the request line. */
  readonly headers: string
  /** 0 for the first request that this server saw. */
  readonly index: number
}

/** What the server does once a request has come whole. */
export type Behaviour = (asked: Asked, socket: Socket) => void

export interface LyingServer {
  readonly url: string
  readonly seen: Asked[]
  behave: Behaviour
  close(): Promise<void>
}

/** The first request of what came, and what came after it; undefined while it is not whole. */
const split = (text: string): { head: string; rest: string } | undefined => {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const rest = text.slice(end + 4)
  return rest.length < length ? undefined : { head, rest: rest.slice(length) }
}

/** Starts a server on the loopback. */
export const lie = async (behave: Behaviour): Promise<LyingServer> => {
  const seen: Asked[] = []
  const sockets = new Set<Socket>()
  const take = (head: string, socket: Socket): void => {
    const [line = '', ...headers] = head.split('\r\n')
    const [method = '', path = ''] = line.split(' ')
    const asked: Asked = { method, path, headers: headers.join('\n'), index: seen.length }
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
      for (let one = split(text); one !== undefined; one = split(text)) {
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

/** An address of the loopback at which nobody listens. */
export const nobody = async (): Promise<string> => {
  const server = await lie(() => {})
  await server.close()
  return server.url
}
