/** The catalogue over HTTP, typed: what a call takes and gives follows from its endpoint. */
import { InstanceClient } from './instance.js'
import type { InstanceOptions } from './types.js'

/**
 * A client of an instance. Nothing is connected or loaded before the first call.
 *
 *     const instance = createInstance({ baseUrl, userAgent, credential: async () => token })
 *     const { data } = await instance.call(runners.get, { id: 7 })
 *     for await (const runner of instance.list(runners.list, { status: 'offline' })) …
 *     await instance.close()
 */
export const createInstance = (options: InstanceOptions): InstanceClient =>
  new InstanceClient(options)
