/** Adds up numbers and counts. */

/** Returns the sum of numbers; 0 if there is none. */
export const sumNumbers = (numbers: Iterable<number>): number => {
  let sum = 0
  for (const one of numbers) sum += one
  return sum
}

/** Returns the sum of the counts of words. */
export const sumCounts = (counts: ReadonlyMap<string, number>): number =>
  sumNumbers(counts.values())
