import { expect, it } from 'vitest'
import type { Failure } from '../../src/errors.js'
import { getRejection, serve } from '../support/servers.js'
import { buildWrite, createTestClient } from './clients.js'

/** Answers of a token URL. Each contains a secret that must not be shown. */
const answers: readonly (readonly [string, number, string, Record<string, string>, RegExp])[] = [
  ['a cut answer', 200, '{"access_token":"canary-1","refresh_', {}, /the response is invalid/],
  ['a page', 200, '<html><title>canary-1</title>', {}, /the response is invalid/],
  ['text', 200, 'canary-1', {}, /the response is invalid/],
  ['an encoding', 200, 'x', { 'content-encoding': 'canary-1' }, /the response is invalid/],
  ['a message', 400, '{"message":"canary-1"}', {}, /^400 Bad Request$/],
  ['a code', 400, '{"error":"canary_1","error_description":"canary-1"}', {}, /^400 Bad Request$/],
  [
    'a registered code',
    400,
    '{"error":"invalid_grant","error_description":"canary-1"}',
    { 'x-request-id': 'canary-1' },
    /^400 Bad Request: invalid_grant$/,
  ],
  ['a redirect', 302, '', { location: 'http://127.0.0.1:1/canary-1' }, /^302 Found$/],
  ['a wait', 429, '', { 'retry-after': 'canary-1' }, /^429 Too Many Requests$/],
  ['a gateway', 502, '<html><title>canary-1</title>', {}, /^502 Bad Gateway$/],
]

it.each(answers)('tells nothing of %s but its status and a registered code', async (...row) => {
  const [, status, body, headers, says] = row
  const server = await serve((_, response) => {
    response.writeHead(status, headers)
    response.end(body)
  })
  const request = { ...buildWrite('POST', '/token', '{}'), opaque: true } as const
  const failure = (await getRejection(createTestClient(server.base).call(request))) as Failure
  expect(failure.message).toMatch(says)
  expect(JSON.stringify(failure)).not.toMatch(/canary/)
})
