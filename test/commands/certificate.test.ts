import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFields, checkCertificate } from '../../src/commands/pages-domains.js'
import { has } from '../support/terminal.js'

const directory = mkdtempSync(join(tmpdir(), 'svcctl-certificates-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const withOpenssl = describe.skipIf(!has('openssl', 'version'))

const path = (name: string): string => join(directory, name)
const text = (name: string): string => readFileSync(path(name), 'utf8')
const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
}
const newKey = (name: string): void =>
  openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', `${name}.key`)

/** A certificate of `name` that `issuer` signs; without issuer it signs itself. */
const certify = (name: string, extensions: string, issuer?: string): void => {
  newKey(name)
  writeFileSync(path(`${name}.ext`), extensions)
  openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`)
  const signer =
    issuer === undefined
      ? ['-signkey', `${name}.key`]
      : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
  const request = ['x509', '-req', '-in', `${name}.csr`, '-days', '90', '-out', `${name}.pem`]
  openssl(...request, '-extfile', `${name}.ext`, ...signer)
}

const authority = 'basicConstraints=critical,CA:TRUE\n'
/** An hour ahead: the certificates begin while the test runs. */
const now = new Date(Date.now() + 3_600_000)
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
const domain = 'www.example.test'

beforeAll(() => {
  certify('root', authority)
  certify('middle', authority, 'root')
  certify('stranger', authority)
  certify('leaf', `subjectAltName=DNS:${domain},DNS:*.pages.test\n`, 'middle')
})

const check = (certificate: string, key?: string, at: Date = now, host: string = domain): void =>
  checkCertificate({ certificate, ...(key === undefined ? {} : { key }) }, host, at)
const chain = (...names: readonly string[]): string =>
  names.map((name) => text(`${name}.pem`)).join('')

withOpenssl('checkCertificate', () => {
  it('takes a certificate with its chain and key', () => {
    check(text('leaf.pem'), text('leaf.key'))
    check(chain('leaf', 'middle', 'root'), text('leaf.key'))
    check(text('leaf.pem'), undefined, now, 'shop.pages.test')
  })

  it('names what is wrong, each thing by its own message', () => {
    expect(() => check('hello')).toThrow('not PEM')
    expect(() => check(text('leaf.pem').replace(/^MII.*$/m, 'MIIB'))).toThrow('cannot be read')
    expect(() => check(text('leaf.pem'), undefined, later(91))).toThrow('expired on')
    expect(() => check(text('leaf.pem'), undefined, later(-2))).toThrow('is not valid before')
    expect(() => check(text('leaf.pem'), text('middle.key'))).toThrow('does not belong')
    expect(() => check(text('leaf.pem'), undefined, now, 'other.test')).toThrow(
      'not for other.test',
    )
    expect(() => check(chain('leaf', 'root', 'middle'))).toThrow('out of order')
    expect(() => check(chain('middle', 'leaf'))).toThrow('out of order')
    expect(() => check(chain('leaf', 'stranger'))).toThrow('did not issue')
  })

  it('tells apart keys that are no PEM, damaged or locked', () => {
    expect(() => check(text('leaf.pem'), 'hello')).toThrow('the file is not PEM')
    expect(() =>
      check(text('leaf.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'),
    ).toThrow('damaged')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const locked = privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    })
    expect(() => check(text('leaf.pem'), String(locked))).toThrow('passphrase')
  })

  it('refuses a private key among the certificates, and repeats none', () => {
    const key = text('leaf.key')
    const body = key.split('\n')[1] ?? '?'
    for (const attempt of [
      () => check(key + text('leaf.pem')),
      () => check(text('leaf.pem'), text('root.key').replace(/\n[^-]/, '\n!')),
      () => check(text('leaf.pem'), text('middle.key')),
    ]) {
      expect(attempt).toThrow()
      try {
        attempt()
      } catch (error) {
        expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(body)
      }
    }
  })
})

withOpenssl('the fields made of a domain', () => {
  it('shows the end of a certificate, read from its PEM text where need be', () => {
    const end = (certificate: Readonly<Record<string, unknown>>) =>
      certificateFields.expires_at({ domain, certificate })
    expect(certificateFields.subject({ domain, certificate: { subject: '/CN=x' } })).toBe('x')
    expect(end({ certificate: text('leaf.pem') })).toMatch(/^20\d\d-/)
    expect(end({ expiration: '2030-01-01T00:00:00Z' })).toBe('2030-01-01T00:00:00Z')
    expect(end({ certificate: 'damaged' })).toBeUndefined()
    expect(certificateFields.expires_at({ domain })).toBeUndefined()
  })
})
