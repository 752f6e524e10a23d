/** Somebody between the program and the embedded instance, who may refuse, lie and count. */
import type { ServerResponse } from 'node:http'
import { type Seen, serve } from '../support/servers.js'

/** Answers by itself, or says that it does not; `write` counts what is no GET. */
export type Hook = (seen: Seen, response: ServerResponse, write: number) => boolean

/** An instance with somebody before it, gone with the test. */
export const frontOf = async (url: () => string, hook: Hook = () => false) => {
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
export type Front = Awaited<ReturnType<typeof frontOf>>
