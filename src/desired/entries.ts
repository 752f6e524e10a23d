/** A plan item by item, in the order in which people read it: the page, the note and the reports are made of it. */
import type { Failure } from '../errors.js'
import {
  byPlace,
  type Change,
  type DesiredPlan,
  type PlanFinding,
  replacedIn,
  stageOf,
  type Verb,
} from './actions.js'
import { type Address, addressText, placeText } from './address.js'
import type { DesiredPlace } from './files/index.js'
import type { DesiredItem, DesiredKind, Origin } from './state.js'
import { byText } from './values.js'

/** What is said of an item: what would be done, what was found, or that it was not read. */
export type EntryKind = Verb | 'replace' | PlanFinding['is'] | 'unread'

/**
 * The mark that stands before an item, and its words as an action: to do, done, wrong. Drift is told the other way round: as
 * something that the instance lacks, or has besides.
 */
interface EntryWords {
  readonly mark: string
  readonly words?: { readonly todo: string; readonly done: string; readonly wrong: string }
  readonly drift?: { readonly mark: string; readonly count: string }
}

/** The marks and words of each kind of entry, in the order in which people read them. */
export const entryKinds: Readonly<Record<EntryKind, EntryWords>> = {
  create: {
    mark: '+',
    words: { todo: 'to create', done: 'created', wrong: 'is missing' },
    drift: { mark: '-', count: 'missing' },
  },
  enable: {
    mark: '+',
    words: { todo: 'to enable', done: 'enabled', wrong: 'is not enabled' },
    drift: { mark: '-', count: 'not enabled' },
  },
  update: {
    mark: '~',
    words: { todo: 'to change', done: 'changed', wrong: 'differs' },
    drift: { mark: '~', count: 'changed' },
  },
  replace: {
    mark: '±',
    words: { todo: 'to replace', done: 'replaced', wrong: 'differs' },
    drift: { mark: '±', count: 'replaced' },
  },
  delete: {
    mark: '-',
    words: { todo: 'to delete', done: 'deleted', wrong: 'should not be there' },
    drift: { mark: '+', count: 'unexpected' },
  },
  leftover: { mark: '!' },
  secret: { mark: '!' },
  unknown: { mark: '?' },
  impossible: { mark: '!' },
  unsupported: { mark: '!' },
  warning: { mark: '!' },
  note: { mark: '·' },
  unread: { mark: '✗' },
}
const ranks = Object.keys(entryKinds)

/** One item of a plan. Nothing of what it is made of is kept twice: a plan may have a hundred thousand. */
export interface PlanEntry {
  readonly is: EntryKind
  /** What was found, in words. */
  readonly text: string
  /** An action, a finding, or what was not read. */
  readonly of: {
    readonly address: Address
    readonly origin?: Origin
    readonly changes?: readonly Change[]
    /** The id of an action. */
    readonly id?: string
    readonly loses?: string
    /** Why it was not read. */
    readonly failure?: Failure
  }
}

/** What an entry is about, within its place. */
export const entryName = ({ of: { address } }: PlanEntry): string => {
  const { kind, item, attribute } = address
  const inside = item === undefined ? '' : `/${item}`
  const what = attribute === undefined ? '' : `#${attribute}`
  return `${kind === '*' ? 'all of it' : kind}${inside}${what}`
}

/** Whether something would be done to an item. */
export const isAction = ({ of: { id } }: PlanEntry): boolean => id !== undefined

/** What changes comes first, as in the sum. */
const rankOf = ({ is }: PlanEntry): number => (is === 'update' ? -1 : ranks.indexOf(is))

/** The instance, groups, projects; within a place by kind, by what is said, by name. */
const inOrder = (a: PlanEntry, b: PlanEntry): number =>
  byPlace(a.of.address, b.of.address) ||
  stageOf(a.of.address) - stageOf(b.of.address) ||
  rankOf(a) - rankOf(b) ||
  byText(a.of.address.item ?? '', b.of.address.item ?? '')

