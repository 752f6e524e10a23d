/** Draws ends on a time line: what is past, what is near and what is later, with today. */

import { utcTicks } from 'd3-time'
import { html, type Markup } from './markup.js'

/** Something that ends. */
export interface EndPoint {
  readonly label: string
  readonly time: number
}

const day = 86_400_000
const [near, soon] = [7 * day, 30 * day]

/** How urgent an end is. */
export type EndState = 'ended' | 'urgent' | 'soon' | 'later'

/** Returns how urgent an end is. */
export const getEndState = (time: number, now: number): EndState => {
  const left = time - now
  return left < 0 ? 'ended' : left < near ? 'urgent' : left < soon ? 'soon' : 'later'
}

/** A badge's tone and symbol by state. */
export const endTones = { ended: 'bad', urgent: 'bad', soon: 'warn', later: 'good' } as const

/** `12 d ago`, `in 9 d`. */
export const formatDays = (time: number, now: number): string => {
  const days = Math.floor(Math.abs(time - now) / day)
  return time < now ? `${days} d ago` : `in ${days} d`
}

export const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** So many ends are drawn. */
const maxPoints = 300
const [lanes, laneHeight, ground] = [6, 14, 100] as const

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`

/** Diamonds, triangles and circles tell the states apart beside colour. */
const shapeOf = (state: EndState, x: string, y: number, title: string): Markup => {
  const inside = html`<title>${title}</title>`
  if (state === 'later')
    return html`<circle class="f k-good" cx="${x}" cy="${y}" r="5">${inside}</circle>`
  const path = state === 'soon' ? 'M0-6 6 5H-6Z' : 'M0-6 6 0 0 6-6 0Z'
  return html`<svg x="${x}" y="${y}" class="point"><path class="f k-${endTones[state]}" d="${path}">${inside}</path></svg>`
}

/** The lane of each point: points beside each other do not cover each other. */
const toLanes = (xs: readonly number[]): readonly number[] => {
  const last: number[] = Array.from({ length: lanes }, () => Number.NEGATIVE_INFINITY)
  return xs.map((x) => {
    const free = last.findIndex((one) => x - one > 1.8)
    const lane = free < 0 ? last.indexOf(Math.min(...last)) : free
    last[lane] = x
    return lane
  })
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Draws up to three hundred ends; the earliest are kept, and further ones are counted by whoever captions it. */
export const drawTimeline = (points: readonly EndPoint[], now: number, label: string): Markup => {
  const sorted = points.toSorted((a, b) => a.time - b.time).slice(0, maxPoints)
  const times = sorted.map(({ time }) => time)
  // Very old and very late ends would press all others together.
  const [early, late] = [now - 400 * day, now + 1200 * day]
  const first = Math.max(early, Math.min(now - 30 * day, ...times) - 10 * day)
  const last = Math.min(late, Math.max(now + 60 * day, ...times) + 10 * day)
  const clamp = (time: number): number => Math.min(last, Math.max(first, time))
  const xOf = (time: number): number => 0.8 + (98.4 * (clamp(time) - first)) / (last - first)
  const inLanes = toLanes(times.map(xOf))
  const drawn = sorted.map(({ label: name, time }, i) => {
    const y = ground - 9 - laneHeight * (inLanes[i] ?? 0)
    const said = `${name}: ${toDay(time)}, ${formatDays(time, now)}`
    return shapeOf(getEndState(time, now), percent(xOf(time)), y, said)
  })
  const marks = utcTicks(new Date(first), new Date(last), 7)
    .filter((time) => xOf(time.getTime()) > 2 && xOf(time.getTime()) < 97)
    .map((time, i) => {
      const text =
        time.getUTCMonth() === 0
          ? String(time.getUTCFullYear())
          : (months[time.getUTCMonth()] ?? '')
      return html`<text class="mark${i % 2 === 1 ? ' even' : ''}" x="${percent(xOf(time.getTime()))}" y="118">${text}</text>`
    })
  const today = xOf(now)
  const spans = html`<rect class="past" width="${percent(today)}" height="${ground}"/><rect class="near" x="${percent(today)}" width="${percent(xOf(now + soon) - today)}" height="${ground}"/>`
  const lines = html`<line class="ground" x2="100%" y1="${ground}" y2="${ground}"/><line class="today" x1="${percent(today)}" x2="${percent(today)}" y1="0" y2="${ground}"/>`
  const word = html`<text class="now" x="${percent(today)}" dx="5" y="12">today</text>`
  return html`<svg class="area line" height="126" role="img" aria-label="${label}">${spans}${lines}${word}${drawn}${marks}</svg>\n`
}
