/** "Did you mean": the nearest of the known words, if it is near enough to be meant. */
import { distance } from 'fastest-levenshtein'

/** A sentence for a hint, or undefined when nothing is close. */
export const didYouMean = (given: string, known: Iterable<string>): string | undefined => {
  const best = nearest(given, known)
  return best === undefined ? undefined : `Did you mean ${best}?`
}

/** The nearest known word within a third of its length (at least two edits). */
export const nearest = (given: string, known: Iterable<string>): string | undefined => {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const word of known) {
    const edits = distance(given.toLowerCase(), word.toLowerCase())
    if (edits < least) {
      least = edits
      best = word
    }
  }
  if (best === undefined) return undefined
  return least <= Math.max(2, Math.floor(best.length / 3)) && least < best.length ? best : undefined
}
