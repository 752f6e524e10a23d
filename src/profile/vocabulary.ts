/** Whose words count: the environment's for the one instance of a run, else the profile's for its own. */
import path from 'node:path'
import { normalizeBaseUrl } from '../base/base-url.js'
import type { Store } from './store.js'
import { variable } from './tokens/environment.js'
import type { Environment, InstanceFlags, Profile } from './types.js'

/** The vocabulary in force. */
export interface InForce {
  readonly file: string
  /** The only address that it is for; any where it is missing. */
  readonly serves?: string
}

/** The profile whose instance a run is about; undefined where it is about another address, or the embedded instance. */
export const profileInForce = (
  flags: InstanceFlags,
  env: Environment,
  store: () => Store,
): Profile | undefined => {
  if (flags.sandbox === true) return undefined
  try {
    const profile = profileNamed(flags, env, store())
    const given = flags.baseUrl ?? variable(env, 'SVC_BASE_URL')
    const elsewhere = given !== undefined && normalizeBaseUrl(given) !== profile?.baseUrl
    return elsewhere ? undefined : profile
  } catch {
    return undefined
  }
}

const profileNamed = (flags: InstanceFlags, env: Environment, store: Store) => {
  const name = flags.profile ?? variable(env, 'SVC_PROFILE') ?? store.current()
  return name === undefined ? undefined : store.get(name)
}

/**
 * The vocabulary of a run; undefined where there is none. What is wrong with the profile is told where
 * it is needed.
 */
export const vocabularyInForce = (
  flags: InstanceFlags,
  env: Environment,
  store: () => Store,
): InForce | undefined => {
  const named = variable(env, 'SVC_VOCABULARY')
  if (named !== undefined) return { file: path.resolve(named) }
  const profile = profileInForce(flags, env, store)
  if (profile?.vocabulary === undefined) return undefined
  return { file: profile.vocabulary, serves: profile.baseUrl }
}
