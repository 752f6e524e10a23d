/** What comes, of which the first were taken already. */

/** The first, and the others behind them; leaving off ends both. */
export async function* behind<T>(first: readonly T[], others: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* first
    for (let step = await others.next(); step.done !== true; step = await others.next())
      yield step.value
  } finally {
    await others.return?.()
  }
}

/** The first of what comes, at most so many. */
export const firstOf = async <T>(some: AsyncIterator<T>, most: number): Promise<T[]> => {
  const first: T[] = []
  while (first.length < most) {
    const step = await some.next()
    if (step.done === true) break
    first.push(step.value)
  }
  return first
}
