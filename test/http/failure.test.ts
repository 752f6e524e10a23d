import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from '../../src/errors.js'
import { type RefusedAnswer, readErrorBody, toFailure } from '../../src/http/answers/failure.js'
import { getCategory } from '../../src/http/status.js'

const encoder = new TextEncoder()
const toBytes = (body: unknown): Uint8Array =>
  encoder.encode(typeof body === 'string' ? body : JSON.stringify(body))
const createFailure = (status: number, body: unknown, more: Partial<RefusedAnswer> = {}): Failure =>
  toFailure({
    status,
    headers: {},
    body: toBytes(body),
    request: 'GET https://forge.test/api/v4/x',
    author: 'user',
    ...more,
  })

describe('an error body', () => {
  it.each<[unknown, string]>([
    [{ message: '404 Project Not Found' }, '404 Project Not Found'],
    [{ message: ['a', 'b'] }, 'a; b'],
    [
      { message: { name: ['is taken', 'is short'], base: ['all wrong'] } },
      'name: is taken, is short; all wrong',
    ],
    [
      { message: { base: ['finding is not found or is already attached to a vulnerability'] } },
      'finding is not found or is already attached to a vulnerability',
    ],
    [
      { message: { push_rule: { regex: ['bad'], deep: { er: 'worse' } } } },
      'push_rule.regex: bad; push_rule.deep.er: worse',
    ],
    [{ error: 'content is missing' }, 'content is missing'],
    [
      { error: 'insufficient_scope', error_description: 'more is needed', scope: 'sudo' },
      'insufficient_scope: more is needed',
    ],
    [{ message: 'failed', error_code: 'conflict', dry_run: 'error' }, 'failed'],
    // Other fields than those for messages could contain a secret.
    [{ title: 'T', detail: 'D' }, ''],
    [{ message: 'failed', runners_token: 'secret' }, 'failed'],
    [['one', 'two'], ''],
    ['"just text"', ''],
    ['Retry later\n', ''],
    [{ error: 'see https://u:p@h/?private_token=x' }, 'see https://***@h/?private_token=***'],
    [
      '<html><head><title>502 Bad\n Gateway &amp; more</title></head></html>',
      'an HTML page, “502 Bad Gateway & more”',
    ],
    ['<!DOCTYPE html><h1>Sign in</h1>', 'an HTML page, “Sign in”'],
    ['<html></html>', 'an HTML page'],
    [
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has\n expired &amp; more</Message><HostId>secret</HostId></Error>',
      'AccessDenied: Request has expired & more',
    ],
    [
      '<Error xmlns="x"><RequestId>1</RequestId><Code>NoSuchKey</Code><Key>a</Key></Error>',
      'NoSuchKey',
    ],
    ['<?xml version="1.0"?><Other><Code>5</Code></Other>', 'an HTML page'],
    ['{"message": "cut', ''],
    ['', ''],
    ['null', ''],
    [{ message: null }, ''],
  ])('%j says %j', (body, text) => {
    expect(readErrorBody(toBytes(body)).text).toBe(text)
  })
  it('gives codes and scopes', () => {
    expect(readErrorBody(toBytes({ message: 'x', error_code: 'empty' })).code).toBe('empty')
    expect(readErrorBody(toBytes({ error: 'insufficient_scope', scope: 'sudo' }))).toMatchObject({
      code: 'insufficient_scope',
      scope: 'sudo',
    })
  })
  it('makes what could move a cursor visible', () => {
    expect(readErrorBody(toBytes({ message: 'a\u001b[2Jb\u009b\u202e' })).text).toBe(
      'a\\u{1b}[2Jb\\u{9b}\\u{202e}',
    )
  })
  it('keeps the text of every field, at any depth', () => {
    const value = fc.letrec((tie) => ({
      tree: fc.oneof(
        fc.stringMatching(/^[a-z]{3,9}$/),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('tree'), { maxKeys: 3 }),
      ),
    })).tree
    const texts = (v: unknown): string[] =>
      typeof v === 'string' ? [v] : Object.values(v as object).flatMap(texts)
    fc.assert(
      fc.property(value, (message) => {
        const said = readErrorBody(toBytes({ message })).text
        for (const text of texts(message)) expect(said).toContain(text)
      }),
    )
  })
  it('never throws and never holds a control character, whatever comes', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json({ stringUnit: 'binary' }).map((text) => encoder.encode(text)),
      fc.jsonValue({ stringUnit: 'binary' }).map((message) => toBytes({ message })),
      fc.string({ unit: 'binary' }).map((text) => encoder.encode(`<html><title>${text}`)),
    )
    fc.assert(
      fc.property(anything, fc.integer({ min: 300, max: 599 }), (body, status) => {
        const failure = toFailure({ status, headers: {}, body, request: 'GET x', author: 'nobody' })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
        expect(failure.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
        expect(failure.message).not.toBe('')
      }),
    )
  })
  it('survives JSON that is nested 100,000 deep', () => {
    expect(() => readErrorBody(toBytes('['.repeat(100_000) + ']'.repeat(100_000)))).not.toThrow()
    expect(() =>
      readErrorBody(toBytes(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)),
    ).not.toThrow()
  })
})

