/**
 * What a credential is and may do: `GET /user`, which instances answer though the documents do not
 * show it, else a documented call that needs signing in; administrator by whether
 * `GET /application/settings` answers; scopes where the instance tells.
 */
import { isObject } from '../../base/objects.js'
import type { ExternalClient } from '../../engine/command/services.js'
import { Failure, survived } from '../../errors.js'

export interface Identity {
  /** Undefined where the instance does not say. */
  readonly username?: string
  readonly administrator: boolean
  readonly scopes?: readonly string[]
}

const foreign = (path: string, status: number): Failure =>
  new Failure(
    'unreachable',
    `expected the user or version from ${path}, but the instance sent ${status}`,
    {
      status,
      request: `GET ${path}`,
      hint: 'Check the base URL with `svcctl doctor`.',
    },
  )

/** An answer's data; undefined where the instance refuses this one call. */
const tried = async <T>(
  client: ExternalClient,
  path: string,
  passes: readonly string[],
  is: (data: unknown) => data is T,
): Promise<T | undefined> => {
  try {
    const { data, status } = await client.call({ method: 'GET', path, headers: {} })
    if (!is(data)) throw foreign(path, status)
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

const userOf = async (client: ExternalClient): Promise<string | undefined> => {
  try {
    const user = await tried(client, '/user', ['not_found'], isUser)
    if (user !== undefined) return user.username
  } catch (error) {
    // The token is good, but its scopes do not reach the user.
    if (!isForbidden(error)) throw error
  }
  await tried(client, '/merge_requests?per_page=1', [], isList)
  return undefined
}

const isAnything = (_: unknown): _ is unknown => true

const isAdministrator = async (client: ExternalClient): Promise<boolean> => {
  try {
    // Only the settings themselves are a sign of it, whatever the status says.
    const path = '/application/settings'
    return isSettings(await tried(client, path, ['not_found'], isAnything))
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

const scopesOf = async (client: ExternalClient): Promise<readonly string[] | undefined> => {
  try {
    const self = await tried(
      client,
      '/personal_access_tokens/self',
      ['not_found', 'auth'],
      isObject,
    )
    const scopes = self?.scopes
    return Array.isArray(scopes) ? scopes.map(String) : undefined
  } catch (error) {
    survived(error)
    return undefined
  }
}

/**
 * Tries a credential.
 * @throws Failure `auth` when the instance does not accept it, `unreachable` when there is no answer
 */
export const probe = async (client: ExternalClient): Promise<Identity> => {
  const username = await userOf(client)
  const administrator = await isAdministrator(client)
  const scopes = await scopesOf(client)
  return {
    administrator,
    username,
    scopes,
  }
}

/** An identity in words: `root, administrator, scopes api, sudo`. */
export const identityText = ({ username, administrator, scopes }: Identity): string =>
  [
    username ?? 'an unknown user',
    administrator ? 'administrator' : 'not an administrator',
    ...(scopes === undefined ? [] : [`scopes ${scopes.join(', ')}`]),
  ].join(', ')
