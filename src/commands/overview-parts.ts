/** The sections of `overview`, in order: what each reads, and how it is shown. */

import { groupBy, sumNumbers } from '../base/collections.js'
import { isObject } from '../base/objects.js'
import { formatSpan, formatTimeLeft } from '../base/screen-text.js'
import { formatCount } from '../base/text.js'
import { runners } from '../catalogue/areas/runners.js'
import { settings } from '../catalogue/areas/settings.js'
import {
  countStates,
  type DomainCertificate,
  formatCounts,
  type GeoSite,
  type ProfileCredential,
  type RunnerCounts,
  readCertificates,
  readCredentials,
  readSites,
  runnerStates,
} from './health.js'
import { jobsPart } from './overview-jobs.js'
import { expiryLimits, type OverviewRecord, type StorageCount } from './overview-record.js'
import type { OverviewPart, OverviewSources, SectionWriter } from './overview-section.js'

/** Returns the share that is online, of the runners that are not paused. */
const getOnlineShare = (counts: RunnerCounts): number | undefined => {
  const awake = sumNumbers(Object.values(counts)) - counts.paused
  return awake === 0 ? undefined : counts.online / awake
}

const getTypeName = (type: string): string => type.replace(/_type$/, '')
const runnerColumns = { name: 10, bar: 12 } as const

const runnersPart: OverviewPart = {
  name: 'runners',
  title: 'Runners',
  read: async ({ instance }) => {
    const all = await instance.readRecords(runners.listAll, {})
    const counts = countStates(all)
    const byType = groupBy(all, ({ runner_type }) => runner_type ?? 'unknown')
    const types = Object.fromEntries([...byType].map(([type, some]) => [type, countStates(some)]))
    return {
      value: { total: all.length, by_state: counts, by_type: types },
      headline: formatCount(all.length, 'runner'),
      drawLines: ({ drawBar, fitText, wrapAfter }) =>
        [['online', counts] as const, ...Object.entries(types)].flatMap(([name, some], i) => {
          const share = getOnlineShare(some)
          const drawn =
            share === undefined ? ' '.repeat(runnerColumns.bar) : drawBar(share, runnerColumns.bar)
          const percent = share === undefined ? '    –' : `${Math.round(100 * share)} %`.padStart(5)
          const text = i === 0 ? 'of active runners' : formatCounts(some)
          return wrapAfter(
            `${fitText(getTypeName(name), runnerColumns.name)} ${drawn} ${percent}  `,
            text,
          )
        }),
      rows: [
        { item: 'all', value: all.length },
        ...Object.entries(types).flatMap(([type, some]) =>
          runnerStates
            .filter((state) => some[state] > 0)
            .map((state) => ({ item: getTypeName(type), value: some[state], state })),
        ),
      ],
    }
  },
}

// Certificates of Pages domains, the one that ends first first.

const getCertificateMark = ({
  left_seconds: left,
  expired,
}: DomainCertificate): 'good' | 'warn' | 'bad' => {
  if (left === undefined) return expired === true ? 'bad' : 'warn'
  return left < expiryLimits.urgent ? 'bad' : left < expiryLimits.soon ? 'warn' : 'good'
}

const describeEnd = (one: DomainCertificate): string => {
  const { left_seconds: left, expires_at, expired, renews } = one
  const unknown = expired === true ? 'expired' : 'expiry unknown'
  const end = left === undefined ? unknown : formatTimeLeft(left, expires_at)
  return renews === true ? `${end}, renewed automatically` : end
}

/** The number of certificates that a page has room for. */
const maxCertificates = 5
const nameColumns = 27

const expirySpans = [
  ['ended', (left: number) => left < 0],
  ['within 7 days', (left: number) => left >= 0 && left < expiryLimits.urgent],
  ['within 30 days', (left: number) => left >= expiryLimits.urgent && left < expiryLimits.soon],
  ['later', (left: number) => left >= expiryLimits.soon],
] as const