describe('a status', () => {
  it.each([
    [400, 'failed', 1],
    [405, 'failed', 1],
    [422, 'failed', 1],
    [418, 'failed', 1],
    [302, 'failed', 1],
    [401, 'auth', 3],
    [403, 'auth', 3],
    [404, 'not_found', 4],
    [410, 'not_found', 4],
    [409, 'conflict', 5],
    [412, 'conflict', 5],
    [429, 'rate_limited', 6],
    [500, 'unreachable', 7],
    [503, 'unreachable', 7],
  ])('%i is %s, exit %i', (status, category, exit) => {
    expect(getCategory(status)).toBe(category)
    expect(createFailure(status, '').exitCode).toBe(exit)
  })
  it('stands in the message once', () => {
    expect(createFailure(404, { message: '404 Project Not Found' }).message).toBe(
      '404 Project Not Found',
    )
    expect(createFailure(400, { error: 'content is missing' }).message).toBe(
      '400 Bad Request: content is missing',
    )
    expect(createFailure(403, { message: 'Forbidden' }).message).toBe('403 Forbidden')
    expect(createFailure(502, '<html><title>oops</title>').message).toBe(
      '502 Bad Gateway: an HTML page, “oops”',
    )
    expect(createFailure(499, '').message).toBe('499 (a refusal of no known name)')
    expect(createFailure(300, '').message).toBe('300 Multiple Choices')
    expect(createFailure(302, '').message).toBe('302 Found')
    expect(createFailure(416, 'nothing of it').message).toBe('416 Range Not Satisfiable')
  })
  it('comes with request, request id and code', () => {
    const headers = { 'x-request-id': 'abc' }
    expect(
      createFailure(400, { message: 'm', error_code: 'conflict' }, { headers }).details,
    ).toMatchObject({
      status: 400,
      request: 'GET https://forge.test/api/v4/x',
      requestId: 'abc',
      code: 'conflict',
    })
  })
})

