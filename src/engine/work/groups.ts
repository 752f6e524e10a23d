/** Objects that one request does together, taken from those of a run as they come. */

/** An object with its place among the others of its run. */
export interface Indexed<I> {
  readonly place: number
  readonly item: I
}

/** Which objects go as one request, and what sends that. */
export interface Merging<I> {
  /** The same for objects that go together; undefined for one that goes alone. */
  readonly keyOf: (item: I) => string | undefined
  /** Sends what does all of them, before each of them is worked on. */
  readonly send: (items: readonly I[]) => Promise<void>
}

/** At most so many go as one request: an instance limits the length of a request and the time for its answer. */
export const maxMerged = 100

/** So many such requests are under way at once: each is a hundred objects in memory. */
export const maxGroups = 4

/** So many others come at most before an object goes with those that there are. */
export const maxAhead = 4_000

/** Groups in the order in which they are full; those that are not, once one of them waited long enough. */
export async function* groupsOf<I>(
  items: AsyncIterable<I>,
  keyOf: Merging<I>['keyOf'],
): AsyncGenerator<readonly Indexed<I>[]> {
  const open = new Map<string, Indexed<I>[]>()
  let place = 0
  for await (const item of items) {
    const placed = { place, item }
    place += 1
    const key = keyOf(item)
    if (key === undefined) {
      yield [placed]
      continue
    }
    const group = open.get(key) ?? []
    group.push(placed)
    if (group.length < maxMerged) open.set(key, group)
    else {
      open.delete(key)
      yield group
    }
    const [oldest] = open
    if (oldest === undefined || place - (oldest[1][0]?.place ?? 0) < maxAhead) continue
    open.delete(oldest[0])
    yield oldest[1]
  }
  yield* open.values()
}
