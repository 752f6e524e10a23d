/** Groups and adds up values. Each group keeps the order in which its values were added. */

/** Adds a value to the group of a key, and creates the group if there is none. */
export const addToGroup = <K, T>(groups: Map<K, T[]>, key: K, one: T): void => {
  const known = groups.get(key)
  if (known === undefined) groups.set(key, [one])
  else known.push(one)
}

/** Returns the groups of all values. Values whose key is undefined are in no group. */
export const groupBy = <T, K>(
  all: Iterable<T>,
  getKey: (one: T) => K | undefined,
): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>()
  for (const one of all) {
    const key = getKey(one)
    if (key !== undefined) addToGroup(groups, key, one)
  }
  return groups
}

/** Returns the sum of numbers; 0 if there is none. */
export const sumNumbers = (numbers: Iterable<number>): number => {
  let sum = 0
  for (const one of numbers) sum += one
  return sum
}

/** Returns the sum of the counts of words. */
export const sumCounts = (counts: ReadonlyMap<string, number>): number =>
  sumNumbers(counts.values())
