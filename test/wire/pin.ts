/**
 * Checks requests that were written by hand from the documents of the API. Client and embedded instance share the catalogue, so a
 * wrong path would work between them, but fails here.
 */
import { describe, expect, it } from 'vitest'
import type { Endpoints } from '../../src/catalogue/endpoint.js'
import { buildInstanceRequest } from '../../src/client/instance.js'
import { buildRequest } from '../../src/http/request/request.js'
import type { Ask } from '../../src/http/types.js'
import { loadInventedWords } from '../vocabulary/invented.js'

export interface Pin extends Omit<Ask, 'endpoint'> {
  readonly key: string
  /** Method and path below the API root, with the query, as sent. */
  readonly sends: string
  /** The JSON body, byte for byte; absent if there is none. */
  readonly body?: string
}

/** The invented vocabulary again, written by hand: segments of paths, and names of parameters. */
const segments: Readonly<Record<string, string>> = { geo_nodes: 'geo_sites', runners: 'workers' }
const names: Readonly<Record<string, string>> = {
  spamsvc_enabled: 'junkguard_enabled',
  spamsvc_api_key: 'junkguard_api_key',
  cloud_account_id: 'nimbus_account_id',
  cloud_access_key_id: 'nimbus_access_key_id',
  monitor_site: 'watch_region',
  runner_id: 'worker_number',
  can_push: 'may_write',
}

const toOwnRequest = (sends: string): string => {
  const [, line = '', query = ''] = /^([^?]*)(.*)$/.exec(sends) ?? []
  const path = line.split('/').map((segment) => segments[segment] ?? segment)
  const asked = query.replace(/(?<=[?&])\w+/g, (name) => names[name] ?? name)
  return path.join('/') + asked
}

const toOwnBody = (body: string | undefined): string | undefined =>
  body?.replace(/(?<=[{,]")\w+(?=":)/g, (name) => names[name] ?? name)

const words = await loadInventedWords()

/** Checks the requests of an area; each of its endpoints must have one. */
export const checkRequests = (area: string, endpoints: Endpoints, pins: readonly Pin[]): void => {
  const askOf = ({ key, sends: _, body: __, ...ask }: Pin): Ask => {
    const endpoint = endpoints[key]
    if (endpoint === undefined) throw new Error(`${area} has no endpoint ${key}`)
    return { endpoint, ...ask }
  }

  describe(`${area} on the wire`, () => {
    it.each(pins)('$key: $sends', (one) => {
      const request = buildRequest(askOf(one))
      expect(`${request.method} ${request.path}`).toBe(one.sends)
      expect(request.body).toBe(one.body)
      const type = one.body === undefined ? undefined : 'application/json'
      expect(request.headers['content-type']).toBe(type)
    })

    it.each(pins)('$key in other words: $sends', async (one) => {
      const ask = askOf(one)
      if (words.gone(ask.endpoint.route) !== undefined)
        return expect(buildInstanceRequest(ask, words)).rejects.toMatchObject({
          category: 'not_found',
        })
      const request = await buildInstanceRequest(ask, words)
      expect(`${request.method} ${request.path}`).toBe(toOwnRequest(one.sends))
      expect(request.body).toBe(toOwnBody(one.body))
    })

    it('is pinned whole', () => {
      const seen = new Set(pins.map(({ key }) => key))
      expect(Object.keys(endpoints).filter((key) => !seen.has(key))).toEqual([])
    })
  })
}
