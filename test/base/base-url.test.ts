import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClearTextWarning, normalizeBaseUrl } from '../../src/base/base-url.js'
import { getFailure } from '../profile/setup.js'

describe('normalizeBaseUrl', () => {
  it.each([
    ['https://forge.test', 'https://forge.test'],
    ['forge.test', 'https://forge.test'],
    ['  https://forge.test/  ', 'https://forge.test'],
    ['https://forge.test/api/v4', 'https://forge.test'],
    ['https://forge.test/api/v4/', 'https://forge.test'],
    ['https://forge.test/forge', 'https://forge.test/forge'],
    ['forge.test/forge/api/v4//', 'https://forge.test/forge'],
    ['HTTPS://Forge.TEST:443/', 'https://forge.test'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['localhost:3000', 'https://localhost:3000'],
    ['https://forge.test/sub//', 'https://forge.test/sub'],
    ['http://localhost:8080/api/v4', 'http://localhost:8080'],
    ['https://forge.test/sub/api/v4/', 'https://forge.test/sub'],
    ['http://[::1]:80/', 'http://[::1]'],
    ['[::1]:8080', 'https://[::1]:8080'],
    ['http.test/https', 'https://http.test/https'],
    ['https://h.test/api/v4ish', 'https://h.test/api/v4ish'],
  ])('%s becomes %s', (given, normal) => {
    expect(normalizeBaseUrl(given)).toBe(normal)
  })

  it.each([
    ['', 'empty'],
    ['https://', 'not a URL'],
    ['ftp://forge.test', 'ftp'],
    ['https:/forge.test', '://'],
    ['HTTP:forge.test', '://'],
    ['https//forge.test', '://'],
    ['file:///etc', 'file'],
    ['https://forge.test?x=1', 'query'],
    ['https://forge.test?', 'query'],
    ['https://forge.test#a', 'fragment'],
    ['https://forge.test/a b', 'spaces'],
    ['https://forge\n.test', 'spaces'],
    ['https://good.test\\@evil.test', 'spaces'],
  ])('refuses %j (%s)', async (given, word) => {
    const failure = await getFailure(() => normalizeBaseUrl(given))
    expect(failure.category).toBe('usage')
    expect(failure.message).toContain(word)
  })

  it.each([
    'https://me:tok-secret@forge.test',
    'me:tok-secret@forge.test',
    'https://tok-secret@forge.test/x',
    'https://me:tok-secret/x@forge.test',
  ])('refuses credentials and does not repeat them: %s', async (given) => {
    const failure = await getFailure(() => normalizeBaseUrl(given))
    expect(failure.message).toContain('credentials')
    expect(JSON.stringify(failure)).not.toContain('secret')
  })

  it('leaves a normal address as it is', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        fc.pre(!url.includes('@'))
        const once = normalizeBaseUrl(url)
        expect(normalizeBaseUrl(once)).toBe(once)
        expect(once).not.toMatch(/\/$/)
      }),
    )
  })
})

describe('createClearTextWarning', () => {
  it.each(['http://forge.test', 'http://10.0.0.7', 'http://localhost.evil.test'])(
    'warns of %s',
    (url) => expect(createClearTextWarning(url)).toContain('in clear'),
  )
  it.each(['https://forge.test', 'http://localhost:1', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'is silent about %s',
    (url) => expect(createClearTextWarning(url)).toBeUndefined(),
  )
})
