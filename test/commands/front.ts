/** A proxy between the program and the embedded instance. It can reject, change and count requests. */
import type { ServerResponse } from 'node:http'
import { type SeenRequest, serve } from '../support/servers.js'

/** Answers a request and returns true, or returns false to pass it on. `write` counts the requests other than GET. */
export type Hook = (seen: SeenRequest, response: ServerResponse, write: number) => boolean

/** Starts a proxy in front of an instance. It closes when the test ends. */
export const startProxy = async (url: () => string, hook: Hook = () => false) => {
  let writes = 0
  const server = await serve((seen, response) => {
    const write = seen.method === 'GET' ? 0 : ++writes
    if (hook(seen, response, write)) return
    const { host: _, 'content-length': __, connection: ___, ...headers } = seen.headers
    fetch(url() + seen.url, {
      method: seen.method,
      headers: headers as Record<string, string>,
      ...(seen.body === '' ? {} : { body: seen.body }),
    })
      .then(async (answer) => {
        const type = answer.headers.get('content-type')
        const kept = ['link', 'x-next-page', 'x-total-pages', 'x-total', 'x-page', 'x-per-page']
        for (const name of kept) {
          const value = answer.headers.get(name)
          if (value !== null) response.setHeader(name, value.replaceAll(url(), server.base))
        }
        response.writeHead(answer.status, type === null ? {} : { 'content-type': type })
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
      .catch(() => response.destroy())
  })
  const written = () => server.seen.filter(({ method }) => method !== 'GET')
  return { base: server.base, written }
}
export type ProxyServer = Awaited<ReturnType<typeof startProxy>>
