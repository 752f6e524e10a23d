/**
 * Draws charts as SVG: geometry in percent and text in pixels, so that one file fits any width. Colors are classes of the style sheet. A
 * table below each chart has its numbers.
 */

import { ticks } from 'd3-array'
import { sumCounts } from '../../base/collections.js'
import { groupDigits } from '../../base/text.js'
import { getStatusStyle } from '../../base/tones.js'
import { emptyText } from '../cell.js'
import { drawTimeMarks, formatCoordinate } from './axis.js'
import { html, type Markup, nothing, type Piece } from './markup.js'

/** The only word of a chart that is not divided by words. */
export const undivided = 'all'

/**
 * A word of a chart with the class of its color. Words of the same color differ by `hatch`: 0 is filled, 1 and 2 are hatched, more are
 * outlined.
 */
export interface Series {
  readonly word: string
  readonly color: string
  readonly hatch: number
}

/** The number of colors for words without a tone. */
const palette = 6
/** The largest number of words in a chart. Further words are counted together as `other`. */
const maxWords = 8
export const other = 'other'

const getWordTone = (word: string): string | undefined =>
  word === other ? 'quiet' : getStatusStyle(word)?.tone

/**
 * Gives each word a color: that of its tone, else the next of the palette.
 * @param getTone returns the tone of a word; by default that of its status
 */
export const toSeries = (
  words: readonly string[],
  getTone: (word: string) => string | undefined = getWordTone,
): readonly Series[] => {
  const used = new Map<string, number>()
  let next = 0
  return words.map((word) => {
    const color = getTone(word) ?? `c${(next++ % palette) + 1}`
    const hatch = used.get(color) ?? 0
    used.set(color, hatch + 1)
    return { word, color, hatch }
  })
}

/** Chooses the words of a chart, in their order: the most frequent ones, and `other` for the rest. */
export const chooseWords = (counts: ReadonlyMap<string, number>): readonly string[] => {
  const words = [...counts.keys()]
  if (words.length <= maxWords) return words
  const most = words.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const kept = new Set(most.slice(0, maxWords - 1))
  return [...words.filter((word) => kept.has(word)), other]
}

/** Returns the SVG attributes of a part: filled for the first word of a color, hatched for the next two, outlined for others. */
const paint = ({ color, hatch }: Series): Markup =>
  hatch === 0
    ? html`class="f k-${color}"`
    : hatch > 2
      ? html`class="h k-${color}"`
      : html`class="k-${color}" stroke="currentColor" fill="url(#${color}${hatch})"`

const formatChartNumber = (count: number): string =>
  Number.isInteger(count) ? groupDigits(count) : formatCoordinate(count)

/** Renders the SVG patterns of hatched parts, which a page needs once. */
export const renderPatterns = (): Markup => {
  const tones = [
    'good',
    'bad',
    'warn',
    'busy',
    'quiet',
    'grave',
    'c1',
    'c2',
    'c3',
    'c4',
    'c5',
    'c6',
  ]
  const renderPattern = (tone: string, i: number): Markup =>
    html`<pattern id="${tone}${i}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(${i === 1 ? 45 : -45})"><rect class="g" width="6" height="6"/><rect class="f k-${tone}" width="${i === 1 ? 3 : 2}" height="6"/></pattern>`
  return html`<svg class="defs" aria-hidden="true"><defs>${tones.flatMap((tone) => [renderPattern(tone, 1), renderPattern(tone, 2)])}</defs></svg>\n`
}

const renderSwatch = (one: Series): Markup =>
  html`<svg class="swatch" aria-hidden="true"><rect ${paint(one)} width="100%" height="100%"/></svg>`

/** Renders the legend of a chart: its words, with the total of each if there are totals. */
export const renderLegend = (
  series: readonly Series[],
  totals?: ReadonlyMap<string, number>,
): Markup =>
  html`<ul class="legend">${series.map((one) => {
    const total = totals?.get(one.word)
    return html`<li>${renderSwatch(one)} ${toWords(one.word)}${total === undefined ? '' : html` <b>${formatChartNumber(total)}</b>`}</li>`
  })}</ul>\n`

