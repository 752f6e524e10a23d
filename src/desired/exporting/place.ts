/** One place after another, read and written. */
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Failure } from '../../errors.js'
import { type Address, addressText, type ManagedPlace } from '../address.js'
import type { ReadableInstance } from '../instance.js'
import { sideBySide } from '../reading/once.js'
import type { InstanceSight } from '../reading/sight.js'
import type { SeenKind } from '../seen.js'
import type { FileSection } from './document.js'
import { kindValue } from './kind.js'
import { isForAdministrators } from './kinds.js'
import { FileMap, type FileValue } from './model.js'
import type { Exporting } from './values.js'

/**
 * What a place's kinds say, in their order; what could not be read is told to people.
 * @param seen kinds of one place
 * @returns undefined where they say nothing
 */
export const sectionOf = (seen: readonly SeenKind[], how: Exporting): FileSection | undefined => {
  const entries = seen.flatMap((one): [string, FileValue][] => {
    const value = kindValue(one, how)
    return value === undefined ? [] : [[one.kind.name, value]]
  })
  const place = seen[0]?.place
  if (place === undefined || entries.length === 0) return undefined
  const unread = seen.filter(({ is }) => is === 'unreadable')
  const remarks = unread.map(({ kind }) => `${kind.name}: could not be read`)
  return { place, value: new FileMap(entries, remarks) }
}

/** What came of looking at a place. */
export interface LookedAt {
  readonly place: ManagedPlace
  /** Nothing where there is nothing to say. */
  readonly section: FileSection | undefined
  readonly unread: readonly { readonly address: string; readonly failure: Failure }[]
  /** Kinds that the instance does not have. */
  readonly unsupported: readonly string[]
  /** Kinds that nobody asked for, and that the token may not read. */
  readonly denied: readonly string[]
  /** How many kinds were asked for. */
  readonly kinds: number
}

const addressOf = ({ place, kind }: SeenKind): string => {
  const address: Address = { scope: place.scope, path: place.path, kind: kind.name }
  return addressText(address)
}

/**
 * Reads the kinds of a place that are selected, and lets go of what was read.
 * @param atOnce whether they are asked for side by side: where places are, one kind after another is as
 *   fast, and less is in hand
 */
export const lookAt = async (
  sight: InstanceSight,
  place: ManagedPlace,
  how: Exporting,
  atOnce = true,
): Promise<LookedAt> => {
  const kinds = managedKinds.filter(
    (kind) => kind.scope === place.scope && sight.selected(place, kind),
  )
  const seen = await sideBySide(kinds, (kind) => sight.see(place, kind), atOnce ? kinds.length : 1)
  const section = sectionOf(seen, how)
  sight.forget(place)
  const isDenied = (one: SeenKind): boolean =>
    one.is === 'unreadable' &&
    !how.asked &&
    one.failure.details.status === 403 &&
    isForAdministrators(one.kind)
  return {
    place,
    section,
    denied: seen.filter(isDenied).map(addressOf),
    kinds: kinds.length,
    unread: seen.flatMap((one) =>
      one.is === 'unreadable' && !isDenied(one)
        ? [{ address: addressOf(one), failure: one.failure }]
        : [],
    ),
    unsupported: seen.flatMap((one) => (one.is === 'unsupported' ? [one.kind.name] : [])),
  }
}

/**
 * Works on items as many at once as the instance takes, until one fails: those that are under way end first,
 * since whoever fails closes the way to the instance.
 * @throws what work throws first
 */
export const untilOneFails = async <I>(
  instance: Pick<ReadableInstance, 'each'>,
  items: readonly I[],
  work: (item: I, index: number) => Promise<void>,
): Promise<void> => {
  let lost: { readonly error: unknown } | undefined
  await instance.each(items, async (item, index) => {
    if (lost !== undefined) return
    try {
      await work(item, index)
    } catch (error) {
      lost ??= { error }
    }
  })
  if (lost !== undefined) throw lost.error
}

/**
 * Works on items as many at once as the instance takes, and hands on what comes of them in their order.
 * @throws what work or take throw
 */
export const inTheirOrder = async <I, T>(
  instance: Pick<ReadableInstance, 'each'>,
  items: readonly I[],
  work: (item: I) => Promise<T>,
  take: (done: T) => Promise<void>,
): Promise<void> => {
  const ready = new Map<number, { readonly done: T }>()
  let next = 0
  let taking = Promise.resolve()
  const hand = async (): Promise<void> => {
    for (let first = ready.get(next); first !== undefined; first = ready.get(next)) {
      ready.delete(next)
      next += 1
      await take(first.done)
    }
  }
  await untilOneFails(instance, items, async (item, i) => {
    ready.set(i, { done: await work(item) })
    taking = taking.then(hand)
    await taking
  })
}
