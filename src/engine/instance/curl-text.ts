/** Requests as curl commands: what would go along is looked up, and nothing is sent. */
import type { Called } from '../../client/credential.js'
import type { InstanceClient } from '../../client/instance.js'
import { Failure } from '../../errors.js'
import { toCurl } from '../../http/index.js'
import type { Credential, WireRequest } from '../../http/types.js'
import type { Session } from '../../profile/types.js'

/** The kind of credential that would go along; none where there is none. */
const kindFor = async (
  instance: InstanceClient,
  endpoint: Called | undefined,
): Promise<Credential['kind'] | undefined> => {
  try {
    return (await instance.credential(endpoint))?.kind
  } catch (error) {
    if (error instanceof Failure && error.category === 'auth') return undefined
    throw error
  }
}

/** The command that does what the request would. */
export const curlText = async (
  session: Pick<Session, 'baseUrl' | 'sudo'>,
  instance: InstanceClient,
  wire: WireRequest,
  endpoint?: Called,
): Promise<string> => {
  const sudo = endpoint?.credential === 'parameter' ? undefined : session.sudo
  return toCurl(session.baseUrl, wire, await kindFor(instance, endpoint), sudo, instance.words)
}
