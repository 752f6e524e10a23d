/** Declares how work talks with a person: it reports its progress, and asks questions. */

/** A function that reports progress; `fraction` is from 0 to 1 if the total is known. */
export type ProgressListener = (text: string, fraction?: number) => void

/** Work that is shown while it runs. */
export interface ShownWork {
  readonly say: ProgressListener
  /** Ends the work; resolves once its line is removed. */
  readonly end: () => Promise<void>
}

/** Work whose parts are counted. */
export interface CountedWork {
  /** Counts parts that are done, or failed. */
  add(count: number, failed?: boolean): void
  /** Sets the number of all parts. */
  setTotal(count: number): void
  end(): void
}

/** The limit of a wait, with its reason. */
export interface TimeLimit {
  readonly milliseconds: number
  readonly why: string
}

export interface Meter {
  /** Begins a piece of work; inside other work it only keeps the display running. */
  begin(total?: number, waiting?: () => TimeLimit | undefined): CountedWork
  /** Hides the display until it is released, because something else uses the terminal. */
  hold(): () => void
}

// Questions.

/** An item of a searchable list. */
export interface SearchItem {
  readonly name: string
  readonly description?: string
}

/** A choice in a list; its name and description are shown and searched. */
export interface Choice<T> extends SearchItem {
  readonly value: T
}

/** The prompts that commands may use. */
export interface Prompts {
  confirm(question: string, initial?: boolean): Promise<boolean>
  /** Asks the person to type a name; true if it is the expected one. */
  typed(question: string, expected: string): Promise<boolean>
  /** Asks for an answer that is not shown. */
  secret(question: string): Promise<string>
  text(question: string, initial?: string): Promise<string>
  /** Asks for one of the choices, with a search. */
  select<T>(question: string, choices: readonly Choice<T>[]): Promise<T>
  /** Asks for at least one of the choices, with a search. */
  selectMany<T>(question: string, choices: readonly Choice<T>[]): Promise<T[]>
}
