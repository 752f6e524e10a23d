/**
 * A Markdown table, for notes on merge requests and for wikis. Data cannot leave its cell: what would be
 * markup is escaped, what would mention somebody or become a link is broken by an element around one sign.
 */

import { isScalar, stringify } from '../base/json/values.js'
import { escapeMarkdown } from '../base/markdown-text.js'
import { getLevelName } from '../catalogue/levels.js'
import { createRows } from './cell.js'
import { shownLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

const cellOf = (name: string | undefined, value: unknown, { style }: FormatView): string => {
  if (value === null || value === undefined) return ''
  const word = getLevelName(name, value) ?? value
  return escapeMarkdown(shownLines(isScalar(word) ? String(word) : stringify(word), style))
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

const list: OpenPrinter = (sink, view) => {
  const rows = createRows(view)
  let started = false
  const header = (): string => {
    const names = rows.columns()
    if (started || names.length === 0) return ''
    started = true
    return line(names.map((name) => cellOf(undefined, name, view))) + line(names.map(() => '---'))
  }
  const rowOf = (record: unknown): string =>
    line(rows.values(record).map((value, i) => cellOf(rows.columns()[i], value, view)))
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
const detail: OpenPrinter = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view)
    const values = rows.values(record)
    const lines = rows
      .columns()
      .map((name, i) => line([cellOf(undefined, name, view), cellOf(name, values[i], view)]))
    await sink.write(line(['field', 'value']) + line(['---', '---']) + lines.join(''))
  }
  return {
    values: async (batch) => {
      for (const record of batch) await write(record)
    },
    close: async () => {},
  }
}

export const open: OpenPrinter = (sink, view) => (view.many ? list : detail)(sink, view)
