/** The candidates of shell completion: their types and filters. */

import type { Io } from '../base/io.js'
import type { Command, Suggestion } from '../engine/command/types.js'

/** A word that completion suggests. */
export interface Candidate extends Suggestion {
  /** True for a word of svcctl itself, whose characters are known to be safe in shells. */
  readonly own?: true
}
/** The candidates at one position. */
export interface Candidates {
  readonly items: readonly Candidate[]
  /** True if the shell completes file names. */
  readonly files?: true
}

/** Loads values that only the instance or this machine knows. */
export type LiveLoader = (
  what: string,
  command: Command,
  words: readonly string[],
) => Promise<readonly Candidate[]>

/** The line's process, and the loader of values that only the instance or this machine knows, which must not throw. */
export interface CompletionSource {
  readonly io: Io
  readonly load: LiveLoader
}

/** The maximum time that a completion waits for the instance, in seconds. A longer pause would look like a hang. */
export const timeLimit = 0.7

/** No candidates. */
export const noCandidates: Candidates = { items: [] }

/** Keeps the candidates that begin with a prefix. */
export const filterByPrefix = (prefix: string, items: readonly Candidate[]): Candidates => ({
  items: items.filter((c) => c.value.startsWith(prefix)),
})

/**
 * Completes a value that is typed up to `prefix`.
 * @param at where the item begins that is being typed
 * @param lead the text before the value in the same word (`--status=`)
 */
export const completePrefix = (
  found: Candidates,
  prefix: string,
  at = 0,
  lead = '',
): Candidates => {
  if (found.files === true) return found
  const before = lead + prefix.slice(0, at)
  const { items } = filterByPrefix(prefix.slice(at), found.items)
  return { items: items.map((c) => ({ ...c, value: before + c.value })) }
}

const hasQuoting = (word: string): boolean => /['"\\]/.test(word)

/**
 * Removes the quotes and backslashes of the words before the cursor, with which bash and zsh pass them. The word at the cursor stays as it is
 * typed, since a condition is completed by its quote.
 */
export const unquoteWords = async (
  shell: string | undefined,
  words: readonly string[],
): Promise<readonly string[]> => {
  if ((shell !== 'bash' && shell !== 'zsh') || !words.slice(0, -1).some(hasQuoting)) return words
  const { splitCommand } = await import('../base/shell-words.js')
  return words.map((word, i) =>
    i < words.length - 1 && hasQuoting(word) ? splitCommand(word).join(' ') : word,
  )
}

/** Returns a value without the quote that begins it: the shell keeps that quote, and compares only what follows. */
export const removeOpeningQuote = (value: string): string => value.replace(/^["']/, '')

/** Removes values that would be read as flags, because an instance may have such names. */
export const removeOptions = (found: Candidates): Candidates => ({
  ...found,
  items: found.items.filter(({ value }) => value === '-' || !value.startsWith('-')),
})

/** Lists the forms of a field of times for `--group-by`, such as `created_at:day`. */
export const listTimeUnits = async (field: string): Promise<readonly Candidate[]> => {
  const { units } = await import('../engine/records/aggregate.js')
  return units.map((unit) => ({ value: `${field}:${unit}` }))
}
