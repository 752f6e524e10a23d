/** Whose instance, as whom: of what was handed over alone, or of what the tool keeps on this machine. */
import { clearTextWarning, normalizeBaseUrl } from '../base/base-url.js'
import { userAgent } from '../base/version.js'
import { refreshTimeout } from '../client/defaults.js'
import { postForm } from '../client/form.js'
import { usage } from '../errors.js'
import type { Transport } from '../http/types.js'
import {
  journalFolder,
  openStore,
  openTokens,
  pathsOf,
  resolveSession,
  transportOf,
  vocabularyInForce,
} from '../profile/index.js'
import { checkedSudo } from '../profile/session.js'
import { checkToken } from '../profile/tokens/value.js'
import type { Environment, Session, TokenKind } from '../profile/types.js'
import type { ByAddress, ByProfile, ConnectOptions } from './types.js'

/** An instance, who asks it, and how it is reached. */
export interface Destination {
  readonly session: Session
  readonly transport: () => Promise<Transport | undefined>
  /** The file with its own words. */
  readonly vocabulary?: string
  /** Where the tool keeps journals: what is written is noted there, since it keeps none. */
  readonly journals?: string
}

const isByProfile = (options: ConnectOptions): options is ByProfile =>
  options.profile !== undefined || options.env !== undefined
const isByAddress = (options: ConnectOptions): options is ByAddress =>
  typeof options.baseUrl === 'string'

const handedOver = (options: ByAddress): Session => {
  const { token, tokenKind = 'personal', jobToken } = options
  const baseUrl = normalizeBaseUrl(options.baseUrl)
  const checked = (text: string | undefined, kind: TokenKind) =>
    text === undefined ? undefined : checkToken(text, kind, 'connect()')
  const user = checked(token, tokenKind)
  const job = checked(jobToken, 'job')
  const sudo = checkedSudo(options.sudo)
  const clear = clearTextWarning(baseUrl)
  return {
    baseUrl,
    baseUrlSource: 'connect()',
    credential: async () => user,
    jobToken: () => job,
    renew: async () => undefined,
    sudo,
    warnings: clear === undefined ? [] : [clear],
  }
}

const flagsOf = ({ profile, baseUrl, sudo }: ByProfile) => ({
  profile,
  baseUrl,
  sudo,
})

/** What the tool keeps, where it keeps it; of the environment only what was handed over counts. */
const kept = (options: ByProfile): Destination => {
  const { env = {}, signal, note = () => undefined } = options
  const machine: Environment = options.env ?? process.env
  const store = openStore(pathsOf(machine))
  const waiting = { note, signal }
  const session: Session = resolveSession(flagsOf(options), env, {
    store,
    tokens: openTokens(pathsOf(machine), machine, waiting),
    signal,
    post: async (url, form) => {
      const way = await transportOf(session, false, env)
      const timeout = options.timeout ?? session.profile?.timeout ?? refreshTimeout
      const how = { userAgent, timeout, signal }
      return postForm(url, form, way === undefined ? how : { ...how, transport: way })
    },
  })
  const file = vocabularyInForce(flagsOf(options), env, () => store)?.file
  return {
    session,
    transport: () => transportOf(session, false, env),
    journals: journalFolder(machine),
    vocabulary: file,
  }
}

/**
 * What `connect()` was given, as a session; a profile is read only where it was asked for.
 * @throws Failure `usage` and `auth` as the tool's own sessions
 */
export const reachedBy = (options: ConnectOptions): Destination => {
  if (isByProfile(options)) {
    if ('token' in options || 'jobToken' in options)
      throw usage('connect() takes a token, or a profile or environment that has one, not both')
    return kept(options)
  }
  if (!isByAddress(options))
    throw usage('connect() needs the address of an instance, a profile, or an environment')
  const { transport } = options
  return { session: handedOver(options), transport: async () => transport }
}
