import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'

let { recordSecret, redactSecrets, redactError } = await import('../../src/base/secrets/redact.js')
let { Failure } = await import('../../src/errors.js')

const token = 'glp+t/"K_3ñ y\\Zx%9.~A'
// Loads the modules again: secrets that another test recorded would be redacted, too.
beforeEach(async () => {
  vi.resetModules()
  ;({
    recordSecret: recordSecret,
    redactSecrets: redactSecrets,
    redactError: redactError,
  } = await import('../../src/base/secrets/redact.js'))
  ;({ Failure } = await import('../../src/errors.js'))
  recordSecret(token)
})

const encodePercent = (text: string): string => encodeURIComponent(text)
const encodeEachByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const escapeEachUnit = (text: string): string =>
  text.replace(
    /[\s\S]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )

describe('what was sent as a secret', () => {
  it.each<[string, (text: string) => string]>([
    ['plain', (text) => text],
    ['percent-encoded', encodePercent],
    [
      'percent-encoded in lower case',
      (text) => encodePercent(text).replace(/%../g, (c) => c.toLowerCase()),
    ],
    ['percent-encoded byte for byte', encodeEachByte],
    ['percent-encoded twice', (text) => encodePercent(encodePercent(text))],
    ['as in a form', (text) => new URLSearchParams({ a: text }).toString()],
    ['in JSON', (text) => JSON.stringify({ a: text })],
    ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({ a: text }))],
    ['in JSON, every character escaped', escapeEachUnit],
    ['in JSON with slashes escaped', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ])('is blotted out %s', (_, as) => {
    expect(redactSecrets(`before ${as(token)} after`)).toMatch(
      /^before [\s\S]*\*\*\*[\s\S]* after$/,
    )
    expect(redactSecrets(`before ${as(token)} after`)).not.toMatch(/glp|K_3|Zx|9\.~|%7E|%7e/)
  })
  it('is blotted out where it stands alone', () => {
    expect(redactSecrets(token)).toBe('***')
    expect(redactSecrets(Buffer.from(token).toString('base64url'))).toMatch(/^\*\*\*.{0,2}$/)
  })
  it('is blotted out of base64 and base64url, wherever it stands in them', () => {
    const edges = fc.tuple(fc.string({ maxLength: 7 }), fc.string({ maxLength: 7 }))
    fc.assert(
      fc.property(edges, fc.constantFrom('base64', 'base64url'), ([before, after], encoding) => {
        const bytes = Buffer.from(`${before}${token}${after}`)
        const clean = redactSecrets(bytes.toString(encoding))
        expect(clean).toContain('***')
        // Only the text around the token may remain, with the characters that it shares with the token.
        const most = Math.ceil((Buffer.byteLength(before + after) * 4) / 3) + 8
        expect(clean.length).toBeLessThanOrEqual(most)
      }),
    )
  })
  it('is blotted out line by line, and whatever its length', () => {
    const key = Array.from({ length: 40 }, (_, i) => `line-${i}-${'k'.repeat(40)}`)
    recordSecret(key.join('\n'))
    expect(redactSecrets(`a ${key[7]} b`)).toBe('a *** b')
    const long = Array.from({ length: 300 }, (_, i) => String(i * 7919)).join('.')
    recordSecret(long)
    expect(redactSecrets(`<${long}>`)).toMatch(/^<\**>$/)
  })
  it('is not looked for when it is short', () => {
    recordSecret('short-7')
    expect(redactSecrets('it is short-7')).toBe('it is short-7')
  })
  it('is taken out of every text of a failure', () => {
    recordSecret('canary-0123456789')
    const text = 'x canary-0123456789'
    const all = { request: text, hint: text, code: text, requestId: text }
    const clean = redactError(new Failure('failed', text, all))
    expect(JSON.stringify(clean)).not.toContain('canary')
    expect(clean).toMatchObject({
      category: 'failed',
      message: 'x ***',
      details: { hint: 'x ***' },
    })
  })
  it('is forgotten when a thousand others were sent since', () => {
    recordSecret('the-first-of-many')
    recordSecret('the-second-of-many')
    // These secrets are longer than the searched text, so looking for them takes no time.
    for (let i = 1; i < 1000; i++) recordSecret(`another-secret-${i}`.padEnd(40, '.'))
    expect(redactSecrets('the-first-of-many')).toBe('the-first-of-many')
    expect(redactSecrets('the-second-of-many')).toBe('***')
  })
})
