/** Project and group where none is given. */
import { usage } from '../../errors.js'
import type { Environment, Profile, Session } from '../types.js'
import { gitRemotes, remoteProject } from './remotes.js'

/** What a command can belong to. */
export type Takes = 'project' | 'group' | 'either'

export interface Scope {
  readonly kind: 'project' | 'group'
  /** ID or full path. */
  readonly value: string
  /** Where it comes from, in words. */
  readonly source: string
}

const from = (env: Environment, kind: Scope['kind'], name: string): Scope | undefined => {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? undefined : { kind, value, source: name }
}

/**
 * The scope that the environment gives: `SVC_PROJECT`, then `CI_PROJECT_ID`; `SVC_GROUP`. Where a command
 * takes either, `CI_PROJECT_ID` counts only without both of the others.
 * @throws Failure `usage` where a command takes either and both are set
 */
export const environmentScope = (takes: Takes, env: Environment): Scope | undefined => {
  const project = takes === 'group' ? undefined : from(env, 'project', 'SVC_PROJECT')
  const group = takes === 'project' ? undefined : from(env, 'group', 'SVC_GROUP')
  if (project !== undefined && group !== undefined)
    throw usage(
      'SVC_PROJECT and SVC_GROUP are both set, and this command takes one of them',
      'Say which one is meant: -P <project> or -G <group>.',
    )
  const job = takes === 'group' ? undefined : from(env, 'project', 'CI_PROJECT_ID')
  return project ?? group ?? job
}

/** The scope that a profile names; none where it names both and the command takes either. */
const profileScope = (takes: Takes, profile: Profile | undefined): Scope | undefined => {
  const { name, project, group } = profile ?? {}
  if (takes === 'either' && project !== undefined && group !== undefined) return undefined
  const source = `profile ${name ?? ''}`
  if (takes !== 'group' && project !== undefined) return { kind: 'project', value: project, source }
  if (takes !== 'project' && group !== undefined) return { kind: 'group', value: group, source }
  return undefined
}

/**
 * The scope for a command that cannot do without and was given none: the environment's, the git
 * remote's (projects only), the profile's. Git runs only when the environment says nothing.
 * @param cwd where the remotes are looked for; nowhere where it is left out
 * @throws Failure `usage` as `environmentScope`
 */
export const scopeAtHand = async (
  takes: Takes,
  env: Environment,
  session: Pick<Session, 'baseUrl' | 'profile'>,
  cwd?: string,
): Promise<Scope | undefined> => {
  const said = environmentScope(takes, env)
  if (said !== undefined) return said
  if (takes !== 'group' && cwd !== undefined) {
    const found = remoteProject(await gitRemotes(cwd, env), session.baseUrl)
    if (found !== undefined)
      return { kind: 'project', value: found.project, source: `git remote ${found.remote}` }
  }
  return profileScope(takes, session.profile)
}
