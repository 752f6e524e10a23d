/** Replication, a site a line. */
import { type GeoSite, readSites } from '../../health/geo.js'
import { several, spanText } from '../../health/words.js'
import type { OverviewPart, Pen } from '../types.js'

const columns = { name: 14, bar: 12 } as const

const stateOf = ({ healthy }: GeoSite): string =>
  healthy === undefined ? 'unknown' : healthy ? 'healthy' : 'unhealthy'

const markOf = ({ healthy }: GeoSite): 'good' | 'bad' | 'warn' =>
  healthy === undefined ? 'warn' : healthy ? 'good' : 'bad'

/** What is said behind the bar of a site. */
const factsOf = ({ primary, enabled, lag_seconds: lag, failed }: GeoSite): string =>
  [
    ...(primary === true ? ['primary'] : []),
    ...(enabled === false ? ['disabled'] : []),
    ...(lag === undefined ? [] : [`${spanText(lag)} behind`]),
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
  ].join(', ')

/** What is said below it. */
const belowOf = ({ healthy, health, least }: GeoSite): readonly string[] => [
  ...(healthy === true ? [] : [health]),
  ...(least === undefined || least.percent >= 100
    ? []
    : [`least: ${least.kind}, ${least.percent.toFixed(1)} %`]),
]

const linesOf = (site: GeoSite, { bar, cell, mark, after }: Pen): readonly string[] => {
  const share = site.synced_percent
  const drawn = share === undefined ? ' '.repeat(columns.bar) : bar(share / 100, columns.bar)
  const percent = share === undefined ? '      –' : `${share.toFixed(1)} %`.padStart(7)
  const line = `${mark(markOf(site))} ${cell(site.name, columns.name)} ${drawn} ${percent}  `
  return [...after(line, factsOf(site)), ...belowOf(site).flatMap((text) => after('  ', text))]
}

export const replicationPart: OverviewPart = {
  name: 'replication',
  title: 'Replication',
  read: async ({ instance }) => {
    const sites = await readSites(instance)
    return {
      value: sites,
      headline: several(sites.length, 'site'),
      lines: (pen) => sites.flatMap((site) => linesOf(site, pen)),
      rows: sites.map((site) => ({
        item: site.name,
        value: site.synced_percent === undefined ? '' : `${site.synced_percent.toFixed(1)} %`,
        state: stateOf(site),
      })),
    }
  },
}
