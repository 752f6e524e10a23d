/** Draws expiry times on a time line, with today. */

import { dayLength, toDay } from '../../base/dates.js'
import type { View } from '../types.js'
import { drawTimeMarks, formatCoordinate } from './axis.js'
import { html, type Markup } from './markup.js'

/** An object that expires, with the time in milliseconds since the epoch. */
export interface EndPoint {
  readonly label: string
  readonly time: number
}

const [near, soon] = [7 * dayLength, 30 * dayLength]

/** The urgency of an expiry time: within 7 days is `urgent`, within 30 days `soon`. */
export type ExpiryState = 'ended' | 'urgent' | 'soon' | 'later'

/** Returns the urgency of an expiry time. */
export const getExpiryState = (time: number, now: number): ExpiryState => {
  const left = time - now
  return left < 0 ? 'ended' : left < near ? 'urgent' : left < soon ? 'soon' : 'later'
}

/** The tone of each urgency. */
export const expiryTones = { ended: 'bad', urgent: 'bad', soon: 'warn', later: 'good' } as const

/** Formats the distance to a time in whole days: `12 d ago`, `in 9 d`. */
export const formatDays = (time: number, now: number): string => {
  const days = Math.floor(Math.abs(time - now) / dayLength)
  return time < now ? `${days} d ago` : `in ${days} d`
}

/** The largest number of points on a time line. */
const maxPoints = 300
const [lanes, laneHeight, ground] = [6, 14, 100] as const

const toPercent = (value: number): string => `${formatCoordinate(value)}%`

/** Renders a point as a diamond, triangle or circle, so that states differ by more than color. */
const renderShape = (state: ExpiryState, x: string, y: number, title: string): Markup => {
  const inside = html`<title>${title}</title>`
  if (state === 'later')
    return html`<circle class="f k-good" cx="${x}" cy="${y}" r="5">${inside}</circle>`
  const path = state === 'soon' ? 'M0-6 6 5H-6Z' : 'M0-6 6 0 0 6-6 0Z'
  return html`<svg x="${x}" y="${y}" class="point"><path class="f k-${expiryTones[state]}" d="${path}">${inside}</path></svg>`
}

/** Assigns each point a lane, so that close points do not cover each other. */
const toLanes = (xs: readonly number[]): readonly number[] => {
  const last: number[] = Array.from({ length: lanes }, () => Number.NEGATIVE_INFINITY)
  return xs.map((x) => {
    const free = last.findIndex((one) => x - one > 1.8)
    const lane = free < 0 ? last.indexOf(Math.min(...last)) : free
    last[lane] = x
    return lane
  })
}

/** Names the time that ages count from: today, or the day of the snapshot that the records come from. */
const describeNow = ({ now, printedAt }: Pick<View, 'now' | 'printedAt'>): string => {
  const day = toDay(now)
  return day === toDay(printedAt) ? 'today' : day
}

/** Draws the earliest points, at most `maxPoints`. The caption of the caller counts all of them. */
export const drawTimeline = (
  points: readonly EndPoint[],
  view: Pick<View, 'now' | 'printedAt'>,
  label: string,
): Markup => {
  const now = view.now.getTime()
  const sorted = points.toSorted((a, b) => a.time - b.time).slice(0, maxPoints)
  const times = sorted.map(({ time }) => time)
  // Very old and very late ends would press all others together.
  const [early, late] = [now - 400 * dayLength, now + 1200 * dayLength]
  const first = Math.max(early, Math.min(now - 30 * dayLength, ...times) - 10 * dayLength)
  const last = Math.min(late, Math.max(now + 60 * dayLength, ...times) + 10 * dayLength)
  const clamp = (time: number): number => Math.min(last, Math.max(first, time))
  const toX = (time: number): number => 0.8 + (98.4 * (clamp(time) - first)) / (last - first)
  const inLanes = toLanes(times.map(toX))
  const drawn = sorted.map(({ label: name, time }, i) => {
    const y = ground - 9 - laneHeight * (inLanes[i] ?? 0)
    const label = `${name}: ${toDay(time)}, ${formatDays(time, now)}`
    const shape = renderShape(getExpiryState(time, now), toPercent(toX(time)), y, label)
    // A point beyond the axis has an arrow to where it belongs.
    const arrow = time < first ? '‹' : time > last ? '›' : undefined
    if (arrow === undefined) return shape
    return html`${shape}<text x="${toPercent(toX(time))}" dx="${arrow === '‹' ? -9 : 9}" y="${y + 4}">${arrow}</text>`
  })
  const today = toX(now)
  const spans = html`<rect class="past" width="${toPercent(today)}" height="${ground}"/><rect class="near" x="${toPercent(today)}" width="${toPercent(toX(now + soon) - today)}" height="${ground}"/>`
  const lines = html`<line class="ground" x2="100%" y1="${ground}" y2="${ground}"/><line class="today" x1="${toPercent(today)}" x2="${toPercent(today)}" y1="0" y2="${ground}"/>`
  const word = html`<text class="now" x="${toPercent(today)}" dx="5" y="12">${describeNow(view)}</text>`
  return html`<svg class="area line" height="126" role="img" aria-label="${label}">${spans}${lines}${word}${drawn}${drawTimeMarks(first, last, toX, 118)}</svg>\n`
}
