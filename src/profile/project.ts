/** Project and group where none is given. */

import { isDots } from '../base/segments.js'
import { usage } from '../errors.js'
import type { Environment, Profile, Session } from './types.js'

// The project that the git remote of the working directory names.

interface Remote {
  readonly name: string
  readonly url: string
}

/** What `git remote -v` prints, as remotes in its order; addresses to push to are left out. */
export const parseRemotes = (text: string): readonly Remote[] =>
  [...text.matchAll(/^(\S+)\t(.+) \(fetch\)/gm)].map(([, name = '', url = '']) => ({ name, url }))

/** The remotes of a directory; none where it is no repository or there is no git. */
export const gitRemotes = async (cwd: string, env: Environment): Promise<readonly Remote[]> => {
  const { runFile } = await import('../base/processes.js')
  const how = { as: 'tool', env, cwd, timeout: 5000 } as const
  const { error, stdout } = await runFile('git', ['remote', '-v'], how)
  return error === null ? parseRemotes(stdout.toString()) : []
}

interface Address {
  /** Host, with a port where an http address has one. */
  readonly host: string
  readonly path: string
  readonly ssh: boolean
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** `ssh://[user@]host[:port]/path`, `http(s)://…`, `[user@]host:path`. */
const addressOf = (remote: string): Address | undefined => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(remote)?.[1]?.toLowerCase()
  if (scheme === 'http' || scheme === 'https' || scheme === 'ssh') {
    if (!URL.canParse(remote)) return undefined
    const url = new URL(remote)
    const ssh = scheme === 'ssh'
    return { host: (ssh ? url.hostname : url.host).toLowerCase(), path: decode(url.pathname), ssh }
  }
  if (scheme !== undefined) return undefined
  const scp = /^(?:[^@/\s]+@)?(\[[^\]]+\]|[^:/\s]+):(.+)$/.exec(remote)
  return scp === null
    ? undefined
    : {
        host: (scp[1] ?? '').toLowerCase(),
        path: `/${(scp[2] ?? '').replace(/^\/+/, '')}`,
        ssh: true,
      }
}

/**
 * The full path of the project that a remote's address names, where its host and path prefix are those
 * of the base URL. The port counts between http addresses only: ssh has its own.
 */
export const projectOfRemote = (remote: string, baseUrl: string): string | undefined => {
  const address = addressOf(remote)
  if (address === undefined) return undefined
  const base = new URL(baseUrl)
  if (address.host !== (address.ssh ? base.hostname : base.host)) return undefined
  const prefix = `${decode(base.pathname).replace(/\/+$/, '')}/`
  if (!address.path.startsWith(prefix)) return undefined
  const project = address.path
    .slice(prefix.length)
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  const segments = project.split('/')
  const whole = segments.length > 1 && segments.every((s) => s !== '' && !isDots(s))
  return whole ? project : undefined
}

/** The first remote that names a project of this instance, `origin` before the others. */
const remoteProject = (
  remotes: readonly Remote[],
  baseUrl: string,
): { readonly project: string; readonly remote: string } | undefined => {
  const origin = remotes.filter((r) => r.name === 'origin')
  for (const { name, url } of [...origin, ...remotes.filter((r) => r.name !== 'origin')]) {
    const project = projectOfRemote(url, baseUrl)
    if (project !== undefined) return { project, remote: name }
  }
  return undefined
}

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
      'Choose one: -P <project> or -G <group>.',
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
