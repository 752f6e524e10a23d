/** Records of a list with what only the single record shows of them. */

import { mapConcurrent } from '../../base/async.js'
import { parseBytes } from '../../base/json/built.js'
import { stringifyExact } from '../../base/json/json.js'
import { isObject } from '../../base/objects.js'
import type { Naming } from '../../catalogue/words.js'
import type { SingleReader, Writer } from '../../output/types.js'
import { hasField } from '../where/shape.js'

const encoder = new TextEncoder()

/** A row as bytes. */
export const encoded = (row: unknown): Uint8Array => encoder.encode(stringifyExact(row) ?? 'null')

export interface MergeOptions {
  readonly fields: readonly string[]
  readonly words?: Naming | undefined
  /** The record in a row; undefined where the row is about something else. */
  readonly recordOf: (row: unknown) => unknown
}

/** A row with the single record's fields beside its own; itself where it has them all, or they cannot be read. */
export const mergedRow = async (
  row: unknown,
  reader: SingleReader | undefined,
  { fields, words, recordOf }: MergeOptions,
): Promise<unknown> => {
  const record = recordOf(row)
  if (reader === undefined || !isObject(record)) return row
  if (fields.every((field) => hasField(record, field.split('.'), words))) return row
  const single = await reader.read(record)
  if (!isObject(single)) return row
  const merged = { ...single, ...record }
  return record === row || !isObject(row) ? merged : { ...row, record: merged }
}

/** Reads the single record of each that is printed there, several at once. */
export const withSingles = (writer: Writer, options: MergeOptions, width: number): Writer => ({
  held: () => writer.held?.() === true,
  raw: async (batch, readers = []) => {
    const merge = async ([i, bytes]: readonly [number, Uint8Array]): Promise<Uint8Array> => {
      const reader = readers[i]
      if (reader === undefined) return bytes
      const row = parseBytes(bytes)
      const merged = await mergedRow(row, reader, options)
      return merged === row ? bytes : encoded(merged)
    }
    const whole: Uint8Array[] = []
    for await (const bytes of mapConcurrent(batch.entries(), width, merge)) whole.push(bytes)
    await writer.raw(whole)
  },
  record: (value) => writer.record(value),
  close: () => writer.close(),
  abandon: () => writer.abandon(),
})
