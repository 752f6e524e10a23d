/** Draws the page of `access` above its list: tiles, a chart by way and access level, and the times at which access ends. */

import { formatCount, groupDigits } from '../../base/text.js'
import type { AccessRow } from '../../commands/access-row.js'
import {
  type ChartRow,
  drawRows,
  renderCounts,
  renderFigure,
  renderLegend,
  type Series,
} from '../../output/html/charts.js'
import { html, type Markup, nothing } from '../../output/html/markup.js'
import { renderCard, renderTiles } from '../../output/html/page-parts.js'
import { drawTimeline, getExpiryState } from '../../output/html/timeline.js'
import { openAboveList } from '../../output/html.js'
import type { FormatView } from '../../output/types.js'

/** The access levels, the lowest first, each with its color: levels that need attention have a tone. */
const levels: readonly Series[] = [
  { word: 'minimal', color: 'quiet', hatch: 1 },
  { word: 'guest', color: 'quiet', hatch: 0 },
  { word: 'reporter', color: 'c3', hatch: 0 },
  { word: 'developer', color: 'busy', hatch: 0 },
  { word: 'maintainer', color: 'warn', hatch: 0 },
  { word: 'owner', color: 'bad', hatch: 0 },
]
const pushing = ['developer', 'maintainer', 'owner', 'push']
const leading = ['maintainer', 'owner']

const maxWays = 12

/** Returns true for the rows of a single user in several places. */
const isOfUser = (members: readonly AccessRow[]): boolean =>
  new Set(members.map(({ name }) => name)).size === 1 && members.length > 1

const endsSoon = ({ expires_at: end }: AccessRow, now: number): boolean =>
  ['urgent', 'soon'].includes(getExpiryState(Date.parse(end ?? ''), now))

const drawTiles = (rows: readonly AccessRow[], now: number): Markup => {
  const members = rows.filter(({ kind }) => kind === 'member')
  const isUser = isOfUser(members)
  // People are counted once each, or the places of a single user.
  const countEach = (some: readonly AccessRow[]): number =>
    new Set(some.map(({ name, place }) => (isUser ? place : name))).size
  const people = countEach(members)
  const direct = countEach(members.filter(({ via }) => via === 'direct'))
  const pushes = countEach(members.filter(({ access }) => pushing.includes(access)))
  const keys = rows.filter(({ kind, access }) => kind === 'deploy key' && access === 'push').length
  const keyText = keys === 0 ? '' : `, and ${formatCount(keys, 'deploy key')}`
  const leads = members.filter(({ access }) => leading.includes(access))
  const open = leads.filter(({ expires_at: end }) => end === null).length
  const ending = rows.filter(({ expires_at: end }) => end !== null)
  const soon = ending.filter((row) => endsSoon(row, now)).length
  return renderTiles([
    {
      name: isUser ? 'Places' : 'People',
      value: groupDigits(people),
      tone: 'busy',
      lines: [`${direct} direct, ${people - direct} by groups`],
    },
    {
      name: 'Can push',
      value: groupDigits(pushes),
      tone: 'busy',
      lines: [`developers and above${keyText}`],
    },
    {
      name: isUser ? 'As owner or maintainer' : 'Owners and maintainers',
      value: groupDigits(countEach(leads)),
      tone: open > 0 ? 'warn' : 'good',
      badge: open > 0 ? '! attention' : '✓ fine',
      lines: [`${open} without an end`],
    },
    {
      name: 'End within 30 days',
      value: groupDigits(soon),
      tone: soon > 0 ? 'warn' : 'busy',
      lines: [
        `${formatCount(ending.length, 'membership')} ${ending.length === 1 ? 'has' : 'have'} an end`,
      ],
    },
  ])
}

/** Draws rows by the way in which access is given; for a single user, by place. */
const drawWays = (rows: readonly AccessRow[]): Markup => {
  const members = rows.filter(({ kind }) => kind === 'member')
  const isUser = isOfUser(members)
  const ways = new Map<string, Map<string, number>>()
  for (const { via, place, access } of members) {
    const counts = ways.get(isUser ? place : via) ?? new Map<string, number>()
    ways.set(isUser ? place : via, counts)
    counts.set(access, (counts.get(access) ?? 0) + 1)
  }
  const shown = [...ways].slice(0, maxWays)
  const charted = shown.map(([name, counts]): ChartRow => ({ name, label: name, counts }))
  const totals = new Map<string, number>()
  for (const { access } of members) totals.set(access, (totals.get(access) ?? 0) + 1)
  const series = levels.filter(({ word }) => totals.has(word))
  const title = isUser ? 'By place and access level' : 'By way and access level'
  const rest = ways.size - shown.length
  return renderCard(title, rest > 0 ? `the first ${maxWays}, and ${rest} more` : '', [
    drawRows(charted, series),
    renderLegend(series, totals),
    renderCounts(isUser ? 'place' : 'way', charted, series),
  ])
}

const drawEnds = (rows: readonly AccessRow[], view: FormatView): Markup => {
  const ends = rows.flatMap(({ name, place, expires_at: end }) =>
    end === null ? [] : [{ label: `${name} in ${place}`, time: Date.parse(end) }],
  )
  if (ends.length === 0) return nothing
  const count = `${ends.length} of ${rows.length}`
  return renderCard(
    'When access ends',
    count,
    renderFigure('', '', [drawTimeline(ends, view, `When access ends: ${count}`)]),
  )
}

const draw = (records: readonly unknown[], view: FormatView): Markup => {
  // The command yields these rows.
  const rows = records as readonly AccessRow[]
  if (rows.length === 0) return nothing
  return html`${drawTiles(rows, view.now.getTime())}${drawWays(rows)}${drawEnds(rows, view)}`
}

export const open = openAboveList(draw)
