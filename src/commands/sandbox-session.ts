/** `--sandbox`: the embedded instance inside the command, for one call. */
import { join } from 'node:path'
import { usage } from '../errors.js'
import { pathsOf } from '../profile/index.js'
import type { ResolvedCredential, Session } from '../profile/types.js'

/** Where the state is kept between calls. */
export const stateFolder = (env: NodeJS.ProcessEnv): string => join(pathsOf(env).state, 'sandbox')

const jobToken = (env: NodeJS.ProcessEnv): ResolvedCredential | undefined => {
  const value = env.SVC_JOB_TOKEN
  return value === undefined || value === ''
    ? undefined
    : { kind: 'job', value, source: 'SVC_JOB_TOKEN' }
}

/**
 * Starts the instance for one call. It acts as its administrator unless SVC_TOKEN says otherwise.
 * @returns the session, and what stops the instance and saves its state
 */
export const sandboxSession = async (
  env: NodeJS.ProcessEnv,
  sudo: string | undefined,
  waiting: { readonly note: (text: string) => void; readonly signal: AbortSignal },
): Promise<{ session: Session; close: () => Promise<void> }> => {
  const { startSandbox } = await import('../sandbox/index.js')
  const sandbox = await startSandbox({ stateDir: stateFolder(env), ...waiting })
  const given = env.SVC_TOKEN
  const administrator = sandbox.users[0]?.token ?? ''
  const credential: ResolvedCredential =
    given === undefined || given === ''
      ? { kind: 'personal', value: administrator, source: 'the administrator of the sandbox' }
      : { kind: kindOf(env.SVC_TOKEN_KIND), value: given, source: 'SVC_TOKEN' }
  const session: Session = {
    baseUrl: sandbox.url,
    baseUrlSource: '--sandbox',
    credential: async () => credential,
    jobToken: () => jobToken(env),
    renew: async () => undefined,
    ...(sudo === undefined ? {} : { sudo }),
  }
  return { session, close: () => sandbox.close() }
}

const kindOf = (text: string | undefined): 'personal' | 'oauth' | 'session' => {
  if (text === undefined || text === '' || text === 'personal') return 'personal'
  if (text === 'oauth' || text === 'session') return text
  throw usage(`SVC_TOKEN_KIND takes personal, oauth or session, not "${text}"`)
}
