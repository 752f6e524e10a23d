/**
 * Writes answers as an HTML page without external resources: a list as a table that sorts and filters, one object
 * as a table of its fields. Rows beyond the first ones are blocks of data that the page's script shows, so that
 * memory grows neither here nor in the browser.
 */

import { createHash } from 'node:crypto'
import { ExactNumber } from '../base/json/json.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { isObject } from '../base/objects.js'
import { type Cell, createCell, createRows, getMeaning, linkIn } from './cell.js'
import { escapeLine, escapeLines, type SafeText } from './escape.js'
import style from './html/page.css?raw'
import script from './html/page.js?raw'
import { html, isTime, Markup, Timeline } from './html-timeline.js'
import type { EndPage, FormatView, OpenPrinter, Sink } from './types.js'

// The page around the answers.

const hash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Returns the Content-Security-Policy: the page may load its own style and script, by their hashes, and nothing else. */
const buildPolicy = (): string =>
  [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** Formats a time to the minute, as a person writes it. */
const formatTime = (time: Date): string =>
  `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const renderHead = ({ page, now, style: eye }: FormatView): Markup => {
  const title = escapeLine(page?.title ?? 'svcctl', eye)
  const source = escapeLine(page?.source ?? '', eye)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${buildPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(style)}</style>
<script>${new Markup(script)}</script>
</head>
<body>
<header><h1>${title}</h1><p>${source === '' ? '' : `${source}, `}${formatTime(now)}</p></header>
<main>
`
}

/** Ends the page with its notes, and a warning if it is incomplete. */
export const endPage: EndPage = (notes, failed, eye) => {
  const warning =
    failed === undefined
      ? ''
      : html`<p class="warning">This page is incomplete: ${escapeLine(failed, eye)}</p>\n`
  const said = notes.map((note) => html`<p>${escapeLine(note, eye)}</p>\n`)
  return html`</main>\n<footer>${warning}${said}</footer>\n</body>\n</html>\n`.text
}

// Cells.

/** Columns whose numbers are amounts, so that a bar compares them: neither an ID nor a port. */
const amount =
  /(^|[._])(count|counts|size|bytes|seconds|duration|percent|total|used|value|requests|sum|avg|min|max|p95)([._]|$)/
/** The width of a bar, in units of its view box. */
const barWidth = 100
/** A share of a whole, in words. */
const percent = /^(\d+(?:\.\d+)?) %$/

/** The text of a cell, and the value by which it is sorted. */
interface PageCell {
  readonly text: SafeText
  readonly sorts?: number
  /** The amount that a bar shows. */
  readonly amount?: number
  readonly share?: true
  readonly tone?: string
  readonly href?: string
}

/** Returns a link if it leads to the instance that answered; undefined for any other place. */
const getHref = (url: string | undefined, { page }: FormatView): string | undefined => {
  if (url === undefined || page?.origin === undefined || !URL.canParse(url)) return undefined
  const { origin, href, username } = new URL(url)
  return origin === page.origin && username === '' ? href : undefined
}

const toCell = (name: string, value: unknown, view: FormatView): PageCell => {
  const { tone, url, text }: Cell = createCell(name, value, view, false)
  if (typeof value === 'number' || value instanceof ExactNumber)
    return { text, tone, sorts: Number(value), amount: Number(value) }
  const [, share] = percent.exec(text) ?? []
  if (share !== undefined) return { text, sorts: Number(share), amount: Number(share), share: true }
  if (isTime(value)) {
    const time = Date.parse(value)
    return { text: escapeLine(formatTime(new Date(time)), view.style), tone, sorts: time }
  }
  if (typeof value === 'string' && tone === undefined)
    return { text: escapeLines(value, view.style), href: getHref(url, view) }
  return { text, tone, href: getHref(url, view) }
}

// A list.

/** The number of rows in the page itself; further rows are blocks of data. */
const maxRows = 2000
/** The approximate number of characters in a block of data. */
const blockSize = 1 << 20

interface Column {
  readonly heading: SafeText
  readonly name: string
  /** Numbers stand to the right, times in one line. */
  readonly kind: 'n' | 't' | ''
  /** The largest amount, which fills a bar. */
  readonly most?: number
}

