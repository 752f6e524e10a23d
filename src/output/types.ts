/** The types of output formats. A format is a row in `../catalogue/formats.ts` and a module that `formats.ts` loads. */
import type { FieldMatch, Records } from '../base/json/records.js'
import type { ValueReader } from '../base/json/values.js'
import type { Tone } from '../base/text.js'
import type { FormatTraits } from '../catalogue/formats.js'
import type { ComputedFields } from '../catalogue/pick.js'
import type { GroupFacts, Inspection, People, StackLayout } from '../catalogue/views.js'
import type { Naming } from '../catalogue/words.js'

/** The destination of output. `write` resolves when the stream accepts more. */
export interface Sink {
  write(chunk: string | Uint8Array): Promise<void>
}

/** Measures text and fits it into columns. `base/screen-text.ts` implements it. */
export interface TextWidths {
  /** Returns the width of one line in columns. */
  measure(text: string): number
  /** Cuts one line to a number of columns, with an ellipsis. */
  truncate(text: string, columns: number): string
  /** Wraps text to lines of at most `columns` columns. */
  wrap(text: string, columns: number): string[]
}

/** Formats text for a screen. `terminal/style.ts` implements it. */
export interface TextStyle {
  /** Escapes text from outside that could move the cursor or reverse the text. */
  visible(text: string): string
  /** Creates an exact measure for these texts and parts of them. */
  widthsFor(texts: readonly string[]): Promise<TextWidths>
  bold(text: string): string
  dim(text: string): string
  paint(text: string, tone: Tone): string
  /** Returns a status word with its symbol and tone; undefined for any other word. */
  status(word: string): { readonly text: string; readonly tone: Tone } | undefined
  /** Formats a time of the API (ISO 8601) as an age, such as `2 h ago`; undefined for any other text. */
  age(text: string, now: Date): string | undefined
  /** Formats seconds as a duration: `1 h 5 min`. */
  span(seconds: number): string
  /** Formats text as a link, if the terminal supports links and the URL is a plain http(s) one. */
  link(text: string, url: string): string
  /** True for screen readers: words replace symbols. */
  readonly accessible: boolean
}

/** A fact in the head of a page. */
export interface PageFact {
  readonly name?: string
  readonly text: string
  readonly href?: string
}

/** The documented meaning of a field. */
export interface FieldMeaning {
  readonly isTime: boolean
  /** The documented words that it can contain, in order. */
  readonly words: readonly string[]
}

/** A page, which several answers of a run can share. */
export interface PageView {
  readonly title: string
  /**
   * Returns the facts for the head: instance, profile, user and filters. It is called while the first records arrive.
   */
  readonly facts: () => Promise<readonly PageFact[]>
  /** The command line that creates the page. */
  readonly line: string | undefined
  /** The nouns for its records, singular and plural. */
  readonly nouns: readonly [one: string, many: string]
  /** The address of the instance, to which paths are appended; undefined if there are several. */
  readonly address?: string | undefined
  /** The only origins that links lead to: those of the instances. */
  readonly origins: readonly string[]
  /** Returns the snapshots of a trend at the end of the answer. Some may have no records. */
  readonly snapshots: () => readonly string[]
  /** The snapshots of the line, as they were typed (`--from`); undefined if it reads the instance. */
  readonly from?: string | undefined
  /** Data of the answer besides its records. */
  readonly context?: unknown
  /** Returns the documented meaning of a field. */
  readonly meaning: (field: string) => FieldMeaning
  /** The keys and measures, if the records are groups. */
  readonly groups?: GroupFacts | undefined
  /** Returns true if this is the first answer, which begins the page. */
  readonly begin: () => boolean
}

