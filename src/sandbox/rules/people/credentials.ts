/** Every credential of an instance: what there is to try out what each of them may do. */
import { InstanceClock } from '../../clock.js'
import type { TokenRecord } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'

export interface KnownCredential {
  /** How it is sent: `personal`, `oauth`, `session`, `job`, `registration` … */
  readonly kind: string
  /** Who acts with it, or what it registers runners for. */
  readonly of: string
  readonly value: string
  readonly scopes: readonly string[]
  readonly state: 'active' | 'expired' | 'revoked'
  /** OAuth only. */
  readonly refresh_token: string | null
}

const stateOf = ({ revoked, expires_at }: TokenRecord, now: string): KnownCredential['state'] => {
  if (revoked) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}

const plain = (kind: string, of: string, value: string): KnownCredential => ({
  kind,
  of,
  value,
  scopes: [],
  state: 'active',
  refresh_token: null,
})

/** All credentials but alert keys, users' tokens first. */
export const credentialsIn = (state: State, now = new InstanceClock().iso()): KnownCredential[] => {
  const nameOf = (id: number | null): string => state.users.get(id)?.username ?? ''
  return [
    ...state.tokens.all().map((token) => ({
      kind: token.kind,
      of: nameOf(token.user_id),
      value: token.value,
      scopes: token.scopes,
      state: stateOf(token, now),
      refresh_token: token.refresh_token,
    })),
    ...state.jobs
      .filter((job) => job.status === 'running')
      .map((job) => plain('job', `job ${job.id} of ${nameOf(job.user_id)}`, job.token)),
    plain('registration', 'the instance', state.config.registration_token),
    ...state.groups
      .all()
      .map((group) => plain('registration', group.full_path, group.runners_token)),
    ...state.projects
      .all()
      .map((project) => plain('registration', project.path_with_namespace, project.runners_token)),
  ]
}
