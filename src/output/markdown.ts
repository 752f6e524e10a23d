/**
 * A Markdown table, for notes on merge requests and for wikis. Data cannot leave its cell: what would be
 * markup is escaped, what would mention somebody or become a link is broken by an element around one sign.
 */

import { isScalar, serializeJson } from '../base/json/values.js'
import { escapeMarkdown } from '../base/markdown-text.js'
import { getLevelName } from '../catalogue/levels.js'
import { createRows } from './cell.js'
import { escapeLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

const formatCell = (name: string | undefined, value: unknown, { style }: FormatView): string => {
  if (value === null || value === undefined) return ''
  const word = getLevelName(name, value) ?? value
  return escapeMarkdown(escapeLines(isScalar(word) ? String(word) : serializeJson(word), style))
}

const formatLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

const list: OpenPrinter = (sink, view) => {
  const rows = createRows(view)
  let started = false
  const header = (): string => {
    const names = rows.columns()
    if (started || names.length === 0) return ''
    started = true
    return (
      formatLine(names.map((name) => formatCell(undefined, name, view))) +
      formatLine(names.map(() => '---'))
    )
  }
  const rowOf = (record: unknown): string =>
    formatLine(rows.values(record).map((value, i) => formatCell(rows.columns()[i], value, view)))
  return {
    values: async (batch) => {
      // The first record may be what says which columns there are.
      const lines = batch.map(rowOf)
      await sink.write(header() + lines.join(''))
    },
    close: async () => {
      const text = header()
      if (text !== '') await sink.write(text)
    },
  }
}

/** One object: a row a field. */
const openDetail: OpenPrinter = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view)
    const values = rows.values(record)
    const lines = rows
      .columns()
      .map((name, i) =>
        formatLine([formatCell(undefined, name, view), formatCell(name, values[i], view)]),
      )
    await sink.write(formatLine(['field', 'value']) + formatLine(['---', '---']) + lines.join(''))
  }
  return {
    values: async (batch) => {
      for (const record of batch) await write(record)
    },
    close: async () => {},
  }
}

export const open: OpenPrinter = (sink, view) => (view.many ? list : openDetail)(sink, view)
