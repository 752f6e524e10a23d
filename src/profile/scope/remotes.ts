/** The project that the git remote of the working directory names. */
import { isDots } from '../../base/segments.js'
import type { Environment } from '../types.js'

export interface Remote {
  readonly name: string
  readonly url: string
}

/** What `git remote -v` prints, as remotes in its order; addresses to push to are left out. */
export const parseRemotes = (text: string): readonly Remote[] =>
  [...text.matchAll(/^(\S+)\t(.+) \(fetch\)/gm)].map(([, name = '', url = '']) => ({ name, url }))

/** The remotes of a directory; none where it is no repository or there is no git. */
export const gitRemotes = async (cwd: string, env: Environment): Promise<readonly Remote[]> => {
  const { runFile } = await import('../../base/processes/start.js')
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
export const remoteProject = (
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
