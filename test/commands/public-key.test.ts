import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkPublicKey } from '../../src/commands/deploy-keys.js'

const field = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const text = (value: string): Buffer => field(Buffer.from(value))
const line = (type: string, ...fields: readonly Buffer[]): string =>
  `${type} ${Buffer.concat([text(type), ...fields]).toString('base64')} me@example.test`

const jwk = (key: { export(o: { format: 'jwk' }): Record<string, unknown> }, name: string) =>
  Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url')

const rsa = (bits: number): string => {
  const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength: bits })
  const n = Buffer.concat([Buffer.from([0]), jwk(key, 'n')])
  return line('ssh-rsa', field(jwk(key, 'e')), field(n))
}
const ed25519 = line('ssh-ed25519', field(Buffer.alloc(32, 7)))
const ecdsa = (): string => {
  const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const point = Buffer.concat([Buffer.from([4]), jwk(key, 'x'), jwk(key, 'y')])
  return line('ecdsa-sha2-nistp256', text('nistp256'), field(point))
}

describe('publicKey', () => {
  it('takes keys of every common type, as one line', () => {
    for (const key of [rsa(2048), ed25519, ecdsa()]) expect(checkPublicKey(`${key}\n`)).toBe(key)
  })

  it('refuses an RSA key that is too short', () => {
    expect(() => checkPublicKey(rsa(512))).toThrow(', not 512')
  })

  it.each([
    ['', 'empty'],
    ['ssh-ed25519', 'the part after the key type is not valid base64'],
    ['id_ed25519.pub', 'this is not a public key'],
    ['ssh-magic AAAA', 'unknown key type'],
    ['ssh-ed25519 AA-AA', 'the part after the key type is not valid base64; it is incomplete or'],
    [
      ed25519.replace('ssh-ed25519 ', 'ssh-rsa '),
      'the key is labeled ssh-rsa but contains a key of another type',
    ],
    [line('ssh-ed25519', field(Buffer.alloc(31))), '32 bytes'],
    [line('ssh-ed25519', field(Buffer.alloc(32)), field(Buffer.alloc(1))), 'key is incomplete'],
    [line('ecdsa-sha2-nistp256', text('nistp384'), field(Buffer.alloc(65))), 'curve nistp256'],
    [`${ed25519}\n${ed25519}`, 'the key must be a single line'],
    ['---- BEGIN SSH2 PUBLIC KEY ----\nAAAA', 'the key is not in OpenSSH format'],
  ])('refuses %s', (given, message) => {
    expect(() => checkPublicKey(given)).toThrow(new RegExp(message))
  })

  it('refuses what was cut short in copying', () => {
    const cut = ed25519.split(' ')[1]?.slice(0, 40) ?? ''
    expect(() => checkPublicKey(`ssh-ed25519 ${cut}`)).toThrow('the key is incomplete or damaged')
  })

  it('refuses a private key without repeating any of it', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const pem = String(privateKey.export({ type: 'pkcs1', format: 'pem' }))
    const body = pem.split('\n')[1] ?? ''
    try {
      checkPublicKey(pem)
      expect.unreachable()
    } catch (error) {
      expect(String(error)).toContain('private key')
      expect(JSON.stringify(error)).not.toContain(body)
      expect(String(error)).not.toContain(body)
    }
  })
})
