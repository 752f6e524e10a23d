/** Provides instances for the tests of declared state, and records all their requests. */

import { onTestFinished } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import { parseBytes } from '../../src/base/json/records.js'
import { type Fields, isObject } from '../../src/base/objects.js'
import { createInstance, type InstanceClient } from '../../src/client/instance.js'
import type { WritableInstance } from '../../src/desired/state.js'
import type { Ask } from '../../src/http/types.js'

/** Opens the instance at an address with a token. */
export const openRecordedInstance = (url: string, token: string, retries = 0) => {
  const asked: string[] = []
  const client: InstanceClient = createInstance({
    clock: machineClock,
    baseUrl: url,
    userAgent: 'svcctl/test',
    credential: async () => ({ kind: 'personal', value: token }),
    retries,
    trace: ({ method, url: address }) => asked.push(`${method} ${address.split('/api/v4')[1]}`),
  })
  onTestFinished(() => client.close())
  const records = async (ask: Ask, wanted: (record: Fields) => boolean = () => true) => {
    const found: Fields[] = []
    for await (const batch of client.batches(ask, { limit: 'all', perPage: 100 }))
      for (const bytes of batch) {
        const record = parseBytes(bytes)
        if (isObject(record) && wanted(record)) found.push(record)
      }
    return found
  }
  const instance: WritableInstance = {
    get: (ask) => client.send(ask),
    records,
    each: async (items, work) => {
      await Promise.all(items.map(work))
    },
    send: (ask) => client.send(ask),
  }
  return { instance, asked }
}
