/** Types and filters of completion candidates. */
import type { Command, Suggestion } from '../engine/command/types.js'

/** A word that completion offers. */
export interface Candidate extends Suggestion {
  /** This tool's own words, of which it knows what shells make of them. */
  readonly own?: true
}
/** What completion offers at one position. */
export interface Candidates {
  readonly items: readonly Candidate[]
  /** The shell completes file names itself. */
  readonly files?: true
}

/** Loads values that only the instance or this machine knows. */
export type Live = (
  what: string,
  command: Command,
  words: readonly string[],
) => Promise<readonly Candidate[]>

/** Offers nothing. */
export const noCandidates: Candidates = { items: [] }

/** Keeps the candidates that begin with a prefix. */
export const filterByPrefix = (prefix: string, items: readonly Candidate[]): Candidates => ({
  items: items.filter((c) => c.value.startsWith(prefix)),
})

/**
 * Completes a value that is typed up to `prefix`.
 * @param list complete the last of its comma-separated items
 * @param lead what precedes the value in the same word (`--status=`)
 */
export const completePrefix = (
  found: Candidates,
  prefix: string,
  list: boolean,
  lead = '',
): Candidates => {
  if (found.files === true) return found
  const at = list ? prefix.lastIndexOf(',') + 1 : 0
  const before = lead + prefix.slice(0, at)
  const { items } = filterByPrefix(prefix.slice(at), found.items)
  return { items: items.map((c) => ({ ...c, value: before + c.value })) }
}

/** Removes values that would be read as options, because an instance may have such names. */
export const withoutOptions = (found: Candidates): Candidates => ({
  ...found,
  items: found.items.filter(({ value }) => value === '-' || !value.startsWith('-')),
})
