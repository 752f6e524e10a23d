/** HTML templates that escape every text, and the chart of records over time at the end of a list. */
import { area, curveMonotoneX, line } from 'd3-shape'
import { isMoment } from '../base/dates.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A piece of HTML. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = string | number | Markup | readonly Markup[]

const renderPiece = (piece: Piece): string => {
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('')
  return escapeText(String(piece))
}

/** Creates HTML from a template; every text in it is escaped. */
export const html = (parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  new Markup(
    parts.map((part, i) => part + (i < pieces.length ? renderPiece(pieces[i] ?? '') : '')).join(''),
  )

// How many records there are over time: a chart made as the page is written, with its numbers beside it.

const day = 86_400_000
/** The most days that are counted apart; a list that spans more has no chart. */
const maxDays = 20_000
/** The smallest number of records for a chart of counts; fewer are drawn as points. */
const least = 20
const [width, height, left, bottom] = [720, 140, 36, 22]

/** True if a value is a time with its time of day. */
export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && isMoment(value) && value.includes('T')

/** Chooses the steps of a chart: days, weeks or 30 days, so that there are at most about a hundred. */
const chooseStep = (days: number): readonly [number, string] =>
  days <= 90 ? [1, 'day'] : days <= 700 ? [7, 'week'] : [30, '30 days']

const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const drawAxis = (y: number, to: number): Markup =>
  html`<line class="axis" x1="${left}" x2="${to}" y1="${y}" y2="${y}"/>\n`

const label = (x: number, y: number, text: string, anchor = 'start'): Markup =>
  html`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>\n`

/** Draws a picture with its title above and its numbers below. */
const drawChart = (
  title: string,
  high: number,
  pieces: readonly Markup[],
  numbers: Markup = new Markup(''),
): Markup => {
  const caption = html`<figcaption>${title}</figcaption>\n`
  const open = html`<svg viewBox="0 0 ${width} ${high}" role="img" aria-label="${title}">\n`
  return html`<figure>${caption}${open}<title>${title}</title>${pieces}</svg>\n${numbers}</figure>\n`
}

/** Counts records by time, and draws them as a chart. */
export class Timeline {
  readonly #days = new Map<number, number>()
  readonly #first: { readonly time: number; readonly label: string }[] = []
  #total = 0

  add(time: number | undefined, label: string): void {
    if (time === undefined || this.#days.size > maxDays) return
    this.#total++
    if (this.#first.length < least) this.#first.push({ time, label })
    const at = Math.floor(time / day)
    this.#days.set(at, (this.#days.get(at) ?? 0) + 1)
  }

  /** Records by step from the first to the last, the empty ones too. */
  #counts():
    | { readonly unit: string; readonly counts: readonly (readonly [number, number])[] }
    | undefined {
    if (this.#days.size < 3 || this.#days.size > maxDays) return undefined
    const days = [...this.#days.keys()]
    const first = days.reduce((a, b) => Math.min(a, b))
    const last = days.reduce((a, b) => Math.max(a, b))
    if (last - first > maxDays) return undefined
    const [step, unit] = chooseStep(last - first)
    const sums = Array.from({ length: Math.floor((last - first) / step) + 1 }, () => 0)
    for (const [at, count] of this.#days) {
      const slot = Math.floor((at - first) / step)
      sums[slot] = (sums[slot] ?? 0) + count
    }
    return { unit, counts: sums.map((sum, i) => [(first + i * step) * day, sum] as const) }
  }

  /** The chart of the times under this name: how many by day, or each where there are few; nothing for a single one. */
  figure(name: string, now: Date): Markup {
    if (this.#total < least) return this.#points(name, now.getTime())
    const table = this.#counts()
    if (table === undefined) return new Markup('')
    const { unit, counts } = table
    const most = counts.reduce((sum, [, count]) => Math.max(sum, count), 0)
    const x = (i: number): number =>
      left + (i * (width - left - 6)) / Math.max(1, counts.length - 1)
    const y = (count: number): number => height - bottom - (count * (height - bottom - 10)) / most
    const points = counts.map(([, count], i): [number, number] => [x(i), y(count)])
    const ground = y(0)
    const filled = area().y0(ground).curve(curveMonotoneX)(points) ?? ''
    const drawn = line().curve(curveMonotoneX)(points) ?? ''
    const [from, to] = [formatDay(counts[0]?.[0] ?? 0), formatDay(counts.at(-1)?.[0] ?? 0)]
    const title = `${name}: records per ${unit}, ${from} to ${to}`
    const rows = counts.filter(([, count]) => count > 0)
    const numbers = rows.map(
      ([time, count]) =>
        html`<tr><th scope="row">${formatDay(time)}</th><td class="n">${count}</td></tr>\n`,
    )
    return drawChart(
      title,
      height,
      [
        html`<desc>From ${from} to ${to}, at most ${most}.</desc>\n`,
        html`<path class="area" d="${filled}"/><path class="curve" d="${drawn}"/>\n`,
        drawAxis(ground, width - 6),
        label(left, height - 6, from),
        label(width - 6, height - 6, to, 'end'),
        label(left - 6, y(most) + 4, String(most), 'end'),
        label(left - 6, ground, '0', 'end'),
      ],
      html`<details><summary>Numbers</summary><table><tbody>\n${numbers}</tbody></table></details>\n`,
    )
  }

  /** Each time as a point, and where now is. */
  #points(name: string, now: number): Markup {
    if (this.#days.size < 2) return new Markup('')
    const times = [...this.#first.map(({ time }) => time), now]
    const [from, to] = [Math.min(...times), Math.max(...times)]
    const x = (time: number): string =>
      (left + ((time - from) * (width - 2 * left)) / (to - from)).toFixed(1)
    const title = `${name}: from ${formatDay(from)} to ${formatDay(to)}`
    const points = this.#first.map(
      ({ time, label: of }) =>
        html`<circle cx="${x(time)}" cy="16" r="5"><title>${of}: ${formatDay(time)}</title></circle>\n`,
    )
    return drawChart(title, 44, [
      html`<desc>A point for each of ${points.length} rows. The dashed line is the time of this page.</desc>\n`,
      drawAxis(16, width - left),
      html`<line class="now" x1="${x(now)}" x2="${x(now)}" y1="4" y2="28"/>\n`,
      ...points,
      label(left, 40, formatDay(from)),
      label(width - left, 40, formatDay(to), 'end'),
    ])
  }
}
