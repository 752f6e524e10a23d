/**
 * Who may come in. The instance listens on the loopback, and its credentials are published: a page
 * of the web, opened in a browser of this machine, must not act with them. Programs send none of
 * these headers, or a loopback name.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { forbidden, type Refusal } from '../reply.js'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether `host[:port]` names the loopback: a name of the web that leads there does not. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  return loopback.test(name)
}

const isLocalPage = (address: string): boolean =>
  URL.canParse(address) && isLoopbackHost(new URL(address).host)

/** Whether a page sent it, rather than a program or the address bar. */
export const fromPage = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined ||
  headers.referer !== undefined ||
  !['none', undefined].includes(first(headers['sec-fetch-site']))

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

/** Why a request stays outside, judged by its headers alone; undefined when it may come in. */
export const turnedAway = (headers: IncomingHttpHeaders): Refusal | undefined => {
  const { host = '', origin, referer } = headers
  if (!isLoopbackHost(host)) return forbidden('The Host header has to name the loopback')
  const foreign =
    [origin, referer].some((page) => page !== undefined && !isLocalPage(page)) ||
    first(headers['sec-fetch-site']) === 'cross-site'
  return foreign ? forbidden('Pages of other sites may not use this instance') : undefined
}
