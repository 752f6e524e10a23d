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

/** True if two words with so many edits are similar: one edit, or two in words of more than four letters. */
const areSimilar = (given: string, edits: number): boolean =>
  edits <= (given.length > 4 ? 2 : 1) && edits < given.length

/**
 * True if one of two similar words can be the other one, mistyped. With another first letter, it is mostly another word, and so it is with two
 * edits in a short word of another length.
 */
const isMistyped = (given: string, word: string, edits: number): boolean => {
  const isLong = given.length > 2
  const hasSameLength = given.length === word.length
  if (given[0] !== word[0]) return edits === 1 && isLong && (!hasSameLength || given[0] === word[1])
  return edits === 1 ? isLong || hasSameLength : given.length > 6 || hasSameLength
}

/** Finds the most similar word that passes a test. Of equal ones, it returns that with the longest common start. */
const findBest = (
  given: string,
  known: Iterable<string>,
  passes: (given: string, word: string, edits: number) => boolean,
): string | undefined => {
  const text = given.toLowerCase()
  const ranked = [...known]
    .map((word) => ({ word, edits: countEdits(text, word.toLowerCase()) }))
    .filter(({ word, edits }) => areSimilar(text, edits) && passes(text, word.toLowerCase(), edits))
    .sort(
      (a, b) =>
        a.edits - b.edits || countSharedStart(text, b.word) - countSharedStart(text, a.word),
    )
  return ranked[0]?.word
}

/** Finds the most similar known word, for a hint that names it. */
export const findNearest = (given: string, known: Iterable<string>): string | undefined =>
  findBest(given, known, () => true)

/** Finds the known word that was mistyped, for a hint that is a whole line. */
export const findMistyped = (given: string, known: Iterable<string>): string | undefined =>
  findBest(given, known, isMistyped)
