/**
 * Finds out whose a credential is and what it may do, for `auth` and `doctor`. The user comes from `GET /user`,
 * which instances have although it is not documented; whether they are an administrator, from whether `GET
 * /application/settings` answers.
 */
import { type Fields, isObject, toText } from '../base/objects.js'
import type { ExternalClient } from '../engine/command/context.js'
import { Failure, recoverFrom } from '../errors.js'
import type { ResolvedCredential, Session } from '../profile/types.js'

/** The user of a credential, and what the credential may do. */
export interface Identity {
  /** Undefined where the instance does not say. */
  readonly username?: string
  readonly administrator: boolean
  readonly scopes?: readonly string[]
}

const createAnswerFailure = (path: string, status: number): Failure =>
  new Failure(
    'unreachable',
    `expected the user or version from ${path}, but the instance sent ${status}`,
    {
      status,
      request: `GET ${path}`,
      advice: { code: 'no-instance' },
    },
  )

/** Returns an answer's data; undefined where the instance refuses this one call. */
const tryCall = async <T>(
  client: ExternalClient,
  path: string,
  passes: readonly string[],
  is: (data: unknown) => data is T,
): Promise<T | undefined> => {
  try {
    const { data, status } = await client.call({ method: 'GET', path, headers: {} })
    if (!is(data)) throw createAnswerFailure(path, status)
    return data
  } catch (error) {
    if (error instanceof Failure && passes.includes(error.category)) return undefined
    throw error
  }
}

interface User {
  readonly username: string
}

const isUser = (data: unknown): data is User =>
  isObject(data) && typeof data.username === 'string' && data.username !== ''

const isList = (data: unknown): data is readonly unknown[] => Array.isArray(data)

const isSettings = (data: unknown): boolean => isObject(data) && Object.keys(data).length > 0

const isForbidden = (error: unknown): boolean =>
  error instanceof Failure && error.details.status === 403

const readUsername = async (client: ExternalClient): Promise<string | undefined> => {
  try {
    const user = await tryCall(client, '/user', ['not_found'], isUser)
    if (user !== undefined) return user.username
  } catch (error) {
    // The token is good, but its scopes do not reach the user.
    if (!isForbidden(error)) throw error
  }
  await tryCall(client, '/merge_requests?per_page=1', [], isList)
  return undefined
}

const isAnything = (_: unknown): _ is unknown => true

const isAdministrator = async (client: ExternalClient): Promise<boolean> => {
  try {
    // Only the settings themselves are a sign of it, whatever the status says.
    const path = '/application/settings'
    return isSettings(await tryCall(client, path, ['not_found'], isAnything))
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

const readScopes = async (client: ExternalClient): Promise<readonly string[] | undefined> => {
  try {
    const self = await tryCall(
      client,
      '/personal_access_tokens/self',
      ['not_found', 'auth'],
      isObject,
    )
    const scopes = self?.scopes
    return Array.isArray(scopes) ? scopes.map(String) : undefined
  } catch (error) {
    recoverFrom(error)
    return undefined
  }
}

/**
 * Tries a credential.
 * @throws Failure `auth` if the instance rejects it, `unreachable` if there is no response
 */
export const probe = async (client: ExternalClient): Promise<Identity> => {
  const username = await readUsername(client)
  const administrator = await isAdministrator(client)
  const scopes = await readScopes(client)
  return {
    administrator,
    username,
    scopes,
  }
}

/** Formats an identity: `root, administrator, scopes api, sudo`. */
export const formatIdentity = ({ username, administrator, scopes }: Identity): string =>
  [
    username ?? 'an unknown user',
    administrator ? 'administrator' : 'not an administrator',
    ...(scopes === undefined ? [] : [`scopes ${scopes.join(', ')}`]),
  ].join(', ')

const isJob = (data: unknown): data is Fields => isObject(data) && data.id !== undefined

/**
 * Tries a job token at `GET /job`, which answers with the job that the token belongs to.
 * @returns the job in words; undefined if the instance does not have this route
 * @throws Failure `auth` if the instance rejects the token, `unreachable` if there is no response
 */
export const probeJobToken = async (client: ExternalClient): Promise<string | undefined> => {
  const job = await tryCall(client, '/job', ['not_found'], isJob)
  if (job === undefined) return undefined
  const user = isObject(job.user) ? toText(job.user.username) : undefined
  return `job ${String(job.id)}${user === undefined ? '' : `, started by ${user}`}`
}

/** Describes a credential by its kind and its source: `personal, from the keyring`. */
export const formatCredential = ({ kind, source }: ResolvedCredential): string =>
  `${kind === 'job' ? 'job token' : kind}, from ${source}`

/** Names the owner of a credential: the profile of the session, unless a variable holds the credential. */
export const nameOwner = ({ profile }: Session, credential?: ResolvedCredential): string => {
  const isOfVariable = /^[A-Z_]+$/.test(credential?.source ?? '')
  return profile === undefined || isOfVariable ? '(environment)' : profile.name
}
