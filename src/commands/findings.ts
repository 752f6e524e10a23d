/** Finds the problems in the data of `svcctl overview`, and sorts the urgent ones first. Each has a command to run next. */

import { secondsPerDay } from '../base/dates.js'
import { formatSpan } from '../base/screen-text.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import {
  addInstanceFlags,
  type Globals,
  type InstanceGlobals,
  toFlagWords,
} from '../engine/command/globals.js'
import {
  expiryLimits,
  type OldestJob,
  type OverviewFinding,
  type OverviewRecord,
} from './overview-record.js'

const hour = 3600
/** The share of active runners that must be online. A smaller share is urgent. */
const leastOnline = 0.8
/** The maximum number of expiring certificates with a finding each. If there are more, all share one finding. */
const maxNamed = 3

/** The maximum length of a name from the instance in a message, in characters. */
const longest = 30

const shorten = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text

export type SourceFlags = InstanceGlobals & Pick<Globals, 'from'>

/** The sections of an overview, from which findings are derived. */
type OverviewData = Omit<OverviewRecord, 'findings'>

/** A problem whose command gets its flags later. A command that a snapshot cannot answer asks the live instance. */
interface Problem extends OverviewFinding {
  readonly isLive?: boolean
}

const createProblem = (
  isUrgent: boolean,
  part: string,
  message: string,
  command: string,
): Problem => ({ level: isUrgent ? 'act now' : 'attention', part, message, command })

/** Formats a count with its noun and a verb that agrees with it: `1 runner is`, `2 runners are`. */
const countWith = (count: number, noun: string, verb: readonly [one: string, more: string]) =>
  `${formatCount(count, noun)} ${verb[count === 1 ? 0 : 1]}`

const is = ['is', 'are'] as const

const describeEnd = (left: number): string =>
  left < 0 ? `ended ${formatSpan(left)} ago` : `ends in ${formatSpan(left)}`

function* findCertificates(
  { certificates: part }: OverviewData,
  { from }: SourceFlags,
): Generator<Problem> {
  const all = (part?.certificates ?? []).flatMap((one) => {
    const left = one.left_seconds ?? (one.expired === true ? -1 : undefined)
    return left === undefined || one.renews === true ? [] : [{ ...one, left }]
  })
  const formatListCommand = (span: string): string =>
    `svcctl pages-domains list --instance --where ${quoteWord(`expires_at<+${span}`)}`
  const near = all.filter(({ left }) => left < expiryLimits.urgent)
  const later = all.filter(({ left }) => left >= expiryLimits.urgent && left < expiryLimits.soon)
  if (near.length > maxNamed) {
    const many = `${near.length} certificates ended, or end within 7 days.`
    yield createProblem(true, 'certificates', many, formatListCommand('7d'))
  } else
    for (const { domain, left, project_id: id, left_seconds: known } of near)
      yield createProblem(
        true,
        'certificates',
        `The certificate of ${shorten(domain)} ${known === undefined ? 'has ended' : describeEnd(left)}.`,
        // A snapshot holds the list of domains, and none of them by itself.
        id === undefined || from !== undefined
          ? formatListCommand('7d')
          : `svcctl pages-domains get ${quoteWord(domain)} -P ${quoteWord(String(id))}`,
      )
  if (later.length > 0) {
    const some = `${countWith(later.length, 'certificate', ['ends', 'end'])} within 30 days.`
    yield createProblem(false, 'certificates', some, formatListCommand('30d'))
  }
}

/** Cuts a message from the instance to `longest` characters, but only if it has more than three times as many. */
const shortenHealth = (text: string): string =>
  text.length > 3 * longest ? `${text.slice(0, longest)}…` : text

function* findSites({ replication }: OverviewData): Generator<Problem> {
  for (const { id, name, healthy, health, failed = 0 } of replication ?? []) {
    if (healthy !== true) {
      const isLive = /OAuth/.test(health)
      const state =
        healthy === false ? `is unhealthy: ${shortenHealth(health)}` : 'has an unknown state'
      const shown = isLive ? `svcctl geo nodes repair ${id}` : 'svcctl geo status'
      yield {
        ...createProblem(true, 'replication', `Site ${shorten(name)} ${state}`, shown),
        isLive,
      }
    }
    if (failed > 0)
      yield createProblem(
        false,
        'replication',
        `${formatCount(failed, 'object')} failed to replicate to site ${shorten(name)}.`,
        'svcctl geo status',
      )
  }
}

