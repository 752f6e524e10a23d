/**
 * Requests written by hand from the documents of the API. The catalogue feeds client and embedded
 * instance alike, so a wrong path would agree with itself: here it would not.
 */
import { describe, expect, it } from 'vitest'
import type { Endpoints } from '../../src/catalogue/endpoint.js'
import { buildInstanceRequest } from '../../src/client/instance.js'
import { buildRequest } from '../../src/http/request/request.js'
import type { Ask } from '../../src/http/types.js'
import { inventedWords } from '../vocabulary/invented.js'

export interface Pin extends Omit<Ask, 'endpoint'> {
  /** The endpoint's key in its area. */
  readonly key: string
  /** Method and path below the API root, with the query, as they travel. */
  readonly sends: string
  /** The JSON body, byte for byte; absent where none. */
  readonly body?: string
}

/** The invented words once more, by hand: what stands in paths, and what are names of parameters. */
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

const inOtherWords = (sends: string): string => {
  const [, line = '', query = ''] = /^([^?]*)(.*)$/.exec(sends) ?? []
  const path = line.split('/').map((segment) => segments[segment] ?? segment)
  const asked = query.replace(/(?<=[?&])\w+/g, (name) => names[name] ?? name)
  return path.join('/') + asked
}

const bodyInOtherWords = (body: string | undefined): string | undefined =>
  body?.replace(/(?<=[{,]")\w+(?=":)/g, (name) => names[name] ?? name)

const words = await inventedWords()

/** Pins the requests of an area, each of its endpoints at least once. */
export const pin = (area: string, endpoints: Endpoints, pins: readonly Pin[]): void => {
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
      expect(`${request.method} ${request.path}`).toBe(inOtherWords(one.sends))
      expect(request.body).toBe(bodyInOtherWords(one.body))
    })

    it('is pinned whole', () => {
      const seen = new Set(pins.map(({ key }) => key))
      expect(Object.keys(endpoints).filter((key) => !seen.has(key))).toEqual([])
    })
  })
}
