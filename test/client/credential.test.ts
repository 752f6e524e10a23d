/** Tests which credential a request sends, for every kind of endpoint and every choice of credentials. */
import { describe, expect, it } from 'vitest'
import type { EndpointTraits, CredentialNeed as Takes } from '../../src/catalogue/endpoint.js'
import { findCredential, MissingCredential, type Need } from '../../src/client/types.js'
import { Failure } from '../../src/errors.js'
import type { Credential } from '../../src/http/types.js'
import { getRejection, sendJson, serve } from '../support/servers.js'
import { openInstance } from './clients.js'

const base = 'https://instance.test'
const user: Credential = { kind: 'personal', value: 'u' }
const job: Credential = { kind: 'job', value: 'j' }

const provideCredentials =
  (found: Partial<Record<Need, Credential>>, asked: Need[] = []) =>
  async (need: Need): Promise<Credential | undefined> => {
    asked.push(need)
    return found[need]
  }
const createEndpoint = (
  credential: Takes | undefined,
  route: EndpointTraits['route'] = 'GET /x',
): EndpointTraits => ({
  route,
  ...(credential === undefined ? {} : { credential }),
})

const both = { user, job }

describe('an endpoint that takes', () => {
  it.each<[Takes | undefined, string, Partial<Record<Need, Credential>>, Credential | undefined]>([
    ['parameter', 'anything', both, undefined],
    ['job', 'both', both, job],
    ['job', 'a job’s', { job }, job],
    [undefined, 'both', both, user],
    ['user', 'a user’s', { user }, user],
    ['user', 'nothing, to read', {}, undefined],
    ['user-or-job', 'both', both, user],
    ['user-or-job', 'a job’s', { job }, job],
    ['user-or-job', 'nothing, to read', {}, undefined],
    ['optional', 'both', both, user],
    ['optional', 'a job’s', { job }, undefined],
    ['optional', 'nothing', {}, undefined],
  ])('%s, where there is %s', async (takes, _, found, wanted) => {
    expect(await findCredential(provideCredentials(found), base, createEndpoint(takes))).toEqual(
      wanted,
    )
  })

  it.each<
    [Takes | undefined, string, EndpointTraits['route'], Partial<Record<Need, Credential>>, string]
  >([
    ['job', 'a user’s', 'GET /job', { user }, 'GET /job requires a job token, and none is set'],
    [
      'user',
      'a job’s',
      'GET /x',
      { job },
      'GET /x does not accept a job token, and no other credential is set',
    ],
    [
      undefined,
      'nothing, to write',
      'POST /x',
      {},
      'POST /x requires a credential for https://instance.test, and none is set',
    ],
    [
      'user-or-job',
      'nothing, to write',
      'PUT /x',
      {},
      'PUT /x requires a credential for https://instance.test, and none is set',
    ],
  ])('%s, where there is %s, is not called', async (takes, _, route, found, message) => {
    const failure = await getRejection(
      findCredential(provideCredentials(found), base, createEndpoint(takes, route)),
    )
    expect(failure).toBeInstanceOf(MissingCredential)
    expect(failure).toMatchObject({ category: 'auth', message })
  })

  it('a request that the catalogue does not know is the user’s, and needs one', async () => {
    expect(await findCredential(provideCredentials(both), base)).toEqual(user)
    const failure = await getRejection(findCredential(provideCredentials({}), base))
    expect(failure).toMatchObject({
      message: `this call requires a credential for ${base}, and none is set`,
    })
  })

  it('is not asked for what it does not take', async () => {
    const asked: Need[] = []
    await findCredential(provideCredentials(both, asked), base, createEndpoint('parameter'))
    expect(asked).toEqual([])
    await findCredential(provideCredentials(both, asked), base, createEndpoint('job'))
    expect(asked).toEqual(['job'])
    await findCredential(provideCredentials(both, asked), base, createEndpoint('optional'))
    expect(asked).toEqual(['job', 'user'])
  })
})

describe('an instance', () => {
  const serving = () => serve((_, response) => sendJson(response, 200, {}))

  it('sends the credential that the endpoint takes, and Sudo with it', async () => {
    const { base: address, seen } = await serving()
    const instance = openInstance(address, { credential: provideCredentials(both), sudo: 'ana' })
    for (const takes of ['user', 'job', 'parameter'] as const) {
      const client = await instance.client(createEndpoint(takes))
      await client.call({ method: 'GET', path: `/${takes}`, headers: {} })
    }
    const of = (url: string) => seen.find((one) => one.url === `/api/v4/${url}`)?.headers
    expect(of('user')).toMatchObject({ 'private-token': 'u', sudo: 'ana' })
    expect(of('job')).toMatchObject({ 'job-token': 'j' })
    expect(of('job')).not.toHaveProperty('private-token')
    expect(of('parameter')).not.toHaveProperty('private-token')
    expect(of('parameter')).not.toHaveProperty('sudo')
  })
  it('asks for a credential once for all calls of its kind', async () => {
    const { base: address } = await serving()
    const asked: Need[] = []
    const instance = openInstance(address, { credential: provideCredentials(both, asked) })
    expect(await instance.client(createEndpoint('user'))).toBe(
      await instance.client(createEndpoint('user')),
    )
    expect(asked).toEqual(['user'])
  })
  it('renews an OAuth token once, and no other', async () => {
    const { base: address, seen } = await serve(({ headers }, response) =>
      sendJson(response, headers.authorization === 'Bearer fresh' ? 200 : 401, {}),
    )
    const renew = async (): Promise<Credential> => ({ kind: 'oauth', value: 'fresh' })
    const call = async (kind: 'oauth' | 'personal') => {
      const instance = openInstance(address, {
        renew,
        credential: async () => ({ kind, value: 'stale' }),
      })
      return (await instance.client()).call({ method: 'GET', path: '/x', headers: {} })
    }
    expect((await call('oauth')).status).toBe(200)
    expect(seen).toHaveLength(2)
    expect(await getRejection(call('personal'))).toMatchObject({ details: { status: 401 } })
    expect(seen).toHaveLength(3)
  })
  it('says of a missing one what its owner says of it', async () => {
    const instance = openInstance(base, {
      credential: provideCredentials({}),
      mapError: (error) =>
        error instanceof MissingCredential
          ? new Failure('auth', `${error.lack}: ${error.message}`)
          : error,
    })
    expect(await getRejection(instance.client(createEndpoint('job', 'GET /job')))).toMatchObject({
      message: 'job: GET /job requires a job token, and none is set',
    })
  })
  it('tells of an endpoint that would have taken a job’s and goes without', async () => {
    const told: EndpointTraits[] = []
    const instance = openInstance(base, {
      credential: provideCredentials({}),
      onMissingCredential: (one) => void told.push(one),
    })
    for (const takes of ['user', 'optional', 'user-or-job'] as const)
      await instance.client(createEndpoint(takes))
    expect(told).toEqual([createEndpoint('user-or-job')])
  })
})
