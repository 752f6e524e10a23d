/** Clients of an instance for tests, closed when their test ends. */
import { onTestFinished } from 'vitest'
import { createInstance, type InstanceClient } from '../../src/client/instance.js'
import type { CredentialProvider, InstanceOptions } from '../../src/client/types.js'

/** The user's token. */
const signedIn: CredentialProvider = async (need) =>
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
