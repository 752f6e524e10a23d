/** Creates the section of `overview` on waiting jobs: how many there are, in which projects, and the oldest of them. */

import { groupBy } from '../base/collections.js'
import { toText } from '../base/objects.js'
import { formatSpan } from '../base/screen-text.js'
import { formatCount } from '../base/text.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import { type Failure, recoverFrom } from '../errors.js'
import { formatWhy } from './findings.js'
import { ageSpans, type OldestJob } from './overview-record.js'
import type { OverviewPart, OverviewSources, SectionWriter } from './overview-section.js'

interface WaitingJob {
  readonly project: string
  readonly id: number
  readonly name: string
  /** The time of creation; empty if the instance does not report it. */
  readonly created_at: string
  readonly tag_list: readonly string[]
}

/** The waiting jobs that were found in all projects. */
interface PendingJobs {
  readonly waiting: WaitingJob[]
  readonly failed: Failure[]
  /** Projects whose jobs are not shown to this user. */
  hidden: number
  looked: number
}

const toPlainText = (value: unknown): string => toText(value) ?? ''
const toPlainTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(toPlainText) : []

const readProject = async (
  { instance }: OverviewSources,
  id: number,
  project: string,
  found: PendingJobs,
) => {
  try {
    const pending = await instance.readRecords(jobs.list, { id, scope: ['pending'] })
    found.looked += 1
    for (const job of pending)
      found.waiting.push({
        project,
        id: job.id ?? 0,
        name: toPlainText(job.name),
        created_at: toPlainText(job.created_at),
        tag_list: toPlainTexts(job.tag_list),
      })
  } catch (error) {
    const failure = recoverFrom(error)
    const { status } = failure
    if (status === 403 || status === 404) found.hidden += 1
    else found.failed.push(failure)
  }
}

/** Reads the jobs that wait, in every visible project that has any. */
const readPending = async (sources: OverviewSources): Promise<PendingJobs> => {
  const all = await sources.readProjects()
  const working = all.filter((one) => one.archived !== true && one.jobs_enabled !== false)
  const seen: PendingJobs = { waiting: [], failed: [], hidden: 0, looked: 0 }
  await sources.instance.each(working, async ({ id, path_with_namespace: path }) => {
    if (typeof id === 'number') await readProject(sources, id, toText(path) ?? String(id), seen)
  })
  const [first] = seen.failed
  // The part is absent if no project could be read.
  if (first !== undefined && seen.looked === 0) throw first
  return seen
}

/** Returns when a job began to wait; a time after all others, where that is unknown. */
const getWaitStart = ({ created_at }: WaitingJob): number => {
  const time = Date.parse(created_at)
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time
}

/** Returns for how many seconds a job waits; null where that is unknown. */
const getWaitSeconds = (job: WaitingJob, now: Date): number | null => {
  const since = getWaitStart(job)
  return Number.isFinite(since) ? Math.floor((now.getTime() - since) / 1000) : null
}

/** Counts waiting jobs by the time that they have waited. Jobs without a start time are left out. */
const countByAge = (
  waiting: readonly WaitingJob[],
  now: Date,
): Readonly<Record<string, number>> => {
  // A clock that is ahead makes jobs of the future.
  const ages = waiting
    .flatMap((job) => getWaitSeconds(job, now) ?? [])
    .map((age) => Math.max(0, age))
  return Object.fromEntries(
    ageSpans.map(([name, end], i) => {
      const start = ageSpans[i - 1]?.[1] ?? 0
      return [name, ages.filter((age) => age >= start && age < end).length]
    }),
  )
}

type Counts = readonly (readonly [string, number])[]

const countByProject = (waiting: readonly WaitingJob[]): Counts =>
  [...groupBy(waiting, ({ project }) => project)]
    .map(([project, all]) => [project, all.length] as const)
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))

/** The number of projects that a page has room for. */
const maxProjects = 4
const columns = { name: 28, bar: 12 } as const

const describeMissing = ({ failed, hidden }: PendingJobs): string | undefined => {
  const [first] = failed
  if (first === undefined && hidden === 0) return undefined
  const parts = [
    ...(first === undefined
      ? []
      : [`${formatCount(failed.length, 'project')} could not be read: ${first.message}`]),
    ...(hidden === 0
      ? []
      : [`${formatCount(hidden, 'project')} ${hidden === 1 ? 'does' : 'do'} not show their jobs`]),
  ]
  return parts.join('; ')
}

/** Describes the job that waits longest, and the command that explains why. */
const formatOldest = (oldest: OldestJob | null, { wrapAfter }: SectionWriter) => {
  if (oldest === null) return []
  const { id, name, tag_list: tags, waited_seconds: waited, why } = oldest
  const tagged = tags.length === 0 ? '' : `, tags ${tags.join(', ')}`
  const since = waited === null ? '' : `, for ${formatSpan(waited)}`
  return [
    ...wrapAfter('', `the oldest${since}: ${name} (${id})${tagged}`),
    ...(why === undefined ? [] : wrapAfter('', `why: ${why}`)),
  ]
}

const formatProjects = (
  counts: Counts,
  total: number,
  { drawBar, fitText }: SectionWriter,
): readonly string[] => [
  ...counts
    .slice(0, maxProjects)
    .map(([name, n]) => `${fitText(name, columns.name)} ${drawBar(n / total, columns.bar)} ${n}`),
  ...(counts.length > maxProjects
    ? [`and ${formatCount(counts.length - maxProjects, 'project')} more`]
    : []),
]

const toRows = (waiting: readonly WaitingJob[], oldest: WaitingJob | undefined, counts: Counts) => [
  { item: 'all', value: waiting.length },
  ...(oldest === undefined
    ? []
    : [{ item: `oldest: ${oldest.project} ${oldest.id}`, value: oldest.created_at }]),
  ...counts.map(([item, value]) => ({ item, value })),
]

/** The section on waiting jobs. */
export const jobsPart: OverviewPart = {
  name: 'jobs',
  title: 'Jobs waiting',
  read: async (sources) => {
    const seen = await readPending(sources)
    const { waiting, looked, hidden, failed } = seen
    const [oldest] = waiting.toSorted((a, b) => getWaitStart(a) - getWaitStart(b))
    const counts = countByProject(waiting)
    const now = await sources.place.clock.asOf()
    const { globals } = sources.place
    const longest: OldestJob | null =
      oldest === undefined
        ? null
        : {
            ...oldest,
            waited_seconds: getWaitSeconds(oldest, now),
            ...(globals.from === undefined
              ? { why: addInstanceFlags(formatWhy(oldest), globals) }
              : {}),
          }
    const missing = describeMissing(seen)
    return {
      value: {
        waiting: waiting.length,
        projects_looked_at: looked,
        projects_hidden: hidden,
        projects_unread: failed.length,
        by_age: countByAge(waiting, now),
        oldest: longest,
        by_project: Object.fromEntries(counts),
      },
      headline: `${waiting.length} in ${counts.length} of ${formatCount(looked, 'project')}`,
      missing,
      ...(failed.length === 0 ? {} : { incomplete: true as const }),
      drawLines: (pen) => [
        ...formatOldest(longest, pen),
        ...formatProjects(counts, waiting.length, pen),
      ],
      rows: toRows(waiting, oldest, counts),
    }
  },
}
