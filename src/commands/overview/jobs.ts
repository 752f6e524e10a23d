/** Jobs that wait for a runner, and the one that waits longest. */

import { toText } from '../../base/objects.js'
import { quoteWord } from '../../base/shell-words.js'
import { jobs } from '../../catalogue/areas/jobs.js'
import { type Failure, survived } from '../../errors.js'
import { several, spanText } from '../words.js'
import type { OverviewPart, OverviewSources, Pen } from './types.js'

interface Waiting {
  readonly project: string
  readonly id: number
  readonly name: string
  /** Empty where it is not told. */
  readonly created_at: string
  readonly tag_list: readonly string[]
}

/** What was found in all projects. */
interface Found {
  readonly waiting: Waiting[]
  readonly failed: Failure[]
  /** Projects whose jobs are not shown to this user. */
  hidden: number
  looked: number
}

const text = (value: unknown): string => toText(value) ?? ''
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(text) : [])

const lookInto = async (
  { instance }: OverviewSources,
  id: number,
  project: string,
  found: Found,
) => {
  try {
    const pending = await instance.records(jobs.list, { id, scope: ['pending'] })
    found.looked += 1
    for (const job of pending)
      found.waiting.push({
        project,
        id: job.id ?? 0,
        name: text(job.name),
        created_at: text(job.created_at),
        tag_list: texts(job.tag_list),
      })
  } catch (error) {
    const failure = survived(error)
    const { status } = failure
    if (status === 403 || status === 404) found.hidden += 1
    else found.failed.push(failure)
  }
}

/** The jobs that wait, in every project that is seen and has any. */
const found = async (sources: OverviewSources): Promise<Found> => {
  const all = await sources.projects()
  const working = all.filter((one) => one.archived !== true && one.jobs_enabled !== false)
  const seen: Found = { waiting: [], failed: [], hidden: 0, looked: 0 }
  await sources.instance.each(working, async ({ id, path_with_namespace: path }) => {
    if (typeof id === 'number') await lookInto(sources, id, toText(path) ?? String(id), seen)
  })
  const [first] = seen.failed
  // Where not one could be read, the part is not there.
  if (first !== undefined && seen.looked === 0) throw first
  return seen
}

/** When it began to wait; after all others, where that is not told. */
const sinceOf = ({ created_at }: Waiting): number => {
  const time = Date.parse(created_at)
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time
}

/** For how many seconds it waits; null where that is not told. */
const waitedOf = (job: Waiting, now: Date): number | null => {
  const since = sinceOf(job)
  return Number.isFinite(since) ? Math.floor((now.getTime() - since) / 1000) : null
}

type Counts = readonly (readonly [string, number])[]

const countsOf = (waiting: readonly Waiting[]): Counts => {
  const counts = new Map<string, number>()
  for (const { project } of waiting) counts.set(project, (counts.get(project) ?? 0) + 1)
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
}

/** As many projects as a page has room for. */
const most = 4
const columns = { name: 28, bar: 12 } as const

const missingOf = ({ failed, hidden }: Found): string | undefined => {
  const [first] = failed
  if (first === undefined && hidden === 0) return undefined
  const parts = [
    ...(first === undefined
      ? []
      : [`${several(failed.length, 'project')} could not be read: ${first.message}`]),
    ...(hidden === 0
      ? []
      : [`${several(hidden, 'project')} ${hidden === 1 ? 'does' : 'do'} not show their jobs`]),
  ]
  return parts.join('; ')
}

/** What is said of the one that waits longest, and what would say why. */
const oldestLines = (oldest: Waiting | undefined, waited: number | null, { after }: Pen) => {
  if (oldest === undefined) return []
  const { project, id, name, tag_list: tags } = oldest
  const tagged = tags.length === 0 ? '' : `, tags ${tags.join(', ')}`
  const since = waited === null ? '' : `, for ${spanText(waited)}`
  return [
    ...after('', `the oldest${since}: ${name} (${id})${tagged}`),
    ...after('', `why: svcctl jobs why ${id} -P ${quoteWord(project)}`),
  ]
}

const projectLines = (counts: Counts, total: number, { bar, cell }: Pen): readonly string[] => [
  ...counts
    .slice(0, most)
    .map(([name, n]) => `${cell(name, columns.name)} ${bar(n / total, columns.bar)} ${n}`),
  ...(counts.length > most ? [`and ${several(counts.length - most, 'project')} more`] : []),
]

const rowsIn = (waiting: readonly Waiting[], oldest: Waiting | undefined, counts: Counts) => [
  { item: 'all', value: waiting.length },
  ...(oldest === undefined
    ? []
    : [{ item: `oldest: ${oldest.project} ${oldest.id}`, value: oldest.created_at }]),
  ...counts.map(([item, value]) => ({ item, value })),
]

export const jobsPart: OverviewPart = {
  name: 'jobs',
  title: 'Jobs waiting',
  read: async (sources) => {
    const seen = await found(sources)
    const { waiting, looked, hidden, failed } = seen
    const [oldest] = waiting.toSorted((a, b) => sinceOf(a) - sinceOf(b))
    const counts = countsOf(waiting)
    const waited = oldest === undefined ? null : waitedOf(oldest, sources.place.clock.now())
    const missing = missingOf(seen)
    return {
      value: {
        waiting: waiting.length,
        projects_looked_at: looked,
        projects_hidden: hidden,
        projects_unread: failed.length,
        oldest: oldest === undefined ? null : { ...oldest, waited_seconds: waited },
        by_project: Object.fromEntries(counts),
      },
      headline: `${waiting.length} in ${counts.length} of ${several(looked, 'project')}`,
      missing,
      ...(failed.length === 0 ? {} : { incomplete: true as const }),
      lines: (pen) => [
        ...oldestLines(oldest, waited, pen),
        ...projectLines(counts, waiting.length, pen),
      ],
      rows: rowsIn(waiting, oldest, counts),
    }
  },
}