const toColumn = (
  { name, heading }: Pick<Column, 'name' | 'heading'>,
  values: readonly unknown[],
  cells: readonly (PageCell | undefined)[],
): Column => {
  const said = values.filter((value) => value !== null && value !== undefined)
  if (said.length > 0 && said.every(isTime)) return { name, heading, kind: 't' }
  if (!cells.some((cell) => cell?.amount !== undefined)) return { name, heading, kind: '' }
  const most = Math.max(0, ...cells.map((cell) => (cell?.share ? 100 : (cell?.amount ?? 0))))
  return { name, heading, kind: 'n', most: amount.test(name) && most > 0 ? most : undefined }
}

const drawBar = (share: number): Markup =>
  html`<svg class="bar" viewBox="0 0 ${barWidth} 8" aria-hidden="true"><rect width="${(barWidth * Math.min(1, Math.max(0, share))).toFixed(1)}" height="8"/></svg>`

const renderDataCell = (
  { text, sorts, tone, href, amount: much }: PageCell,
  { kind, most }: Column,
): Markup => {
  const link = href === undefined ? text : html`<a href="${href}" rel="noreferrer">${text}</a>`
  const names = [kind, tone].filter(Boolean).join(' ')
  const value = sorts === undefined ? '' : html` data-v="${sorts}"`
  const drawn = most === undefined || much === undefined ? '' : drawBar(much / most)
  return html`<td${names === '' ? '' : html` class="${names}"`}${value}>${link}${drawn}</td>`
}

const renderHeadCell = ({ heading, kind, most }: Column): Markup =>
  html`<th scope="col"${kind === '' ? '' : html` class="${kind}" data-kind="${kind}"`}${most === undefined ? '' : html` data-most="${most}"`}>${heading}</th>`

/** Packs a cell for a block of data: its text, followed by its other properties, if any. */
const packCell = ({ text, sorts, tone, href }: PageCell): unknown => {
  if (href !== undefined) return [text, sorts ?? null, tone ?? '', href]
  if (tone !== undefined) return [text, sorts ?? null, tone]
  return sorts === undefined ? text : [text, sorts]
}

class ListPage {
  readonly #sink: Sink
  readonly #view: FormatView
  readonly #rows
  readonly #timeline = new Timeline()
  #values: (readonly unknown[])[] = []
  #urls: (string | undefined)[] = []
  #columns: readonly Column[] | undefined
  #block: string[] = []
  #size = 0

  constructor(sink: Sink, view: FormatView) {
    this.#sink = sink
    this.#view = view
    this.#rows = createRows(view)
  }

