/**
 * A list of a page: a table that the page's script sorts, filters and downloads. Rows beyond the first ones are blocks of data that the
 * script shows, which limits the memory here and in the browser.
 */

import { getLeadingColumns } from '../../catalogue/pick.js'
import { createRows, getRowView } from '../cell.js'
import { escapeLine, type SafeText } from '../escape.js'
import type { FieldMeaning, FormatView, Sink } from '../types.js'
import { type CellLayout, type PageCell, packCell, renderCell, toPageCell } from './cells.js'
import { drawGroups } from './groups.js'
import { html, type Markup } from './markup.js'
import { getInstanceHref } from './page-parts.js'
import { ListSummary } from './summary.js'

/** The number of rows in the page itself; further rows are in blocks of data. */
const maxRows = 2000
/** The size of a block of data, in characters; the last row may exceed it. */
const blockSize = 1 << 20
/** The largest number of groups that charts show. */
const maxGroups = 5000

interface Column {
  readonly heading: SafeText
  readonly cssClass: CellLayout
}

/** Returns the class that all cells with a value share; empty if they differ. */
const getColumnClass = (cells: readonly (PageCell | undefined)[]): CellLayout => {
  const classes = new Set(
    cells.flatMap((cell) => (cell === undefined || cell.raw === '' ? [] : cell.cssClass)),
  )
  const [only = ''] = classes
  return classes.size === 1 ? only : ''
}

/** The columns that name the instance or the snapshot of a record. */
const sites: readonly string[] = ['profile', 'snapshot']

const unknown: FieldMeaning = { isTime: false, words: [] }

export class PageList {
  readonly #sink: Sink
  readonly #view: FormatView
  readonly #rows
  #cells: (readonly PageCell[])[] = []
  #columns: readonly Column[] | undefined
  #summary: ListSummary | undefined
  #groups: (readonly unknown[])[] = []
  #block: string[] = []
  #size = 0

  constructor(sink: Sink, view: FormatView) {
    this.#sink = sink
    this.#view = view
    this.#rows = createRows(view)
  }

  async take(records: readonly unknown[]): Promise<void> {
    const isGrouped = this.#view.page?.groups !== undefined
    for (const record of records) {
      const values = this.#rows.values(record)
      this.#cells.push(this.#createCells(values, record))
      if (isGrouped && this.#groups.length < maxGroups) this.#groups.push(values)
      if (this.#cells.length >= maxRows) await this.#flush()
    }
  }

  async end(): Promise<void> {
    await this.#flush()
    if (this.#columns === undefined) return this.#sink.write(html`<p class="said">none</p>\n`.text)
    await this.#endBlock()
    const { page } = this.#view
    if (page?.groups !== undefined) {
      const many = page.nouns[1]
      const drawn = drawGroups(
        page.groups,
        this.#rows.columns(),
        this.#groups,
        many,
        (field) => page.meaning(field).words,
        page.snapshots(),
      )
      await this.#sink.write(html`<div class="summary">${drawn}</div>\n`.text)
    }
    await this.#sink.write(this.#summary?.render().text ?? '')
  }

  /** Creates the cells of a row. The first links to the record's own page. */
  #createCells(values: readonly unknown[], record: unknown): readonly PageCell[] {
    const view = getRowView(record, this.#view)
    return this.#rows.columns().map((name, i) => {
      const cell = toPageCell(name, values[i], view)
      const href = cell.href ?? getInstanceHref(this.#rows.link(record, i), view)
      return href === undefined ? cell : { ...cell, href }
    })
  }

  #openSummary(): ListSummary {
    const { page, fields, parents = [], csvRaw } = this.#view
    const leading = getLeadingColumns(this.#view).length
    const isTarget = (name: string, i: number): boolean =>
      parents.includes(name) && (i < leading || fields !== undefined)
    const isGrouped = page?.groups !== undefined
    const columns = this.#rows.columns().map((name, i) => {
      const known = isTarget(name, i)
      const { isTime, words } = known || isGrouped ? unknown : (page?.meaning(name) ?? unknown)
      return {
        name: this.#rows.headings()[i] ?? name,
        isTime,
        words,
        isTarget: known,
        isSite: known && sites.includes(name),
        isTrend: known && name === 'snapshot',
      }
    })
    const parent = this.#rows
      .columns()
      .findIndex((name, i) => isTarget(name, i) && !sites.includes(name))
    return new ListSummary(columns, {
      nouns: isGrouped ? ['group', 'groups'] : (page?.nouns ?? ['record', 'records']),
      parent: parent < 0 || isGrouped ? undefined : parent,
      view: this.#view,
      csvRaw: csvRaw === true,
      snapshots: () => page?.snapshots() ?? [],
      href: (path, column) => this.#hrefOf(path, column),
    })
  }

  #hrefOf(path: string, column: string): string | undefined {
    const base = this.#view.page?.address
    if (base === undefined || (column !== 'project' && column !== 'group')) return undefined
    return getInstanceHref(
      `${base}/${column === 'group' ? 'groups/' : ''}${encodeURI(path)}`,
      this.#view,
    )
  }

  async #flush(): Promise<void> {
    const cells = this.#cells.splice(0)
    if (cells.length === 0) return
    const isFirst = this.#columns === undefined
    this.#columns ??= this.#rows.columns().map((name, i) => ({
      heading: escapeLine(this.#rows.headings()[i] ?? name, this.#view.style),
      cssClass: getColumnClass(cells.map((row) => row[i])),
    }))
    this.#summary ??= this.#openSummary()
    for (const row of cells) this.#summary.add(row)
    await (isFirst ? this.#table(cells, this.#columns) : this.#data(cells))
  }

  async #table(rows: readonly (readonly PageCell[])[], columns: readonly Column[]): Promise<void> {
    const renderRow = (row: readonly PageCell[]): Markup =>
      html`<tr>${row.map((cell, i) => renderCell(cell, columns[i]?.cssClass ?? ''))}</tr>\n`
    const heads = columns.map(
      ({ heading, cssClass }) =>
        html`<th scope="col"${cssClass === '' ? '' : html` class="${cssClass}" data-kind="${cssClass}"`}>${heading}</th>`,
    )
    const label = this.#view.page?.title ?? 'records'
    await this.#sink.write(
      html`<div class="scroll" tabindex="0" role="region" aria-label="${escapeLine(label, this.#view.style)}"><table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows.map(renderRow)}</tbody>
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
