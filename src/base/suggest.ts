/** "Did you mean": the nearest of the known words, if it is near enough to be meant. */
import { distance } from 'fastest-levenshtein'

/** A sentence for a hint, or undefined when nothing is close. */
export const didYouMean = (given: string, known: Iterable<string>): string | undefined => {
  const best = nearest(given, known)
  return best === undefined ? undefined : `Did you mean ${best}?`
}

const shared = (a: string, b: string): number => {
  let n = 0
  while (n < a.length && a[n] === b[n]) n++
  return n
}

/** The nearest known word within a third of its length (at least two edits); a longer common start wins. */
export const nearest = (given: string, known: Iterable<string>): string | undefined => {
  const text = given.toLowerCase()
  const ranked = [...known]
    .map((word) => ({ word, edits: distance(text, word.toLowerCase()) }))
    .filter(
      ({ word, edits }) => edits <= Math.max(2, Math.floor(word.length / 3)) && edits < word.length,
    )
    .sort((a, b) => a.edits - b.edits || shared(text, b.word) - shared(text, a.word))
  return ranked[0]?.word
}