/** A chart shows at most so many characters of a name; its list has the whole one. */
const maxName = 80

/** Returns a word of the API with blanks in place of underscores. A very long one is cut. */
export const toWords = (word: string): string => {
  const text = word.replaceAll('_', ' ')
  return text.length > maxName ? `${[...text].slice(0, maxName - 1).join('')}…` : text
}

type NumberCell = string | number | null

/** Renders the numbers of a chart as a table that is closed at first. */
const renderNumbers = (
  heads: readonly string[],
  rows: readonly (readonly NumberCell[])[],
): Markup => {
  const renderCell = (value: NumberCell, i: number): Markup =>
    i === 0
      ? html`<th scope="row">${value ?? emptyText}</th>`
      : html`<td class="n">${value === null ? emptyText : typeof value === 'number' ? formatChartNumber(value) : value}</td>`
  return html`<details class="numbers"><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="numbers: ${heads.join(', ')}"><table>
<thead><tr>${heads.map((head, i) => html`<th scope="col"${i === 0 ? '' : html` class="n"`}>${head}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(renderCell)}</tr>\n`)}</tbody></table></div></details>\n`
}

/** Renders a chart below its title and caption. */
export const renderFigure = (title: string, caption: string, pieces: readonly Markup[]): Markup =>
  html`<figure>${title === '' ? nothing : html`<figcaption><b>${title}</b> ${caption === '' ? '' : html`<span class="said">${caption}</span>`}</figcaption>\n`}${pieces}</figure>\n`

// Rows of stacked parts.

/** A row of a chart: its name, the count of each word, and the text on the right (by default the sum). */
export interface ChartRow {
  readonly name: Piece
  readonly label: string
  readonly counts: ReadonlyMap<string, number>
  readonly beside?: string
}

/** True if a part is wide enough for a text inside it. The width is in percent. */
const hasRoomFor = (share: number, text: string): boolean => share > 6 + 3 * text.length

const drawRowBar = (
  { label, counts }: ChartRow,
  series: readonly Series[],
  most: number,
  isThin: boolean,
): Markup => {
  let x = 0
  const parts = series.flatMap((one) => {
    const count = counts.get(one.word) ?? 0
    if (count === 0) return []
    const [from, width, text] = [x, (100 * count) / most, formatChartNumber(count)]
    x += width
    const rect = html`<rect ${paint(one)} x="${formatCoordinate(from)}%" width="${formatCoordinate(width)}%" height="18"/>`
    const inside = !isThin && one.hatch === 0 && hasRoomFor(width, text)
    return inside
      ? [rect, html`<text x="${formatCoordinate(from + width / 2)}%" y="13">${text}</text>`]
      : [rect]
  })
  const said = series
    .flatMap(({ word }) =>
      counts.has(word) ? `${formatChartNumber(counts.get(word) ?? 0)} ${toWords(word)}` : [],
    )
    .join(', ')
  return html`<svg class="bar" role="img" aria-label="${label}: ${said || 'none'}">${parts}</svg>`
}

/** Options for rows that are shares of a whole. */
interface RowOptions {
  /** The value that fills a bar; by default the sum of the largest row. */
  readonly most?: number
  readonly thin?: true
}

/** Draws rows, each with a bar that has a part for each word. */
export const drawRows = (
  rows: readonly ChartRow[],
  series: readonly Series[],
  options: RowOptions = {},
): Markup => {
  const most = options.most ?? (Math.max(...rows.map(({ counts }) => sumCounts(counts)), 0) || 1)
  return html`<div class="rows${options.thin === true ? ' thin' : ''}">\n${rows.map(
    (row) =>
      html`<div class="row"><span class="name">${row.name}</span>${drawRowBar(row, series, most, options.thin === true)}<span class="beside">${row.beside ?? formatChartNumber(sumCounts(row.counts))}</span></div>\n`,
  )}</div>\n`
}

