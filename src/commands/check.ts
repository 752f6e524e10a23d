/**
 * Implements `check instance`, `runners`, `geo`, `certificates` and `tokens`, which print one line and set the exit code for monitoring,
 * and `check policy`.
 */

import { formatSpan, formatTimeLeft } from '../base/screen-text.js'
import { formatCount, joinFirst } from '../base/text.js'
import { runners as listing } from '../catalogue/areas/runners.js'
import { group, list, oneOf, project } from '../catalogue/params.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { usage } from '../errors.js'
import { checkCommand } from './check-command.js'
import { type Concern, checkFact } from './check-fact.js'
import { type Arguments, define } from './define.js'
import { runInstanceChecks } from './doctor-checks.js'
import {
  countStates,
  type DomainCertificate,
  formatCounts,
  type GeoSite,
  getRunnerState,
  type ProfileCredential,
  readCertificates,
  readCredentials,
  readSites,
} from './health.js'
import { policyFlags } from './policy.js'

// `check runners`: whether enough runners are online.

const runnerFlags = {
  project: { ...project('check this project instead of the whole instance'), short: 'P' },
  group: { ...group('check this group and its ancestors'), short: 'G' },
  type: oneOf(['instance_type', 'group_type', 'project_type'], 'filter by runner type'),
  'tag-list': list('string', 'filter by tags (all of them)'),
} as const

const maxNamed = 5

const readRunners = (
  instance: Pick<InstanceService, 'readRecords'>,
  { flags: { project: id, group: of, type, 'tag-list': tags } }: Arguments<typeof runnerFlags>,
) => {
  if (id !== undefined && of !== undefined) throw usage('--project and --group exclude each other')
  const chosen = {
    type,
    tag_list: tags,
  }
  if (id !== undefined) return instance.readRecords(listing.listOfProject, { id, ...chosen })
  if (of !== undefined) return instance.readRecords(listing.listOfGroup, { id: of, ...chosen })
  return instance.readRecords(listing.listAll, chosen)
}

const runnersCheck = checkFact({
  name: 'runners',
  description: [
    'Checks the share of active runners that are online, for the instance, a project or a group. If none is online, the status is critical.',
  ],
  measures: {
    online: {
      unit: 'percent',
      example: '80%',
      bad: 'below',
      help: 'share of active runners that are online',
    },
    offline: {
      unit: 'count',
      example: '5',
      bad: 'above',
      help: 'number of active runners that are not online',
    },
  },
  label: 'runner',
  levels: { warn: ['0'] },
  flags: runnerFlags,
  read: async ({ instance }, given) => {
    const all = await readRunners(instance, given)
    const awake = all.filter((runner) => getRunnerState(runner) !== 'paused')
    const absent = awake.filter((runner) => getRunnerState(runner) !== 'online')
    const online = awake.length - absent.length
    const names = absent.map(({ id, description }) => description || `runner ${id}`)
    const text = `${absent.length} of ${formatCount(awake.length, 'runner')} not online: ${joinFirst(names, maxNamed)}`
    return {
      samples: [
        {
          measure: 'online',
          value: awake.length === 0 ? undefined : (100 * online) / awake.length,
          text: awake.length === 0 ? 'no share to compute: there are no active runners' : text,
        },
        { measure: 'offline', value: absent.length, text },
      ],
      findings:
        online > 0
          ? []
          : [
              {
                level: 'critical',
                text: all.length === 0 ? 'there are no runners' : 'no runner is online',
              },
            ],
      fine: `${formatCount(all.length, 'runner')}: ${formatCounts(countStates(all))}`,
    }
  },
})

// `check geo`: whether every site is healthy and replication is not too late.

const formatShare = (percent: number): string => `${percent.toFixed(1)} %`

/** Returns the problems of a site that do not depend on thresholds. */
const checkHealth = ({ name, healthy, health }: GeoSite): readonly Concern[] => {
  if (healthy === true) return []
  return healthy === false
    ? [{ level: 'critical', text: `${name} is unhealthy: ${health}` }]
    : [{ level: 'unknown', text: `the health of ${name} is unknown` }]
}