describe('what to do next', () => {
  const next = (...args: Parameters<typeof createFailure>): unknown => {
    const { hint, advice } = createFailure(...args).details
    return hint ?? advice
  }
  it('names the path below the host, which gh takes in front of it', () => {
    const at = (path: string, base = 'https://forge.test:8443') => ({
      request: `GET ${base}/api/v4/${path}`,
    })
    const missing = { message: '404 Project Not Found' }
    const hint = 'The path must not contain the host: a/b.c.'
    expect(next(404, missing, at('projects/forge%2Etest%2Fa%2Fb%2Ec/jobs'))).toBe(hint)
    expect(next(404, missing, at('groups/forge%2Etest%3A8443%2Fa%2Fb%2Ec?x=1'))).toBe(hint)
    expect(next(404, missing, at('projects/other%2Etest%2Fa%2Fb'))).toEqual({ code: 'hidden' })
  })

  it('tells a missing record from an unknown route', () => {
    expect(next(404, { message: '404 Project Not Found' })).toEqual({ code: 'hidden' })
    const unsigned = { author: 'nobody' } as const
    expect(next(404, { message: '404 Not found' }, unsigned)).toEqual({ code: 'private' })
    expect(next(404, { error: '404 Not Found' })).toContain(
      'The instance does not have this endpoint. Its version or edition may',
    )
    expect(next(404, '<html>')).toEqual({ code: 'no-instance' })
  })
  it('tells no credential from a wrong one', () => {
    expect(next(401, { message: '401 Unauthorized' })).toEqual({ code: 'credential' })
    const unsigned = next(401, { message: '401 Unauthorized' }, { author: 'nobody' })
    expect(unsigned).toEqual({ code: 'sign-in' })
    expect(next(403, '')).toEqual({ code: 'rights' })
    expect(next(403, '', { author: 'nobody' })).toEqual({ code: 'sign-in' })
  })
  it('tells what a job token may do, instead of a sign-in', () => {
    const job = { author: 'job' } as const
    expect(next(401, { message: '401 Unauthorized' }, job)).toContain('or its job has ended')
    expect(next(403, { message: '403 Forbidden' }, job)).toContain('only if that project accepts')
    expect(next(404, { message: '404 Project Not Found' }, job)).toContain('hidden from the job')
  })
  it('names the scope that is missing', () => {
    const body = { error: 'insufficient_scope', error_description: 'd', scope: 'api' }
    for (const status of [400, 401, 403])
      expect(next(status, body)).toEqual({ code: 'scope', about: 'api' })
  })
  it.each([
    [403, { message: '403 Forbidden - Must be admin to use sudo' }, 'only administrators', 'sudo'],
    [
      403,
      { error: 'insufficient_scope', error_description: 'd', scope: 'sudo' },
      'scope sudo',
      'sudo',
    ],
    [400, { error: 'insufficient_scope', scope: 'sudo' }, 'scope sudo', 'sudo'],
    [
      404,
      { message: "404 User with ID or username 'nobody' Not Found" },
      "the user to act as does not exist (404 User with ID or username 'nobody' Not Found",
      'sudo-user',
    ],
  ])('makes a sentence of the sudo error %i %j', (status, body, words, code) => {
    expect(createFailure(status, body).message).toContain(words)
    expect(next(status, body)).toEqual({ code })
  })
  it('speaks of existing names at 409 only where the answer does', () => {
    expect(next(409, { message: 'Name has already been taken' })).toContain(
      'An object with this name or key already exists.',
    )
    expect(next(409, { message: 'A rebase is in progress already' })).not.toContain(
      'An object with this name or key already exists.',
    )
  })
  it.each([403, 404, 503])('is about the object storage at %i, if that answered', (status) => {
    expect(next(status, '<Error><Code>SlowDown</Code></Error>')).toContain('an object storage')
  })
  it('says how long the instance asks to wait', () => {
    const headers = { 'retry-after': '17' }
    expect(next(429, '', { headers })).toEqual({ code: 'rate', about: '17 s' })
    const times = [
      ['1.5', '1.5 s'],
      ['1700000000', 'until 2023-11-14T22:13:20.000Z'],
      ['Tue, 14 Nov 2023 22:13:20 GMT', 'until Tue, 14 Nov 2023 22:13:20 GMT'],
    ] as const
    for (const [after, about] of times)
      expect(next(429, '', { headers: { 'retry-after': after } })).toEqual({ code: 'rate', about })
    expect(next(429, '')).toEqual({ code: 'rate' })
  })
  it.each([400, 405, 422])('is about the input at %i', (status) => {
    expect(next(status, '')).toEqual({ code: 'input' })
  })
  it.each([408, 425])('is to try again at %i, as text or as a page', (status) => {
    expect([next(status, ''), next(status, '<html></html>')]).toEqual([
      { code: 'way' },
      { code: 'way' },
    ])
  })
  it.each([413, 414, 431])('is to send less at %i', (status) => {
    for (const body of ['', '<html></html>', { error: 'too large' }])
      expect(next(status, body)).toContain('Send less')
  })
  it.each([409, 412, 500, 301])('is a sentence for %i', (status) => {
    expect(next(status, '')).toMatch(/\.$/)
  })
})