/** Renders the counts of a chart: a line for each row or step, with its sum if there are several words. */
export const renderCounts = (
  head: string,
  lines: readonly { readonly label: string; readonly counts: ReadonlyMap<string, number> }[],
  series: readonly Series[],
): Markup => {
  const hasSum = series.length > 1
  return renderNumbers(
    [head, ...series.map(({ word }) => toWords(word)), ...(hasSum ? ['all'] : [])],
    lines.map(({ label, counts }) => [
      label,
      ...series.map(({ word }) => counts.get(word) ?? 0),
      ...(hasSum ? [sumCounts(counts)] : []),
    ]),
  )
}

// Axes.

const [plotTop, plotBottom, plotHeight] = [10, 180, 205] as const

interface AxisScale {
  readonly most: number
  readonly marks: readonly number[]
}

/** Creates an axis from zero to at least the largest value, with its marks. */
const createScale = (largest: number, isWhole = false): AxisScale => {
  const top = largest > 0 ? largest : 1
  const marks = ticks(0, top, isWhole ? Math.min(4, top) : 4)
  const step = (marks[1] ?? 1) - (marks[0] ?? 0)
  const most = (marks.at(-1) ?? top) >= top ? (marks.at(-1) ?? top) : (marks.at(-1) ?? 0) + step
  return { most, marks: marks.includes(most) ? marks : [...marks, most] }
}

const toY = (value: number, { most }: AxisScale): number =>
  plotBottom - ((plotBottom - plotTop) * value) / most

/** Renders a plot with the marks of its vertical axis on the left. */
const drawPlot = (
  label: string,
  scale: AxisScale,
  unit: string,
  pieces: readonly Markup[],
): Markup => {
  const texts = scale.marks.map((mark) => `${formatChartNumber(mark)}${mark === 0 ? '' : unit}`)
  const width = 12 + 7 * Math.max(...texts.map((text) => text.length))
  const marks = scale.marks.map(
    (mark, i) =>
      html`<text class="mark end" x="${width - 8}" y="${formatCoordinate(toY(mark, scale) + 4)}">${texts[i] ?? ''}</text>`,
  )
  const lines = scale.marks.map(
    (mark) =>
      html`<line class="${mark === 0 ? 'ground' : 'grid'}" x2="100%" y1="${formatCoordinate(toY(mark, scale))}" y2="${formatCoordinate(toY(mark, scale))}"/>`,
  )
  return html`<div class="plot"><svg width="${width}" height="${plotHeight}" aria-hidden="true">${marks}</svg><svg class="area" height="${plotHeight}" role="img" aria-label="${label}">${lines}${pieces}</svg></div>\n`
}

// Columns over time.

/** A step of time: its label, its start in milliseconds since the epoch, and the count of each word. */
export interface TimeStep {
  readonly label: string
  readonly time: number
  readonly counts: ReadonlyMap<string, number>
}

/** Draws a stacked column for each step. Empty steps keep their room. */
export const drawColumns = (
  label: string,
  steps: readonly TimeStep[],
  series: readonly Series[],
): Markup => {
  const scale = createScale(Math.max(...steps.map(({ counts }) => sumCounts(counts)), 0), true)
  const each = 100 / steps.length
  const width = formatCoordinate(each * (steps.length > 1 ? 0.86 : 0.3))
  const renderColumn = ({ label: name, counts }: TimeStep, i: number): Markup => {
    let below = 0
    const marks: string[] = []
    const parts = series.flatMap((one) => {
      const count = counts.get(one.word) ?? 0
      if (count === 0) return []
      const y = toY(below + count, scale)
      const rect = html`<rect ${paint(one)} x="${formatCoordinate(each * (i + 0.07))}%" y="${formatCoordinate(y)}" width="${width}%" height="${formatCoordinate(toY(below, scale) - y)}"/>`
      below += count
      const number = formatChartNumber(count)
      marks.push(one.word === undivided ? number : `${number} ${toWords(one.word)}`)
      return [rect]
    })
    return parts.length === 0
      ? nothing
      : html`<g data-step="${name}"><title>${name}: ${marks.join(', ')}</title>${parts}</g>`
  }
  const [first, last] = [steps[0]?.time ?? 0, steps.at(-1)?.time ?? 0]
  const toX = (time: number): number =>
    first === last ? 50 : each / 2 + ((100 - each) * (time - first)) / (last - first)
  return drawPlot(label, scale, '', [
    ...steps.map(renderColumn),
    ...drawTimeMarks(first, last, toX, 198),
  ])
}

