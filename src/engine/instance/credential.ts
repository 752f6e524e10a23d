/** The session's credentials for the client's rule, and the words where one is missing. */
import { type CredentialGap, MissingCredential, type Need } from '../../client/types.js'
import { Failure } from '../../errors.js'
import type { Credential } from '../../http/types.js'
import type { ResolvedCredential, Session } from '../../profile/types.js'
import { withWorkspaceHint } from '../workspace/advice.js'

const asCredential = (found: ResolvedCredential | undefined): Credential | undefined =>
  found === undefined ? undefined : { kind: found.kind, value: found.value }

/** What the client asks a session for. */
export const createCredentials =
  (session: Pick<Session, 'credential' | 'jobToken'>) =>
  async (need: Need): Promise<Credential | undefined> =>
    asCredential(need === 'job' ? session.jobToken() : await session.credential())

/** A fresh access token of a session, as the client takes it. */
export const createRenewal =
  (renew: Session['renew']) => async (): Promise<Credential | undefined> =>
    asCredential(await renew())

type Of = Pick<Session, 'baseUrl' | 'jobTokenWithheld'>

const hints: Readonly<Record<CredentialGap, (session: Of) => string>> = {
  job: ({ jobTokenWithheld }) =>
    jobTokenWithheld ??
    'Run the command in a CI job, where CI_JOB_TOKEN is set, or set SVC_JOB_TOKEN.',
  user: ({ baseUrl }) => `Set SVC_TOKEN, or sign in with: svcctl auth login --base-url ${baseUrl}`,
  any: ({ baseUrl }) => `Sign in with: svcctl auth login --base-url ${baseUrl}`,
}

/** What is thrown with what to do about it; a missing credential by what the session says of it. */
export const hinted =
  (session: Of) =>
  (error: unknown): unknown =>
    error instanceof MissingCredential
      ? new Failure(error.category, error.message, {
          ...error.details,
          hint: hints[error.lack](session),
        })
      : withWorkspaceHint(error)
