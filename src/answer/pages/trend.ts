/** Draws the overviews of several snapshots: the latest counts with their change, and a line for each count. */

import { quoteWord } from '../../base/shell-words.js'
import { groupDigits } from '../../base/text.js'
import {
  describeTrend,
  getDay,
  type Trend,
  type TrendList,
  toTrends,
} from '../../commands/overview-trend.js'
import { emptyText } from '../../output/cell.js'
import { escapeLine } from '../../output/escape.js'
import {
  type ChartLine,
  drawSparkline,
  renderLegend,
  renderLines,
  toSeries,
  toSnapshotSteps,
} from '../../output/html/charts.js'
import { html, type Markup, nothing } from '../../output/html/markup.js'
import { renderCard, renderCommand, renderTiles, type Tile } from '../../output/html/page-parts.js'
import { openDrawing } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'

const titles: Readonly<Record<string, string>> = {
  runners: 'Runners by status',
  jobs: 'Jobs waiting',
  certificates: 'Certificates to renew',
  replication: 'Healthy replication sites',
  storages: 'Projects',
}

/** The lists of parts, in groups that give the same lines. */
const lists: Readonly<Record<string, readonly [list: string, groups: string]>> = {
  runners: ['runners list --instance', 'snapshot,status'],
  storages: ['projects list', 'snapshot'],
}

const tones: Readonly<Record<string, Tile['tone']>> = {
  online: 'good',
  offline: 'bad',
  paused: 'warn',
  'not connected': 'quiet',
}

/** Creates a tile with the latest value, its change, and the first value. */
const toTile = ({ part, item, values }: Trend, { snapshots }: TrendList): Tile => {
  const [now, before, first] = [values.at(-1), values.at(-2), values[0]]
  const change = describeTrend(before, now)
  const known = values.flatMap((value) => value ?? [])
  const name = part === 'runners' ? `Runners ${item}` : (titles[part] ?? part)
  return {
    name,
    value: now === undefined ? emptyText : groupDigits(now),
    tone: tones[item] ?? 'busy',
    lines: [
      ...(change === '' ? [] : [`${change} since ${getDay(snapshots.at(-2))}`]),
      ...(first === undefined ? [] : [`${groupDigits(first)} on ${getDay(snapshots[0])}`]),
    ],
    ...(known.length > 1
      ? { drawing: drawSparkline(known, `${name}: ${known.map(groupDigits).join(', ')}`) }
      : {}),
    href: `#${part}`,
  }
}

/** Describes when a part was highest: its offline count, else its first count. */
const describeMost = (trends: readonly Trend[], snapshots: readonly string[]): string => {
  const watched = trends.find(({ item }) => item === 'offline') ?? trends[0]
  if (watched === undefined) return ''
  const known = watched.values.map((value) => value ?? 0)
  const most = Math.max(...known)
  return `most ${watched.item}: ${groupDigits(most)} on ${getDay(snapshots[known.indexOf(most)])}`
}

/** Renders the command that lists a part of the snapshots; nothing if a snapshot has no such list. */
const renderList = (part: string, { page, style }: FormatView): Markup => {
  const [list, groups] = lists[part] ?? []
  if (page?.from === undefined || list === undefined) return nothing
  const line = `svcctl ${list} --from ${quoteWord(page.from)} --group-by ${groups}`
  return renderCommand(escapeLine(line, style))
}

const drawPart = (part: string, { snapshots, trends }: TrendList, view: FormatView): Markup => {
  const own = trends.filter((one) => one.part === part)
  const series = toSeries(own.map(({ item }) => item.replaceAll(' ', '_')))
  const lines = series.map((one, i): ChartLine => ({ ...one, values: own[i]?.values ?? [] }))
  const title = titles[part] ?? part
  const caption = describeMost(own, snapshots)
  const latest = new Map(
    series.flatMap(({ word }, i) => {
      const value = own[i]?.values.at(-1)
      return value === undefined ? [] : [[word, value] as const]
    }),
  )
  const drawn = html`${renderLines(`${title}: ${caption}`, toSnapshotSteps(snapshots), lines, {
    legend: renderLegend(series, latest),
  })}${renderList(part, view)}`
  return renderCard(title, `${caption}; one point a snapshot`, drawn, { id: part })
}

const draw = (records: readonly unknown[], view: FormatView): Markup => {
  const all = toTrends(records)
  if (all.snapshots.length === 0) return nothing
  const [first, ...parts] = [...new Set(all.trends.map(({ part }) => part))]
  // The last of an odd number has no neighbor.
  const others = parts.map((part, i) =>
    i === parts.length - 1 && i % 2 === 0
      ? drawPart(part, all, view)
      : html`<div class="half stack">${drawPart(part, all, view)}</div>`,
  )
  const tiles = all.trends.map((trend) => toTile(trend, all))
  const gaps = all.gaps.map(
    ({ part, text }) => html`<li><b class="warn">!</b> <b>${part}</b> ${text}</li>\n`,
  )
  const open =
    gaps.length === 0 ? nothing : renderCard('Gaps', '', html`<ul class="plain">\n${gaps}</ul>\n`)
  return html`${renderTiles(tiles)}${first === undefined ? nothing : drawPart(first, all, view)}${others}${open}`
}

export const open = openDrawing(draw)
