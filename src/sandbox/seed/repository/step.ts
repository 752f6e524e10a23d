/** A step of the history of a sample repository: a commit, before it is made. */
export interface Step {
  readonly key: string
  readonly author: 'ana' | 'ben' | 'chi' | 'dov'
  readonly days: number
  readonly message: string
  /** Keys of the parents; the step before when not given, none for the first. */
  readonly on?: readonly string[]
  /** What changes against the first parent: path → text, null for a file that goes. */
  readonly files: Readonly<Record<string, string | null>>
}
