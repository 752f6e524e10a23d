/** Certificates of Pages domains by the time that is left of them. */
import { toText } from '../../base/objects.js'
import { pagesDomains } from '../../catalogue/areas/pages-domains.js'
import type { RecordOf } from '../../client/typed.js'
import type { InstanceService } from '../../engine/command/services.js'
import { made } from '../pages-domains.js'

type Domain = RecordOf<(typeof pagesDomains)['listAll']>

export interface DomainCertificate {
  readonly domain: string
  readonly project_id?: number
  /** ISO time; undefined where neither the instance nor the certificate says it. */
  readonly expires_at?: string
  readonly expired?: boolean
  /** Less than nothing once it ended. */
  readonly left_seconds?: number
  /** Another takes its place by itself. */
  readonly renews?: boolean
}

export interface Certificates {
  /** The one that ends first is first; those whose end is not told come last. */
  readonly certificates: readonly DomainCertificate[]
  /** Domains without one. */
  readonly without: number
}

const certificateOf = (domain: Domain, now: Date): DomainCertificate => {
  const expires = made.expires_at(domain)
  const time = expires === undefined ? Number.NaN : Date.parse(expires)
  const { project_id, auto_ssl_enabled, certificate } = domain
  return {
    domain: toText(domain.domain) ?? '',
    ...(typeof project_id === 'number' ? { project_id } : {}),
    ...(Number.isNaN(time)
      ? {}
      : {
          expires_at: new Date(time).toISOString(),
          left_seconds: Math.floor((time - now.getTime()) / 1000),
        }),
    ...(typeof certificate?.expired === 'boolean' ? { expired: certificate.expired } : {}),
    ...(auto_ssl_enabled === true ? { renews: true } : {}),
  }
}

const endOf = ({ left_seconds }: DomainCertificate): number =>
  left_seconds ?? Number.POSITIVE_INFINITY

/**
 * The certificates of the instance, or of one project.
 * @throws Failure as the instance refuses
 */
export const readCertificates = async (
  instance: Pick<InstanceService, 'records'>,
  now: Date,
  project?: string | number,
): Promise<Certificates> => {
  const domains =
    project === undefined
      ? await instance.records(pagesDomains.listAll, {})
      : await instance.records(pagesDomains.list, { id: project })
  const having = domains.filter(({ certificate }) => certificate != null)
  return {
    certificates: having
      .map((domain) => certificateOf(domain, now))
      .toSorted((a, b) => endOf(a) - endOf(b) || (a.domain < b.domain ? -1 : 1)),
    without: domains.length - having.length,
  }
}
