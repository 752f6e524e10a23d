/** The overview of several snapshots: the counts of each, and their changes. */

import { groupBy, sumNumbers } from '../base/collections.js'
import { isObject } from '../base/objects.js'
import { groupDigits } from '../base/text.js'
import type { AnswerService } from '../engine/command/context.js'
import type { RecordView } from '../engine/rows.js'
import type { OverviewRecord } from './overview-record.js'

/** A count that is read from the record of an overview. */
interface Count {
  readonly part: string
  readonly item: string
  readonly read: (record: OverviewRecord) => number | undefined
}

/** Returns the number of certificates that end soon or have ended. */
const countDue = ({ later: _, ...due }: Readonly<Record<string, number>>): number =>
  sumNumbers(Object.values(due))

const counts: readonly Count[] = [
  { part: 'runners', item: 'online', read: ({ runners }) => runners?.by_state.online },
  { part: 'runners', item: 'offline', read: ({ runners }) => runners?.by_state.offline },
  {
    part: 'runners',
    item: 'not connected',
    read: ({ runners }) => runners?.by_state.not_connected,
  },
  { part: 'runners', item: 'paused', read: ({ runners }) => runners?.by_state.paused },
  { part: 'jobs', item: 'waiting', read: ({ jobs }) => jobs?.waiting },
  {
    part: 'certificates',
    item: 'to renew',
    read: ({ certificates: part }) => (part ? countDue(part.by_time_left) : undefined),
  },
  {
    part: 'replication',
    item: 'healthy sites',
    read: ({ replication }) => replication?.filter(({ healthy }) => healthy === true).length,
  },
  {
    part: 'storages',
    item: 'projects',
    read: ({ storages }) =>
      storages ? sumNumbers(storages.map(({ projects }) => projects)) : undefined,
  },
]

/** The values of a count by snapshot, the oldest first; undefined if it could not be read. */
export interface Trend {
  readonly part: string
  readonly item: string
  readonly values: readonly (number | undefined)[]
}

/** The overviews of several snapshots. */
export interface TrendList {
  /** The start time of each snapshot. */
  readonly snapshots: readonly string[]
  readonly records: readonly OverviewRecord[]
  readonly trends: readonly Trend[]
  /** The sections that some snapshots lack, each with the reason, in words. */
  readonly gaps: readonly { readonly part: string; readonly text: string }[]
}

/** Returns the day of a snapshot; empty if there is none. */
export const getDay = (snapshot: string | undefined): string => snapshot?.slice(0, 10) ?? ''

/** Describes the sections that could not be read, with the days of their snapshots. */
const findGaps = (
  snapshots: readonly string[],
  records: readonly OverviewRecord[],
): TrendList['gaps'] => {
  const unread = records.flatMap(({ unread }, i) =>
    unread.flatMap(({ part, why = 'it could not be read', offered }) =>
      offered ? [{ part, why, day: getDay(snapshots[i]) }] : [],
    ),
  )
  return [...groupBy(unread, ({ part, why }) => `${part}\n${why}`).values()].map((all) => {
    const [{ part, why } = { part: '', why: '' }] = all
    const days = all.length === snapshots.length ? 'any snapshot' : all.map(({ day }) => day)
    return { part, text: `not read in ${[days].flat().join(', ')}: ${why}` }
  })
}

/** Reads the records of several snapshots, each with the start time of its snapshot. */
export const toTrends = (rows: readonly unknown[]): TrendList => {
  const found = rows.flatMap((row) =>
    isObject(row) && typeof row.snapshot === 'string' && isObject(row.record)
      ? // The command yields this record, and masking changes no shape of it.
        [{ snapshot: row.snapshot, record: row.record as unknown as OverviewRecord }]
      : [],
  )
  const records = found.map(({ record }) => record)
  const trends = counts.map(({ part, item, read }) => ({
    part,
    item,
    values: records.map((record) => read(record)),
  }))
  return {
    snapshots: found.map(({ snapshot }) => snapshot),
    records,
    gaps: findGaps(
      found.map(({ snapshot }) => snapshot),
      records,
    ),
    trends: trends.filter(({ values }) => values.some((value) => value !== undefined)),
  }
}

/** Describes a change: `▲ 12`, `▼ 3`, `unchanged`; empty if one of the values is not known. */
export const describeTrend = (before: number | undefined, now: number | undefined): string => {
  if (before === undefined || now === undefined) return ''
  if (now === before) return 'unchanged'
  return `${now > before ? '▲' : '▼'} ${groupDigits(Math.abs(now - before))}`
}

const columns = ['part', 'item', 'value', 'change', 'since', 'first'] as const

const toRows = (rows: readonly unknown[]) => {
  const { snapshots, trends, gaps } = toTrends(rows)
  return [
    ...trends.map(({ part, item, values }) => ({
      part,
      item,
      value: values.at(-1) ?? null,
      change: describeTrend(values.at(-2), values.at(-1)),
      since: getDay(snapshots.at(-2)) || null,
      first: values[0] ?? null,
    })),
    ...gaps.map(({ part, text: value }) => ({
      part,
      item: '',
      value,
      change: 'unread',
      since: null,
      first: null,
    })),
  ]
}

/** Renders the trends for a terminal: the latest counts with their changes. */
function* renderTrends(rows: readonly unknown[], { text }: AnswerService): Generator<string> {
  const { records, snapshots, trends, gaps } = toTrends(rows)
  const [first, before, last] = [0, -2, -1].map((at) => getDay(snapshots.at(at)))
  yield `${text.emphasize(records.at(-1)?.address ?? '')}\n`
  yield `${text.safe(`${snapshots.length} snapshots, ${first} to ${last}`)}\n`
  let part = ''
  for (const one of trends) {
    if (one.part !== part) yield `\n${text.emphasize(one.part)}\n`
    part = one.part
    const [now, then, begin] = [one.values.at(-1), one.values.at(-2), one.values[0]]
    const change = describeTrend(then, now)
    const since = change === '' ? '' : `${change} since ${before}`
    const value = now === undefined ? '–' : groupDigits(now)
    const from = begin === undefined ? '' : `${groupDigits(begin)} on ${first}`
    yield text
      .safe(`  ${one.item.padEnd(14)} ${value.padStart(7)}  ${since.padEnd(24)} ${from}`)
      .trimEnd()
    yield '\n'
  }
  if (gaps.length > 0) yield '\n'
  for (const { part: name, text: said } of gaps)
    yield `${text.mark('warn')} ${text.wrapHanging(`${name}: ${said}`, 2)}\n`
}

/** Creates the view of several snapshots' overviews for people. */
export const createTrendView = (answer: AnswerService): Pick<RecordView, 'trend'> => ({
  trend: {
    page: (rows) => renderTrends(rows, answer),
    rows: toRows,
    columns,
    sheets: true,
  },
})
