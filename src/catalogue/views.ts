/** Declares the views of responses: facts about their presentation that commands and endpoints set and all formats use. */

/**
 * The view for people, in place of the API's own objects. It needs the whole response, so that a response without an end cannot have it.
 */
export interface People {
  readonly columns?: readonly string[]
  /** Converts the records to the rows of a table, which may have another order and other fields. */
  readonly rows?: (records: readonly unknown[]) => readonly unknown[]
  /** True if the rows are the records in another order, so that the user cannot set the order. */
  readonly reorders?: true
  /** Formats the records as text for terminals, in place of a table. It is not used if fields were requested. */
  readonly page?: (records: readonly unknown[]) => Iterable<string> | AsyncIterable<string>
  /** True if spreadsheets get the rows, too. */
  readonly sheets?: boolean
}

export type StackLayout = 'hidden' | 'cut'

/** Examines the records of a response before a format prints them. */
export interface Inspection {
  /** True if nothing is printed until `see` returns true. */
  readonly holds: boolean
  /** Examines records. @returns true if no more records are needed */
  see(records: readonly unknown[]): boolean
  /** Called after the last record. @throws Failure to refuse the response */
  end(): Promise<void>
}

/**
 * The reader of a format: people, spreadsheets (rows), browsers (pages with several lists below headings), or programs (the API's own
 * objects).
 */
export type Reader = 'people' | 'sheets' | 'pages' | 'programs'

/** The keys by which records are grouped, and the numbers that each group shows. */
export interface GroupFacts {
  readonly keys: readonly {
    readonly field: string
    readonly column: string
    readonly unit?: string | undefined
  }[]
  readonly measures: readonly {
    readonly name: string
    readonly field: string
    readonly column: string
  }[]
  readonly counts: boolean
}
