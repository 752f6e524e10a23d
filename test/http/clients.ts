/** Clients for the tests of the HTTP layer, and what they send. */
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/base/async.js'
import { createClient } from '../../src/http/index.js'
import type { Client, ClientOptions, WireRequest } from '../../src/http/types.js'

/** A clock that does not wait, and remembers for how long it should have. */
export const fakeClock = (now = 1_700_000_000_000): Clock & { readonly slept: number[] } => {
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    random: () => 1,
    later: (milliseconds, work) => {
      slept.push(milliseconds)
      queueMicrotask(work)
      return () => {}
    },
  }
}

/** A client for a test, closed at its end; no retries and no waiting unless asked for. */
export const clientOf = (
  baseUrl: string,
  options: Partial<ClientOptions> = {},
  clock: Clock = fakeClock(),
): Client => {
  const client = createClient(
    { baseUrl, timeout: 30, retries: 0, userAgent: 'svcctl/test', ...options },
    clock,
  )
  onTestFinished(() => client.close())
  return client
}

export const get = (path: string): WireRequest => ({ method: 'GET', path, headers: {} })
export const send = (method: string, path: string, body?: string): WireRequest => ({
  method,
  path,
  headers: body === undefined ? {} : { 'content-type': 'application/json' },
  ...(body === undefined ? {} : { body }),
})
