/** `check geo`: whether every site is well, and not too far behind. */
import { type GeoSite, sitesOf } from '../glance/geo.js'
import { several, spanText } from '../glance/words.js'
import { type Concern, checkFact } from './types.js'

const share = (percent: number): string => `${percent.toFixed(1)} %`

/** What is wrong with a site whatever the levels say. */
const healthOf = ({ name, healthy, health }: GeoSite): readonly Concern[] => {
  if (healthy === true) return []
  return healthy === false
    ? [{ level: 'critical', text: `${name} is unhealthy: ${health}` }]
    : [{ level: 'unknown', text: `the health of ${name} is not told` }]
}

const samplesOf = ({ name, lag_seconds: lag, least, failed }: GeoSite) => [
  {
    measure: 'lag' as const,
    of: name,
    value: lag,
    text:
      lag === undefined ? `the lag of ${name} is not told` : `${name} is ${spanText(lag)} behind`,
  },
  {
    measure: 'synced' as const,
    of: name,
    value: least?.percent,
    text:
      least === undefined
        ? `what is synced on ${name} is not told`
        : `${name} has ${share(least.percent)} of its ${least.kind}`,
  },
  {
    measure: 'failed' as const,
    of: name,
    value: failed,
    text:
      failed === undefined ? `what failed on ${name} is not told` : `${name} has ${failed} failed`,
  },
]

const siteText = ({ name, lag_seconds: lag, least }: GeoSite): string =>
  [
    name,
    ...(lag === undefined ? [] : [`${spanText(lag)} behind`]),
    ...(least === undefined ? [] : [`at least ${share(least.percent)} synced`]),
  ].join(' ')

export const geoCheck = checkFact({
  name: 'geo',
  summary: 'Check whether replication goes on at every site',
  description: [
    'An unhealthy site is critical. The levels are about the secondary sites; disabled ones do not count.',
  ],
  examples: [
    'check geo',
    'check geo --warn 1m,99% --crit 10m,90%',
    'check geo --format prometheus',
  ],
  measures: {
    lag: { unit: 'seconds', example: '10m', bad: 'above', help: 'time that a site is behind' },
    synced: {
      unit: 'percent',
      example: '90%',
      bad: 'below',
      help: 'share synced of the kind of data with the least of it',
    },
    failed: {
      unit: 'count',
      example: '5',
      bad: 'above',
      help: 'number of objects that failed to sync',
    },
  },
  label: 'site',
  levels: {},
  read: async ({ instance }) => {
    const sites = await sitesOf(instance)
    const enabled = sites.filter((site) => site.enabled !== false)
    const secondary = enabled.filter((site) => site.primary !== true)
    // Where nothing replicates, nobody can say that it goes on.
    const none: readonly Concern[] =
      secondary.length > 0
        ? []
        : [{ level: 'unknown', text: 'there is no secondary site that is enabled' }]
    return {
      samples: secondary.flatMap(samplesOf),
      findings: [...enabled.flatMap(healthOf), ...none],
      fine: `${several(enabled.length, 'site')} healthy; ${secondary.map(siteText).join('; ')}`,
    }
  },
})
