/** NDJSON: a record a line, as it arrives, byte for byte where nothing needs its fields. */
import { encode, liner, writeLines } from './json-bytes.js'
import type { Open } from './types.js'

export const open: Open = (sink, view) => {
  const { lines, watch } = liner(view)
  const raw = async (batch: readonly Uint8Array[]): Promise<void> => {
    await writeLines(sink, lines(batch))
  }
  return { watch, raw, record: (value) => raw([encode(value)]), close: async () => {} }
}
