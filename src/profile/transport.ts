/** How the instance is reached: proxy, certificate authorities, client certificate. */
import { readFileSync } from 'node:fs'
import { isLoopback } from './base-url.js'
import { fileFailure } from './files.js'
import type { Environment, Session } from './types.js'

/** As the HTTP layer takes it. */
export interface TransportSettings {
  readonly proxy?: string
  readonly noProxy?: string
  /** PEM texts. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly insecure?: boolean
}

const variable = (env: Environment, name: string): string | undefined =>
  env[name.toLowerCase()] || env[name] || undefined

/** The proxy that the environment names for an address. This machine is reached without one. */
const environmentProxy = (baseUrl: string, env: Environment): string | undefined => {
  const { protocol, hostname } = new URL(baseUrl)
  if (isLoopback(hostname)) return undefined
  const own = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = variable(env, own) ?? variable(env, 'ALL_PROXY')
  return proxy === undefined || proxy.includes('://') ? proxy : `http://${proxy}`
}

const pem = (
  setting: 'ca' | 'cert' | 'key',
  file: string | undefined,
): Partial<Record<'ca' | 'cert' | 'key', string>> => {
  if (file === undefined) return {}
  try {
    return { [setting]: readFileSync(file, 'utf8') }
  } catch (error) {
    const hint = `Correct it with: svcctl profile set <name> --${setting}-file <file>`
    throw fileFailure('read', file, error, hint)
  }
}

/**
 * The transport of a session: the profile's proxy, else the environment's (`HTTPS_PROXY`, `HTTP_PROXY`,
 * `ALL_PROXY`, in either case, with `NO_PROXY`); the profile's PEM files, read. Undefined where nothing
 * is special.
 * @throws Failure `usage` where a PEM file cannot be read
 */
export const transportOf = async (
  session: Pick<Session, 'baseUrl' | 'profile'>,
  insecure: boolean,
  env: Environment,
): Promise<TransportSettings | undefined> => {
  const { profile, baseUrl } = session
  const proxy = profile?.proxy ?? environmentProxy(baseUrl, env)
  const noProxy = proxy === undefined ? undefined : variable(env, 'NO_PROXY')
  const transport: TransportSettings = {
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
    ...pem('ca', profile?.caFile),
    ...pem('cert', profile?.certFile),
    ...pem('key', profile?.keyFile),
    ...(insecure ? { insecure } : {}),
  }
  return Object.keys(transport).length === 0 ? undefined : transport
}
