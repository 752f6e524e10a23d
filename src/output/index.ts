/** Writes an answer in one of the output formats, and what people see in a way of their own: rows made for them, or a page. */

import type { Records } from '../base/json/records.js'
import { decodeText, parseRecord } from '../base/json/values.js'
import {
  createMaskedPick,
  createRecordMasker,
  type HiddenFields,
} from '../base/secrets/mask-records.js'
import { createPicker } from '../catalogue/pick.js'
import type { Inspection } from '../catalogue/views.js'
import { makeLegible, type Words } from '../catalogue/words.js'
import { escapePage } from './escape.js'
import { jsonFormat } from './formats.js'
import type { AnswerView, Format, Printer, Sink, Writer } from './types.js'

// No format sees a record before its secrets are masked.

/**
 * Masks what is written on its way to a printer.
 * @param words the instance's own: a secret is one under either name
 */
const createMaskedWriter = (
  printer: Printer,
  hidden: HiddenFields,
  words: Words | undefined,
): Writer => {
  const mask = createRecordMasker(hidden, words)
  return {
    watch: mask.watch,
    raw: async (batch) => {
      const shown = mask.maskBatch(batch)
      await (printer.bytes?.(shown) ?? printer.values(shown.map(parseRecord)))
    },
    record: (value) => printer.values([mask.maskValue(value)]),
    close: () => printer.close(),
    abandon: async () => printer.abandon?.(),
  }
}

// Lets records be looked at on their way to a format: whether they have the fields that are to be shown.

/** The most records that are held back: about a page. */
const maxHeld = 100

/** Passes records to a printer, or holds them back until an inspection has seen enough. */
class InspectionBuffer {
  readonly #inspection: Inspection
  #open = true
  #held: (() => Promise<void>)[] = []
  #count = 0

  constructor(inspection: Inspection) {
    this.#inspection = inspection
  }

