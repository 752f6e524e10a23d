import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkPublicKey } from '../../src/commands/deploy-keys.js'

const toField = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
const toTextField = (value: string): Buffer => toField(Buffer.from(value))
const buildKeyLine = (type: string, ...fields: readonly Buffer[]): string =>
  `${type} ${Buffer.concat([toTextField(type), ...fields]).toString('base64')} me@example.test`

const getJwkField = (
  key: { export(o: { format: 'jwk' }): Record<string, unknown> },
  name: string,
) => Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url')

const createRsaKey = (bits: number): string => {
  const { publicKey: key } = generateKeyPairSync('rsa', { modulusLength: bits })
  const n = Buffer.concat([Buffer.from([0]), getJwkField(key, 'n')])
  return buildKeyLine('ssh-rsa', toField(getJwkField(key, 'e')), toField(n))
}
const ed25519 = buildKeyLine('ssh-ed25519', toField(Buffer.alloc(32, 7)))
const createEcdsaKey = (): string => {
  const { publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const point = Buffer.concat([Buffer.from([4]), getJwkField(key, 'x'), getJwkField(key, 'y')])
  return buildKeyLine('ecdsa-sha2-nistp256', toTextField('nistp256'), toField(point))
}

describe('publicKey', () => {
  it('takes keys of every common type, as one line', () => {
    for (const key of [createRsaKey(2048), ed25519, createEcdsaKey()])
      expect(checkPublicKey(`${key}\n`)).toBe(key)
  })

  it('refuses an RSA key that is too short', () => {
    expect(() => checkPublicKey(createRsaKey(512))).toThrow(', not 512')
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
    [buildKeyLine('ssh-ed25519', toField(Buffer.alloc(31))), '32 bytes'],
    [
      buildKeyLine('ssh-ed25519', toField(Buffer.alloc(32)), toField(Buffer.alloc(1))),
      'key is incomplete',
    ],
    [
      buildKeyLine('ecdsa-sha2-nistp256', toTextField('nistp384'), toField(Buffer.alloc(65))),
      'curve nistp256',
    ],
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
