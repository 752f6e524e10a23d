/** Levels of equal rank as one: what they say alike unites, and where they differ something more specific has to say it. */
import { isObject } from '../../base/objects.js'
import { canonical } from '../values.js'
import type { SaidOnce, WantedValue } from '../wishes.js'
import type { DeclaredItem, DeclaredKind, DeclaredLevel } from './declared.js'

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const textOf = (value: unknown): string => JSON.stringify(value)

/** Whether two say the same: lists in any order, and never secrets that are written out. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (!isObject(a) || !isObject(b)) return textOf(a) === textOf(b)
  if (isObject(a.source) && 'literal' in a.source) return false
  if (!isList(a.value) || !isList(b.value)) return textOf(a) === textOf(b)
  return textOf(a.value.map(textOf).sort()) === textOf(b.value.map(textOf).sort())
}

const shares = (some: readonly unknown[], others: readonly unknown[]): boolean => {
  const known = new Set(others.map(textOf))
  return some.some((one) => known.has(textOf(one)))
}

/** Two changes of a list as one; undefined where one takes what the other puts in. */
const bothChanges = (a: WantedValue, b: WantedValue): WantedValue | undefined => {
  if (a.is !== 'change' || b.is !== 'change') return undefined
  if (shares(a.add, b.remove) || shares(a.remove, b.add)) return undefined
  const both = (ones: typeof a.add, others: typeof a.add) => [
    ...new Map([...ones, ...others].map((one) => [canonical(one), one])).values(),
  ]
  return { is: 'change', add: both(a.add, b.add), remove: both(a.remove, b.remove) }
}

/** What is said once by each of several; where they differ, the first with its rival. */
const agreed = <T>(
  all: readonly (SaidOnce<T> | undefined)[],
  join: (a: T, b: T) => T | undefined = () => undefined,
): SaidOnce<T> | undefined => {
  let known: SaidOnce<T> | undefined
  for (const next of all) {
    if (known === undefined || next === undefined) known ??= next
    else if (!isSame(known.value, next.value)) {
      const value = join(known.value, next.value)
      known =
        value === undefined ? { ...known, rival: known.rival ?? next.origin } : { ...known, value }
    }
  }
  return known
}

type Values = ReadonlyMap<string, SaidOnce<WantedValue>>

/** Maps with a value for each key of any of them. */
const joined = <T>(
  maps: readonly ReadonlyMap<string, T>[],
  join: (all: readonly T[]) => T | undefined,
): Map<string, T> => {
  const all = new Map<string, T>()
  for (const key of new Set(maps.flatMap((map) => [...map.keys()]))) {
    const one = join(maps.flatMap((map) => map.get(key) ?? []))
    if (one !== undefined) all.set(key, one)
  }
  return all
}

const valuesOf = (maps: readonly Values[]): Map<string, SaidOnce<WantedValue>> =>
  joined(maps, (all) => agreed(all, bothChanges))

const itemOf = (all: readonly DeclaredItem[]): DeclaredItem | undefined => {
  const [first, ...others] = all
  if (first === undefined || others.length === 0) return first
  const isGone = first.gone !== undefined
  const rival = others.find(({ gone }) => (gone !== undefined) !== isGone)
  return {
    ...first,
    // Whether it must be there is for something more specific to say, which goes on with what is said of it.
    gone: rival === undefined ? first.gone : undefined,
    rival: first.rival ?? rival?.origin,
    inherit: agreed(all.map(({ inherit }) => inherit)),
    attributes: valuesOf(all.map(({ attributes }) => attributes)),
    other: valuesOf(all.map(({ other }) => other)),
    previously: agreed(all.map(({ previously }) => previously)),
    family: agreed(all.map(({ family }) => family)),
  }
}

const kindOf = (all: readonly DeclaredKind[]): DeclaredKind | undefined => {
  const [first] = all
  return (
    first && {
      ...first,
      exact: agreed(all.map(({ exact }) => exact)),
      inherit: agreed(all.map(({ inherit }) => inherit)),
      items: joined(
        all.map(({ items }) => items),
        itemOf,
      ),
    }
  )
}

/** What levels of one rank say. */
export type SaidTogether = Pick<DeclaredLevel, 'inherit' | 'kinds'>

/** Levels of one rank as one level. */
export const united = (levels: readonly SaidTogether[]): readonly SaidTogether[] => {
  const [first, ...others] = levels
  if (first === undefined || others.length === 0) return levels
  const inherit = agreed(levels.map((level) => level.inherit))
  const kinds = joined(
    levels.map((level) => level.kinds),
    kindOf,
  )
  return [{ inherit, kinds }]
}
