import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFields, checkCertificate } from '../../src/commands/pages-domains.js'
import { hasProgram } from '../support/terminal.js'

const directory = mkdtempSync(join(tmpdir(), 'svcctl-certificates-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const withOpenssl = describe.skipIf(!hasProgram('openssl', 'version'))

const toPath = (name: string): string => join(directory, name)
const readPem = (name: string): string => readFileSync(toPath(name), 'utf8')
const runOpenssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
}
const createKey = (name: string): void =>
  runOpenssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', `${name}.key`)

/** Creates a certificate for `name`, signed by `issuer`, or by itself without an issuer. */
const createCertificate = (name: string, extensions: string, issuer?: string): void => {
  createKey(name)
  writeFileSync(toPath(`${name}.ext`), extensions)
  runOpenssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`)
  const signer =
    issuer === undefined
      ? ['-signkey', `${name}.key`]
      : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
  const request = ['x509', '-req', '-in', `${name}.csr`, '-days', '90', '-out', `${name}.pem`]
  runOpenssl(...request, '-extfile', `${name}.ext`, ...signer)
}

const authority = 'basicConstraints=critical,CA:TRUE\n'
/** One hour ahead, because the certificates become valid while the test runs. */
const now = new Date(Date.now() + 3_600_000)
const addDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000)
const domain = 'www.example.test'

beforeAll(() => {
  createCertificate('root', authority)
  createCertificate('middle', authority, 'root')
  createCertificate('stranger', authority)
  createCertificate('leaf', `subjectAltName=DNS:${domain},DNS:*.pages.test\n`, 'middle')
})

const check = (certificate: string, key?: string, at: Date = now, host: string = domain): void =>
  checkCertificate({ certificate, ...(key === undefined ? {} : { key }) }, host, at)
const readChain = (...names: readonly string[]): string =>
  names.map((name) => readPem(`${name}.pem`)).join('')

withOpenssl('checkCertificate', () => {
  it('takes a certificate with its chain and key', () => {
    check(readPem('leaf.pem'), readPem('leaf.key'))
    check(readChain('leaf', 'middle', 'root'), readPem('leaf.key'))
    check(readPem('leaf.pem'), undefined, now, 'shop.pages.test')
  })

  it('names what is wrong, each thing by its own message', () => {
    expect(() => check('hello')).toThrow('not PEM')
    expect(() => check(readPem('leaf.pem').replace(/^MII.*$/m, 'MIIB'))).toThrow('cannot be read')
    expect(() => check(readPem('leaf.pem'), undefined, addDays(91))).toThrow('expired on')
    expect(() => check(readPem('leaf.pem'), undefined, addDays(-2))).toThrow('is not valid before')
    expect(() => check(readPem('leaf.pem'), readPem('middle.key'))).toThrow('does not belong')
    expect(() => check(readPem('leaf.pem'), undefined, now, 'other.test')).toThrow(
      'not for other.test',
    )
    expect(() => check(readChain('leaf', 'root', 'middle'))).toThrow('out of order')
    expect(() => check(readChain('middle', 'leaf'))).toThrow('out of order')
    expect(() => check(readChain('leaf', 'stranger'))).toThrow('did not issue')
  })

  it('tells apart keys that are no PEM, damaged or locked', () => {
    expect(() => check(readPem('leaf.pem'), 'hello')).toThrow('the file is not PEM')
    expect(() =>
      check(readPem('leaf.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'),
    ).toThrow('damaged')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const locked = privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    })
    expect(() => check(readPem('leaf.pem'), String(locked))).toThrow('passphrase')
  })

  it('refuses a private key among the certificates, and repeats none', () => {
    const key = readPem('leaf.key')
    const body = key.split('\n')[1] ?? '?'
    for (const attempt of [
      () => check(key + readPem('leaf.pem')),
      () => check(readPem('leaf.pem'), readPem('root.key').replace(/\n[^-]/, '\n!')),
      () => check(readPem('leaf.pem'), readPem('middle.key')),
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
    expect(end({ certificate: readPem('leaf.pem') })).toMatch(/^20\d\d-/)
    expect(end({ expiration: '2030-01-01T00:00:00Z' })).toBe('2030-01-01T00:00:00Z')
    expect(end({ certificate: 'damaged' })).toBeUndefined()
    expect(certificateFields.expires_at({ domain })).toBeUndefined()
  })
})
