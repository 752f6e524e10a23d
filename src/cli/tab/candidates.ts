/** Candidates of a completion, and how what is typed already narrows them. */
import type { Command, Suggestion } from '../../engine/command/types.js'

export interface Candidate extends Suggestion {
  /** This tool's own words, of which it knows what shells make of them. */
  readonly own?: true
}
export interface Candidates {
  readonly items: readonly Candidate[]
  /** The shell completes file names itself. */
  readonly files?: true
}

/** Where values come from that only the instance or the machine knows. */
export type Live = (
  what: string,
  command: Command,
  words: readonly string[],
) => Promise<readonly Candidate[]>

export const none: Candidates = { items: [] }

export const starting = (prefix: string, items: readonly Candidate[]): Candidates => ({
  items: items.filter((c) => c.value.startsWith(prefix)),
})

/**
 * Candidates for a value that is typed as far as `prefix`.
 * @param list it is a list: the last of its comma-separated items is completed
 * @param lead what stands before the value in the same word (`--status=`)
 */
export const prefixed = (
  found: Candidates,
  prefix: string,
  list: boolean,
  lead = '',
): Candidates => {
  if (found.files === true) return found
  const at = list ? prefix.lastIndexOf(',') + 1 : 0
  const before = lead + prefix.slice(0, at)
  const { items } = starting(prefix.slice(at), found.items)
  return { items: items.map((c) => ({ ...c, value: before + c.value })) }
}

/** Without the values that would be read as options where they stand: an instance may call anything so. */
export const noOptions = (found: Candidates): Candidates => ({
  ...found,
  items: found.items.filter(({ value }) => value === '-' || !value.startsWith('-')),
})
