/** Writes one text a line: values of fields (`-o value`), or IDs (`-o id`). */

import { isScalar, serializeJson } from '../base/json/values.js'
import { createTargetPicker } from '../catalogue/pick.js'
import { Failure } from '../errors.js'
import { escapeLine } from './escape.js'
import type { OpenPrinter } from './types.js'

/**
 * Opens the printer of `-o value`: one line a record with the values of its fields. Texts are escaped; anything else is
 * JSON.
 */
export const openValues: OpenPrinter = (sink, view) => {
  const { columns = [], fields = columns.slice(0, 1), style } = view
  const paths = fields.length === 0 ? ['value'] : fields
  const pick = createTargetPicker(view)
  const toText = (value: unknown): string => {
    if (value === undefined || value === null) return ''
    return escapeLine(isScalar(value) ? String(value) : serializeJson(value), style)
  }
  const toLine = (record: unknown): string => {
    if (isScalar(record)) return `${toText(record)}\n`
    return `${paths.map((path) => toText(pick(record, path))).join('\t')}\n`
  }
  return {
    values: (batch) => sink.write(batch.map(toLine).join('')),
    close: async () => {},
  }
}

/** Opens the printer of `-o id`: one line an object with the name that the area's verbs take. */
export const openIds: OpenPrinter = (sink, view) => {
  const { names = [], object, parents, pick, style } = view
  const toLine = (whole: unknown): string => {
    const record = parents === undefined ? whole : pick(whole, 'record')
    // An answer to a write may be a message alone. Its object is then named as on the line.
    const values = [...names.map((name) => pick(record, name)), pick(record, 'object'), object]
    const found = values.find((value) => isScalar(value) && String(value ?? '') !== '')
    if (found !== undefined) return `${escapeLine(String(found), style)}\n`
    throw new Failure(
      'failed',
      `the response has no ${[...new Set(names)].join(' and no ') || 'name of an object'}`,
      {
        hint: 'Use -o json to see its fields.',
      },
    )
  }
  return {
    values: (batch) => sink.write(batch.map(toLine).join('')),
    close: async () => {},
  }
}
