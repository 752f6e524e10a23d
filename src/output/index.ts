/**
 * Writes an answer in an output format: masks secrets, inspects records, and replaces records by rows or a page for
 * people if the view has these.
 */

import { createFieldParser } from '../base/json/field-parser.js'
import type { Records } from '../base/json/records.js'
import { decodeText, parseRecord, parseRecords } from '../base/json/values.js'
import {
  createMaskedPick,
  createRecordMasker,
  type HiddenFields,
} from '../base/secrets/mask-records.js'
import { shownFields } from '../catalogue/kinds.js'
import { createPicker } from '../catalogue/pick.js'
import type { Inspection } from '../catalogue/views.js'
import { escapePage } from './escape.js'
import { jsonFormat } from './formats.js'
import type { AnswerView, Format, Printer, Sink, Writer } from './types.js'

// Secrets are masked before a format receives a record.

/**
 * Creates the writer that masks records before they reach a printer.
 */
const createMaskedWriter = (printer: Printer, hidden: HiddenFields): Writer => {
  const mask = createRecordMasker(hidden)
  return {
    watch: mask.watch,
    raw: async (batch) => {
      const shown = mask.maskBatch(batch)
      await (printer.bytes?.(shown) ?? printer.values(parseRecords(shown)))
    },
    record: (value) => printer.values([mask.maskValue(value)]),
    close: () => printer.close(),
    abandon: async () => printer.abandon?.(),
  }
}

// An inspection checks that records have the requested fields before they are printed.

/** The maximum number of records that are held back, about a page. */
const maxHeld = 100

/** Prints records, or holds them back until an inspection has seen enough. */
class InspectionBuffer {
  readonly #inspection: Inspection
  #open = true
  #held: (() => Promise<void>)[] = []
  #count = 0

  constructor(inspection: Inspection) {
    this.#inspection = inspection
  }

