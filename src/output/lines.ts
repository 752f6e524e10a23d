/** Writes one text a line: the values of a field, or the IDs of the objects. */

import { isScalar, serializeJson } from '../base/json/values.js'
import { createTargetPicker } from '../catalogue/pick.js'
import { Failure } from '../errors.js'
import { escapeLine } from './escape.js'
import type { OpenPrinter } from './types.js'

/** `-o value`: the values of fields, a line a record. Text as it is, control characters visible; the rest as JSON. */
export const openValues: OpenPrinter = (sink, view) => {
  const { columns = [], fields = columns.slice(0, 1), style } = view
  const paths = fields.length === 0 ? ['value'] : fields
  const pick = createTargetPicker(view)
  const textOf = (value: unknown): string => {
    if (value === undefined || value === null) return ''
    return escapeLine(isScalar(value) ? String(value) : serializeJson(value), style)
  }
  const lineOf = (record: unknown): string => {
    if (isScalar(record)) return `${textOf(record)}\n`
    return `${paths.map((path) => textOf(pick(record, path))).join('\t')}\n`
  }
  return {
    values: (batch) => sink.write(batch.map(lineOf).join('')),
    close: async () => {},
  }
}

/** `-o id`: what the area's verbs take, a line an object. */
export const openIds: OpenPrinter = (sink, view) => {
  const { names = [], parents, pick, style } = view
  const lineOf = (whole: unknown): string => {
    const record = parents === undefined ? whole : pick(whole, 'record')
    for (const name of names) {
      const value = pick(record, name)
      if (value !== undefined && value !== null && value !== '')
        return `${escapeLine(String(value), style)}\n`
    }
    throw new Failure(
      'failed',
      `the response has no ${names.join(' and no ') || 'name of an object'}`,
      {
        hint: 'Use -o json to see its fields.',
      },
    )
  }
  return {
    values: (batch) => sink.write(batch.map(lineOf).join('')),
    close: async () => {},
  }
}