const toSiteSamples = ({ name, lag_seconds: lag, least, failed }: GeoSite) => [
  {
    measure: 'lag' as const,
    of: name,
    value: lag,
    text:
      lag === undefined ? `the lag of ${name} is unknown` : `${name} is ${formatSpan(lag)} behind`,
  },
  {
    measure: 'synced' as const,
    of: name,
    value: least?.percent,
    text:
      least === undefined
        ? `the sync status of ${name} is unknown`
        : `${name} has ${formatShare(least.percent)} of its ${least.kind}`,
  },
  {
    measure: 'failed' as const,
    of: name,
    value: failed,
    text:
      failed === undefined ? `the failures of ${name} are unknown` : `${name} has ${failed} failed`,
  },
]

const describeSite = ({ name, lag_seconds: lag, least }: GeoSite): string =>
  [
    name,
    ...(lag === undefined ? [] : [`${formatSpan(lag)} behind`]),
    ...(least === undefined ? [] : [`at least ${formatShare(least.percent)} synced`]),
  ].join(' ')

const geoCheck = checkFact({
  name: 'geo',
  description: [
    'An unhealthy site is critical. The thresholds apply to the enabled secondary sites.',
  ],
  measures: {
    lag: { unit: 'seconds', example: '10m', bad: 'above', help: 'replication lag of a site' },
    synced: {
      unit: 'percent',
      example: '90%',
      bad: 'below',
      help: 'synced share of the least synced data type',
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
    const sites = await readSites(instance)
    const enabled = sites.filter((site) => site.enabled !== false)
    const secondary = enabled.filter((site) => site.primary !== true)
    // Without an enabled secondary site, the state of replication is unknown.
    const none: readonly Concern[] =
      secondary.length > 0 ? [] : [{ level: 'unknown', text: 'no secondary site is enabled' }]
    return {
      samples: secondary.flatMap(toSiteSamples),
      findings: [...enabled.flatMap(checkHealth), ...none],
      fine: `${formatCount(enabled.length, 'site')} healthy; ${secondary.map(describeSite).join('; ')}`,
    }
  },
})

// `check instance`: whether the API responds, and how fast.

/** The check of `runInstanceChecks` that is not a problem here: missing page headers affect only totals. */
const ignoredCheck = 'page headers'

const connectAnonymously = async ({ place, instance }: Context) => {
  const { baseUrl, profile } = await place.session()
  // No credential is sent, because the check is not about access.
  return instance.createClientFor(baseUrl, undefined, profile === undefined ? {} : { profile })
}

const instanceCheck = checkFact({
  name: 'instance',
  description: [
    'Sends one GET without a credential. A response from anything but this API is critical. A clock difference is a warning.',
  ],
  measures: {
    answer: { unit: 'seconds', example: '2s', bad: 'above', help: 'response time' },
  },
  label: 'endpoint',
  levels: {},
  live: true,
  read: async (context) => {
    const { clock } = context.place
    const address = await connectAnonymously(context)
    const before = clock.now().getTime()
    const checks = await runInstanceChecks(address, clock.now)
    const seconds = (clock.now().getTime() - before) / 1000
    const answered = checks.some(({ check, status }) => check === 'base path' && status === 'ok')
    const findings = checks
      .filter(({ check, status }) => status !== 'ok' && check !== ignoredCheck)
      .map(({ status, category, message }): Concern => {
        if (status === 'warning') return { level: 'warning', text: message }
        return { level: category === 'not_found' ? 'critical' : 'unknown', text: message }
      })
    const text = `responded in ${seconds} s`
    return {
      samples: answered ? [{ measure: 'answer', value: seconds, text }] : [],
      findings,
      fine: text,
    }
  },
})

// `check tokens`: whether the tokens of the profiles work, and when they expire if that is known.

const checkWorks = ({ profile, works, reason = '' }: ProfileCredential): readonly Concern[] => {
  if (works === true) return []
  return works === false
    ? [{ level: 'critical', text: `${profile} does not work: ${reason}` }]
    : [{ level: 'unknown', text: `${profile} could not be tried: ${reason}` }]
}

/** Creates the sample of the time that is left for an object; none if the time is unknown. */
const toTimeSamples = (
  of: string,
  { left_seconds: left, expires_at }: { left_seconds?: number; expires_at?: string },
) =>
  left === undefined
    ? []
    : [
        {
          measure: 'left' as const,
          of,
          value: left,
          text: `${of} ${formatTimeLeft(left, expires_at)}`,
        },
      ]

/** Returns the remaining time of a token; none for a token that renews automatically. */
const toTokenSamples = (one: ProfileCredential) =>
  one.works === true && one.renews !== true ? toTimeSamples(one.profile, one) : []

const describeTokens = (all: readonly ProfileCredential[]): string => {
  const open = all.filter(({ left_seconds: left }) => left === undefined).length
  const text =
    open === 0
      ? ''
      : `; the API does not say when ${open === all.length && open === 1 ? 'it ends' : `${open} of them end`}`
  return `${formatCount(all.length, 'token')} ${all.length === 1 ? 'works' : 'work'}${text}`
}

const tokensCheck = checkFact({
  name: 'tokens',
  description: [
    'Sends one GET per profile to check its token. The API does not report expiry dates: svcctl knows them for OAuth tokens and for tokens added with "auth login --expires-in". Tokens that renew automatically do not expire.',
  ],
  measures: {
    left: { unit: 'seconds', example: '30d', bad: 'below', help: 'time left of a token' },
  },
  label: 'profile',
  levels: { warn: ['30d'], crit: ['7d'] },
  everywhere: true,
  read: async (context) => {
    const all = await readCredentials(context)
    return {
      samples: all.flatMap(toTokenSamples),
      findings: all.flatMap(checkWorks),
      fine: describeTokens(all),
    }
  },
})

// `check certificates`: whether a certificate of a Pages domain expires soon.

const describeCertificate = ({
  domain,
  left_seconds: left,
  expires_at,
}: DomainCertificate): string =>
  left === undefined
    ? `the expiry date of ${domain} is unknown`
    : `${domain} ${formatTimeLeft(left, expires_at)}`

/** Reports a certificate that has expired, or that cannot be judged. */
const checkCertificateEnd = (one: DomainCertificate): readonly Concern[] => {
  const { expired, left_seconds: left, domain } = one
  if (left === undefined)
    return expired === true
      ? [{ level: 'critical', text: `${domain} has expired` }]
      : [{ level: 'unknown', text: describeCertificate(one) }]
  return left < 0 ? [{ level: 'critical', text: describeCertificate(one) }] : []
}

const certificateFlags = {
  project: { ...project('check this project instead of the whole instance'), short: 'P' },
} as const

const certificatesCheck = checkFact({
  name: 'certificates',
  description: [
    'An expired certificate is critical. Domains without a certificate are not counted.',
  ],
  measures: {
    left: { unit: 'seconds', example: '30d', bad: 'below', help: 'time left of a certificate' },
  },
  label: 'domain',
  levels: { warn: ['30d'], crit: ['7d'] },
  flags: certificateFlags,
  read: async ({ instance, place }, { flags: given }) => {
    const found = await readCertificates(instance, await place.clock.asOf(), given.project)
    const { certificates, without } = found
    const [first] = certificates
    const also = without === 0 ? '' : `; ${formatCount(without, 'domain')} without one`
    const next = first === undefined ? '' : `, the next: ${describeCertificate(first)}`
    return {
      samples: certificates.flatMap((one) => toTimeSamples(one.domain, one)),
      findings: certificates.flatMap(checkCertificateEnd),
      fine: `${formatCount(certificates.length, 'certificate')}${next}${also}`,
    }
  },
})

export const instance = checkCommand(instanceCheck)
export const runners = checkCommand(runnersCheck)
export const geo = checkCommand(geoCheck)
export const certificates = checkCommand(certificatesCheck)
export const tokens = checkCommand(tokensCheck)

// `check policy`: whether lists of the instance or a snapshot conform to rules.

export const policy = define({
  description: [
    'A rule names a list, and what must not be there (where) or what must hold for each record (each). "svcctl help snapshots" explains the file, and "svcctl explain --policy-schema" prints its schema.',
    'With --from, the rules are checked on a snapshot. A project or group without records counts in a list that is grouped by it.',
    `Exit codes: 0 no findings of the severity of --fail-on, 1 findings, 8 something could not be read; with -o nagios 0, 2 and 3. What cannot be read is never fine.`,
  ],
  args: [
    {
      name: 'policy',
      required: true,
      variadic: true,
      file: true,
      help: 'policy files or folders, or - for standard input',
    },
  ],
  flags: policyFlags,
  readOnly: true,
  snapshots: true,
  rows: async function* (context, given) {
    yield* (await import('./policy-run.js')).checkPolicy(context, given)
  },
})
