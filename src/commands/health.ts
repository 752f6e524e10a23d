/** Reads the health of an instance for `overview` and `check`: runners, certificates, replication sites and the tokens of profiles. */
import { sumNumbers } from '../base/collections.js'
import { toText } from '../base/objects.js'
import { geo } from '../catalogue/areas/geo.js'
import { mr } from '../catalogue/areas/mr.js'
import { pagesDomains } from '../catalogue/areas/pages-domains.js'
import type { runners } from '../catalogue/areas/runners.js'
import type { RecordOf } from '../client/types.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { recoverFrom } from '../errors.js'
import { getPaths, openStore } from '../profile/index.js'
import type { ResolvedCredential, Session } from '../profile/types.js'
import { formatCredential, nameOwner, probeJobToken } from './auth-probe.js'
import { computePercentage, getReplicationKinds, toFiniteNumber } from './geo.js'
import { certificateFields } from './pages-domains.js'
import { chooseProfiles } from './profile.js'

// Runners, counted by state.

type Runner = RecordOf<(typeof runners)['listAll']>

/** The states of a runner, the best first. */
export const runnerStates = ['online', 'offline', 'not_connected', 'paused', 'unknown'] as const
/** One of `runnerStates`. */
export type RunnerState = (typeof runnerStates)[number]

/** Returns the state of a runner. Paused takes precedence: such a runner takes no job, connected or not. */
export const getRunnerState = ({ active, status, online }: Partial<Runner>): RunnerState => {
  if (active === false || status === 'paused') return 'paused'
  const known = runnerStates.find((state) => state === status)
  if (known !== undefined) return known
  if (online === null) return 'not_connected'
  return online === undefined ? 'unknown' : online ? 'online' : 'offline'
}

/** The number of runners in each state. */
export type RunnerCounts = Readonly<Record<RunnerState, number>>

/** Counts runners by state. */
export const countStates = (all: readonly Runner[]): RunnerCounts => {
  const counts = { online: 0, offline: 0, not_connected: 0, paused: 0, unknown: 0 }
  for (const runner of all) counts[getRunnerState(runner)] += 1
  return counts
}

