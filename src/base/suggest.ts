/** "Did you mean": the nearest of the known words, if it is near enough to be meant. */
import { distance } from 'fastest-levenshtein'

/** A sentence for a hint, or undefined when nothing is close. */
export const suggestSimilar = (given: string, known: Iterable<string>): string | undefined => {
  const best = findNearest(given, known)
  return best === undefined ? undefined : `Did you mean ${best}?`
}

const countSharedStart = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** The nearest known word within a third of its length (at least two edits); a longer common start wins. */
export const findNearest = (given: string, known: Iterable<string>): string | undefined => {
  const text = given.toLowerCase()
  const ranked = [...known]
    .map((word) => ({ word, edits: distance(text, word.toLowerCase()) }))
    .filter(
      ({ word, edits }) => edits <= Math.max(2, Math.floor(word.length / 3)) && edits < word.length,
    )
    .sort(
      (a, b) =>
        a.edits - b.edits || countSharedStart(text, b.word) - countSharedStart(text, a.word),
    )
  return ranked[0]?.word
}
