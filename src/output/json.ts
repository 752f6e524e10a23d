/**
 * JSON: the API's own objects, numbers and strings as they came; a list is one array, written
 * record by record and closed only when it is whole. Compact, or laid out on a terminal.
 * `--fields a,b.c` gives flat objects whose keys are spelt as asked: `{"a": …, "b.c": …}`; a field
 * that a record lacks is left out.
 */
import type { Records } from '../base/json/records.js'
import { encode, liner, type ToLines, writeItems, writeLines } from './json/bytes.js'
import { rewrite } from './json/text.js'
import { decodeText } from './record.js'
import type { FormatView, Open } from './types.js'

/** Lays a compact record out, standing so many levels deep. */
const pretty = (bytes: Uint8Array, indent: number): Uint8Array =>
  rewrite(decodeText(bytes), { indent })

const printer = (view: FormatView): ToLines => {
  const lines = liner(view)
  if (!view.terminal) return lines
  return (batch) => lines(batch).map((bytes) => pretty(bytes, view.many ? 1 : 0))
}

export const open: Open = (sink, view) => {
  const print = printer(view)
  const gap = view.terminal ? '\n  ' : ''
  let started = false

  const bytes = async (batch: Records): Promise<void> => {
    if (!view.many) return writeLines(sink, print(batch))
    if (batch.length === 0) return
    const begun = started
    started = true
    await writeItems(sink, print(batch), { begun, gap })
  }
  return {
    bytes,
    values: (batch) => bytes(batch.map(encode)),
    close: async () => {
      if (!view.many) return
      const end = view.terminal && started ? '\n]\n' : ']\n'
      await sink.write(started ? end : `[${end}`)
    },
  }
}
