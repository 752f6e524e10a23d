/** What a vocabulary says, each with the line that says it. */
import { type Failure, usage } from '../errors.js'

/** One name for another. */
export interface Renaming {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** Several words for one. */
export interface Several {
  readonly key: string
  readonly values: readonly string[]
  readonly line: number
}

/** A vocabulary as it was read: its grammar is right, of the catalogue it knows nothing. */
export interface Entries {
  readonly file: string
  readonly words: readonly Renaming[]
  readonly names: readonly Renaming[]
  readonly cookies: readonly Renaming[]
  readonly headers: readonly Renaming[]
  readonly paths: readonly Renaming[]
  readonly slugs: readonly Several[]
  readonly values: readonly Several[]
  readonly gone: readonly Renaming[]
  /** Keys alone. */
  readonly secrets: readonly Renaming[]
}

/** What is wrong in a file, and where. */
export const wrongAt = (file: string, line: number, why: string, hint?: string): Failure =>
  usage(`${file}:${line}: ${why}`, hint)

/** What does not go together, with every line that says so. */
export const refuseConflict = (
  file: string,
  lines: readonly (number | undefined)[],
  why: string,
): Failure => {
  const known = new Set(lines.flatMap((line) => line ?? []))
  const [last = 1, ...others] = [...known].toSorted((a, b) => b - a)
  const also = others.map((line) => `${file}:${line}`).join(', ')
  return wrongAt(file, last, also === '' ? why : `${why} (see also ${also})`)
}
