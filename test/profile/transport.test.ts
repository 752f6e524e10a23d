import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { transportOf } from '../../src/profile/transport.js'
import type { Environment, Profile } from '../../src/profile/types.js'
import { failureOf, temporary } from './setup.js'

const baseUrl = 'https://forge.test'
const of = (env: Environment, profile?: Partial<Profile>, insecure = false, url = baseUrl) =>
  transportOf(
    { baseUrl: url, ...(profile ? { profile: { name: 'prod', baseUrl: url, ...profile } } : {}) },
    insecure,
    env,
  )

describe('the transport', () => {
  it('is nothing special by itself', async () => {
    expect(await of({}, {})).toBeUndefined()
    expect(await of({ HTTP_PROXY: 'http://p.test', NO_PROXY: '*' })).toBeUndefined()
  })

  it('takes the proxy of the environment, by the scheme of the instance', async () => {
    const env = { HTTPS_PROXY: 'http://s.test', http_proxy: 'p.test:3128', NO_PROXY: '.local' }
    expect(await of(env)).toEqual({ proxy: 'http://s.test', noProxy: '.local' })
    expect(await of(env, undefined, false, 'http://forge.test')).toEqual({
      proxy: 'http://p.test:3128',
      noProxy: '.local',
    })
    expect(await of({ ALL_PROXY: 'http://a.test' })).toEqual({ proxy: 'http://a.test' })
    expect(await of(env, undefined, false, 'http://127.0.0.1:3000')).toBeUndefined()
  })

  it('takes the proxy of the profile before that', async () => {
    const env = { HTTPS_PROXY: 'http://s.test' }
    expect(await of(env, { proxy: 'http://own.test/' })).toEqual({ proxy: 'http://own.test/' })
  })

  it('reads the files of the profile', async () => {
    const directory = temporary()
    const file = (name: string): string => path.join(directory, name)
    for (const name of ['ca', 'cert', 'key']) writeFileSync(file(name), `${name} text`)
    const files = { caFile: file('ca'), certFile: file('cert'), keyFile: file('key') }
    expect(await of({}, files, true)).toEqual({
      ca: 'ca text',
      cert: 'cert text',
      key: 'key text',
      insecure: true,
    })
    const failure = await failureOf(() => of({}, { caFile: file('none') }))
    expect(failure.category).toBe('usage')
    expect(failure.message).toContain(file('none'))
    expect(failure.details.hint).toContain('--ca-file')
  })
})