/** Formats counts: `2 online, 1 paused`. */
export const formatCounts = (counts: RunnerCounts): string =>
  runnerStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state.replace('_', ' ')}`)
    .join(', ')

// Certificates of Pages domains, sorted by expiry.

type Domain = RecordOf<(typeof pagesDomains)['listAll']>

/** The certificate of a Pages domain. */
export interface DomainCertificate {
  readonly domain: string
  readonly project_id?: number
  /** The time of expiry (ISO); undefined if neither the instance nor the certificate contains it. */
  readonly expires_at?: string
  readonly expired?: boolean
  /** The number of seconds until expiry; negative after it. */
  readonly left_seconds?: number
  /** True if the certificate is renewed automatically. */
  readonly renews?: boolean
}

interface Certificates {
  /** The certificates, the first to expire first. Those with an unknown expiry come last. */
  readonly certificates: readonly DomainCertificate[]
  /** The number of domains without a certificate. */
  readonly without: number
}

/** Returns when something expires, and how much time is left; nothing if the time is unknown or invalid. */
const getTimeLeft = (expires: string | undefined, now: Date) => {
  const time = Date.parse(expires ?? '')
  if (Number.isNaN(time)) return {}
  return {
    expires_at: new Date(time).toISOString(),
    left_seconds: Math.floor((time - now.getTime()) / 1000),
  }
}

const toCertificate = (domain: Domain, now: Date): DomainCertificate => {
  const { project_id, auto_ssl_enabled, certificate } = domain
  return {
    domain: toText(domain.domain) ?? '',
    ...(typeof project_id === 'number' ? { project_id } : {}),
    ...getTimeLeft(certificateFields.expires_at(domain), now),
    ...(typeof certificate?.expired === 'boolean' ? { expired: certificate.expired } : {}),
    ...(auto_ssl_enabled === true ? { renews: true } : {}),
  }
}

const getEnd = ({ left_seconds }: DomainCertificate): number =>
  left_seconds ?? Number.POSITIVE_INFINITY

/**
 * Reads the certificates of the instance or of one project.
 * @throws Failure if the instance rejects the request
 */
export const readCertificates = async (
  instance: Pick<InstanceService, 'readRecords'>,
  now: Date,
  project?: string | number,
): Promise<Certificates> => {
  const domains =
    project === undefined
      ? await instance.readRecords(pagesDomains.listAll, {})
      : await instance.readRecords(pagesDomains.list, { id: project })
  const having = domains.filter(({ certificate }) => certificate != null)
  return {
    certificates: having
      .map((domain) => toCertificate(domain, now))
      .toSorted((a, b) => getEnd(a) - getEnd(b) || (a.domain < b.domain ? -1 : 1)),
    without: domains.length - having.length,
  }
}

// Replication sites: their health, their lag and the synced share of their data.

/** The synced share of a data type on a site. */
interface SyncedKind {
  readonly kind: string
  readonly percent: number
}

/** A replication site and its status. */
export interface GeoSite {
  readonly id: number
  readonly name: string
  /** Undefined if the instance does not report it. */
  readonly primary?: boolean
  readonly enabled?: boolean
  readonly healthy?: boolean
  readonly health: string
  readonly lag_seconds?: number
  /** The synced share of all objects, in percent. */
  readonly synced_percent?: number
  /** The data type with the lowest synced share. */
  readonly least?: SyncedKind
  readonly failed?: number
}

interface SyncCount {
  readonly count: number
  readonly synced: number
}

const toList = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])

type Status = Readonly<Record<string, unknown>>

/** Computes the synced share of a site over all data types, and the data type with the lowest share. */
const getShares = (status: Status): Pick<GeoSite, 'synced_percent' | 'least' | 'failed'> => {
  // Data types without objects have no share.
  const kinds = getReplicationKinds(status).filter((kind) => status[`${kind}_count`] !== 0)
  const counted = kinds.flatMap((kind): readonly SyncCount[] => {
    const count = toFiniteNumber(status[`${kind}_count`])
    const synced = toFiniteNumber(status[`${kind}_synced_count`])
    return count === undefined || synced === undefined ? [] : [{ count, synced }]
  })
  const failed = kinds.flatMap((kind) => toList(toFiniteNumber(status[`${kind}_failed_count`])))
  const [least] = kinds
    .flatMap((kind) =>
      toList(computePercentage(status, kind)).map((share) => ({ kind, percent: share })),
    )
    .toSorted((a, b) => a.percent - b.percent)
  const all = sumNumbers(counted.map(({ count }) => count))
  return {
    ...(all === 0
      ? {}
      : { synced_percent: (100 * sumNumbers(counted.map(({ synced }) => synced))) / all }),
    least: least && { ...least, kind: least.kind.replaceAll('_', ' ') },
    ...(failed.length === 0 ? {} : { failed: sumNumbers(failed) }),
  }
}

const toSite = (id: number, node: Status | undefined, status: Status | undefined): GeoSite => {
  const { healthy, health, health_status, db_replication_lag_seconds: lag } = status ?? {}
  const known = [health, health_status].find((text) => typeof text === 'string' && text !== '')
  return {
    id,
    name: typeof node?.name === 'string' && node.name !== '' ? node.name : `node ${id}`,
    ...(typeof node?.primary === 'boolean' ? { primary: node.primary } : {}),
    ...(typeof node?.enabled === 'boolean' ? { enabled: node.enabled } : {}),
    ...(typeof healthy === 'boolean' ? { healthy } : {}),
    health: typeof known === 'string' ? known : 'unknown',
    ...(typeof lag === 'number' ? { lag_seconds: lag } : {}),
    ...(status && getShares(status)),
  }
}

/**
 * Reads all sites, the primary one first. A site without a status has unknown health.
 * @throws Failure if the instance rejects the request
 */
export const readSites = async (
  instance: Pick<InstanceService, 'readRecords'>,
): Promise<readonly GeoSite[]> => {
  const [nodes, statuses] = await Promise.all([
    instance.readRecords(geo.list, {}),
    instance.readRecords(geo.status, {}),
  ])
  const ids = new Set([...nodes.map(({ id }) => id), ...statuses.map((s) => s.geo_node_id)])
  return [...ids]
    .flatMap((id) => (typeof id === 'number' ? [id] : []))
    .map((id) =>
      toSite(
        id,
        nodes.find((node) => node.id === id),
        statuses.find((status) => status.geo_node_id === id),
      ),
    )
    .toSorted((a, b) => Number(b.primary === true) - Number(a.primary === true) || a.id - b.id)
}

// The tokens of the profiles. One GET with the token to its own instance shows whether it works. The API does not report when a token
// expires, so that is known only if the person who signed in provided it.

/** The state of a profile's token: whether it works, and when it expires. */
export interface ProfileCredential {
  readonly profile: string
  readonly base_url: string
  /** The kind and source of the credential, such as `personal, from the keyring`. */
  readonly credential: string
  /** True if the token works; undefined if that could not be determined. */
  readonly works?: boolean
  /** The reason why the token does not work, or why that is not known. */
  readonly reason?: string
  readonly expires_at?: string
  readonly left_seconds?: number
  readonly renews?: boolean
}

/** Tries a credential with a documented GET that requires one. */
const tryCredential = async (
  { instance }: Context,
  session: Session,
  { kind, value }: ResolvedCredential,
): Promise<Pick<ProfileCredential, 'works' | 'reason'>> => {
  try {
    const client = instance.createClientFor(session.baseUrl, { kind, value }, session)
    if (kind === 'job')
      return (await probeJobToken(client)) === undefined
        ? { reason: 'the instance does not say whose job it is' }
        : { works: true }
    const request = await client.build({ endpoint: mr.list, values: {} })
    await client.call({ ...request, path: `${request.path}?per_page=1` })
    return { works: true }
  } catch (error) {
    const { category, message, details } = recoverFrom(error)
    // After a 403 the credential is valid, and only lacks a permission.
    if (details.status === 403) return { works: true }
    return category === 'auth' ? { works: false, reason: message } : { reason: message }
  }
}

const checkSession = async (
  context: Context,
  session: Session,
  name?: string,
): Promise<ProfileCredential> => {
  const who = { profile: name ?? nameOwner(session), base_url: session.baseUrl }
  let credential: ResolvedCredential | undefined
  try {
    credential = (await session.getCredential()) ?? session.getJobToken()
  } catch (error) {
    const { category, message } = recoverFrom(error)
    const works = category === 'unreachable' ? {} : { works: false }
    return { ...who, credential: 'invalid', ...works, reason: message }
  }
  if (credential === undefined)
    return { ...who, credential: 'none', works: false, reason: 'no token' }
  return {
    ...who,
    profile: name ?? nameOwner(session, credential),
    credential: formatCredential(credential),
    ...(await tryCredential(context, session, credential)),
    ...getTimeLeft(credential.expiresAt, context.place.clock.now()),
    ...(credential.renews === true ? { renews: true } : {}),
  }
}

/** Checks the token of a profile. With several profiles, one that cannot be opened counts as not working. */
const checkProfile = async (context: Context, name: string): Promise<ProfileCredential> => {
  try {
    return await checkSession(context, await context.place.session({ profile: name }), name)
  } catch (error) {
    const { message } = recoverFrom(error)
    const base_url = openStore(getPaths(context.place.env)).get(name)?.baseUrl ?? ''
    return { profile: name, base_url, credential: 'invalid', works: false, reason: message }
  }
}

/**
 * Checks the tokens of all profiles, or of the one on the line.
 * @throws Failure `auth` if no instance is configured, `usage` for an unknown profile
 */
export const readCredentials = async (context: Context): Promise<readonly ProfileCredential[]> => {
  const { profile } = context.place.globals
  const all = await Promise.all(
    chooseProfiles(context.place, profile).map(async (name) =>
      name === undefined || name === profile
        ? checkSession(context, await context.place.session({ profile: name }), name)
        : checkProfile(context, name),
    ),
  )
  // The environment may name the instance of a profile. That profile is then included only once.
  return all.filter(({ profile: name }, i) => i === all.findIndex((one) => one.profile === name))
}