/** Counts certificates by the time that is left, in words. */
export const describeCertificates = ({
  by_time_left: ages,
  certificates,
  without,
}: NonNullable<OverviewRecord['certificates']>): string => {
  const open = certificates.filter(({ left_seconds: left }) => left === undefined).length
  const counts = [...Object.entries(ages), ['with an unknown expiry date', open] as const]
  const texts = counts.flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
  const bare = without === 0 ? [] : [`${formatCount(without, 'domain')} without one`]
  return [...texts, ...bare].join(', ') || 'none'
}

const certificatesPart: OverviewPart = {
  name: 'certificates',
  title: 'Pages certificates',
  read: async ({ instance, place }) => {
    const { certificates, without } = await readCertificates(instance, await place.clock.asOf())
    const counts = expirySpans.map(([name, within]) => {
      const among = certificates.filter(
        ({ left_seconds: left }) => left !== undefined && within(left),
      )
      return [name, among.length] as const
    })
    const rest = certificates.length - maxCertificates
    const value = { by_time_left: Object.fromEntries(counts), without, certificates }
    return {
      value,
      headline: describeCertificates(value),
      drawLines: ({ fitText, mark, wrapAfter }) => [
        ...certificates
          .slice(0, maxCertificates)
          .flatMap((one) =>
            wrapAfter(
              `${mark(getCertificateMark(one))} ${fitText(one.domain, nameColumns)} `,
              describeEnd(one),
            ),
          ),
        ...(rest > 0 ? [`and ${rest} more, which ${rest === 1 ? 'ends' : 'end'} later`] : []),
      ],
      rows: certificates.map((one) => ({
        item: one.domain,
        value: one.expires_at ?? '',
        state: { good: 'fine', warn: 'soon', bad: 'urgent' }[getCertificateMark(one)],
      })),
    }
  },
}

// Replication, a site a line.

const columns = { name: 14, bar: 12 } as const

const getSiteState = ({ healthy }: GeoSite): string =>
  healthy === undefined ? 'unknown' : healthy ? 'healthy' : 'unhealthy'

/** Returns the mark of what is fine, what is not, and what is unknown. */
const toMark = (isFine: boolean | undefined): 'good' | 'bad' | 'warn' =>
  isFine === undefined ? 'warn' : isFine ? 'good' : 'bad'

export const getSiteMark = ({ healthy }: Pick<GeoSite, 'healthy'>) => toMark(healthy)

