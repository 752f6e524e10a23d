/** Clients for the tests of the HTTP layer, and what they send. */
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/http/index.js'
import type { Timing } from '../../src/http/sending/attempts.js'
import type { Client, ClientOptions, WireRequest } from '../../src/http/types.js'

/** A clock that does not wait, and remembers for how long it should have. */
export const fakeClock = (now = 1_700_000_000_000): Timing & { readonly slept: number[] } => {
  const slept: number[] = []
  return {
    slept,
    now: () => now,
    random: () => 1,
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
    },
  }
}

/** A client for a test, closed at its end; no retries and no waiting unless asked for. */
export const clientOf = (
  baseUrl: string,
  options: Partial<ClientOptions> = {},
  clock: Timing = fakeClock(),
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
