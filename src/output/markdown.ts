/**
 * Writes a Markdown table for merge request notes and wikis. Data cannot leave its cell: markup is escaped, and
 * mentions and links are broken by an element around one character.
 */

import { isScalar, serializeJson } from '../base/json/values.js'
import { escapeMarkdown } from '../base/markdown-text.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import { createListPrinter, createRecordPrinter, createRows } from './cell.js'
import { escapeLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

const formatCell = (name: string | undefined, value: unknown, { style }: FormatView): string => {
  if (value === null || value === undefined) return ''
  const word = getLevelName(name, value) ?? value
  return escapeMarkdown(escapeLines(isScalar(word) ? String(word) : serializeJson(word), style))
}

const formatLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

const openList: OpenPrinter = (sink, view) => {
  const format = (value: unknown): string => formatCell(undefined, value, view)
  return createListPrinter(sink, view, {
    header: (rows) =>
      formatLine(rows.headings().map(format)) + formatLine(rows.columns().map(() => '---')),
    lines: (lines) => lines.map((values) => formatLine(values.map(format))).join(''),
  })
}

/** Opens the printer of one object: one row for each field. */
const openDetail: OpenPrinter = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view)
    const values = rows.values(record)
    const lines = rows
      .headings()
      .map((heading, i) =>
        formatLine([
          formatCell(undefined, heading, view),
          formatCell(rows.columns()[i], values[i], view),
        ]),
      )
    await sink.write(formatLine(['field', 'value']) + formatLine(['---', '---']) + lines.join(''))
  }
  return createRecordPrinter(write)
}

export const open: OpenPrinter = (sink, view) => (view.many ? openList : openDetail)(sink, view)
