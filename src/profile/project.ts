/** Finds the default project and group: from the environment, the git remote, or the profile. */

import { usage } from '../errors.js'
import { getSshHost, parseRemoteProject } from './addresses.js'
import type { Environment, Profile, Session } from './types.js'

// The project that a git remote of the working directory names.

interface Remote {
  readonly name: string
  readonly url: string
}

/** Parses the output of `git remote -v` in order. Push addresses are ignored. */
export const parseRemotes = (text: string): readonly Remote[] =>
  [...text.matchAll(/^(\S+)\t(.+) \(fetch\)/gm)].map(([, name = '', url = '']) => ({ name, url }))

/** Runs a tool of the person. Returns its output; an empty text if it failed or is not installed. */
const runTool = async (
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Environment,
): Promise<string> => {
  const { runFile } = await import('../base/processes.js')
  const { error, stdout } = await runFile(program, args, { as: 'tool', env, cwd, timeout: 5000 })
  return error === null ? stdout.toString() : ''
}

/** Reads the git remotes of a directory; none if it is not a repository or if git is not installed. */
export const readGitRemotes = async (cwd: string, env: Environment): Promise<readonly Remote[]> =>
  parseRemotes(await runTool(['git', 'remote', '-v'], cwd, env))

/** Returns the host name of a `Host` in the configuration of SSH; undefined if SSH does not know one. */
const resolveSshHost = async (
  host: string,
  cwd: string,
  env: Environment,
): Promise<string | undefined> => {
  // The host is that of any clone, and a configuration may pass it to a shell. Without the option, SSH may ask the network for its full name.
  if (!/^\w[\w.-]*$/.test(host)) return undefined
  const text = await runTool(['ssh', '-G', '-o', 'CanonicalizeHostname=no', host], cwd, env)
  return /^hostname (\S+)$/m.exec(text)?.[1]
}

/** Finds the first remote that names a project of this instance. `origin` takes precedence, and host names before names of SSH. */
const findRemoteProject = async (
  remotes: readonly Remote[],
  baseUrl: string,
  resolveHost: (host: string) => Promise<string | undefined>,
): Promise<{ readonly project: string; readonly remote: string } | undefined> => {
  const origin = remotes.filter((r) => r.name === 'origin')
  const ordered = [...origin, ...remotes.filter((r) => r.name !== 'origin')]
  for (const { name, url } of ordered) {
    const project = parseRemoteProject(url, baseUrl)
    if (project !== undefined) return { project, remote: name }
  }
  for (const { name, url } of ordered) {
    const alias = getSshHost(url)
    const host = alias === undefined ? undefined : await resolveHost(alias)
    const project = host === undefined ? undefined : parseRemoteProject(url, baseUrl, host)
    if (project !== undefined) return { project, remote: name }
  }
  return undefined
}

/** The kinds of scope that a command accepts. */
export type ScopeChoice = 'project' | 'group' | 'either'

/** A project or group, and its source. */
interface Scope {
  readonly kind: 'project' | 'group'
  /** ID or full path. */
  readonly value: string
  /** The source in words, for messages. */
  readonly source: string
}

const getVariableScope = (
  env: Environment,
  kind: Scope['kind'],
  name: string,
): Scope | undefined => {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? undefined : { kind, value, source: name }
}

/**
 * Returns the scope of the environment: `SVC_PROJECT`, `SVC_GROUP`, and then `CI_PROJECT_ID`.
 * @throws Failure `usage` if a command accepts either and `SVC_PROJECT` and `SVC_GROUP` are both set
 */
export const getEnvironmentScope = (takes: ScopeChoice, env: Environment): Scope | undefined => {
  const project = takes === 'group' ? undefined : getVariableScope(env, 'project', 'SVC_PROJECT')
  const group = takes === 'project' ? undefined : getVariableScope(env, 'group', 'SVC_GROUP')
  if (project !== undefined && group !== undefined)
    throw usage(
      'SVC_PROJECT and SVC_GROUP are both set, and this command takes one of them',
      'Choose one: -P <project> or -G <group>.',
    )
  const job = takes === 'group' ? undefined : getVariableScope(env, 'project', 'CI_PROJECT_ID')
  return project ?? group ?? job
}

/** Returns the scope of a profile; undefined if it has both and the command accepts either. */
const getProfileScope = (takes: ScopeChoice, profile: Profile | undefined): Scope | undefined => {
  const { name, project, group } = profile ?? {}
  if (takes === 'either' && project !== undefined && group !== undefined) return undefined
  const of = `of profile ${name ?? ''}`
  if (takes !== 'group' && project !== undefined)
    return { kind: 'project', value: project, source: `the project ${of}` }
  if (takes !== 'project' && group !== undefined)
    return { kind: 'group', value: group, source: `the group ${of}` }
  return undefined
}

/**
 * Finds the scope for a command that requires one and was given none: in the environment, the git remotes (projects only), or the profile.
 * Git runs only if the environment has none.
 * @param cwd the directory whose remotes are read; undefined to read none
 * @throws Failure `usage` like `getEnvironmentScope`
 */
export const findScope = async (
  takes: ScopeChoice,
  env: Environment,
  session: Pick<Session, 'baseUrl' | 'profile'>,
  cwd?: string,
): Promise<Scope | undefined> => {
  const fromEnvironment = getEnvironmentScope(takes, env)
  if (fromEnvironment !== undefined) return fromEnvironment
  if (takes !== 'group' && cwd !== undefined) {
    const remotes = await readGitRemotes(cwd, env)
    const found = await findRemoteProject(remotes, session.baseUrl, (host) =>
      resolveSshHost(host, cwd, env),
    )
    if (found !== undefined)
      return { kind: 'project', value: found.project, source: `git remote ${found.remote}` }
  }
  return getProfileScope(takes, session.profile)
}
