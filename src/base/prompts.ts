/** Declares the questions that commands may ask a person. */

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
