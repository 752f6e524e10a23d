/** Answers that people see in a way of their own: as rows made for them, or as a page of text. */
import { parse, textOf } from './record.js'
import type { Open, Sink, View, Writer } from './types.js'

/** The view of the rows, which are written like any other records. */
const viewOfRows = ({ people, ...view }: View): View =>
  people?.columns === undefined ? view : { ...view, columns: people.columns }

/** Whoever makes a page of text reckons with the numbers. */
const plain = (bytes: Uint8Array): unknown => {
  parse(bytes)
  return JSON.parse(textOf(bytes))
}

/**
 * Holds the answer until it is whole, then writes what people see of it.
 * @param open the format that writes the rows
 */
export const openForPeople = (open: Open, sink: Sink, view: View): Writer => {
  const { people } = view
  const records: unknown[] = []
  const page = view.terminal && view.fields === undefined ? people?.page : undefined
  const show = async (): Promise<void> => {
    if (page !== undefined) {
      for await (const text of page(records)) await sink.write(text)
      return
    }
    const writer = open(sink, viewOfRows(view))
    for (const row of people?.rows?.(records) ?? records) await writer.record(row)
    await writer.close()
  }
  return {
    raw: async (batch) => {
      for (const bytes of batch) records.push(page === undefined ? parse(bytes) : plain(bytes))
    },
    record: async (value) => {
      records.push(value)
    },
    close: show,
    abandon: show,
  }
}