  /** Inspects records, then prints them or holds them back. */
  async add(records: () => readonly unknown[], print: () => Promise<void>): Promise<void> {
    if (!this.#open) return print()
    if (this.#inspection.holds) {
      // The limit counts records, however many arrive at once.
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

  /**
   * Ends the inspection and prints the held records.
   * @throws Failure that of the inspection; then no held record is printed
   */
  async end(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    const held = this.#held
    this.#held = []
    await this.#inspection.end()
    for (const print of held) await print()
  }

  /** Prints the held records without an inspection, because the answer ended early. */
  async abandon(): Promise<void> {
    this.#open = false
    for (const print of this.#held.splice(0)) await print()
  }
}

/** Creates a printer that inspects records before it prints them. */
const createInspectedPrinter = (printer: Printer, inspection: Inspection): Printer => {
  const all = new InspectionBuffer(inspection)
  const { bytes } = printer
  return {
    bytes:
      bytes === undefined
        ? undefined
        : (batch) =>
            all.add(
              () => batch.map(parseRecord),
              () => bytes(batch),
            ),
    values: (batch) =>
      all.add(
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
 * True if people see rows or a page instead of the records in this format. The answer is then held back until it is
 * complete.
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

const sources: ReadonlyMap<string, string> = new Map(Object.entries(shownFields))

/** Lists the fields of a record that an answer shows, by their first level; undefined if it may read others. */
const listReadFields = ({
  fields,
  columns,
  parents,
  naming,
  terminal,
  aligned,
  made = {},
}: AnswerView): readonly string[] | undefined => {
  const shown = fields ?? columns
  if (shown === undefined || parents !== undefined) return undefined
  if (shown.some((path) => Object.hasOwn(made, path))) return undefined
  const paths = shown.flatMap((path) => [path, sources.get(path) ?? path])
  // A table links each record to its page.
  const links = terminal || aligned === true ? ['web_url'] : []
  const all = [...links, ...paths.flatMap((path) => [path, path.split('.', 1)[0] ?? path])]
  return all.flatMap((field) => [field, naming.neutral(field), ...naming.listOwnNames(field)])
}

/**
 * Opens the writer of an answer.
 * @param hidden the fields that no format receives
 */
export const openWriter = async (
  format: Format,
  sink: Sink,
  asked: AnswerView,
  hidden: HiddenFields,
): Promise<Writer> => {
  const open = await format.load()
  const start = (shown: AnswerView): Writer => {
    const { made, people: _, inspection, ...view } = shown
    const pick = createMaskedPick(createPicker(made, view.naming), hidden)
    const names = listReadFields(shown)
    const parse = names === undefined ? parseRecord : createFieldParser(names, parseRecord)
    const printer = open(sink, { ...view, pick, parse })
    const whole = inspection === undefined ? printer : createInspectedPrinter(printer, inspection)
    return createMaskedWriter(whole, hidden)
  }
  if (!isReshaped(format, asked)) return start(asked)
  return createMaskedWriter(createHeldPrinter(start, sink, asked), hidden)
}

/** Collects the records of one part of an answer, from which rows for people are created. */
export interface HeldRecords {
  add(batch: Records): void
  /** Creates the rows that people see. */
  createRows(): readonly unknown[]
}

/** Creates a collector for the records of one part; undefined if people see the records themselves. */
export const createHeldRecords = (
  format: Format,
  { people, naming, fields }: Pick<AnswerView, 'people' | 'naming' | 'fields'>,
  hidden: HiddenFields,
): HeldRecords | undefined => {
  const rows = people?.rows
  const isShaped = isReshaped(format, { people, fields, terminal: false })
  if (rows === undefined || !isShaped) return undefined
  const records: unknown[] = []
  const mask = createRecordMasker(hidden)
  return {
    add: (batch) => {
      for (const bytes of mask.maskBatch(batch))
        records.push(naming.makeLegible(parseRecord(bytes)))
    },
    createRows: () => rows(records),
  }
}

/** Opens the writer of a document. It is written as JSON if the format only has rows. No field is hidden. */
export const openDocument = (format: Format, sink: Sink, asked: AnswerView): Promise<Writer> =>
  openWriter(format.nests === true ? format : jsonFormat, sink, asked, 'nothing')

/** Returns the view of rows for people. Their columns are no names of the API. */
const getRowsView = ({ people, ...asked }: AnswerView): AnswerView =>
  people?.columns === undefined ? asked : { ...asked, columns: people.columns, titled: true }

/** Parses a record with plain numbers, because pages calculate with them. */
const parsePlain = (bytes: Uint8Array): unknown => {
  parseRecord(bytes)
  return JSON.parse(decodeText(bytes))
}

/**
 * Creates a printer that collects the complete answer, then writes rows or a page.
 * @param start opens the writer of the rows, which masks them once more
 */
const createHeldPrinter = (
  start: (asked: AnswerView) => Writer,
  sink: Sink,
  asked: AnswerView,
): Printer => {
  const { people } = asked
  const records: unknown[] = []
  // Functions that create rows and pages use documented names.
  const collect = (value: unknown): void => {
    records.push(asked.naming.makeLegible(value))
  }
  const isDrawn = asked.terminal || asked.aligned === true
  const page = isDrawn && asked.fields === undefined ? people?.page : undefined
  const show = async (): Promise<void> => {
    if (page !== undefined) {
      for await (const text of page(records)) await sink.write(escapePage(text, asked.style))
      return
    }
    const writer = start(getRowsView(asked))
    for (const row of people?.rows?.(records) ?? records) await writer.record(row)
    await writer.close()
  }
  return {
    bytes: async (batch) => {
      for (const bytes of batch)
        collect(page === undefined ? parseRecord(bytes) : parsePlain(bytes))
    },
    values: async (batch) => {
      for (const value of batch) collect(value)
    },
    close: show,
    abandon: show,
  }
}