// Lines over time.

/** A line of a chart: its values at the times of the chart; undefined is a gap. */
export interface ChartLine extends Series {
  readonly values: readonly (number | undefined)[]
}

/** Splits a line at its gaps. A piece of a single point is dropped, since its dot shows it. */
const toPieces = (points: readonly (readonly [number, number] | undefined)[]) => {
  const pieces: (readonly [number, number])[][] = [[]]
  for (const point of points)
    if (point === undefined) pieces.push([])
    else pieces.at(-1)?.push(point)
  return pieces.filter((piece) => piece.length > 1)
}

/** Draws a line for each word, interrupted at its gaps. */
const drawLines = (
  label: string,
  times: readonly number[],
  lines: readonly ChartLine[],
  unit = '',
): Markup => {
  const all = lines.flatMap(({ values }) => values.map((value) => value ?? 0))
  const scale = createScale(Math.max(...all, 0), all.every(Number.isInteger))
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0]
  const xOf = (time: number): number =>
    first === last ? 50 : (100 * (time - first)) / (last - first)
  const points = lines.map(({ values }) =>
    times.map((time, i) => {
      const value = values[i]
      return value === undefined ? undefined : ([xOf(time), toY(value, scale)] as const)
    }),
  )
  const drawn = lines.flatMap((one, i) =>
    toPieces(points[i] ?? []).map(
      (piece) =>
        html`<polyline class="l k-${one.color}${one.hatch === 0 ? '' : ' dashed'}" points="${piece.map(([x, y]) => `${formatCoordinate(x)},${formatCoordinate(y)}`).join(' ')}"/>`,
    ),
  )
  const dots = lines.flatMap((one, i) =>
    (points[i] ?? []).flatMap((point) =>
      point === undefined
        ? []
        : html`<circle class="f k-${one.color}" cx="${formatCoordinate(point[0])}%" cy="${formatCoordinate(point[1])}" r="3.5"/>`,
    ),
  )
  return drawPlot(label, scale, unit, [
    html`<svg class="stretched" viewBox="0 0 100 ${plotHeight}" preserveAspectRatio="none" height="${plotHeight}">${drawn}</svg>`,
    ...dots,
    ...drawTimeMarks(first, last, xOf, 198),
  ])
}

/** The steps of a chart with lines: the heading of its steps, the label and the time of each. */
interface LineSteps {
  readonly head: string
  readonly labels: readonly string[]
  readonly times: readonly number[]
}

/** Renders lines over time, the legend below them, and their numbers. */
export const renderLines = (
  label: string,
  { head, labels, times }: LineSteps,
  lines: readonly ChartLine[],
  options: { readonly unit?: string; readonly legend?: Markup },
): readonly Markup[] => [
  drawLines(label, times, lines, options.unit),
  options.legend ?? nothing,
  renderNumbers(
    [head, ...lines.map(({ word }) => toWords(word))],
    labels.map((one, i) => [one, ...lines.map(({ values }) => values[i] ?? null)]),
  ),
]

/** Returns the steps of a trend: a day for each snapshot. */
export const toSnapshotSteps = (snapshots: readonly string[]): LineSteps => ({
  head: 'snapshot',
  labels: snapshots.map((one) => one.slice(0, 10)),
  times: snapshots.map((one) => Date.parse(one)),
})

/** Draws a line without axes, for a tile. */
export const drawSparkline = (values: readonly number[], label: string): Markup => {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const y = (value: number): number =>
    most === least ? 14 : 26 - (24 * (value - least)) / (most - least)
  const points = values.map(
    (value, i) =>
      `${formatCoordinate((100 * i) / Math.max(1, values.length - 1))},${formatCoordinate(y(value))}`,
  )
  return html`<svg class="spark" viewBox="0 0 100 28" preserveAspectRatio="none" role="img" aria-label="${label}"><polyline class="l k-busy" points="${points.join(' ')}"/></svg>`
}
