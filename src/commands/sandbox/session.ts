/** `--sandbox`: the embedded instance inside the command, for one call. */
import { join } from 'node:path'
import type { Words } from '../../catalogue/words.js'
import { environmentToken, jobTokenFor, pathsOf } from '../../profile/index.js'
import type { ResolvedCredential, Session } from '../../profile/types.js'

/** Where the state is kept between calls. */
export const stateFolder = (env: NodeJS.ProcessEnv): string => join(pathsOf(env).state, 'sandbox')

/** The user's own tokens; beside SVC_BASE_URL they belong to that instance and not to this one. */
const tokensOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  env.SVC_BASE_URL
    ? {}
    : {
        SVC_TOKEN: env.SVC_TOKEN,
        SVC_TOKEN_KIND: env.SVC_TOKEN_KIND,
        SVC_JOB_TOKEN: env.SVC_JOB_TOKEN,
      }

/**
 * Starts the instance for one call. It acts as its administrator unless SVC_TOKEN says otherwise,
 * which it does not where it stands beside SVC_BASE_URL.
 * @param words what it calls things
 * @returns the session, and what stops the instance and saves its state
 */
export const sandboxSession = async (
  env: NodeJS.ProcessEnv,
  sudo: string | undefined,
  waiting: { readonly note: (text: string) => void; readonly signal: AbortSignal },
  words?: Words,
): Promise<{ session: Session; close: () => Promise<void> }> => {
  const { startSandbox } = await import('../../sandbox/index.js')
  const sandbox = await startSandbox({
    stateDir: stateFolder(env),
    ...waiting,
    ...(words === undefined ? {} : { words }),
  })
  const tokens = tokensOf(env)
  const credential: ResolvedCredential = environmentToken(tokens, undefined) ?? {
    kind: 'personal',
    value: sandbox.users[0]?.token ?? '',
    source: 'the administrator of the sandbox',
  }
  const session: Session = {
    baseUrl: sandbox.url,
    baseUrlSource: '--sandbox',
    credential: async () => credential,
    jobToken: () => jobTokenFor(tokens, sandbox.url),
    renew: async () => undefined,
    ...(sudo === undefined ? {} : { sudo }),
  }
  return { session, close: () => sandbox.close() }
}
