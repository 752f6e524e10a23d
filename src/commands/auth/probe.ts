/**
 * What a credential is and may do: `GET /user`, which instances answer though the documents do not
 * show it, else a documented call that needs signing in; administrator by whether
 * `GET /application/settings` answers; scopes where the instance tells.
 */
import { Failure } from '../../errors.js'
import type { Client } from '../../http/types.js'

export interface Identity {
  /** Undefined where the instance does not say. */
  readonly username?: string
  readonly administrator: boolean
  readonly scopes?: readonly string[]
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? { ...value } : {}

/** An answer's data; undefined where the instance refuses this one call. */
const tried = async (
  client: Client,
  path: string,
  passes: readonly string[],
): Promise<Readonly<Record<string, unknown>> | undefined> => {
  try {
    return record((await client.call({ method: 'GET', path, headers: {} })).data)
  } catch (error) {
    if (error instanceof Failure && passes.includes(error.category)) return undefined
    throw error
  }
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Failure && error.details.status === 403

const userOf = async (client: Client): Promise<string | undefined> => {
  try {
    const user = await tried(client, '/user', ['not_found'])
    if (user !== undefined) return String(user.username ?? '')
  } catch (error) {
    // The token is good, but its scopes do not reach the user.
    if (!isForbidden(error)) throw error
  }
  await tried(client, '/merge_requests?per_page=1', [])
  return undefined
}

const isAdministrator = async (client: Client): Promise<boolean> => {
  try {
    return (await tried(client, '/application/settings', ['not_found'])) !== undefined
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

const scopesOf = async (client: Client): Promise<readonly string[] | undefined> => {
  try {
    const self = await tried(client, '/personal_access_tokens/self', ['not_found', 'auth'])
    const scopes = self?.scopes
    return Array.isArray(scopes) ? scopes.map(String) : undefined
  } catch (error) {
    if (error instanceof Failure && error.category === 'interrupted') throw error
    return undefined
  }
}

/**
 * Tries a credential.
 * @throws Failure `auth` when the instance does not accept it, `unreachable` when there is no answer
 */
export const probe = async (client: Client): Promise<Identity> => {
  const username = await userOf(client)
  const administrator = await isAdministrator(client)
  const scopes = await scopesOf(client)
  return {
    administrator,
    ...(username === undefined || username === '' ? {} : { username }),
    ...(scopes === undefined ? {} : { scopes }),
  }
}

/** An identity in words: `root, administrator, scopes api, sudo`. */
export const identityText = ({ username, administrator, scopes }: Identity): string =>
  [
    username ?? 'a user that the instance does not name',
    administrator ? 'administrator' : 'not an administrator',
    ...(scopes === undefined ? [] : [`scopes ${scopes.join(', ')}`]),
  ].join(', ')
