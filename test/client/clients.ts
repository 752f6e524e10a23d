/** Provides clients of an instance for tests, which are closed when their test ends. */

import { onTestFinished } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import { createInstance, type InstanceClient } from '../../src/client/instance.js'
import type { CredentialProvider, InstanceOptions } from '../../src/client/types.js'

/** Returns the token of the user, and no other credential. */
const getUserToken: CredentialProvider = async (need) =>
  need === 'user' ? { kind: 'personal', value: 'user-token' } : undefined

/** Opens a client for a test. It does not retry unless the options say so. */
export const openInstance = (
  baseUrl: string,
  options: Partial<InstanceOptions> = {},
): InstanceClient => {
  const instance = createInstance({
    baseUrl,
    clock: machineClock,
    userAgent: 'svcctl/test',
    credential: getUserToken,
    retries: 0,
    ...options,
  })
  onTestFinished(() => instance.close())
  return instance
}
