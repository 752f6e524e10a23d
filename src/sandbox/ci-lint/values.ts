/** What a configuration is made of, and what may be wrong with it. */

/** What a configuration is made of: hashes, and references that stay where they stand. */
export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof KeywordReference) &&
  !(value instanceof Date)

/** `!reference [job, keyword, …]`: what stands there is put here. */
export class KeywordReference {
  constructor(readonly path: readonly string[]) {}
  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}

/** One thing that is wrong. */
export interface Finding {
  readonly text: string
  /** A text that was not fetched could make it right: by what it adds, not by what it replaces. */
  readonly curable?: true
  /** Instances may take it all the same: a warning. */
  readonly advice?: true
}

/** What is wrong with the text itself; lists all errors of it. */
export class UnreadableError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'Unreadable'
  }
}

/** What a configuration may grow to, counted wherever something is built of it. */
export class Budget {
  #left: number
  constructor(most: number) {
    this.#left = most
  }

  get left(): number {
    return this.#left
  }

  /** @throws Unreadable when it is used up */
  spend(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new UnreadableError(['The parsed YAML is too big'])
  }
}