/** All items of a plan; a replacement is one. */
export const entriesOf = ({ actions, findings, unread }: DesiredPlan): readonly PlanEntry[] => {
  const replaced = replacedIn(actions)
  const acting = actions.filter(({ id }) => !replaced.has(id))
  return [
    ...acting.map((of): PlanEntry => {
      return { is: replaced.has(of.replaces ?? '') ? 'replace' : of.verb, text: '', of }
    }),
    ...findings.map((of): PlanEntry => ({ is: of.is, text: of.text, of })),
    ...unread.map(({ place, kind, failure }): PlanEntry => {
      const text = `could not be read: ${failure.message}`
      return { is: 'unread', text, of: { address: { ...place, kind }, failure } }
    }),
  ].sort(inOrder)
}

// A plan held against that of the same files at another commit: what changed, and what is no longer declared.

export interface PlanComparison {
  /** What is shown: what the files did not want alike before. */
  readonly entries: readonly PlanEntry[]
  /** How many actions they wanted before as well. */
  readonly earlier: number
  /** Actions that they wanted before, and no longer. */
  readonly dropped: readonly string[]
  /** What they declared, and no longer do: it is left as it is. */
  readonly undeclared: readonly string[]
}

const fullName = ({ of: { address } }: PlanEntry): string => addressText(address)

/** What a plan says of an item, wherever it is said. */
const textOf = ({ is, text, of: { address, changes = [] } }: PlanEntry): string =>
  JSON.stringify([
    ...[is, addressText(address), text],
    changes.map(({ attribute, wanted, secret, within }) => [
      ...[attribute, wanted, within],
      secret !== undefined && ('literal' in secret ? 'literal' : secret),
    ]),
  ])

const nameOf = ({ identity }: DesiredItem): string => String(identity).toLowerCase()

/** What an item of before is called, and what of it is no longer declared. */
const missing = (
  { place, kind }: DesiredKind,
  { identity, origin: { team }, attributes }: DesiredItem,
  now: DesiredItem | undefined,
): readonly string[] => {
  const item = identity === '' ? undefined : String(identity)
  const of: Address = { ...place, kind: kind.name, item }
  const left = team === undefined ? '' : ` (left team ${team.name})`
  if (now === undefined && item !== undefined) return [`${addressText(of)}${left}`]
  if (now?.gone !== undefined) return []
  return [...attributes.keys()]
    .filter((name) => now?.attributes.has(name) !== true)
    .map((attribute) => addressText({ ...of, attribute }))
}

const undeclaredAt = (
  now: readonly DesiredKind[],
  former: readonly DesiredKind[],
): readonly string[] =>
  former.flatMap((desired) => {
    const same = now.find(({ kind }) => kind === desired.kind)
    const items = new Map(same?.items.map((item) => [nameOf(item), item]))
    return desired.items.flatMap((item) => {
      const next = items.get(nameOf(item))
      if (item.gone !== undefined || (next === undefined && same?.exact?.value === true)) return []
      return missing(desired, item, next)
    })
  })

interface ComparedPlan {
  readonly entries: readonly PlanEntry[]
  readonly places: readonly DesiredPlace[]
}

/** What became of a plan since the files were as they were. */
export const comparePlans = (now: ComparedPlan, former: ComparedPlan): PlanComparison => {
  const before = new Set(former.entries.map(textOf))
  const entries = now.entries.filter((one) => one.is === 'unread' || !before.has(textOf(one)))
  const actions = now.entries.filter(isAction)
  const acted = new Set(actions.map(fullName))
  const keyOf = ({ place }: DesiredPlace): string => placeText(place).toLowerCase()
  const known = new Map(now.places.map((one) => [keyOf(one), one]))
  const undeclared = former.places
    .flatMap((one) => undeclaredAt(known.get(keyOf(one))?.desired() ?? [], one.desired()))
    .filter((text) => !acted.has(text))
  const gone = new Set(undeclared.map((text) => text.replace(/ \(.*\)$|#.*/s, '')))
  return {
    entries,
    earlier: actions.length - entries.filter(isAction).length,
    dropped: former.entries.flatMap((one) => {
      const isStill = acted.has(fullName(one)) || gone.has(fullName(one))
      return one.of.id === undefined || isStill ? [] : [one.of.id]
    }),
    undeclared,
  }
}
