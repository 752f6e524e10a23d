/** What comes, worked on before it is asked for. */

/** As many at once as a gate ever lets go. */
export const mostAtOnce = 32

/** `work` on what comes, on so many at once, in its order. */
export async function* ahead<T, R>(
  some: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (one: T) => R | Promise<R>,
): AsyncGenerator<R> {
  const open: Promise<R>[] = []
  const begin = async (one: T): Promise<R> => work(one)
  for await (const one of some) {
    const begun = begin(one)
    // Who leaves meanwhile hears of no other.
    begun.catch(() => {})
    open.push(begun)
    const first = open.length < most ? undefined : open.shift()
    if (first !== undefined) yield await first
  }
  for (const begun of open) yield await begun
}