/** The options for showing an answer. */
export interface View {
  /** True for lists (JSON: an array), false for a single object. */
  readonly many: boolean
  /**
   * The columns of the catalogue; a dot selects a nested field. Undefined for a single object, which is shown in full.
   */
  readonly columns?: readonly string[]
  /** `--fields`: columns of a table, keys of JSON and YAML. */
  readonly fields?: readonly string[]
  /**
   * The columns that name the targets of each record; they come before all others. If they are set, records are wrapped
   * as `{[parent]: …, record: …}`. Programs receive this form; a failed target has no record.
   */
  readonly parents?: readonly string[]
  /** True if the line chose the fields: JSON and YAML then merge them with the columns of `parents` into one object. */
  readonly flat?: boolean
  /** The fields by which verbs identify a record, the best first. */
  readonly names?: readonly string[]
  /** The name of the record's object on the line, if the record may lack it. */
  readonly object?: string | undefined
  readonly terminal: boolean
  /** True to align tables and draw pages in a pipe or a file, as on a terminal. */
  readonly aligned?: boolean
  /** The width of the terminal in columns; infinity if a table may be as wide as its values. */
  readonly width: number
  readonly color: boolean
  /** The time that ages count from. */
  readonly now: Date
  /** The time at which the answer is printed, which differs from `now` if a snapshot answers. */
  readonly printedAt: Date
  readonly style: TextStyle
  /** The names of the instance: fields are found by either name, and headings use the instance's. */
  readonly naming: Naming
  /** True if the columns are texts of the tool, not names of the API. */
  readonly titled?: true
  /** When a record of a table takes several lines: if columns would be hidden, or also if they would be cut. */
  readonly stacks?: StackLayout
  /** Receives the number of columns that did not fit, at the end of a table. */
  readonly tellHidden?: (count: number) => void
  /** The page around the answer, for formats that write a page. */
  readonly page?: PageView
  /** True to omit the headings of tables and CSV. */
  readonly headless?: boolean
  /** True to leave CSV cells unchanged that start with = + - @. */
  readonly csvRaw?: boolean
}

/** Options of an answer that formats do not receive. */
export interface AnswerView extends View {
  readonly inspection?: Inspection
  /** Fields that the tool computes from a record. A field of the record with that name takes precedence. */
  readonly made?: ComputedFields
  readonly people?: People
}

/** The options that a format receives. */
export interface FormatView extends View {
  readonly pick: ValueReader
  /** Parses a record as far as `pick` reads it: only the chosen fields, or else the whole. */
  readonly parse: (bytes: Uint8Array) => unknown
}

/** Writes an answer. Records are masked and passed to the format's printer. */
export interface Writer {
  /**
   * The names of secrets that those who split the records look for; `raw` then only searches records in which they were
   * found. Undefined if nothing is masked.
   */
  readonly watch?: FieldMatch
  /** Writes records, each the bytes of one JSON value. They are not parsed unless the format needs it. */
  raw(batch: Records): Promise<void>
  /** Writes one parsed record. */
  record(value: unknown): Promise<void>
  /** Ends the output. Without it the output is recognizably incomplete, such as unclosed JSON. */
  close(): Promise<void>
  /** Writes what was held back, if the answer ends early. */
  abandon(): Promise<void>
}

/** Prints an answer in one format. Its secrets are masked already. */
export interface Printer {
  /** Prints records from bytes. Without it, records are parsed and passed to `values`. */
  bytes?(batch: Records): Promise<void>
  /** Prints parsed records. */
  values(batch: readonly unknown[]): Promise<void>
  /** Ends the output. Without it the output is recognizably incomplete, such as unclosed JSON. */
  close(): Promise<void>
  /** Prints what was held back, if the answer ends early. */
  abandon?(): Promise<void>
}

/** Opens the printer of an answer. */
export type OpenPrinter = (sink: Sink, view: FormatView) => Printer

/**
 * Formats the end of a page: its notes, and a warning if it is incomplete.
 * @param failed the reason why the run ended early; undefined if it is complete
 */
export type EndPage = (
  notes: readonly string[],
  failed: string | undefined,
  style: TextStyle,
) => string

/** A format with the module that writes it. */
export interface Format extends FormatTraits {
  /** Loads the function that ends a page. */
  readonly page?: () => Promise<EndPage>
  /** Loads the format with the libraries that it needs. */
  load(): Promise<OpenPrinter>
}
