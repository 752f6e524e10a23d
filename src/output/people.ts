/** Answers that people see in a way of their own: as rows made for them, or as a page of text. */
import { legible } from '../catalogue/legible.js'
import { decodeText, parse } from './record.js'
import { shownPage } from './shown.js'
import type { Asked, Printer, Sink, Writer } from './types.js'

/** The view of the rows, which are written like any other records; columns of their own are no names of the API. */
const viewOfRows = ({ people, ...asked }: Asked): Asked =>
  people?.columns === undefined ? asked : { ...asked, columns: people.columns, titled: true }

/** Whoever makes a page of text reckons with the numbers. */
const plain = (bytes: Uint8Array): unknown => {
  parse(bytes)
  return JSON.parse(decodeText(bytes))
}

/**
 * Holds the answer until it is whole, then writes what people see of it.
 * @param start starts the rows' own writer: what they are made of is masked once more
 */
export const printerForPeople = (
  start: (asked: Asked) => Writer,
  sink: Sink,
  asked: Asked,
): Printer => {
  const { people } = asked
  const records: unknown[] = []
  // Who makes rows and pages knows the names of the documents.
  const take = (value: unknown): void => {
    records.push(asked.words === undefined ? value : legible(value, asked.words))
  }
  const page = asked.terminal && asked.fields === undefined ? people?.page : undefined
  const show = async (): Promise<void> => {
    if (page !== undefined) {
      for await (const text of page(records)) await sink.write(shownPage(text, asked.style))
      return
    }
    const writer = start(viewOfRows(asked))
    for (const row of people?.rows?.(records) ?? records) await writer.record(row)
    await writer.close()
  }
  return {
    bytes: async (batch) => {
      for (const bytes of batch) take(page === undefined ? parse(bytes) : plain(bytes))
    },
    values: async (batch) => {
      for (const value of batch) take(value)
    },
    close: show,
    abandon: show,
  }
}
