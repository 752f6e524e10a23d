/**
 * Writes answers as an HTML page without external resources: a list becomes a table that sorts and filters, with a
 * chart if its fields suit one, and a single object becomes a table of its fields.
 */

import { ExactNumber } from '../base/json/json.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { isObject } from '../base/objects.js'
import { createRows } from './cell.js'
import { escapeLine, escapeLines } from './escape.js'
import { renderCell, toPageCell } from './html/cells.js'
import { PageList } from './html/list-page.js'
import { html, type Markup } from './html/markup.js'
import { renderHead } from './html/page-parts.js'
import type { FormatView, OpenPrinter, Printer, Sink } from './types.js'

export { endPage } from './html/page-parts.js'

// The page of one object.

/** The depth to which nested objects are shown field by field; deeper ones are shown as JSON. */
const maxDepth = 4

const renderFieldRows = (
  name: string,
  value: unknown,
  view: FormatView,
  depth = 0,
): readonly Markup[] => {
  if (isObject(value) && Object.keys(value).length > 0 && depth < maxDepth)
    return Object.entries(value).flatMap(([key, inner]) =>
      renderFieldRows(name === '' ? key : `${name}.${key}`, inner, view, depth + 1),
    )
  const isShort = isScalar(value) || Array.isArray(value)
  const cell = toPageCell(name, isShort ? value : serializeJson(value), view)
  return [
    html`<tr><th scope="row">${escapeLine(name, view.style)}</th>${renderCell(cell, '')}</tr>\n`,
  ]
}

const renderDetail = (record: unknown, view: FormatView): Markup => {
  if (typeof record === 'string') return html`<pre>${escapeLines(record, view.style)}</pre>\n`
  const rows = createRows(view)
  const values = rows.values(record)
  const lines = rows
    .columns()
    .flatMap((_, i) => renderFieldRows(rows.headings()[i] ?? '', values[i], view, 1))
  return html`<div class="scroll" tabindex="0" role="region" aria-label="fields"><table class="fields"><tbody>\n${lines}</tbody></table></div>\n`
}

/** Writes the head of the page, if this is its first answer. */
const beginPage = async (sink: Sink, view: FormatView): Promise<void> => {
  if (view.page?.begin() !== false) await sink.write((await renderHead(view)).text)
}

/** Opens the printer of HTML pages. */
export const open: OpenPrinter = (sink, view) => {
  let begun = false
  const begin = async (): Promise<void> => {
    if (begun) return
    begun = true
    await beginPage(sink, view)
    await sink.write(html`<section class="card${view.many ? ' list' : ''}">\n`.text)
  }
  const list = new PageList(sink, view)
  // If the answer ends early, the records so far stay; the page then lacks its end.
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
    abandon: async () => {
      if (begun) await end()
    },
  }
}

/** Escapes all texts and field names of a record. */
const toSafeRecord = (value: unknown, view: FormatView): unknown => {
  if (typeof value === 'string') return escapeLine(value, view.style)
  if (Array.isArray(value)) return value.map((one: unknown) => toSafeRecord(one, view))
  if (value instanceof ExactNumber) return Number(value)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      escapeLine(name, view.style),
      toSafeRecord(inner, view),
    ]),
  )
}

/** Draws sections of a page from records whose texts are escaped. */
type SectionWriter = (records: readonly unknown[], view: FormatView) => Markup

const writeDrawing = async (
  draw: SectionWriter,
  records: readonly unknown[],
  sink: Sink,
  view: FormatView,
): Promise<void> => {
  await beginPage(sink, view)
  const safe = records.map((record) => toSafeRecord(record, view))
  await sink.write(draw(safe, view).text)
}

/** Creates a printer that collects all records before it writes them. */
const collectRecords = (write: (records: readonly unknown[]) => Promise<void>): Printer => {
  const records: unknown[] = []
  const end = (): Promise<void> => write(records)
  return {
    values: async (batch) => {
      records.push(...batch)
    },
    close: end,
    abandon: async () => {
      if (records.length > 0) await end()
    },
  }
}

/**
 * Creates a format from a function that draws a page. It collects all records first, and escapes their texts.
 * @param draw returns the sections of the page
 */
export const openDrawing =
  (draw: SectionWriter): OpenPrinter =>
  (sink, view) =>
    collectRecords((records) => writeDrawing(draw, records, sink, view))

/**
 * Creates a format that draws something above a list. It collects all records first.
 * @param draw returns the sections above the list
 */
export const openAboveList =
  (draw: SectionWriter): OpenPrinter =>
  (sink, view) =>
    collectRecords(async (records) => {
      await writeDrawing(draw, records, sink, view)
      const below = view.page && { ...view.page, begin: () => false }
      const list = open(sink, { ...view, page: below })
      await list.values(records)
      await list.close()
    })
