/** The types of formats. A format is a row in `../catalogue/formats.ts`, and a file that `formats.ts` loads. */
import type { FieldMatch, Records } from '../base/json/records.js'
import type { Pick } from '../base/json/values.js'
import type { Tone } from '../base/text.js'
import type { FormatTraits } from '../catalogue/formats.js'
import type { ComputedFields } from '../catalogue/pick.js'
import type { GroupFacts, Inspection, People, StackLayout } from '../catalogue/views.js'
import type { Words } from '../catalogue/words.js'

/** The destination of output. Its `write` resolves when the stream accepts more. */
export interface Sink {
  write(chunk: string | Uint8Array): Promise<void>
}

/** Measures text and fits it into columns. `base/screen-text.ts` implements it. */
export interface TextWidths {
  /** Display columns of one line. */
  measure(text: string): number
  /** One line cut to so many columns, with an ellipsis. */
  truncate(text: string, columns: number): string
  /** Lines of at most so many columns. */
  wrap(text: string, columns: number): string[]
}

/** Formats text for a screen. `terminal/style.ts` creates it. */
export interface TextStyle {
  /** Text from outside, with whatever could move the cursor or turn the text shown as escapes. */
  visible(text: string): string
  /** Measures these texts and parts of them exactly. */
  widthsFor(texts: readonly string[]): Promise<TextWidths>
  bold(text: string): string
  dim(text: string): string
  paint(text: string, tone: Tone): string
  /** A word of a status with the symbol and tone that tell it apart; undefined when not known. */
  status(word: string): { readonly text: string; readonly tone: Tone } | undefined
  /** A time of the API (ISO 8601) as an age: `2 h ago`; undefined when the text is none. */
  age(text: string, now: Date): string | undefined
  /** Seconds as a duration: `1 h 5 min`. */
  span(seconds: number): string
  /** The text as a link, where the terminal shows links and the address is a plain http(s) one. */
  link(text: string, url: string): string
  /** For a screen reader: words in place of symbols. */
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
  /** The words that it is documented to hold, in their order. */
  readonly words: readonly string[]
}

/** A page, which several answers of a run share. */
export interface PageView {
  readonly title: string
  /** Returns the facts of the head: instance, profile, user and filters. They are requested while the first records arrive. */
  readonly facts: () => Promise<readonly PageFact[]>
  /** The command line that creates the page. */
  readonly line: string | undefined
  /** The nouns for its records, singular and plural. */
  readonly nouns: readonly [one: string, many: string]
  /** The address of the instance, to which paths are added; undefined if there are several. */
  readonly address?: string | undefined
  /** The only origins that links lead to: those of the instances. */
  readonly origins: readonly string[]
  /** Returns the snapshots of a trend at the end of the answer. Some may have no records. */
  readonly snapshots: () => readonly string[]
  /** The heading of this answer; `said` is the note below it. */
  readonly section?: string | undefined
  readonly said?: string | undefined
  /** Data of the answer in addition to its records. */
  readonly context?: unknown
  /** Returns the documented meaning of a field. */
  readonly meaning: (field: string) => FieldMeaning
  /** The keys and measures, if the records are groups. */
  readonly groups?: GroupFacts | undefined
  /** Returns true if this is the first answer, which begins the page. */
  readonly begin: () => boolean
}

/** The options for how an answer is shown. */
export interface View {
  /** True for lists (JSON: an array), false for a single object. */
  readonly many: boolean
  /** Catalogue columns, dotted names reach inside; undefined for a single object shown in full. */
  readonly columns?: readonly string[]
  /** `--fields`: columns of a table, keys of JSON and YAML. */
  readonly fields?: readonly string[]
  /**
   * The columns that say what each record belongs to, before all others and beside what was asked for. The
   * records come as `{[parent]: …, record: …}` then; programs get them so, what failed without a record.
   */
  readonly parents?: readonly string[]
  /** The fields were chosen by the line: JSON and YAML give them and the columns of `parents` as one object. */
  readonly flat?: boolean
  /** The fields by which verbs know a record, the best first. */
  readonly names?: readonly string[]
  readonly terminal: boolean
  /** True if tables are aligned and pages drawn as at a terminal, in a pipe or a file. */
  readonly aligned?: boolean
  /** Display columns of the terminal; infinity if a table may be as wide as its values. */
  readonly width: number
  readonly color: boolean
  /** For relative times; injected so that tests are deterministic. */
  readonly now: Date
  readonly style: TextStyle
  /** The instance's own words: fields are found by either name, and headed by the instance's. */
  readonly words?: Words
  /** True if the columns are the tool's own, and no names of the API. */
  readonly titled?: true
  /** When a record of a table takes several lines: if columns would be hidden, or also if they would be cut. */
  readonly stacks?: StackLayout
  /** Receives at the end the number of columns of a table that had no room. */
  readonly tellHidden?: (count: number) => void
  /** The texts of a page around the answer, for formats that are a page. */
  readonly page?: PageView
  /** Tables and CSV: leave out the line of headings. */
  readonly headless?: boolean
  /** CSV: leave cells that start with = + - @ as they are. */
  readonly csvRaw?: boolean
}

/** The options of an answer besides how it is shown; formats do not see them. */
export interface AnswerView extends View {
  readonly inspection?: Inspection
  /** Fields that are shown beside those of a record and made of it; a field of its own comes first. */
  readonly made?: ComputedFields
  readonly people?: People
}

/** The options that a format receives. */
export interface FormatView extends View {
  readonly pick: Pick
}

/** An answer on its way: what is written here is masked and reaches the format's printer. */
export interface Writer {
  /**
   * The names of secrets, for whoever cuts the records: of those where they were looked for, `raw` looks only at the
   * records where they were found. Undefined where nothing is searched for.
   */
  readonly watch?: FieldMatch
  /** Records as the bytes of one JSON value each, passed on without parsing where possible. */
  raw(batch: Records): Promise<void>
  /** One parsed record. */
  record(value: unknown): Promise<void>
  /** Ends the output; without it the output is recognisably unfinished (JSON stays open). */
  close(): Promise<void>
  /** Writes what was held back, where the answer ends before its time. */
  abandon(): Promise<void>
}

/** The output of a format, for an answer whose secrets are masked already. */
export interface Printer {
  /** Records as bytes; without it they are parsed and come as values. */
  bytes?(batch: Records): Promise<void>
  /** Parsed records. */
  values(batch: readonly unknown[]): Promise<void>
  /** Ends the output; without it the output is recognisably unfinished (JSON stays open). */
  close(): Promise<void>
  /** Writes what was held back, where the answer ends before its time. */
  abandon?(): Promise<void>
}

/** Starts an answer in a format. */
export type OpenPrinter = (sink: Sink, view: FormatView) => Printer

/**
 * Formats the end of a page: its notes, and a warning if it is incomplete.
 * @param failed what ended the run before its time
 */
export type EndPage = (
  notes: readonly string[],
  failed: string | undefined,
  style: TextStyle,
) => string

/** A format and what writes it. */
export interface Format extends FormatTraits {
  /** Loads what ends a page. */
  readonly page?: () => Promise<EndPage>
  /** Loads the format with the libraries it needs. */
  load(): Promise<OpenPrinter>
}
