/**
 * The summary above a list: counts, a chart, and facets. It counts records as they pass and keeps none. The columns, and what the documents
 * say of them, choose the chart.
 */

import { sumCounts } from '../../base/collections.js'
import { dayLength, toDay } from '../../base/dates.js'
import { capitalize, groupDigits } from '../../base/text.js'
import { getStatusStyle } from '../../base/tones.js'
import { emptyText, isExpiry, isStatus } from '../cell.js'
import type { View } from '../types.js'
import {
  type ChartRow,
  chooseWords,
  drawColumns,
  drawRows,
  other,
  renderCounts,
  renderFigure,
  renderLegend,
  renderLines,
  toSeries,
  toSnapshotSteps,
  toWords,
  undivided,
} from './charts.js'
import {
  add,
  addIn,
  chooseUnit,
  describeSteps,
  maxCounted,
  maxDays,
  mergeUnshown,
  orderCounts,
  toSteps,
  type WordCounts,
  type WordTable,
} from './counts.js'
import { html, Markup, nothing } from './markup.js'
import { drawTimeline, type EndPoint, getExpiryState } from './timeline.js'

/** A column of a list, with the facts that its summary needs. */
export interface SummaryColumn {
  readonly name: string
  readonly isTime: boolean
  /** True if the column names what each record belongs to. */
  readonly isTarget?: boolean
  /** True if the column names the instance or the snapshot of each record. */
  readonly isSite?: boolean
  /** True if the column names the snapshot of each record. */
  readonly isTrend?: boolean
  /** The words that it is documented to hold, in their order. */
  readonly words: readonly string[]
}

/** A cell of a row, with the facts that its summary needs. */
export interface SummaryCell {
  /** The value as text, before it is shortened or formatted. */
  readonly raw: string
  readonly text: string
  readonly cssClass: string
  readonly time?: number | undefined
}

/** The chart of a list, with the positions of its columns. */
export type ChartChoice =
  | { readonly kind: 'columns'; readonly time: number; readonly words?: number }
  | { readonly kind: 'ends'; readonly time: number }
  | { readonly kind: 'rows'; readonly words: number; readonly parts?: number }
  | { readonly kind: 'trend'; readonly time: number; readonly words?: number }
  | { readonly kind: 'none' }

/** Chooses the chart of a list by its columns. */
export const chooseChart = (columns: readonly SummaryColumn[]): ChartChoice => {
  const find = (test: (one: SummaryColumn) => boolean): number | undefined => {
    const at = columns.findIndex(test)
    return at < 0 ? undefined : at
  }
  const trend = find(({ isTrend }) => isTrend === true)
  const time = find(({ name, isTime }) => isTime && !isExpiry(name))
  const words = columns.flatMap((one, i) => (one.words.length > 0 && !one.isTime ? [i] : []))
  // A status tells more than a type.
  const [status] = words.filter((i) => isStatus(columns[i]?.name ?? ''))
  const chosen = status ?? words[0]
  const named = find(({ name }) => isStatus(name))
  if (trend !== undefined) return { kind: 'trend', time: trend, words: chosen ?? named }
  if (time !== undefined) return { kind: 'columns', time, words: chosen }
  const end = find(({ name, isTime }) => isTime && isExpiry(name))
  if (end !== undefined) return { kind: 'ends', time: end }
  const [first, second] = words
  if (first === undefined) return { kind: 'none' }
  if (second === undefined) return { kind: 'rows', words: first }
  // The parts choose the severity.
  const isSeverity = columns[first]?.name.endsWith('severity') === true
  return isSeverity
    ? { kind: 'rows', words: second, parts: first }
    : { kind: 'rows', words: first, parts: second }
}

/** The smallest numbers of records for a chart and for facets. */
const [minForChart, minForFacets] = [3, 20] as const
/** The smallest number of records for each value of a facet, on average. */
const minRepeats = 2.5
/** The largest number of different values of a facet. */
const maxFacet = 12
const maxProjects = 8
const maxEnds = 2000

