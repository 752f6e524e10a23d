/**
 * CSV by RFC 4180, lines ended by a line feed: a header of field names, whole values, nested ones
 * as JSON text. A cell that a spreadsheet would run as a formula gets an apostrophe in front,
 * unless `--csv-raw`.
 */
import { inPieces } from '../base/pieces.js'
import { rowsOf } from './columns.js'
import { levelOf } from './levels.js'
import { isScalar, stringify } from './record.js'
import type { Open, View } from './types.js'

const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const number = /^[+-]?\d+(\.\d+)?$/

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return isScalar(value) ? String(value) : stringify(value)
}

/** Line breaks stay, as RFC 4180 allows inside of quotes; other control characters are shown. */
const shown = (view: View, text: string): string =>
  inPieces(text, (piece) =>
    piece.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, (part) => view.style.visible(part)),
  )

const celler = (view: View): ((value: unknown) => string) => {
  return (value) => {
    const text = textOf(value)
    const runs = view.csvRaw !== true && formula.test(text) && !number.test(text)
    const cell = shown(view, runs ? `'${text}` : text)
    return /[",\n\r]|^[ \t]|[ \t]$/.test(cell)
      ? `"${inPieces(cell, (piece) => piece.replaceAll('"', '""'))}"`
      : cell
  }
}

export const open: Open = (sink, view) => {
  const rows = rowsOf(view)
  const cell = celler(view)
  let started = false
  const line = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\n`
  const named = (values: readonly unknown[]): readonly unknown[] =>
    values.map((value, i) => levelOf(rows.columns()[i], value) ?? value)
  const header = (): string => {
    if (started || rows.columns().length === 0) return ''
    started = true
    return line(rows.columns())
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    if (records.length === 0) return
    const lines = records.map((record) => line(named(rows.values(record))))
    await sink.write(header() + lines.join(''))
  }
  return {
    values: write,
    close: async () => {
      const text = header()
      if (text !== '') await sink.write(text)
    },
  }
}
