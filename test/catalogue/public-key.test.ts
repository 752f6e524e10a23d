import { describe, expect, it } from 'vitest'
import { readPublicKey } from '../../src/base/public-key.js'

const encodeField = (bytes: Uint8Array | string): Buffer => {
  const content = Buffer.from(bytes as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}
const createKey = (type: string, ...fields: (Uint8Array | string)[]): string =>
  `${type} ${Buffer.concat([type, ...fields].map(encodeField)).toString('base64')} me@here`

const createNumber = (bits: number): Buffer => {
  const bytes = Buffer.alloc(bits / 8 + 1, 0xff)
  bytes[0] = 0
  return bytes
}

describe('readPublicKey', () => {
  it('knows type and strength', () => {
    const ed = createKey('ssh-ed25519', Buffer.alloc(32, 7))
    expect(readPublicKey(`  ${ed}\n`)).toEqual({
      identity: ed.replace(' me@here', ''),
      family: 'ed25519',
      bits: 256,
    })
    const exponent = Buffer.from([1, 0, 1])
    expect(readPublicKey(createKey('ssh-rsa', exponent, createNumber(3072)))).toMatchObject({
      bits: 3072,
    })
    expect(readPublicKey(createKey('ssh-dss', createNumber(1024)))).toMatchObject({
      family: 'dsa',
      bits: 1024,
    })
    const curve = createKey('ecdsa-sha2-nistp384', 'nistp384', Buffer.alloc(97))
    expect(readPublicKey(curve)).toMatchObject({ family: 'ecdsa', bits: 384 })
  })

  it.each([
    '',
    'ssh-ed25519',
    'ssh-ed25519 !!!!',
    'constructor AAAA',
    createKey('ssh-ed25519'),
    createKey('ssh-ed25519', Buffer.alloc(31)),
    createKey('ssh-rsa', Buffer.from([1, 0, 1])),
    createKey('ssh-rsa', Buffer.alloc(32)).replace('ssh-rsa', 'ssh-ed25519'),
    createKey('ssh-ed25519', Buffer.alloc(32)).replace(/\S{8} me/, ' me'),
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ])('refuses %s', (text) => {
    expect(readPublicKey(text)).toBeUndefined()
  })
})
