/** Things by a key that several of them have, each shelf in the order in which they came. */

/** Puts one on its shelf. */
export const addToGroup = <K, T>(groups: Map<K, T[]>, key: K, one: T): void => {
  const known = groups.get(key)
  if (known === undefined) groups.set(key, [one])
  else known.push(one)
}

/** All of them on their shelves; what has no key is on none. */
export const groupBy = <T, K>(
  all: Iterable<T>,
  keyOf: (one: T) => K | undefined,
): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    if (key !== undefined) addToGroup(groups, key, one)
  }
  return groups
}
