/** Whether there is a credential, what it is, and what it may do. */
import type { ResolvedCredential, Session } from '../../profile/types.js'
import { type Identity, probe } from '../auth/probe.js'
import type { Services } from '../services.js'
import { type Check, failed, failedBy, ok, warning } from './check.js'

const signIn = (session: Session): string =>
  `Sign in with: svcctl auth login --base-url ${session.baseUrl}`

const jobOnly = (session: Session): Check =>
  session.jobToken() === undefined
    ? failed('credential', 'auth', `there is none for ${session.baseUrl}`, signIn(session))
    : failed(
        'credential',
        'auth',
        'there is only a job token, which few commands take',
        'Set SVC_TOKEN as well, or sign in.',
      )

const administratorOf = ({ administrator }: Identity): Check =>
  administrator
    ? ok('administrator', 'yes')
    : warning(
        'administrator',
        'no; settings, geo, runners list --instance and others refuse',
        'Use the token of an administrator for those.',
      )

const scopesOf = ({ scopes }: Identity): Check => {
  if (scopes === undefined) return ok('scopes', 'the instance does not show them')
  const text = scopes.join(', ')
  return scopes.includes('api')
    ? ok('scopes', text)
    : warning('scopes', `${text}; without api nothing can be changed`, 'Make a token with api.')
}

const identityChecks = (
  credential: ResolvedCredential,
  identity: Identity,
  sudo: string | undefined,
): readonly Check[] => [
  ok('credential', `${credential.kind}, from ${credential.source}`),
  ok('user', identity.username ?? 'the instance does not name the user'),
  ...(sudo === undefined ? [] : [ok('acting as', sudo)]),
  administratorOf(identity),
  scopesOf(identity),
]

/** Tries the credential; it never appears in a check. */
export const accountChecks = async (
  { instance }: Services,
  session: Session,
): Promise<readonly Check[]> => {
  try {
    const credential = await session.credential()
    if (credential === undefined) return [jobOnly(session)]
    const { kind, value } = credential
    const identity = await probe(instance.elsewhere(session.baseUrl, { kind, value }, session))
    return identityChecks(credential, identity, session.sudo)
  } catch (error) {
    return [failedBy('credential', error)]
  }
}
