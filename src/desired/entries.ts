/** A plan item by item, in the order in which people read it: the page, the note and the reports are made of it. */
import type { Failure } from '../errors.js'
import {
  type Change,
  comparePlaces,
  type DesiredPlan,
  findReplacedDeletes,
  type PlanFinding,
  stageOf,
  type Verb,
} from './actions.js'
import { type Address, placeText, toAddressText } from './address.js'
import type { DesiredPlace } from './files/index.js'
import type { DesiredItem, DesiredKind, Origin } from './state.js'
import { compareTexts } from './values.js'

/** The kind of an entry: a planned action, a finding, or `unread` for an item that could not be read. */
export type EntryKind = Verb | 'replace' | PlanFinding['is'] | 'unread'

/**
 * The mark before an item, and its words as an action: to do, done, wrong. Drift is described the other way round: as something that the
 * instance lacks, or has in addition.
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
  /** The finding or the failure, in words; empty for an action. */
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

/** Returns the kind, item and attribute of an entry, without its place. */
export const getEntryName = ({ of: { address } }: PlanEntry): string => {
  const { kind, item, attribute } = address
  const inside = item === undefined ? '' : `/${item}`
  const what = attribute === undefined ? '' : `#${attribute}`
  return `${kind === '*' ? 'all of it' : kind}${inside}${what}`
}

/** True if an entry is an action: something would be done to its item. */
export const isAction = ({ of: { id } }: PlanEntry): boolean => id !== undefined

/** Returns the sort position of an entry by its kind: updates come first, as in the summary. */
const rankOf = ({ is }: PlanEntry): number => (is === 'update' ? -1 : ranks.indexOf(is))

/** The instance, groups, projects; within a place by kind, by what is said, by name. */
const compareEntries = (a: PlanEntry, b: PlanEntry): number =>
  comparePlaces(a.of.address, b.of.address) ||
  stageOf(a.of.address) - stageOf(b.of.address) ||
  rankOf(a) - rankOf(b) ||
  compareTexts(a.of.address.item ?? '', b.of.address.item ?? '')

/** All items of a plan; a replacement is one. */
export const listPlanEntries = ({
  actions,
  findings,
  unread,
}: DesiredPlan): readonly PlanEntry[] => {
  const replaced = findReplacedDeletes(actions)
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
  ].sort(compareEntries)
}

// A plan held against that of the same files at another commit: what changed, and what is no longer declared.

export interface PlanComparison {
  /** The entries to show: those that the plan of the former files did not have, and all that were not read. */
  readonly entries: readonly PlanEntry[]
  /** The number of actions that the former files wanted as well. */
  readonly earlier: number
  /** Actions that they wanted before, and no longer. */
  readonly dropped: readonly string[]
  /** The addresses that the former files declared and the present files do not; these objects are left as they are. */
  readonly undeclared: readonly string[]
}

const getEntryAddress = ({ of: { address } }: PlanEntry): string => toAddressText(address)

/** Returns a key of everything that an entry says, to find the same entry in another plan. */
const serializeEntry = ({ is, text, of: { address, changes = [] } }: PlanEntry): string =>
  JSON.stringify([
    ...[is, toAddressText(address), text],
    changes.map(({ attribute, wanted, secret, within }) => [
      ...[attribute, wanted, within],
      secret !== undefined && ('literal' in secret ? 'literal' : secret),
    ]),
  ])

const nameOf = ({ identity }: DesiredItem): string => String(identity).toLowerCase()

/** Lists the parts of a former item that are no longer declared: the item itself, or some of its attributes. */
const listMissing = (
  { place, kind }: DesiredKind,
  { identity, origin: { team }, attributes }: DesiredItem,
  now: DesiredItem | undefined,
): readonly string[] => {
  const item = identity === '' ? undefined : String(identity)
  const of: Address = { ...place, kind: kind.name, item }
  const left = team === undefined ? '' : ` (left team ${team.name})`
  if (now === undefined && item !== undefined) return [`${toAddressText(of)}${left}`]
  if (now?.gone !== undefined) return []
  return [...attributes.keys()]
    .filter((name) => now?.attributes.has(name) !== true)
    .map((attribute) => toAddressText({ ...of, attribute }))
}

const findUndeclared = (
  now: readonly DesiredKind[],
  former: readonly DesiredKind[],
): readonly string[] =>
  former.flatMap((desired) => {
    const same = now.find(({ kind }) => kind === desired.kind)
    const items = new Map(same?.items.map((item) => [nameOf(item), item]))
    return desired.items.flatMap((item) => {
      const next = items.get(nameOf(item))
      if (item.gone !== undefined || (next === undefined && same?.exact?.value === true)) return []
      return listMissing(desired, item, next)
    })
  })

interface ComparedPlan {
  readonly entries: readonly PlanEntry[]
  readonly places: readonly DesiredPlace[]
}

/** Compares a plan with that of the same files at an earlier commit. */
export const comparePlans = (now: ComparedPlan, former: ComparedPlan): PlanComparison => {
  const before = new Set(former.entries.map(serializeEntry))
  const entries = now.entries.filter(
    (one) => one.is === 'unread' || !before.has(serializeEntry(one)),
  )
  const actions = now.entries.filter(isAction)
  const acted = new Set(actions.map(getEntryAddress))
  const keyOf = ({ place }: DesiredPlace): string => placeText(place).toLowerCase()
  const known = new Map(now.places.map((one) => [keyOf(one), one]))
  const undeclared = former.places
    .flatMap((one) => findUndeclared(known.get(keyOf(one))?.desired() ?? [], one.desired()))
    .filter((text) => !acted.has(text))
  const gone = new Set(undeclared.map((text) => text.replace(/ \(.*\)$|#.*/s, '')))
  return {
    entries,
    earlier: actions.length - entries.filter(isAction).length,
    dropped: former.entries.flatMap((one) => {
      const isStill = acted.has(getEntryAddress(one)) || gone.has(getEntryAddress(one))
      return one.of.id === undefined || isStill ? [] : [one.of.id]
    }),
    undeclared,
  }
}
