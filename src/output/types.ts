/** What a format is. A format is one file and one row in `index.ts`. */

/** Where output goes; `write` resolves when the stream wants more. */
export interface Sink {
  write(chunk: string | Uint8Array): Promise<void>
}

export interface View {
  /** True for lists (JSON: an array), false for a single object. */
  readonly many: boolean
  /** Catalogue columns, dotted names reach inside; undefined for a single object shown in full. */
  readonly columns?: readonly string[]
  /** `--fields`: columns of a table, keys of JSON and YAML. */
  readonly fields?: readonly string[]
  /** Names of fields that hold credentials; masked unless `showSecrets`. */
  readonly secrets: ReadonlySet<string>
  /** Whether secret fields are given whole: --show-secrets, or the secret is the command's answer. */
  readonly showSecrets: boolean
  readonly terminal: boolean
  /** Display columns of the terminal. */
  readonly width: number
  readonly color: boolean
  /** For relative times; injected so that tests are deterministic. */
  readonly now: Date
  /** CSV: leave cells that start with = + - @ as they are. */
  readonly csvRaw?: boolean
}

export interface Writer {
  /** Records as the bytes of one JSON value each, passed on without parsing where possible. */
  raw(batch: readonly Uint8Array[]): Promise<void>
  /** One parsed record. */
  record(value: unknown): Promise<void>
  /** Ends the output; without it the output is recognisably unfinished (JSON stays open). */
  close(): Promise<void>
}

export interface Format {
  readonly name: string
  readonly summary: string
  open(sink: Sink, view: View): Writer
}
