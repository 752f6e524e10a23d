/**
 * JSON: the API's own objects, numbers and strings as they came; a list is one array, written
 * record by record and closed only when it is whole. Compact, or laid out on a terminal.
 * `--fields a,b.c` gives flat objects whose keys are spelt as asked: `{"a": …, "b.c": …}`; a field
 * that a record lacks is left out.
 */
import { encode, joined, liner, type ToLines, writeLines } from './json/bytes.js'
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

  const list = async (batch: readonly Uint8Array[]): Promise<void> => {
    if (batch.length === 0) return
    const text = joined(print(batch), `,${gap}`, '')
    const first = started ? '' : '['
    started = true
    await sink.write(first === '' ? text : Buffer.concat([Buffer.from('['), text.subarray(1)]))
  }
  const bytes = view.many
    ? list
    : (batch: readonly Uint8Array[]): Promise<void> => writeLines(sink, print(batch))
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
