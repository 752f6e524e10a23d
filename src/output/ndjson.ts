/** NDJSON: a record a line, as it arrives, byte for byte where nothing needs its fields. */
import type { Records } from '../base/json/records.js'
import { encode, liner, writeLines } from './json/bytes.js'
import type { Open } from './types.js'

export const open: Open = (sink, view) => {
  const lines = liner(view)
  const bytes = (batch: Records): Promise<void> => writeLines(sink, lines(batch))
  return { bytes, values: (batch) => bytes(batch.map(encode)), close: async () => {} }
}
