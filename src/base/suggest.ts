/** Suggests the most similar known word, if it is similar enough ("Did you mean"). */
import { distance } from 'fastest-levenshtein'

/** Returns a sentence for a hint; undefined if no word is similar. */
export const suggestSimilar = (given: string, known: Iterable<string>): string | undefined => {
  const best = findNearest(given, known)
  return best === undefined ? undefined : `Did you mean ${best}?`
}

const countSharedStart = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** Counts the edits between two words. A swap of two adjacent letters counts as one. */
const countEdits = (a: string, b: string): number => {
  const at = countSharedStart(a, b)
  const swapped = `${a.slice(0, at)}${a[at + 1] ?? ''}${a[at] ?? ''}${a.slice(at + 2)}`
  return swapped === b && a !== b ? 1 : distance(a, b)
}

/** True if one word can be a mistyped other one. Short words with two edits, or with another first letter, are other words. */
const isMistyped = (given: string, word: string, edits: number): boolean => {
  const startsAlike = given[0] === word[0]
  if (edits > 1) return edits === 2 && given.length > 6 && startsAlike
  if (given.length < 3) return startsAlike && given.length === word.length
  return startsAlike || given.length !== word.length || given[0] === word[1]
}

/**
 * Finds the most similar known word: with one edit, or two in words of more than six letters. Of equal ones, it returns that with the
 * longest common start.
 */
export const findNearest = (given: string, known: Iterable<string>): string | undefined => {
  const text = given.toLowerCase()
  const ranked = [...known]
    .map((word) => ({ word, edits: countEdits(text, word.toLowerCase()) }))
    .filter(({ word, edits }) => isMistyped(text, word.toLowerCase(), edits))
    .sort(
      (a, b) =>
        a.edits - b.edits || countSharedStart(text, b.word) - countSharedStart(text, a.word),
    )
  return ranked[0]?.word
}
