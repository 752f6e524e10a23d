/** Finds the problems in the data of `svcctl overview`, and sorts the urgent ones first. Each has a command to run next. */

import { formatSpan } from '../base/screen-text.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { type Globals, toFlagWords } from '../engine/command/globals.js'
import type { OldestJob, OverviewFinding, OverviewRecord } from './overview-record.js'

const hour = 3600
const day = 86_400
/** The time left, in seconds, below which an expiry is urgent or needs attention. */
const [urgent, soon] = [7 * day, 30 * day]
/** The share of active runners that must be online. A smaller share is urgent. */
const leastOnline = 0.8
/** The maximum number of expiring certificates with a finding each. If there are more, all share one finding. */
const maxNamed = 3

/** The maximum length of a name from the instance in a message, in characters. */
const longest = 30

const shorten = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text

/** The flags that select the live instance, and as whom it is asked. */
const liveFlags = ['baseUrl', 'insecure', 'profile', 'sandbox', 'sudo'] as const

export type SourceFlags = Partial<Pick<Globals, (typeof liveFlags)[number] | 'from'>>

const addFlags = (
  command: string,
  globals: SourceFlags,
  names: readonly (keyof SourceFlags)[],
): string =>
  [command, ...names.flatMap((name) => toFlagWords(name, globals[name])).map(quoteWord)].join(' ')

/** Adds the flags of the live instance to a command. A line that reads a snapshot has none. */
export const toLiveCommand = (command: string, globals: SourceFlags): string =>
  addFlags(command, globals, liveFlags)

/** The sections of an overview, from which findings are derived. */
type OverviewData = Omit<OverviewRecord, 'findings'>

/** A problem whose command gets its flags later. A command that a snapshot cannot answer asks the live instance. */
interface Problem extends OverviewFinding {
  readonly isLive?: true
}

const createUrgentFinding = (part: string, message: string, command: string): Problem => ({
  level: 'act now',
  part,
  message,
  command,
})

const createAttentionFinding = (part: string, message: string, command: string): Problem => ({
  level: 'attention',
  part,
  message,
  command,
})

const describeEnd = (left: number): string =>
  left < 0 ? `ended ${formatSpan(left)} ago` : `ends in ${formatSpan(left)}`

const findCertificates = (
  { certificates: part }: OverviewData,
  { from }: SourceFlags,
): readonly Problem[] => {
  const all = (part?.certificates ?? []).flatMap((one) => {
    const left = one.left_seconds ?? (one.expired === true ? -1 : undefined)
    return left === undefined || one.renews === true ? [] : [{ ...one, left }]
  })
  const formatListCommand = (span: string): string =>
    `svcctl pages-domains list --instance --where ${quoteWord(`expires_at<+${span}`)}`
  const near = all.filter(({ left }) => left < urgent)
  const later = all.filter(({ left }) => left >= urgent && left < soon)
  const named = near.map(({ domain, left, project_id: id, left_seconds: known }) =>
    createUrgentFinding(
      'certificates',
      `The certificate of ${shorten(domain)} ${known === undefined ? 'has ended' : describeEnd(left)}.`,
      // A snapshot holds the list of domains, and none of them by itself.
      id === undefined || from !== undefined
        ? formatListCommand('7d')
        : `svcctl pages-domains get ${quoteWord(domain)} -P ${quoteWord(String(id))}`,
    ),
  )
  const many = `${near.length} certificates ended, or end within 7 days.`
  return [
    ...(near.length <= maxNamed
      ? named
      : [createUrgentFinding('certificates', many, formatListCommand('7d'))]),
    ...(later.length === 0
      ? []
      : [
          createAttentionFinding(
            'certificates',
            `${formatCount(later.length, 'certificate')} ${later.length === 1 ? 'ends' : 'end'} within 30 days.`,
            formatListCommand('30d'),
          ),
        ]),
  ]
}

/** Cuts a message from the instance to `longest` characters, but only if it has more than three times as many. */
const shortenHealth = (text: string): string =>
  text.length > 3 * longest ? `${text.slice(0, longest)}…` : text

const findSites = ({ replication }: OverviewData): readonly Problem[] =>
  (replication ?? []).flatMap(({ id, name, healthy, health, failed }) => {
    const repairs = /OAuth/.test(health)
    const state =
      healthy === false ? `is unhealthy: ${shortenHealth(health)}` : 'has an unknown state'
    const shown = repairs ? `svcctl geo nodes repair ${id}` : 'svcctl geo status'
    return [
      ...(healthy === true
        ? []
        : [
            {
              ...createUrgentFinding('replication', `Site ${shorten(name)} ${state}`, shown),
              ...(repairs ? { isLive: true as const } : {}),
            },
          ]),
      ...(failed === undefined || failed === 0
        ? []
        : [
            createAttentionFinding(
              'replication',
              `${formatCount(failed, 'object')} failed to replicate to site ${shorten(name)}.`,
              'svcctl geo status',
            ),
          ]),
    ]
  })

