/** What comes, worked on before it is asked for. */

/** As many at once as a gate ever lets go. */
export const maxConcurrent = 32

/**
 * `work` on what comes, on so many at once, in its order.
 * @throws what `work` throws, in its place; what broke the input, after all that came before
 */
export async function* mapConcurrent<T, R>(
  some: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (one: T) => R | Promise<R>,
): AsyncGenerator<R> {
  const open: Promise<R>[] = []
  const begin = async (one: T): Promise<R> => work(one)
  let broken: { readonly error: unknown } | undefined
  const whole = async function* (): AsyncGenerator<T> {
    try {
      yield* some
    } catch (error) {
      broken = { error }
    }
  }
  for await (const one of whole()) {
    const begun = begin(one)
    // Who leaves meanwhile hears of no other.
    begun.catch(() => {})
    open.push(begun)
    const first = open.length < most ? undefined : open.shift()
    if (first !== undefined) yield await first
  }
  for (const begun of open) yield await begun
  if (broken !== undefined) throw broken.error
}