  async take(records: readonly unknown[]): Promise<void> {
    for (const record of records) {
      this.#values.push(this.#rows.values(record))
      this.#urls.push(linkIn(record))
      if (this.#values.length >= maxRows) await this.#flush()
    }
  }

  async end(): Promise<void> {
    await this.#flush()
    if (this.#columns === undefined) return this.#sink.write(html`<p class="said">none</p>\n`.text)
    await this.#endBlock()
    const [times] = this.#columns.flatMap(({ kind, name }) => (kind === 't' ? [name] : []))
    await this.#sink.write(this.#timeline.figure(times ?? '', this.#view.now).text)
  }

  /** The cells of a row; the first leads to the record's own page. */
  #cells(values: readonly unknown[], url: string | undefined): readonly PageCell[] {
    return this.#rows.columns().map((name, i) => {
      const cell = toCell(getMeaning(name, this.#view), values[i], this.#view)
      return i === 0 && cell.href === undefined ? { ...cell, href: getHref(url, this.#view) } : cell
    })
  }

  async #flush(): Promise<void> {
    const some = this.#values.splice(0)
    if (some.length === 0) return
    const urls = this.#urls.splice(0)
    const cells = some.map((values, i) => this.#cells(values, urls[i]))
    const first = this.#columns === undefined
    this.#columns ??= this.#rows.columns().map((name, i) =>
      toColumn(
        { name, heading: escapeLine(this.#rows.headings()[i] ?? name, this.#view.style) },
        some.map((values) => values[i]),
        cells.map((row) => row[i]),
      ),
    )
    const times = this.#columns.findIndex(({ kind }) => kind === 't')
    for (const row of cells) this.#timeline.add(row[times]?.sorts, row[0]?.text ?? '')
    await (first ? this.#table(cells, this.#columns) : this.#data(cells))
  }

  async #table(rows: readonly (readonly PageCell[])[], columns: readonly Column[]): Promise<void> {
    const line = (row: readonly PageCell[]): Markup =>
      html`<tr>${row.flatMap((cell, i) => (columns[i] === undefined ? [] : renderDataCell(cell, columns[i])))}</tr>\n`
    const label = this.#view.page?.section ?? this.#view.page?.title ?? 'records'
    await this.#sink.write(
      html`<div class="scroll" tabindex="0" role="region" aria-label="${escapeLine(label, this.#view.style)}"><table>
<thead><tr>${columns.map(renderHeadCell)}</tr></thead>
<tbody>
${rows.map(line)}</tbody>
</table></div>
`.text,
    )
  }

  async #data(rows: readonly (readonly PageCell[])[]): Promise<void> {
    for (const row of rows) {
      const text = JSON.stringify(row.map(packCell)).replaceAll('<', '\\u003c')
      this.#block.push(text)
      this.#size += text.length
      if (this.#size >= blockSize) await this.#endBlock()
    }
  }

  async #endBlock(): Promise<void> {
    if (this.#size === 0) return
    const rows = this.#block.splice(0).join(',\n')
    this.#size = 0
    await this.#sink.write(`<script type="application/json" class="rows">[${rows}]</script>\n`)
  }
}

// One object.

/** The depth to which objects are shown field by field; deeper ones are shown as JSON text. */
const deepest = 4

const renderFieldRows = (
  name: string,
  value: unknown,
  view: FormatView,
  depth = 0,
): readonly Markup[] => {
  if (isObject(value) && Object.keys(value).length > 0 && depth < deepest)
    return Object.entries(value).flatMap(([key, inner]) =>
      renderFieldRows(name === '' ? key : `${name}.${key}`, inner, view, depth + 1),
    )
  const cell =
    isScalar(value) || Array.isArray(value)
      ? toCell(name, value, view)
      : { text: escapeLine(serializeJson(value), view.style) }
  return [
    html`<tr><th scope="row">${escapeLine(name, view.style)}</th>${renderDataCell(cell, { name, heading: cell.text, kind: '' })}</tr>\n`,
  ]
}

const renderDetail = (record: unknown, view: FormatView): Markup => {
  if (typeof record === 'string') return html`<pre>${escapeLines(record, view.style)}</pre>\n`
  const rows = createRows(view)
  const values = rows.values(record)
  const lines = rows
    .columns()
    .flatMap((_, i) => renderFieldRows(rows.headings()[i] ?? '', values[i], view, 1))
  return html`<div class="scroll"><table><tbody>\n${lines}</tbody></table></div>\n`
}

/** Opens the format. */
export const open: OpenPrinter = (sink, view) => {
  let begun = false
  const begin = async (): Promise<void> => {
    if (begun) return
    begun = true
    if (view.page?.begin() !== false) await sink.write(renderHead(view).text)
    const { section, said } = view.page ?? {}
    const heading = section === undefined ? '' : html`<h2>${escapeLine(section, view.style)}</h2>\n`
    const below =
      said === undefined ? '' : html`<p class="said">${escapeLine(said, view.style)}</p>\n`
    await sink.write(
      html`<section${view.many ? html` class="list"` : ''}>\n${heading}${below}`.text,
    )
  }
  const list = new ListPage(sink, view)
  // What came before an answer broke off stands; the page then lacks its own end.
  const end = async (): Promise<void> => {
    await begin()
    if (view.many) await list.end()
    await sink.write('</section>\n')
  }
  return {
    values: async (batch) => {
      await begin()
      if (view.many) return list.take(batch)
      for (const record of batch) await sink.write(renderDetail(record, view).text)
    },
    close: end,
    abandon: end,
  }
}