interface SummaryOptions {
  readonly nouns: readonly [one: string, many: string]
  /** The column of the project or group that each record belongs to. */
  readonly parent: number | undefined
  readonly view: Pick<View, 'now' | 'printedAt'>
  readonly csvRaw: boolean
  /** Returns the snapshots, at the end. Those without records are points at zero. */
  readonly snapshots: () => readonly string[]
  /** Returns the address of a project or group by its path; undefined if there is none. */
  readonly href: (path: string, column: string) => string | undefined
}

/** Chooses the series of a chart by the counts of all words, and returns the words that have one. */
const chooseSeries = (totals: ReadonlyMap<string, number>) => {
  const series = toSeries(chooseWords(totals))
  return { series, shown: new Set(series.map(({ word }) => word)) }
}

/** Counts the rows of a list. */
export class ListSummary {
  readonly #columns: readonly SummaryColumn[]
  readonly #options: SummaryOptions
  readonly #choice: ChartChoice
  readonly #days = new Map<number, WordCounts>()
  readonly #words: WordCounts = new Map()
  readonly #rows: WordTable = new Map()
  readonly #parents: WordTable = new Map()
  readonly #ends: EndPoint[] = []
  readonly #facets: (Map<string, { readonly text: string; count: number }> | undefined)[]
  #ended = 0
  #count = 0

  constructor(columns: readonly SummaryColumn[], options: SummaryOptions) {
    this.#columns = columns
    this.#options = options
    this.#choice = chooseChart(columns)
    this.#facets = columns.map(({ isTime }) => (isTime ? undefined : new Map()))
  }

