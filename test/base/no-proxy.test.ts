import { describe, expect, it } from 'vitest'
import { isProxyExempt } from '../../src/base/no-proxy.js'

/** An address, a list, and whether the address is reached without a proxy. */
type Row = readonly [address: string, list: string | undefined, exempt: boolean]

const names: readonly Row[] = [
  ['https://a.example.org', 'example.org', true],
  ['https://a.example.org', '.example.org', true],
  ['https://a.example.org', '*.example.org', true],
  ['https://example.org', '.example.org', true],
  ['https://a.example.org', '*', true],
  ['https://a.example.org', 'other.test *', true],
  ['https://badexample.org', 'example.org', false],
  ['https://A.Example.ORG', 'EXAMPLE.org', true],
  ['https://git.example', 'git.example.', true],
  ['https://git.example.', 'git.example', true],
  ['https://git.example', '. , ,', false],
  ['https://git.example', '', false],
  ['https://git.example', undefined, false],
  ['https://bücher.example', 'bücher.example', true],
  ['https://xn--bcher-kva.example', 'Bücher.example', true],
  ['https://a.example.org:8443', 'a.example.org:443', false],
  ['https://a.example.org:8443', 'a.example.org:8443', true],
  ['https://a.example.org', 'a.example.org:443', true],
  ['http://a.example.org', 'a.example.org:443', false],
  ['http://a.example.org', 'example.org:80,x', true],
]

const addresses: readonly Row[] = [
  ['http://192.0.2.10', '192.0.2.10', true],
  ['http://192.0.2.10', '192.0.2.1', false],
  ['http://192.0.2.10:8080', '192.0.2.10:80', false],
  ['http://192.0.2.10', '192.0.2.10:80', true],
  ['http://192.0.2.10', '192.0.2.0/24', true],
  ['http://192.0.2.10', '192.0.2.99/24', true],
  ['http://192.0.3.10', '192.0.2.0/24', false],
  ['http://192.0.3.10', '192.0.2.0/23', true],
  ['http://192.0.2.10', '0.0.0.0/0', true],
  ['http://192.0.2.10', '192.0.2.10/33', false],
  ['http://192.0.2.10', '10,.10,2.10', false],
  ['https://git.example', '0.0.0.0/0', false],
  ['https://git.example', 'git.example/24', false],
  ['http://[2001:db8::1]', '2001:db8::1', true],
  ['http://[2001:db8::1]', '[2001:db8::1]', true],
  ['http://[2001:db8::1]', '2001:DB8:0:0:0:0:0:1', true],
  ['http://[2001:db8::1]:8080', '[2001:db8::1]:8080', true],
  ['http://[2001:db8::1]:8080', '[2001:db8::1]:80', false],
  ['http://[2001:db8::1]', '2001:db8::/32', true],
  ['http://[2001:db8::1]', '[2001:db8::]/32', true],
  ['http://[2001:db9::1]', '2001:db8::/32', false],
  ['http://[2001:db8::1]', '2001:db8::/129', false],
  ['http://[::ffff:192.0.2.10]', '192.0.2.0/24', true],
]

describe('NO_PROXY', () => {
  it.each([...names, ...addresses])('%s, %s: %s', (address, list, exempt) => {
    expect(isProxyExempt(address, list)).toBe(exempt)
  })
})