function* findTokens({ tokens }: OverviewData): Generator<Problem> {
  for (const { profile, works, reason, left_seconds: left, renews } of tokens ?? []) {
    const isOwn = /^[\w.-]+$/.test(profile)
    const login = isOwn ? `svcctl auth login ${profile}` : 'svcctl auth status'
    const of = isOwn ? `of profile ${profile}` : `from the ${profile.replace(/[()]/g, '')}`
    if (works === false) {
      const why = shortenHealth(reason ?? 'it is invalid')
      yield createProblem(true, 'tokens', `The token ${of} does not work: ${why}.`, login)
    } else if (left !== undefined && left < expiryLimits.soon && renews !== true)
      yield createProblem(
        left < expiryLimits.urgent,
        'tokens',
        `The token ${of} ${describeEnd(left)}.`,
        login,
      )
  }
}

/** Formats the command that explains why a job waits. */
export const formatWhy = ({ id, project }: Pick<OldestJob, 'id' | 'project'>): string =>
  `svcctl jobs why ${id} -P ${quoteWord(project)}`

function* findJobs({ jobs }: OverviewData): Generator<Problem> {
  const { oldest, by_age: ages = {} } = jobs ?? {}
  if (oldest === undefined || oldest === null) return
  const { waited_seconds: waited, id, project, name, tag_list: tags } = oldest
  if (waited === null || waited < hour) return
  const isLong = waited >= secondsPerDay
  const long =
    (ages['over 1 day'] ?? 0) + (isLong ? 0 : (ages['1 to 6 h'] ?? 0) + (ages['6 h to 1 day'] ?? 0))
  const count = `${countWith(long, 'job', ['has', 'have'])} waited for more than ${isLong ? 'a day' : 'an hour'}`
  const tagged = tags.length === 0 ? '' : `, tags ${shorten(tags.join(', '))}`
  const message = `${count}; the oldest is ${shorten(name)} (${id}) in ${shorten(project)}, for ${formatSpan(waited)}${tagged}.`
  yield { ...createProblem(isLong, 'jobs', message, formatWhy(oldest)), isLive: true }
}

function* findRunners({ runners }: OverviewData, { from }: SourceFlags): Generator<Problem> {
  if (runners === undefined || runners === null) return
  const { online, offline, paused, not_connected: never } = runners.by_state
  const active = runners.total - paused
  const formatListCommand = (status: string): string =>
    `svcctl runners list --instance --where status=${status}`
  const isFew = active > 0 && online / active < leastOnline
  const share = isFew
    ? `; ${online} of ${formatCount(active, 'active runner')} ${is[online === 1 ? 0 : 1]} online`
    : ''
  const message = `${countWith(offline, 'runner', is)} offline${share}.`
  // The list of a snapshot does not say when a runner was last seen.
  const shown = `${formatListCommand('offline')}${from === undefined ? ' --sort contacted_at' : ''}`
  if (isFew || offline > 0) yield createProblem(isFew, 'runners', message, shown)
  if (never > 0) {
    const open = `${countWith(never, 'runner', ['has', 'have'])} never connected.`
    yield createProblem(false, 'runners', open, formatListCommand('not_connected'))
  }
}

function* findGaps({ unread }: OverviewData): Generator<Problem> {
  for (const { part, why = 'it could not be read', offered } of unread)
    if (offered) {
      const message = `Section ${part} is incomplete: ${why}.`
      const command = `svcctl overview --parts ${part}`
      yield { ...createProblem(false, part, message, command), isLive: true }
    }
}

/** Adds its flags to the command of a problem, and says where a snapshot cannot answer it. */
const toFinding = ({ isLive, ...one }: Problem, globals: SourceFlags): OverviewFinding => {
  if (one.part === 'tokens') return one
  const command = addInstanceFlags(one.command, globals)
  const from = toFlagWords('from', globals.from).map(quoteWord)
  if (isLive !== true) return { ...one, command: [command, ...from].join(' ') }
  const liveNote = globals.from === undefined ? '' : ' The command asks the live instance.'
  return {
    ...one,
    message: `${one.message}${liveNote}`,
    command,
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
    (find) => [...find(record, globals)],
  )
  const urgentFirst = [
    ...all.filter(({ level }) => level === 'act now'),
    ...all.filter(({ level }) => level !== 'act now'),
  ]
  return urgentFirst.map((one) => toFinding(one, globals))
}
