/** Creates and renders the cells of a page's tables: the text that a cell shows, and the value by which it is sorted and downloaded. */

import { formatMinute, isMoment } from '../../base/dates.js'
import { ExactNumber } from '../../base/json/json.js'
import { serializeJson } from '../../base/json/values.js'
import { getLevelName } from '../../catalogue/shapes/common.js'
import { createCell, emptyText, isExpiry } from '../cell.js'
import { escapeLine, escapeLines, type SafeText } from '../escape.js'
import type { FormatView } from '../types.js'
import { html, type Markup } from './markup.js'
import { getInstanceHref, renderLink } from './page-parts.js'
import { expiryTones, formatDays, getExpiryState } from './timeline.js'

/** The CSS class that lays out a cell: `n` for numbers, to the right; `t` for times, which do not wrap. */
export type CellLayout = 'n' | 't' | ''

/** A cell of a table on a page. */
export interface PageCell {
  readonly text: SafeText
  /** The value for sorting and for CSV, before it is shortened or formatted. */
  readonly raw: SafeText
  readonly cssClass: CellLayout
  /** The time that the cell shows, in milliseconds since the epoch. */
  readonly time?: number | undefined
  readonly tone?: string | undefined
  readonly href?: string | undefined
}

/** A percentage as text: `12.5 %`. */
const percent = /^\d+(?:\.\d+)? %$/

const isTime = (value: unknown): value is string => typeof value === 'string' && isMoment(value)

/** Creates the cell of an expiry time: its day, and the days until then or since. */
const createExpiryCell = (value: string, raw: SafeText, { now, style }: FormatView): PageCell => {
  const time = Date.parse(value)
  const state = getExpiryState(time, now.getTime())
  const tone = state === 'later' ? undefined : expiryTones[state]
  const mark = state === 'later' ? '' : state === 'soon' ? '! ' : '✗ '
  const text = escapeLine(`${mark}${value.slice(0, 10)} ${formatDays(time, now.getTime())}`, style)
  return { text, raw, cssClass: 't', time, tone }
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
  const cell = { text, raw, tone, cssClass: '' } as const
  if (typeof value === 'number' || value instanceof ExactNumber) {
    return { ...cell, cssClass: getLevelName(name, Number(value)) === undefined ? 'n' : '' }
  }
  if (percent.test(text)) return { ...cell, cssClass: 'n' }
  if (isTime(value)) {
    if (isExpiry(name)) return createExpiryCell(value, raw, view)
    const time = Date.parse(value)
    const minute = value.includes('T') ? formatMinute(new Date(time)) : value
    return { ...cell, text: escapeLine(minute, view.style), cssClass: 't', time }
  }
  const href = getInstanceHref(url, view)
  // Without a tone, the cell shows the text as it is: several lines, and no mark.
  const isPlain = typeof value === 'string' && value !== '' && tone === undefined
  return { ...cell, text: isPlain ? escapeLines(value, view.style) : text, href }
}

/** The number of characters above which a text scrolls in a box of its own. Otherwise its row could be higher than the window. */
const maxText = 500

/** True if the script needs the value in addition to the text. */
const hasOwnValue = ({ text, raw }: PageCell): boolean =>
  raw !== text && !(raw === '' && text === emptyText)

/** Renders a cell of a table. @param cssClass the class of its column, which replaces that of the cell */
export const renderCell = (cell: PageCell, cssClass: CellLayout): Markup => {
  const { text, raw, tone, href } = cell
  const names = [cssClass, tone].filter(Boolean).join(' ')
  const value = hasOwnValue(cell) ? html` data-v="${raw}"` : ''
  const shown = renderLink(text, href)
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
