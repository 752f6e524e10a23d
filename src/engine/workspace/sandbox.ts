/** Runs the embedded instance inside the command, for one call (`--sandbox`). */

import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../../base/files/regular.js'
import { getTemporaryFolder, type Io } from '../../base/io.js'
import type { Words } from '../../catalogue/words.js'
import { getErrorCode, usage } from '../../errors.js'
import { getEnvironmentToken, getJobToken, getPaths } from '../../profile/index.js'
import { hasExtensions } from '../../profile/paths.js'
import type { ResolvedCredential, Session } from '../../profile/types.js'
import type { DeclaredResource } from '../../sandbox/index.js'
import type { WorkspaceService } from '../command/context.js'

/** Returns the folder that stores the instance's state between calls. */
export const getStateFolder = (env: NodeJS.ProcessEnv): string =>
  join(getPaths(env).state, 'sandbox')

/** Returns the name of an instance in journals. An embedded one is named by its state folder. */
export const getInstanceName = async (
  place: Pick<WorkspaceService, 'env' | 'globals' | 'session'>,
): Promise<string> =>
  place.globals.sandbox ? `sandbox:${getStateFolder(place.env)}` : (await place.session()).baseUrl

/** The error codes for a folder that cannot be written, such as one below a read-only home, or below /dev/null. */
const unwritableCodes = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'])

/**
 * Opens the folder in which the embedded instance works: its state folder. If that is not writable, a temporary folder
 * is used and removed afterwards.
 * @param note receives the warning that changes are not saved
 */
export const openWorkingFolder = (
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): { folder: string; leave: () => void } => {
  const folder = getStateFolder(env)
  try {
    makeFolders(folder, 0o700)
    accessSync(folder, constants.W_OK)
    return { folder, leave: () => undefined }
  } catch (error) {
    if (!unwritableCodes.has(getErrorCode(error))) throw error
    const own = mkdtempSync(join(getTemporaryFolder(env), 'svcctl-sandbox-'))
    note(`changes to the embedded instance are not saved: cannot write ${folder}`)
    return { folder: own, leave: () => rmSync(own, { recursive: true, force: true }) }
  }
}

/**
 * Parses the rule for the results of the embedded instance's jobs; undefined keeps the current rule.
 * @param source the flag or variable, for the error
 * @throws Failure `usage` if the rule is invalid
 */
export const parseJobsRule = (text: string | undefined, source: string): string | undefined => {
  if (text === undefined || text === '') return undefined
  if (/^(pass|hold|fail=.+)$/s.test(text)) return text
  throw usage(`${source} must be pass, hold or fail=<glob of job names>, not "${text}"`)
}

/**
 * Returns the user's tokens from the environment. If SVC_BASE_URL is set, they belong to that instance, so none is
 * used.
 */
const getOwnTokens = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  env.SVC_BASE_URL
    ? {}
    : {
        SVC_TOKEN: env.SVC_TOKEN,
        SVC_TOKEN_KIND: env.SVC_TOKEN_KIND,
        SVC_JOB_TOKEN: env.SVC_JOB_TOKEN,
      }

/** Reads the resources that extensions declare for the embedded instance. */
export const readResources = async (
  env: NodeJS.ProcessEnv,
): Promise<readonly DeclaredResource[]> => {
  if (!hasExtensions(env)) return []
  const { readServed } = await import('../../profile/extension-store.js')
  return readServed(env)
}

/**
 * Starts the embedded instance for one call. The session is the administrator's unless SVC_TOKEN sets another user;
 * with SVC_BASE_URL, SVC_TOKEN is ignored.
 * @param words the vocabulary of the instance
 * @returns the session, and a function that stops the instance and saves its state
 */
export const openSandboxSession = async (
  env: NodeJS.ProcessEnv,
  sudo: string | undefined,
  waiting: {
    readonly note: (text: string) => void
    readonly signal: AbortSignal
    readonly now: Io['now']
    readonly randomBytes: Io['randomBytes']
  },
  words?: Words,
): Promise<{ session: Session; close: () => Promise<void> }> => {
  const { startSandbox } = await import('../../sandbox/index.js')
  const jobs = parseJobsRule(env.SVC_SANDBOX_JOBS, 'SVC_SANDBOX_JOBS')
  const { folder, leave } = openWorkingFolder(env, waiting.note)
  const resources = await readResources(env)
  const options = { resources, env, stateDir: folder, ...waiting, jobs, words }
  const sandbox = await startSandbox(options).catch((error: unknown) => {
    leave()
    throw error
  })
  const tokens = getOwnTokens(env)
  const credential: ResolvedCredential = getEnvironmentToken(tokens, sandbox.url) ?? {
    kind: 'personal',
    value: sandbox.users[0]?.token ?? '',
    source: 'the administrator of the sandbox',
  }
  const session: Session = {
    baseUrl: sandbox.url,
    baseUrlSource: '--sandbox',
    title: 'the embedded instance',
    getCredential: async () => credential,
    getJobToken: () => getJobToken(tokens, sandbox.url),
    renew: async () => undefined,
    sudo,
  }
  return { session, close: () => sandbox.close().finally(leave) }
}