/** Describes the facts behind the bar of a site. */
const describeFacts = ({ primary, enabled, lag_seconds: lag, failed }: GeoSite): string =>
  [
    ...(primary === true ? ['primary'] : []),
    ...(enabled === false ? ['disabled'] : []),
    ...(lag === undefined ? [] : [`${formatSpan(lag)} behind`]),
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')

/** Describes the troubles below the bar of a site. */
export const describeTroubles = ({
  healthy,
  health,
  least,
}: Pick<GeoSite, 'healthy' | 'health' | 'least'>): readonly string[] => [
  ...(healthy === true ? [] : [health]),
  ...(least === undefined || least.percent >= 100
    ? []
    : [`least: ${least.kind}, ${least.percent.toFixed(1)} %`]),
]

const formatSite = (
  site: GeoSite,
  { drawBar, fitText, mark, wrapAfter }: SectionWriter,
): readonly string[] => {
  const share = site.synced_percent
  const drawn = share === undefined ? ' '.repeat(columns.bar) : drawBar(share / 100, columns.bar)
  const percent = share === undefined ? '      –' : `${share.toFixed(1)} %`.padStart(7)
  const line = `${mark(getSiteMark(site))} ${fitText(site.name, columns.name)} ${drawn} ${percent}  `
  return [
    ...wrapAfter(line, describeFacts(site)),
    ...describeTroubles(site).flatMap((text) => wrapAfter('  ', text)),
  ]
}

const replicationPart: OverviewPart = {
  name: 'replication',
  title: 'Replication',
  read: async ({ instance }) => {
    const sites = await readSites(instance)
    return {
      value: sites,
      headline: formatCount(sites.length, 'site'),
      drawLines: (pen) => sites.flatMap((site) => formatSite(site, pen)),
      rows: sites.map((site) => ({
        item: site.name,
        value: site.synced_percent === undefined ? '' : `${site.synced_percent.toFixed(1)} %`,
        state: getSiteState(site),
      })),
    }
  },
}

// The number of projects on each storage. It falls while a storage is emptied.

const getWeight = (weights: unknown, name: string): number | null => {
  const weight = isObject(weights) ? weights[name] : undefined
  return typeof weight === 'number' ? weight : null
}

const readStorages = async (
  sources: OverviewSources,
): Promise<{ readonly storages: readonly StorageCount[]; readonly untold: number }> => {
  const [{ data }, projects] = await Promise.all([
    sources.instance.call(settings.get, {}),
    sources.readProjects(),
  ])
  const { repository_storages: names } = data ?? {}
  const counts = new Map((Array.isArray(names) ? names : []).map((name) => [String(name), 0]))
  let untold = 0
  for (const { repository_storage: name } of projects)
    if (typeof name === 'string') counts.set(name, (counts.get(name) ?? 0) + 1)
    else untold += 1
  const storages = [...counts].map(([storage, count]) => ({
    storage,
    projects: count,
    weight: getWeight(data?.repository_storages_weighted, storage),
  }))
  return { storages, untold }
}

const storagesPart: OverviewPart = {
  name: 'storages',
  title: 'Projects by storage',
  read: async (sources) => {
    const { storages, untold } = await readStorages(sources)
    const total = storages.reduce((sum, { projects }) => sum + projects, 0)
    return {
      value: storages,
      headline: formatCount(total, 'project'),
      ...(untold === 0
        ? {}
        : {
            missing: `${formatCount(untold, 'project')} ${untold === 1 ? 'does' : 'do'} not report their storage`,
          }),
      drawLines: ({ drawBar, fitText, wrapAfter }) =>
        storages.flatMap(({ storage, projects, weight }) => {
          const drawn = drawBar(total === 0 ? 0 : projects / total, columns.bar)
          const text = `${projects}${weight === null ? '' : `, weight ${weight}`}`
          return wrapAfter(`${fitText(storage, columns.name)} ${drawn} `, text)
        }),
      rows: storages.map(({ storage, projects }) => ({ item: storage, value: projects })),
    }
  },
}

// The tokens of the profiles.

type TokenFacts = Pick<ProfileCredential, 'works' | 'left_seconds' | 'expires_at' | 'renews'>

export const getTokenState = ({ works }: TokenFacts): string =>
  works === undefined ? 'not checked' : works ? 'works' : 'invalid'

export const getTokenMark = ({ works }: TokenFacts) => toMark(works)

/** Describes when a token ends; empty if that is not known. */
export const describeTokenEnd = (one: TokenFacts): readonly string[] => {
  const { left_seconds: left, expires_at, renews } = one
  if (renews === true) return ['renewed automatically']
  return left === undefined ? [] : [formatTimeLeft(left, expires_at)]
}

const tokensPart: OverviewPart = {
  name: 'tokens',
  title: 'Tokens of the profiles',
  own: true,
  read: async (context) => {
    const all = await readCredentials(context)
    return {
      // The value of a field named `credential` would be masked.
      value: all.map((one) => ({ ...one, source: one.credential })),
      headline: formatCount(all.length, 'token'),
      drawLines: ({ fitText, mark, wrapAfter }) =>
        all.flatMap((one) => {
          const text = [...describeTokenEnd(one), one.base_url, one.reason ?? one.credential].join(
            ', ',
          )
          return wrapAfter(
            `${mark(getTokenMark(one))} ${fitText(one.profile, columns.name)} `,
            text,
          )
        }),
      rows: all.map((one) => ({
        item: one.profile,
        value: one.expires_at ?? '',
        state: getTokenState(one),
      })),
    }
  },
}

/** All sections, in order. */
export const parts: readonly OverviewPart[] = [
  runnersPart,
  jobsPart,
  certificatesPart,
  replicationPart,
  storagesPart,
  tokensPart,
]
