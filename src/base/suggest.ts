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

/**
 * Finds the most similar known word: with one edit, or two in words of more than four letters. Of equal ones, it returns that with the
 * longest common start.
 */
export const findNearest = (given: string, known: Iterable<string>): string | undefined => {
  const text = given.toLowerCase()
  const ranked = [...known]
    .map((word) => ({ word, edits: countEdits(text, word.toLowerCase()) }))
    .filter(({ edits }) => edits <= (text.length > 4 ? 2 : 1) && edits < text.length)
    .sort(
      (a, b) =>
        a.edits - b.edits || countSharedStart(text, b.word) - countSharedStart(text, a.word),
    )
  return ranked[0]?.word
}
