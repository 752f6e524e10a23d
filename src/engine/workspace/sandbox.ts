/** `--sandbox`: the embedded instance inside the command, for one call. */

import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../../base/files/regular.js'
import { getCurrentIo, getTemporaryFolder } from '../../base/io.js'
import type { Words } from '../../catalogue/words.js'
import { getErrorCode, usage } from '../../errors.js'
import { getEnvironmentToken, getJobToken, getPaths } from '../../profile/index.js'
import { hasExtensions } from '../../profile/paths.js'
import type { ResolvedCredential, Session } from '../../profile/types.js'
import type { DeclaredResource } from '../../sandbox/index.js'
import type { WorkspaceService } from '../command/context.js'

/** Returns the folder in which the state is kept between calls. */
export const stateFolder = (env: NodeJS.ProcessEnv): string => join(getPaths(env).state, 'sandbox')

/** Returns the name of an instance in journals: an embedded one is named by the folder of its state. */
export const getInstanceName = async (
  place: Pick<WorkspaceService, 'env' | 'globals' | 'session'>,
): Promise<string> =>
  place.globals.sandbox ? `sandbox:${stateFolder(place.env)}` : (await place.session()).baseUrl

/** The error codes of a place where nothing can be written: a home that is read-only, or another's. */
const closed = new Set(['EACCES', 'EPERM', 'EROFS'])

/**
 * Opens the folder in which an instance of this machine works: that of its state. If that cannot be written, it is one
 * of its own that goes with it.
 * @param note hears that nothing is kept
 */
export const openWorkingFolder = (
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): { folder: string; leave: () => void } => {
  const folder = stateFolder(env)
  try {
    makeFolders(folder, 0o700)
    accessSync(folder, constants.W_OK)
    return { folder, leave: () => undefined }
  } catch (error) {
    if (!closed.has(getErrorCode(error))) throw error
    const own = mkdtempSync(join(getTemporaryFolder(), 'svcctl-sandbox-'))
    note(`changes to the embedded instance are not saved: cannot write ${folder}`)
    return { folder: own, leave: () => rmSync(own, { recursive: true, force: true }) }
  }
}

/**
 * Parses how jobs of the embedded instance are to end; undefined leaves it was.
 * @param source what says so
 * @throws Failure `usage` for a text that says nothing of it
 */
export const parseJobsRule = (text: string | undefined, source: string): string | undefined => {
  if (text === undefined || text === '') return undefined
  if (/^(pass|hold|fail=.+)$/s.test(text)) return text
  throw usage(`${source} must be pass, hold or fail=<glob of job names>, not "${text}"`)
}

/** Returns the user's own tokens; beside SVC_BASE_URL they belong to that instance and not to this one. */
const getOwnTokens = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  env.SVC_BASE_URL
    ? {}
    : {
        SVC_TOKEN: env.SVC_TOKEN,
        SVC_TOKEN_KIND: env.SVC_TOKEN_KIND,
        SVC_JOB_TOKEN: env.SVC_JOB_TOKEN,
      }

/** Reads what extensions declare that an embedded instance answers. */
export const readResources = async (
  env: NodeJS.ProcessEnv,
): Promise<readonly DeclaredResource[]> => {
  if (!hasExtensions(env)) return []
  const { readServed } = await import('../../profile/extension-store.js')
  return readServed(env)
}

/**
 * Starts the instance for one call. It acts as its administrator unless SVC_TOKEN says otherwise,
 * which it does not where it stands beside SVC_BASE_URL.
 * @param words what it calls things
 * @returns the session, and what stops the instance and saves its state
 */
export const openSandboxSession = async (
  env: NodeJS.ProcessEnv,
  sudo: string | undefined,
  waiting: { readonly note: (text: string) => void; readonly signal: AbortSignal },
  words?: Words,
): Promise<{ session: Session; close: () => Promise<void> }> => {
  const { startSandbox } = await import('../../sandbox/index.js')
  const jobs = parseJobsRule(env.SVC_SANDBOX_JOBS, 'SVC_SANDBOX_JOBS')
  const { folder, leave } = openWorkingFolder(env, waiting.note)
  const resources = await readResources(env)
  const sandbox = await startSandbox({
    resources,
    stateDir: folder,
    ...waiting,
    now: getCurrentIo().now,
    jobs,
    words,
  }).catch((error: unknown) => {
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
    credential: async () => credential,
    jobToken: () => getJobToken(tokens, sandbox.url),
    renew: async () => undefined,
    sudo,
  }
  return { session, close: () => sandbox.close().finally(leave) }
}
