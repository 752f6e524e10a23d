/** The views of answers: facts that commands and endpoints state, and that every format knows. */

/**
 * The view for people where programs get the API's own objects. It has the whole answer in hand, so an
 * answer that goes on without end must do without.
 */
export interface People {
  readonly columns?: readonly string[]
  /** The records as rows of a table: in another order, with other fields. */
  readonly rows?: (records: readonly unknown[]) => readonly unknown[]
  /** True if its rows are the records in another order: the user cannot choose one then. */
  readonly reorders?: true
  /** Text in place of the table: on a terminal, unless certain fields were asked for. */
  readonly page?: (records: readonly unknown[]) => Iterable<string> | AsyncIterable<string>
  /** Spreadsheets get the rows too. */
  readonly sheets?: boolean
}

export type StackLayout = 'hidden' | 'cut'

/** Looks at the records of an answer before a format prints them. */
export interface Inspection {
  /** True if nothing is printed before it has seen enough. */
  readonly holds: boolean
  /** @returns whether it has seen enough */
  see(records: readonly unknown[]): boolean
  /** No more records come, or enough of them were held back. @throws Failure to refuse the answer */
  end(): Promise<void>
}

/**
 * The reader of a format: people; spreadsheets, which want rows; a browser, whose page takes several lists, each below a
 * heading; programs, which want the API's own objects.
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
