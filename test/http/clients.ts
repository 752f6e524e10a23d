/** Clients for the tests of the HTTP layer, and requests for them. */
import { onTestFinished } from 'vitest'
import type { Clock } from '../../src/base/async.js'
import { createClient } from '../../src/http/index.js'
import type { Client, ClientOptions, WireRequest } from '../../src/http/types.js'

/** Creates a clock that does not wait, and records how long each wait should have been. */
export const createFakeClock = (now = 1_700_000_000_000): Clock & { readonly slept: number[] } => {
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    uptime: () => now,
    random: () => 1,
    later: (milliseconds, work) => {
      slept.push(milliseconds)
      queueMicrotask(work)
      return () => {}
    },
  }
}

/** Creates a client that is closed at the end of the test. By default it has no retries and does not wait. */
export const createTestClient = (
  baseUrl: string,
  options: Partial<ClientOptions> = {},
  clock: Clock = createFakeClock(),
): Client => {
  const client = createClient({
    baseUrl,
    clock,
    timeout: 30,
    retries: 0,
    userAgent: 'svcctl/test',
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

export const buildGet = (path: string): WireRequest => ({ method: 'GET', path, headers: {} })
export const buildWrite = (method: string, path: string, body?: string): WireRequest => ({
  method,
  path,
  headers: body === undefined ? {} : { 'content-type': 'application/json' },
  ...(body === undefined ? {} : { body }),
})