const findTokens = ({ tokens }: OverviewData): readonly Problem[] =>
  (tokens ?? []).flatMap(({ profile, works, reason, left_seconds: left, renews }) => {
    const isOwn = /^[\w.-]+$/.test(profile)
    const login = isOwn ? `svcctl auth login ${profile}` : 'svcctl auth status'
    const of = isOwn ? `of profile ${profile}` : `from the ${profile.replace(/[()]/g, '')}`
    if (works === false)
      return [
        createUrgentFinding(
          'tokens',
          `The token ${of} does not work: ${shortenHealth(reason ?? 'it is invalid')}.`,
          login,
        ),
      ]
    if (left === undefined || left >= soon || renews === true) return []
    const message = `The token ${of} ${describeEnd(left)}.`
    return [
      left < urgent
        ? createUrgentFinding('tokens', message, login)
        : createAttentionFinding('tokens', message, login),
    ]
  })

/** Formats the command that explains why a job waits. */
export const formatWhy = ({ id, project }: Pick<OldestJob, 'id' | 'project'>): string =>
  `svcctl jobs why ${id} -P ${quoteWord(project)}`

const findJobs = ({ jobs }: OverviewData): readonly Problem[] => {
  const { oldest, by_age: ages = {} } = jobs ?? {}
  if (oldest === undefined || oldest === null) return []
  const { waited_seconds: waited, id, project, name, tag_list: tags } = oldest
  if (waited === null || waited < hour) return []
  const long =
    (ages['over 1 day'] ?? 0) +
    (waited >= day ? 0 : (ages['1 to 6 h'] ?? 0) + (ages['6 h to 1 day'] ?? 0))
  const isLong = waited >= day
  const count = `${formatCount(long, 'job')} ${long === 1 ? 'has' : 'have'} waited for more than ${isLong ? 'a day' : 'an hour'}`
  const tagged = tags.length === 0 ? '' : `, tags ${shorten(tags.join(', '))}`
  const message = `${count}; the oldest is ${shorten(name)} (${id}) in ${shorten(project)}, for ${formatSpan(waited)}${tagged}.`
  const create = isLong ? createUrgentFinding : createAttentionFinding
  return [{ ...create('jobs', message, formatWhy(oldest)), isLive: true }]
}

const findRunners = ({ runners }: OverviewData, { from }: SourceFlags): readonly Problem[] => {
  if (runners === undefined || runners === null) return []
  const { online, offline, paused, not_connected: never } = runners.by_state
  const active = runners.total - paused
  const formatListCommand = (status: string): string =>
    `svcctl runners list --instance --where status=${status}`
  const isFew = active > 0 && online / active < leastOnline
  const share = isFew
    ? `; ${online} of ${formatCount(active, 'active runner')} ${online === 1 ? 'is' : 'are'} online`
    : ''
  const message = `${formatCount(offline, 'runner')} ${offline === 1 ? 'is' : 'are'} offline${share}.`
  // The list of a snapshot does not say when a runner was last seen.
  const shown = `${formatListCommand('offline')}${from === undefined ? ' --sort contacted_at' : ''}`
  return [
    ...(isFew
      ? [createUrgentFinding('runners', message, shown)]
      : offline > 0
        ? [createAttentionFinding('runners', message, shown)]
        : []),
    ...(never === 0
      ? []
      : [
          createAttentionFinding(
            'runners',
            `${formatCount(never, 'runner')} ${never === 1 ? 'has' : 'have'} never connected.`,
            formatListCommand('not_connected'),
          ),
        ]),
  ]
}

const findGaps = ({ unread }: OverviewData): readonly Problem[] =>
  unread.flatMap(({ part, why, offered }) =>
    offered
      ? [
          {
            ...createAttentionFinding(
              part,
              `Section ${part} is incomplete: ${why ?? 'it could not be read'}.`,
              `svcctl overview --parts ${part}`,
            ),
            isLive: true as const,
          },
        ]
      : [],
  )

/** Adds its flags to the command of a problem, and says where a snapshot cannot answer it. */
const toFinding = ({ isLive, ...one }: Problem, globals: SourceFlags): OverviewFinding => {
  if (one.part === 'tokens') return one
  if (isLive !== true)
    return { ...one, command: addFlags(one.command, globals, [...liveFlags, 'from']) }
  const liveNote = globals.from === undefined ? '' : ' The command asks the live instance.'
  return {
    ...one,
    message: `${one.message}${liveNote}`,
    command: toLiveCommand(one.command, globals),
  }
}

/**
 * Returns the findings of an overview, the most urgent first.
 * @param globals the flags of its line, by which its commands find the same instance or snapshot
 */
export const findWork = (
  record: OverviewData,
  globals: SourceFlags,
): readonly OverviewFinding[] => {
  const all = [findCertificates, findSites, findTokens, findJobs, findRunners, findGaps].flatMap(
    (find) => find(record, globals),
  )
  const urgentFirst = [
    ...all.filter(({ level }) => level === 'act now'),
    ...all.filter(({ level }) => level !== 'act now'),
  ]
  return urgentFirst.map((one) => toFinding(one, globals))
}
