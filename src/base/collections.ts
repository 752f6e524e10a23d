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

/** True if names refer to each other in a cycle. Names without open references are removed until only the cycle is left. */
export const hasCycle = (references: ReadonlyMap<string, ReadonlySet<string>>): boolean => {
  const waiting = new Map([...references].map(([name, others]) => [name, others.size]))
  const waiters = new Map<string, string[]>()
  for (const [name, others] of references)
    for (const other of others) addToGroup(waiters, other, name)
  const free = [...waiting].flatMap(([name, count]) => (count === 0 ? [name] : []))
  let taken = 0
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    taken++
    for (const waiter of waiters.get(name) ?? []) {
      const left = (waiting.get(waiter) ?? 0) - 1
      waiting.set(waiter, left)
      if (left === 0) free.push(waiter)
    }
  }
  return taken < waiting.size
}
