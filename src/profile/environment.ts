/** Reads tokens from environment variables, and determines to which instance each may be sent. */

import { normalizeBaseUrl } from '../base/base-url.js'
import { usage } from '../errors.js'
import { checkToken, isUserTokenKind, userTokenKinds } from './tokens.js'
import type { Environment, Profile, ResolvedCredential } from './types.js'

/** Returns an environment variable; an empty one counts as unset. */
export const getEnvironmentVariable = (env: Environment, name: string): string | undefined =>
  env[name] || undefined

const getOrigin = (address: string): string => new URL(address).origin

const userTokens = ['SVC_TOKEN', 'SVC_JOB_TOKEN'] as const

/** Returns the origin of a base URL; undefined if it is not valid. */
const findOrigin = (text: string): string | undefined => {
  try {
    return getOrigin(normalizeBaseUrl(text))
  } catch {
    return undefined
  }
}

/**
 * True if the tokens of the environment may be sent to this address. With `SVC_BASE_URL`, only its origin may receive them; without it, the
 * instance that a flag or profile chooses.
 */
const canSendTokens = (env: Environment, baseUrl: string): boolean => {
  const theirs = getEnvironmentVariable(env, 'SVC_BASE_URL')
  return theirs === undefined || findOrigin(theirs) === getOrigin(baseUrl)
}

/** Explains why the user's tokens of the environment are not sent to an address; undefined if they are sent, or if none is set. */
export const explainWithheldToken = (env: Environment, baseUrl: string): string | undefined => {
  const names = userTokens.filter((name) => getEnvironmentVariable(env, name) !== undefined)
  if (names.length === 0 || canSendTokens(env, baseUrl)) return undefined
  const theirs = findOrigin(env.SVC_BASE_URL ?? '') ?? 'which is not valid'
  const [are, they, them] =
    names.length === 1 ? (['is', 'it is', 'it'] as const) : (['are', 'they are', 'them'] as const)
  return `${names.join(' and ')} ${are} not used: ${they} for SVC_BASE_URL (${theirs}). To send ${them} to ${baseUrl}, unset SVC_BASE_URL.`
}

/** Returns the user's token of the environment for an address. The kind is that of the profile unless the environment sets one. */
export const getEnvironmentToken = (
  env: Environment,
  baseUrl: string,
  profile?: Profile,
): ResolvedCredential | undefined => {
  const token = getEnvironmentVariable(env, 'SVC_TOKEN')
  if (token === undefined || !canSendTokens(env, baseUrl)) return undefined
  const kind = getEnvironmentVariable(env, 'SVC_TOKEN_KIND') ?? profile?.tokenKind ?? 'personal'
  if (!isUserTokenKind(kind))
    throw usage(
      `SVC_TOKEN_KIND is "${kind}"; it must be ${userTokenKinds.join(' or ')}`,
      'Put a job token into SVC_JOB_TOKEN.',
    )
  return checkToken(token, kind, 'SVC_TOKEN')
}

/** True if an address is on the instance that runs the CI job. */
export const isOfJob = (env: Environment, baseUrl: string): boolean => {
  const server = getEnvironmentVariable(env, 'CI_SERVER_URL')
  return server !== undefined && URL.canParse(server) && getOrigin(server) === getOrigin(baseUrl)
}

/** Explains why `CI_JOB_TOKEN` is not sent to an address, and what to set; undefined if it is sent or not set. */
export const explainWithheldJobToken = (env: Environment, baseUrl: string): string | undefined => {
  if (getEnvironmentVariable(env, 'SVC_JOB_TOKEN') !== undefined) return undefined
  if (getEnvironmentVariable(env, 'CI_JOB_TOKEN') === undefined) return undefined
  const own = `Set SVC_JOB_TOKEN to a job token for ${getOrigin(baseUrl)}.`
  if (isOfJob(env, baseUrl)) return undefined
  const server = getEnvironmentVariable(env, 'CI_SERVER_URL')
  if (server === undefined || !URL.canParse(server))
    return `CI_JOB_TOKEN was not sent, because CI_SERVER_URL is not set. ${own}`
  return `CI_JOB_TOKEN belongs to CI_SERVER_URL (${getOrigin(server)}) and was not sent to ${getOrigin(baseUrl)}. ${own}`
}

/**
 * Returns the job token for an address: `SVC_JOB_TOKEN` if set; `CI_JOB_TOKEN` for the instance that runs the job.
 * @throws Failure `usage` if it cannot be a token
 */
export const getJobToken = (env: Environment, baseUrl: string): ResolvedCredential | undefined => {
  const own = getEnvironmentVariable(env, 'SVC_JOB_TOKEN')
  if (own !== undefined)
    return canSendTokens(env, baseUrl) ? checkToken(own, 'job', 'SVC_JOB_TOKEN') : undefined
  const ofJob = getEnvironmentVariable(env, 'CI_JOB_TOKEN')
  if (ofJob === undefined || explainWithheldJobToken(env, baseUrl) !== undefined) return undefined
  return checkToken(ofJob, 'job', 'CI_JOB_TOKEN')
}