  /** Prints records, or holds them back until the inspection has seen enough. */
  async take(records: () => readonly unknown[], print: () => Promise<void>): Promise<void> {
    if (!this.#open) return print()
    if (this.#inspection.holds) {
      // How many came at once makes no difference.
      const seen = records().slice(0, maxHeld - this.#count)
      this.#held.push(print)
      this.#count += seen.length
      if (this.#inspection.see(seen) || this.#count >= maxHeld) await this.end()
      return
    }
    const enough = this.#inspection.see(records())
    if (enough) this.#open = false
    await print()
  }

  /** @throws Failure of the inspection; then nothing of what was held is printed */
  async end(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    const held = this.#held
    this.#held = []
    await this.#inspection.end()
    for (const print of held) await print()
  }

  /** Prints the records that are held back, because the answer broke off. */
  async abandon(): Promise<void> {
    this.#open = false
    for (const print of this.#held.splice(0)) await print()
  }
}

/** Creates a printer whose records are inspected first. */
const createInspectedPrinter = (printer: Printer, inspection: Inspection): Printer => {
  const all = new InspectionBuffer(inspection)
  const { bytes } = printer
  return {
    bytes:
      bytes === undefined
        ? undefined
        : (batch) =>
            all.take(
              () => batch.map(parseRecord),
              () => bytes(batch),
            ),
    values: (batch) =>
      all.take(
        () => batch,
        () => printer.values(batch),
      ),
    close: async () => {
      await all.end()
      await printer.close()
    },
    abandon: async () => {
      await all.abandon()
      await printer.abandon?.()
    },
  }
}

/**
 * Returns true if people see this view in a way of their own in this format: not where it shows names, which are those of the records.
 * Only then is the answer held until it is whole.
 */
const isReshaped = (
  { reader, shows }: Format,
  {
    people,
    terminal,
    aligned,
    fields,
  }: Pick<AnswerView, 'people' | 'terminal' | 'aligned' | 'fields'>,
): boolean => {
  if (people === undefined || shows === 'names') return false
  if (reader === 'sheets' || reader === 'pages') return people.sheets === true
  const isDrawn = terminal || aligned === true
  const paged = people.page !== undefined && isDrawn && fields === undefined
  return reader === 'people' && (paged || people.rows !== undefined)
}

/**
 * Starts an answer: records or one object, in this format, as the view says.
 * @param hidden what no format gets to see
 */
export const openWriter = async (
  format: Format,
  sink: Sink,
  asked: AnswerView,
  hidden: HiddenFields,
): Promise<Writer> => {
  const open = await format.load()
  const start = ({ made, people: _, inspection, ...view }: AnswerView): Writer => {
    const pick = createMaskedPick(createPicker(made, view.words), hidden, view.words)
    const printer = open(sink, { ...view, pick })
    const whole = inspection === undefined ? printer : createInspectedPrinter(printer, inspection)
    return createMaskedWriter(whole, hidden, view.words)
  }
  if (!isReshaped(format, asked)) return start(asked)
  return createMaskedWriter(createHeldPrinter(start, sink, asked), hidden, asked.words)
}

/** The records of one of several parts of an answer, held until rows can be made of them. */
export interface HeldRecords {
  take(batch: Records): void
  /** Makes the rows that people see of them. */
  rows(): readonly unknown[]
}

/** Creates what holds the records of one of several parts; undefined where people see the records themselves. */
export const holdForPeople = (
  format: Format,
  { people, words, fields }: Pick<AnswerView, 'people' | 'words' | 'fields'>,
  hidden: HiddenFields,
): HeldRecords | undefined => {
  const rows = people?.rows
  const isShaped = isReshaped(format, { people, fields, terminal: false })
  if (rows === undefined || !isShaped) return undefined
  const records: unknown[] = []
  const mask = createRecordMasker(hidden, words)
  return {
    take: (batch) => {
      for (const bytes of mask.maskBatch(batch)) {
        const value = parseRecord(bytes)
        records.push(words === undefined ? value : makeLegible(value, words))
      }
    },
    rows: () => rows(records),
  }
}

/** Starts a document, which has no rows: JSON where the format cannot hold it. It hides nothing. */
export const openDocument = (format: Format, sink: Sink, asked: AnswerView): Promise<Writer> =>
  openWriter(format.nests === true ? format : jsonFormat, sink, asked, 'nothing')

/** The view of the rows, which are written like any other records; columns of their own are no names of the API. */
const viewOfRows = ({ people, ...asked }: AnswerView): AnswerView =>
  people?.columns === undefined ? asked : { ...asked, columns: people.columns, titled: true }

/** Parses a record with plain numbers, because a page of text calculates with them. */
const parsePlain = (bytes: Uint8Array): unknown => {
  parseRecord(bytes)
  return JSON.parse(decodeText(bytes))
}

/**
 * Holds the answer until it is whole, then writes what people see of it.
 * @param start starts the rows' own writer: what they are made of is masked once more
 */
const createHeldPrinter = (
  start: (asked: AnswerView) => Writer,
  sink: Sink,
  asked: AnswerView,
): Printer => {
  const { people } = asked
  const records: unknown[] = []
  // Who makes rows and pages knows the names of the documents.
  const take = (value: unknown): void => {
    records.push(asked.words === undefined ? value : makeLegible(value, asked.words))
  }
  const isDrawn = asked.terminal || asked.aligned === true
  const page = isDrawn && asked.fields === undefined ? people?.page : undefined
  const show = async (): Promise<void> => {
    if (page !== undefined) {
      for await (const text of page(records)) await sink.write(escapePage(text, asked.style))
      return
    }
    const writer = start(viewOfRows(asked))
    for (const row of people?.rows?.(records) ?? records) await writer.record(row)
    await writer.close()
  }
  return {
    bytes: async (batch) => {
      for (const bytes of batch) take(page === undefined ? parseRecord(bytes) : parsePlain(bytes))
    },
    values: async (batch) => {
      for (const value of batch) take(value)
    },
    close: show,
    abandon: show,
  }
}
