/** What is wrong with a configuration, while it is being read and checked. */

/** One thing that is wrong. */
export interface Finding {
  readonly text: string
  /** A text that was not fetched could make it right: by what it adds, not by what it replaces. */
  readonly curable?: true
  /** Instances may take it all the same: a warning. */
  readonly advice?: true
}

/** What is wrong with the text itself; lists all errors of it. */
export class Unreadable extends Error {
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
    if (this.#left < 0) throw new Unreadable(['The parsed YAML is too big'])
  }
}
