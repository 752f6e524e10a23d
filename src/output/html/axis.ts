/** Draws the marks of axes, and formats their coordinates. */

import { utcTicks } from 'd3-time'
import { dayLength } from '../../base/dates.js'
import { html, type Markup } from './markup.js'

/** Formats a coordinate with two decimals, a hundredth of a percent. */
export const formatCoordinate = (value: number): string => String(Math.round(value * 100) / 100)

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a mark by the span of its axis: a time of day, a day, a month, or a year in place of January. */
const formatTimeMark = (time: Date, span: number): string => {
  const month = months[time.getUTCMonth()] ?? ''
  if (span < 2 * dayLength) return time.toISOString().slice(11, 16)
  if (time.getUTCDate() !== 1 || span < 90 * dayLength) return `${time.getUTCDate()} ${month}`
  return time.getUTCMonth() === 0 ? String(time.getUTCFullYear()) : month
}

/** Draws the marks of a time axis. Narrow cards hide every second mark. */
export const drawTimeMarks = (
  from: number,
  to: number,
  xOf: (time: number) => number,
  y: number,
): readonly Markup[] =>
  utcTicks(new Date(from), new Date(to), 8)
    .filter((time) => xOf(time.getTime()) >= 2 && xOf(time.getTime()) <= 97)
    .map(
      (time, i) =>
        html`<text class="mark${i % 2 === 1 ? ' even' : ''}" x="${formatCoordinate(xOf(time.getTime()))}%" y="${y}">${formatTimeMark(time, to - from)}</text>`,
    )
