/** Clients of an instance for tests, closed when their test ends. */
import { onTestFinished } from 'vitest'
import type { Provide } from '../../src/client/credential.js'
import { createInstance } from '../../src/client/index.js'
import type { InstanceClient } from '../../src/client/instance.js'
import type { InstanceOptions } from '../../src/client/types.js'

/** The user's token. */
const signedIn: Provide = async (need) =>
  need === 'user' ? { kind: 'personal', value: 'user-token' } : undefined

/** A client for a test; no retries unless asked for. */
export const instanceOf = (
  baseUrl: string,
  options: Partial<InstanceOptions> = {},
): InstanceClient => {
  const instance = createInstance({
    baseUrl,
    userAgent: 'svcctl/test',
    credential: signedIn,
    retries: 0,
    ...options,
  })
  onTestFinished(() => instance.close())
  return instance
}