  /** Counts a row. */
  add(cells: readonly SummaryCell[]): void {
    this.#count += 1
    for (const [i, cell] of cells.entries()) this.#addFacet(i, cell)
    const choice = this.#choice
    const getRaw = (at: number | undefined): string =>
      at === undefined ? undivided : cells[at]?.raw || emptyText
    const part =
      choice.kind === 'columns' || choice.kind === 'trend'
        ? getRaw(choice.words)
        : choice.kind === 'rows'
          ? getRaw(choice.parts)
          : undivided
    const { parent } = this.#options
    if (parent !== undefined) addIn(this.#parents, cells[parent]?.raw ?? '', part)
    if (choice.kind === 'none') return
    add(this.#words, part)
    if (choice.kind === 'rows') addIn(this.#rows, getRaw(choice.words), part)
    if (choice.kind === 'trend') addIn(this.#rows, getRaw(choice.time), part)
    const time =
      choice.kind === 'rows' || choice.kind === 'trend' ? undefined : cells[choice.time]?.time
    if (time === undefined) return
    if (choice.kind === 'columns') this.#addDay(time, part)
    else this.#addEnd(time, cells[0]?.text ?? '')
  }

  #addDay(time: number, part: string): void {
    const at = Math.floor(time / dayLength)
    const counts = this.#days.get(at) ?? new Map<string, number>()
    if (this.#days.size > maxDays) return
    this.#days.set(at, counts)
    add(counts, part)
  }

  #addEnd(time: number, label: string): void {
    this.#ended += 1
    if (this.#ends.length < maxEnds) this.#ends.push({ time, label })
  }

  #addFacet(i: number, { raw, text, cssClass }: SummaryCell): void {
    const facet = this.#facets[i]
    const found = facet?.get(raw)
    // Numbers and times are no words to choose by, except the time that names a snapshot.
    if (cssClass !== '' && this.#columns[i]?.isTrend !== true) this.#facets[i] = undefined
    else if (found !== undefined) found.count += 1
    else if (facet !== undefined && facet.size >= maxFacet) this.#facets[i] = undefined
    else facet?.set(raw, { text, count: 1 })
  }

  /** Renders the summary. */
  render(): Markup {
    const [one, many] = this.#options.nouns
    const heading = `${groupDigits(this.#count)} ${this.#count === 1 ? one : many}`
    const text = [...this.#describeParents(), ...this.#describeTimes()].join(', ')
    return html`<div class="summary"><h2>${heading}${text === '' ? '' : html` <span class="said">${text}</span>`}</h2>\n${this.#count < minForChart ? nothing : this.#chart()}</div>\n${this.#data()}`
  }

  #describeParents(): readonly string[] {
    const { parent } = this.#options
    const name = this.#columns[parent ?? -1]?.name
    const { size } = this.#parents
    if (name === undefined || size < 2) return []
    return [`from ${size < maxCounted ? '' : 'at least '}${groupDigits(size)} ${name}s`]
  }

  #describeTimes(): readonly string[] {
    if (this.#choice.kind !== 'columns' || this.#days.size === 0) return []
    const days = [...this.#days.keys()].sort((a, b) => a - b)
    const [from, to] = [toDay((days[0] ?? 0) * dayLength), toDay((days.at(-1) ?? 0) * dayLength)]
    const name = this.#nameOf(this.#choice.time)
    return [from === to ? `${name} ${from}` : `${name} ${from} to ${to}`]
  }

  #chart(): Markup {
    switch (this.#choice.kind) {
      case 'columns':
        return this.#drawDays(this.#choice)
      case 'ends':
        return this.#drawEnds(this.#choice)
      case 'rows':
        return this.#drawRows(this.#choice)
      case 'trend':
        return this.#drawTrend(this.#choice)
      case 'none':
        return nothing
    }
  }

  /** Returns the name of a column in words: `created` for `created_at`. */
  #nameOf(at: number): string {
    return toWords((this.#columns[at]?.name ?? '').replace(/_at$/, ''))
  }

  #wordsOf(at: number | undefined): readonly string[] {
    return at === undefined ? [] : (this.#columns[at]?.words ?? [])
  }

  #drawDays({ time, words }: Extract<ChartChoice, { kind: 'columns' }>): Markup {
    const days = [...this.#days.keys()].sort((a, b) => a - b)
    const span = (days.at(-1) ?? 0) - (days[0] ?? 0)
    if (days.length < 2 || span > maxDays) return nothing
    const unit = chooseUnit(span)
    const totals = orderCounts(this.#words, this.#wordsOf(words))
    const { series, shown } = chooseSeries(totals)
    const steps = toSteps(this.#days, unit, shown)
    const name = this.#nameOf(time)
    const by = words === undefined ? '' : `, by ${this.#nameOf(words)}`
    const title = `${capitalize(this.#options.nouns[1])} ${name} per ${unit}${by}`
    const caption = describeSteps(steps, unit, series, this.#options.nouns[1])
    return renderFigure(title, caption, [
      drawColumns(caption === '' ? title : `${title}: ${caption}`, steps, series),
      words === undefined ? nothing : renderLegend(series, mergeUnshown(totals, shown)),
      renderCounts(unit, steps, series),
    ])
  }

  #drawEnds({ time }: Extract<ChartChoice, { kind: 'ends' }>): Markup {
    const { view } = this.#options
    if (this.#ends.length === 0) return nothing
    const counts: WordCounts = new Map()
    for (const end of this.#ends) add(counts, getExpiryState(end.time, view.now.getTime()))
    const texts = [
      ['ended', 'ended'],
      ['urgent', 'within 7 days'],
      ['soon', 'within 30 days'],
      ['later', 'later'],
    ] as const
    const parts = texts.flatMap(([state, words]) =>
      counts.has(state) ? [`${counts.get(state)} ${words}`] : [],
    )
    const without = this.#count - this.#ended
    const caption = [...parts, ...(without === 0 ? [] : [`${without} without an end`])].join(', ')
    const title = `When they end (${this.#columns[time]?.name ?? ''})`
    return renderFigure(title, caption, [drawTimeline(this.#ends, view, `${title}: ${caption}`)])
  }

  #drawRows({ words, parts }: Extract<ChartChoice, { kind: 'rows' }>): Markup {
    const totals = orderCounts(this.#words, this.#wordsOf(parts))
    const isPlain = parts === undefined
    const name = this.#nameOf(words)
    const rowWords = orderCounts(
      new Map([...this.#rows].map(([word, counts]) => [word, sumCounts(counts)])),
      this.#wordsOf(words),
    )
    const { series, shown } = chooseSeries(isPlain ? rowWords : totals)
    const rows = [...rowWords.keys()].map((word): ChartRow => {
      const counts = this.#rows.get(word) ?? new Map<string, number>()
      const own = isPlain
        ? new Map([[shown.has(word) ? word : other, sumCounts(counts)]])
        : mergeUnshown(counts, shown)
      return { name: toWords(word), label: toWords(word), counts: own }
    })
    const title = isPlain ? `By ${name}` : `By ${name} and ${this.#nameOf(parts)}`
    const first = renderFigure(title, '', [
      drawRows(rows, series),
      isPlain ? nothing : renderLegend(series, mergeUnshown(totals, shown)),
      renderCounts(name, rows, series),
    ])
    const projects = this.#drawParents(isPlain ? undefined : { series, shown })
    return projects === undefined ? first : html`<div class="pair">${first}${projects}</div>\n`
  }

  /** Draws a line for each word, with a point for each snapshot. */
  #drawTrend({ words }: Extract<ChartChoice, { kind: 'trend' }>): Markup {
    const snapshots = [...new Set([...this.#rows.keys(), ...this.#options.snapshots()])].sort()
    if (snapshots.length < 2) return nothing
    const totals = orderCounts(this.#words, this.#wordsOf(words))
    const { series, shown } = chooseSeries(totals)
    const steps = snapshots.map((one) => mergeUnshown(this.#rows.get(one) ?? new Map(), shown))
    const by = words === undefined ? '' : `, by ${this.#nameOf(words)}`
    const title = `${capitalize(this.#options.nouns[1])} per snapshot${by}`
    const lines = series.map((one) => ({
      ...one,
      values: steps.map((step) => step.get(one.word) ?? 0),
    }))
    const legend = words === undefined ? nothing : renderLegend(series, steps.at(-1))
    return renderFigure(
      title,
      'one point a snapshot',
      renderLines(title, toSnapshotSteps(snapshots), lines, { legend }),
    )
  }

  #drawParents(words: ReturnType<typeof chooseSeries> | undefined): Markup | undefined {
    const { parent, href } = this.#options
    const column = this.#columns[parent ?? -1]?.name
    if (column === undefined || this.#parents.size < 2) return undefined
    const most = [...this.#parents].toSorted(
      ([a, n], [b, m]) => sumCounts(m) - sumCounts(n) || (a < b ? -1 : 1),
    )
    const rows = most.slice(0, maxProjects).map(([path, counts]): ChartRow => {
      const address = href(path, column)
      const name =
        address === undefined ? path : html`<a href="${address}" rel="noreferrer">${path}</a>`
      const own =
        words === undefined
          ? new Map([[undivided, sumCounts(counts)]])
          : mergeUnshown(counts, words.shown)
      return { name, label: path, counts: own }
    })
    const series = words?.series ?? toSeries([undivided])
    const caption =
      most.length > maxProjects ? `the first ${maxProjects} of ${groupDigits(most.length)}` : ''
    return renderFigure(`By ${column}`, caption, [
      drawRows(rows, series),
      renderCounts(column, rows, series),
    ])
  }

  /** Renders the data from which the script creates facets. */
  #data(): Markup {
    // Each of several instances or snapshots has the same records.
    const sites = this.#columns[0]?.isSite === true ? (this.#facets[0]?.size ?? maxFacet) : 1
    const facets = this.#facets.flatMap((facet, i) => {
      const column = this.#columns[i]
      if (column === undefined || facet === undefined || facet.size < 2) return []
      // A column that tells records apart is nothing to choose by.
      const isKnown = column.isTarget === true || column.words.length > 0
      const repeats = isKnown ? 1 : minRepeats * sites
      if (this.#count < Math.max(minForFacets, repeats * facet.size)) return []
      const values = [
        ...orderCounts(
          new Map([...facet].map(([raw, { count }]) => [raw, count])),
          column.words,
        ).keys(),
      ]
      const described = values.map((raw) => {
        const { text, count } = facet.get(raw) ?? { text: raw, count: 0 }
        return [raw, text, count, getStatusStyle(raw)?.tone ?? '']
      })
      return [{ column: i, name: column.name, values: described }]
    })
    const time =
      this.#choice.kind === 'columns' ? { column: this.#choice.time, unit: this.#unit } : undefined
    const { csvRaw, nouns } = this.#options
    const text = JSON.stringify({ facets, time, csvRaw, name: nouns[1] }).replaceAll('<', '\\u003c')
    return html`<script type="application/json" class="facets">${new Markup(text)}</script>\n`
  }

  get #unit(): string {
    const days = [...this.#days.keys()]
    return chooseUnit(
      days.reduce((a, b) => Math.max(a, b), 0) -
        days.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    )
  }
}
