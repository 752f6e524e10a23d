/** Implements `geo status` with a page per node, and `geo nodes update`, which keeps omitted attributes (`catalogue/reference/geo.md`). */
import { type Fields, getFields, listObjects } from '../base/objects.js'
import { toDocumented } from '../catalogue/words.js'
import type { AnswerService } from '../engine/command/context.js'
import { createFillOptions } from '../engine/command/object-reader.js'
import { define } from './define.js'

// The synced share of each data type of a replication node.

/** Returns a number; undefined for any other value. */
export const toFiniteNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

/** Lists the data types of a status, which have a total and a synced count. */
export const getReplicationKinds = (status: Fields): string[] =>
  Object.keys(getFields(toDocumented(status)))
    .filter((key) => key.endsWith('_synced_count'))
    .map((key) => key.slice(0, -'_synced_count'.length))

/** Returns the synced percentage of a data type; undefined if the instance does not report it. */
export const computePercentage = (status: Fields, kind: string): number | undefined => {
  const given = status[`${kind}_synced_in_percentage`]
  const parsed = typeof given === 'string' ? Number.parseFloat(given) : toFiniteNumber(given)
  if (parsed !== undefined && !Number.isNaN(parsed)) return parsed
  const count = toFiniteNumber(status[`${kind}_count`])
  const synced = toFiniteNumber(status[`${kind}_synced_count`])
  return count === undefined || synced === undefined || count === 0
    ? undefined
    : (100 * synced) / count
}

/** The width of the column with names, in characters. */
const nameWidth = 23
/** The width of a terminal, in characters, that has room for long bars. */
const roomyWidth = 100
const getBarWidth = (answer: AnswerService): number => (answer.width >= roomyWidth ? 20 : 12)

const formatSyncLine = (answer: AnswerService, status: Fields, kind: string): string => {
  const share = computePercentage(status, kind)
  const count = toFiniteNumber(status[`${kind}_count`])
  const synced = toFiniteNumber(status[`${kind}_synced_count`])
  const failed = toFiniteNumber(status[`${kind}_failed_count`]) ?? 0
  const columns = getBarWidth(answer)
  const bar = share === undefined ? ' '.repeat(columns) : answer.text.drawBar(share / 100, columns)
  const text = share === undefined ? '   –  ' : `${share.toFixed(1).padStart(5)}%`
  const of = count === undefined ? '' : ` ${synced ?? 0} of ${count} synced`
  const bad = failed > 0 ? `  ${answer.text.mark('bad')} ${failed} failed` : ''
  return `  ${answer.text.safe(kind.replaceAll('_', ' ')).padEnd(nameWidth)} ${bar} ${text} ${of}${bad}`.trimEnd()
}

const formatLag = (status: Fields): string => {
  const seconds = toFiniteNumber(status.db_replication_lag_seconds)
  return seconds === undefined
    ? 'unknown'
    : seconds < 120
      ? `${seconds} s`
      : `${Math.round(seconds / 60)} min`
}

const formatValue = (value: unknown): string =>
  value === null || value === undefined ? '–' : String(value)

const formatFact = (answer: AnswerService, name: string, value: string): string =>
  `  ${name.padEnd(nameWidth)} ${answer.text.wrapHanging(value, nameWidth + 3)}`

const formatPage = (answer: AnswerService, status: Fields): string => {
  const healthy = status.healthy === true
  const title = `${answer.text.mark(healthy ? 'good' : 'bad')} ${answer.text.emphasize(`Node ${formatValue(status.geo_node_id)}`)}  ${answer.text.safe(formatValue(status.health_status ?? status.health))}`
  const facts = [
    ...(healthy ? [] : [['health', formatValue(status.health)] as const]),
    ['replication lag', formatLag(status)],
    ['version', `${formatValue(status.version)} (${formatValue(status.revision)})`],
    [
      'replication slots',
      `${formatValue(status.replication_slots_used_count)} of ${formatValue(status.replication_slots_count)} used`,
    ],
    [
      'last event',
      `${formatValue(status.last_event_id)}, cursor ${formatValue(status.cursor_last_event_id)}`,
    ],
  ] as const
  return [
    title,
    ...facts.map(([name, value]) => formatFact(answer, name, value)),
    ...getReplicationKinds(status).map((kind) => formatSyncLine(answer, status, kind)),
    '',
  ].join('\n')
}

/** Formats the statuses of nodes as pages. */
const formatPages = (answer: AnswerService, statuses: readonly unknown[]): readonly string[] =>
  listObjects(statuses).map((status) => `${formatPage(answer, status)}\n`)

export const status = define({
  description: [
    'On a terminal, svcctl shows one page per node: health, replication lag, and a progress bar per data type. In pipes, and with --output or --fields, it prints the API records.',
  ],
  rows: (context, given) => {
    const { answer } = context
    return context.list(given, {
      view: { people: { page: (statuses) => formatPages(answer, statuses) } },
    })
  },
})

const required = ['name', 'url']

export const nodesUpdate = define({
  description: ['If you omit the name or the URL, svcctl reads the node and keeps its value.'],
  fills: required,
  rows: async function* (context, given) {
    const filled = createFillOptions(context.instance, given, { area: 'geo', required })
    yield* context.write(await context.planActions(given, filled))
  },
})
