import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTransport } from '../../src/profile/transport.js'
import type { Environment, Profile } from '../../src/profile/types.js'
import { certificate, key } from '../http/certificate.js'
import { createDirectory, getFailure } from './setup.js'

const baseUrl = 'https://forge.test'
const createTestTransport = (
  env: Environment,
  profile?: Partial<Profile>,
  insecure = false,
  url = baseUrl,
) =>
  createTransport(
    { baseUrl: url, ...(profile ? { profile: { name: 'prod', baseUrl: url, ...profile } } : {}) },
    insecure,
    env,
  )

describe('the transport', () => {
  it('is nothing special by itself', async () => {
    expect(await createTestTransport({}, {})).toBeUndefined()
    expect(
      await createTestTransport({ HTTP_PROXY: 'http://p.test', NO_PROXY: '*' }),
    ).toBeUndefined()
  })

  it.each(['http://us%er:x@p.test', 'http://u:pa%ss@p.test'])(
    'refuses a proxy whose user cannot be read, without repeating it: %s',
    async (proxy) => {
      for (const how of [
        createTestTransport({ HTTPS_PROXY: proxy }),
        createTestTransport({}, { proxy }),
      ]) {
        const failure = await getFailure(() => how)
        expect(failure.category).toBe('usage')
        expect(failure.message).toContain('not percent-encoded')
        expect(failure.message).not.toContain('p.test')
      }
    },
  )

  it('takes the proxy of the environment, by the scheme of the instance', async () => {
    const env = { HTTPS_PROXY: 'http://s.test', http_proxy: 'p.test:3128', NO_PROXY: '.local' }
    expect(await createTestTransport(env)).toEqual({ proxy: 'http://s.test', noProxy: '.local' })
    expect(await createTestTransport(env, undefined, false, 'http://forge.test')).toEqual({
      proxy: 'http://p.test:3128',
      noProxy: '.local',
    })
    expect(await createTestTransport({ ALL_PROXY: 'http://a.test' })).toEqual({
      proxy: 'http://a.test',
    })
    expect(
      await createTestTransport(env, undefined, false, 'http://127.0.0.1:3000'),
    ).toBeUndefined()
  })

  it('takes the proxy of the profile before that', async () => {
    const env = { HTTPS_PROXY: 'http://s.test' }
    expect(await createTestTransport(env, { proxy: 'http://own.test/' })).toEqual({
      proxy: 'http://own.test/',
    })
  })

  it('reads the authorities of the environment for the proxy of a plain instance, too', async () => {
    const file = path.join(createDirectory(), 'ca.pem')
    writeFileSync(file, certificate)
    const session = { baseUrl: 'http://plain.test', profile: undefined }
    const getAuthorities = async (proxy: string) =>
      (await createTransport(session, false, { HTTP_PROXY: proxy, SSL_CERT_FILE: file }))?.ca
    expect(await getAuthorities('https://p.test:3128')).toBe(certificate)
    expect(await getAuthorities('http://p.test:3128')).toBeUndefined()
  })

  it('reads the files of the profile', async () => {
    const directory = createDirectory()
    const file = (name: string): string => path.join(directory, name)
    writeFileSync(file('cert'), certificate)
    writeFileSync(file('key'), key)
    const files = { caFile: file('cert'), certFile: file('cert'), keyFile: file('key') }
    expect(await createTestTransport({}, files, true)).toEqual({
      ca: certificate,
      cert: certificate,
      key,
      insecure: true,
    })
    const failure = await getFailure(() => createTestTransport({}, { caFile: file('none') }))
    expect(failure.category).toBe('usage')
    expect(failure.message).toContain(file('none'))
    expect(failure.details.hint).toContain('--ca-file')
  })

  it('refuses a file that holds something else, which would be passed over in silence', async () => {
    const file = path.join(createDirectory(), 'file.pem')
    const refusal = async (text: string, field: 'caFile' | 'certFile' | 'keyFile') => {
      writeFileSync(file, text)
      return getFailure(() => createTestTransport({}, { [field]: file }))
    }
    for (const text of ['', 'garbage', key]) {
      const { category, message } = await refusal(text, 'caFile')
      expect({ category, message }).toEqual({
        category: 'usage',
        message: `${file} contains no certificate in PEM format`,
      })
    }
    expect((await refusal(certificate, 'keyFile')).message).toMatch(
      /contains no private key in PEM format/,
    )
    for (const locked of [
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\n',
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n',
    ])
      expect((await refusal(locked, 'keyFile')).message).toMatch(
        /is a password-protected key, which svcctl does not support/,
      )
    const unlocked = `was -----BEGIN ENCRYPTED PRIVATE KEY-----\n${key}`
    writeFileSync(file, unlocked)
    expect(await createTestTransport({}, { keyFile: file })).toEqual({ key: unlocked })
  })

  it.each(['nowhere:::1', 'socks5://p.test', 'http://user:canary@'])(
    'refuses a proxy of the environment that is none: %s',
    async (text) => {
      const { category, message } = await getFailure(() =>
        createTestTransport({ HTTPS_PROXY: text }),
      )
      expect({ category, message }).toEqual({
        category: 'usage',
        message: 'HTTPS_PROXY is not a valid proxy URL',
      })
    },
  )
})
