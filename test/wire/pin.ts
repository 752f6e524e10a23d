/**
 * Requests written by hand from the documents of the API. The catalogue feeds client and embedded
 * instance alike, so a wrong path would agree with itself: here it would not.
 */
import { describe, expect, it } from 'vitest'
import type { Endpoints } from '../../src/catalogue/endpoint.js'
import { buildRequest } from '../../src/http/request/request.js'
import type { Ask } from '../../src/http/types.js'

export interface Pin extends Omit<Ask, 'endpoint'> {
  /** The endpoint's key in its area. */
  readonly key: string
  /** Method and path below the API root, with the query, as they travel. */
  readonly sends: string
  /** The JSON body, byte for byte; absent where there is none. */
  readonly body?: string
}

/** Pins the requests of an area, each of its endpoints at least once. */
export const pin = (area: string, endpoints: Endpoints, pins: readonly Pin[]): void => {
  describe(`${area} on the wire`, () => {
    it.each(pins)('$key: $sends', ({ key, sends, body, ...ask }) => {
      const endpoint = endpoints[key]
      if (endpoint === undefined) throw new Error(`${area} has no endpoint ${key}`)
      const request = buildRequest({ endpoint, ...ask })
      expect(`${request.method} ${request.path}`).toBe(sends)
      expect(request.body).toBe(body)
      const type = body === undefined ? undefined : 'application/json'
      expect(request.headers['content-type']).toBe(type)
    })

    it('is pinned whole', () => {
      const seen = new Set(pins.map(({ key }) => key))
      expect(Object.keys(endpoints).filter((key) => !seen.has(key))).toEqual([])
    })
  })
}
