/** The cells of a page's tables: what each shows, and the value that it is sorted and downloaded by. */

import { formatMinute, isMoment } from '../../base/dates.js'
import { ExactNumber } from '../../base/json/json.js'
import { serializeJson } from '../../base/json/values.js'
import { getLevelName } from '../../catalogue/levels.js'
import { createCell, emptyText, isExpiry } from '../cell.js'
import { escapeLine, escapeLines, type SafeText } from '../escape.js'
import type { FormatView } from '../types.js'
import { getHref, link } from './frame.js'
import { html, type Markup } from './markup.js'
import { endTones, formatDays, getEndState } from './timeline.js'

/** The alignment of a cell: `n` for numbers, to the right; `t` for times, which do not wrap. */
export type CellKind = 'n' | 't' | ''

/** The text of a cell, its value, and how it is shown. */
export interface PageCell {
  readonly text: SafeText
  /** The value for sorting and for CSV, before it is shortened or formatted. */
  readonly raw: SafeText
  readonly kind: CellKind
  readonly time?: number | undefined
  readonly tone?: string | undefined
  readonly href?: string | undefined
}

/** A percentage as text: `12.5 %`. */
const percent = /^\d+(?:\.\d+)? %$/

const isTime = (value: unknown): value is string => typeof value === 'string' && isMoment(value)

/** Creates the cell of an expiry time: its day, and the days until then or since. */
const toEnd = (value: string, raw: SafeText, { now, style }: FormatView): PageCell => {
  const time = Date.parse(value)
  const state = getEndState(time, now.getTime())
  const tone = state === 'later' ? undefined : endTones[state]
  const mark = state === 'later' ? '' : state === 'soon' ? '! ' : '✗ '
  const text = escapeLine(`${mark}${value.slice(0, 10)} ${formatDays(time, now.getTime())}`, style)
  return { text, raw, kind: 't', time, tone }
}

/** Creates the cell of a value under a field of the API. */
export const toPageCell = (name: string, value: unknown, view: FormatView): PageCell => {
  const { tone, url, text } = createCell(name, value, view, false)
  const whole =
    value === null || value === undefined
      ? ''
      : typeof value === 'object' && !(value instanceof ExactNumber)
        ? serializeJson(value)
        : String(getLevelName(name, value) ?? value)
  const raw = escapeLines(whole, view.style, '\n\t')
  if (typeof value === 'number' || value instanceof ExactNumber) {
    const kind = getLevelName(name, Number(value)) === undefined ? 'n' : ''
    return { text, raw, tone, kind }
  }
  if (percent.test(text)) return { text, raw, kind: 'n' }
  if (isTime(value)) {
    if (isExpiry(name)) return toEnd(value, raw, view)
    const time = Date.parse(value)
    const minute = value.includes('T') ? formatMinute(new Date(time)) : value
    return { text: escapeLine(minute, view.style), raw, kind: 't', time, tone }
  }
  const href = getHref(url, view)
  if (typeof value === 'string' && tone === undefined)
    return { text: value === '' ? text : escapeLines(value, view.style), raw, kind: '', href }
  return { text, raw, tone, kind: '', href }
}

/** A longer text has a box of its own that scrolls, so that its row is not higher than the window. */
const maxText = 500

/** True if the script needs the value in addition to the text. */
const hasOwnValue = ({ text, raw }: PageCell): boolean =>
  raw !== text && !(raw === '' && text === emptyText)

/** Renders a cell of a table. */
export const renderCell = (cell: PageCell, kind: CellKind): Markup => {
  const { text, raw, tone, href } = cell
  const names = [kind, tone].filter(Boolean).join(' ')
  const value = hasOwnValue(cell) ? html` data-v="${raw}"` : ''
  const shown = link(text, href)
  return html`<td${names === '' ? '' : html` class="${names}"`}${value}>${text.length > maxText ? html`<div class="long" tabindex="0">${shown}</div>` : shown}</td>`
}

/** Packs a cell for a block of data: the text alone, or an array of text, value, tone and address. */
export const packCell = (cell: PageCell): unknown => {
  const { text, raw, tone, href } = cell
  const value = hasOwnValue(cell) ? raw : null
  if (href !== undefined) return [text, value, tone ?? '', href]
  if (tone !== undefined) return [text, value, tone]
  return value === null ? text : [text, value]
}
