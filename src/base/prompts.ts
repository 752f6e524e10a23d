/** Questions to a person. */

/** An item of a searchable list. */
export interface SearchItem {
  readonly name: string
  readonly description?: string
}

/** Something to choose; its name and description are shown and searched. */
export interface Choice<T> extends SearchItem {
  readonly value: T
}

/** The prompts that commands may use. */
export interface Prompts {
  confirm(question: string, initial?: boolean): Promise<boolean>
  /** Asks for a name to be typed; true when it is the expected one. */
  typed(question: string, expected: string): Promise<boolean>
  /** A hidden answer. */
  secret(question: string): Promise<string>
  text(question: string, initial?: string): Promise<string>
  /** One of the choices, searchable. */
  select<T>(question: string, choices: readonly Choice<T>[]): Promise<T>
  /** Some of the choices (at least one), searchable. */
  selectMany<T>(question: string, choices: readonly Choice<T>[]): Promise<T[]>
}
