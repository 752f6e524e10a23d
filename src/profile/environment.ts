/** Reads tokens from the environment, and decides to which instance each may be sent. */

import { normalizeBaseUrl } from '../base/base-url.js'
import { usage } from '../errors.js'
import { checkToken, isUserTokenKind, userTokenKinds } from './tokens.js'
import type { Environment, Profile, ResolvedCredential } from './types.js'

/** Returns an environment variable; an empty one counts as unset. */
export const variable = (env: Environment, name: string): string | undefined =>
  env[name] || undefined

const getOrigin = (address: string): string => new URL(address).origin

const userTokens = ['SVC_TOKEN', 'SVC_JOB_TOKEN'] as const

/**
 * Whether the tokens that stand beside `SVC_BASE_URL` may serve this address: it is of the same origin.
 * Without `SVC_BASE_URL` they serve whatever was chosen.
 */
const mayServe = (env: Environment, baseUrl: string): boolean => {
  const theirs = variable(env, 'SVC_BASE_URL')
  return theirs === undefined || getOrigin(normalizeBaseUrl(theirs)) === getOrigin(baseUrl)
}

/**
 * Checks that the instance chosen by a flag is that of the environment's tokens.
 * @param chosen the address and what chose it, in words
 * @throws Failure `usage` that names both
 */
export const checkOwner = (env: Environment, baseUrl: string, chosen: string): void => {
  const names = userTokens.filter((name) => variable(env, name) !== undefined)
  if (names.length === 0 || mayServe(env, baseUrl)) return
  const tokens = names.join(' and ')
  const theirs = normalizeBaseUrl(env.SVC_BASE_URL ?? '')
  throw usage(
    `${tokens} ${names.length === 1 ? 'is' : 'are'} for SVC_BASE_URL (${theirs}), not for ${chosen}`,
    `Unset SVC_BASE_URL to send ${tokens} there anyway, or unset SVC_BASE_URL and ${tokens} to use the credential of a profile.`,
  )
}

/** Returns the user's token of the environment. Its kind is the profile's, unless the environment sets it. */
export const environmentToken = (
  env: Environment,
  profile: Profile | undefined,
): ResolvedCredential | undefined => {
  const token = variable(env, 'SVC_TOKEN')
  if (token === undefined) return undefined
  const kind = variable(env, 'SVC_TOKEN_KIND') ?? profile?.tokenKind ?? 'personal'
  if (!isUserTokenKind(kind))
    throw usage(
      `SVC_TOKEN_KIND is "${kind}"; it must be ${userTokenKinds.join(' or ')}`,
      'Put a job token into SVC_JOB_TOKEN.',
    )
  return checkToken(token, kind, 'SVC_TOKEN')
}

/** Explains why `CI_JOB_TOKEN` is not sent to an address, and what to set; undefined if it is sent or not set. */
export const jobTokenWithheld = (env: Environment, baseUrl: string): string | undefined => {
  if (variable(env, 'SVC_JOB_TOKEN') !== undefined) return undefined
  if (variable(env, 'CI_JOB_TOKEN') === undefined) return undefined
  const own = `Set SVC_JOB_TOKEN to a job token for ${getOrigin(baseUrl)}.`
  const server = variable(env, 'CI_SERVER_URL')
  if (server === undefined || !URL.canParse(server))
    return `CI_JOB_TOKEN was not sent, because CI_SERVER_URL is not set. ${own}`
  if (getOrigin(server) === getOrigin(baseUrl)) return undefined
  return `CI_JOB_TOKEN belongs to CI_SERVER_URL (${getOrigin(server)}) and was not sent to ${getOrigin(baseUrl)}. ${own}`
}

/**
 * Returns the job token for an address: `SVC_JOB_TOKEN` if set; `CI_JOB_TOKEN` for the instance that runs the job.
 * @throws Failure `usage` if it cannot be a token
 */
export const jobTokenFor = (env: Environment, baseUrl: string): ResolvedCredential | undefined => {
  const own = variable(env, 'SVC_JOB_TOKEN')
  if (own !== undefined) return checkToken(own, 'job', 'SVC_JOB_TOKEN')
  const ofJob = variable(env, 'CI_JOB_TOKEN')
  if (ofJob === undefined || jobTokenWithheld(env, baseUrl) !== undefined) return undefined
  return checkToken(ofJob, 'job', 'CI_JOB_TOKEN')
}
