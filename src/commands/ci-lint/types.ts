/** One problem of a configuration; lines and columns count from 1 where they are known. */
export interface Problem {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** What became of one file. */
export interface Verdict {
  /** The path as it was given; `-` for standard input, `HEAD` for the project's own. */
  readonly file: string
  readonly valid: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly merged?: string
  /** True when the file was refused before it was sent: it is no YAML. */
  readonly local?: true
}

/** Where a problem is, as compilers write it: `file:line:column`. */
export const placeOf = (file: string, { line, column }: Problem): string =>
  [file, line, column].filter((part) => part !== undefined).join(':')
