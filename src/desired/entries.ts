/** Lists a plan's items in reading order, for the HTML page, the merge request note and the reports. */
import type { Failure } from '../errors.js'
import {
  type Change,
  comparePlaces,
  type DesiredPlan,
  findReplacedDeletes,
  getKindStage,
  type PlanFinding,
  type Verb,
} from './actions.js'
import { type Address, toAddressText, toPlaceText } from './address.js'
import type { DesiredPlace } from './files/index.js'
import type { DesiredItem, DesiredKind, Origin } from './state.js'
import { compareTexts } from './values.js'

/** The kind of an entry: a planned action, a finding, or `unread` for an item that could not be read. */
export type EntryKind = Verb | 'replace' | PlanFinding['is'] | 'unread'

/**
 * The mark before an item, and its words as an action that is to do, done or missing. Drift is described in the opposite direction: as
 * something that the instance lacks, or has in addition.
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

/** One item of a plan. It refers to its source without copying, since a plan may have a hundred thousand items. */
export interface PlanEntry {
  readonly is: EntryKind
  /** The finding or the failure, in words; empty for an action. */
  readonly text: string
  /** The action, finding or read failure that the entry shows. */
  readonly of: {
    readonly address: Address
    readonly origin?: Origin
    readonly changes?: readonly Change[]
    /** The ID of an action; undefined for other entries. */
    readonly id?: string
    readonly loses?: string
    /** The reason why the item could not be read. */
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
const getRank = ({ is }: PlanEntry): number => (is === 'update' ? -1 : ranks.indexOf(is))

/** Compares entries by place (the instance, groups, projects), and within a place by kind, kind of entry and name. */
const compareEntries = (a: PlanEntry, b: PlanEntry): number =>
  comparePlaces(a.of.address, b.of.address) ||
  getKindStage(a.of.address) - getKindStage(b.of.address) ||
  getRank(a) - getRank(b) ||
  compareTexts(a.of.address.item ?? '', b.of.address.item ?? '')

/** Lists all entries of a plan. The delete and the create of a replacement are one entry. */
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

// The comparison of a plan with that of the same files at another commit.

export interface PlanComparison {
  /** The entries to show: those that the plan of the former files did not have, and all that were not read. */
  readonly entries: readonly PlanEntry[]
  /** The number of actions that the former files wanted as well. */
  readonly earlier: number
  /** The IDs of actions that the former plan had and the present plan does not. */
  readonly dropped: readonly string[]
  /** The addresses that the former files declared and the present files do not; these objects are left as they are. */
  readonly undeclared: readonly string[]
}

const getEntryAddress = ({ of: { address } }: PlanEntry): string => toAddressText(address)

/** Returns a key of everything that an entry shows, to find the same entry in another plan. */
const serializeEntry = ({ is, text, of: { address, changes = [] } }: PlanEntry): string =>
  JSON.stringify([
    ...[is, toAddressText(address), text],
    changes.map(({ attribute, wanted, secret, within }) => [
      ...[attribute, wanted, within],
      secret !== undefined && ('literal' in secret ? 'literal' : secret),
    ]),
  ])

const getItemKey = ({ identity }: DesiredItem): string => String(identity).toLowerCase()

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
    const items = new Map(same?.items.map((item) => [getItemKey(item), item]))
    return desired.items.flatMap((item) => {
      const next = items.get(getItemKey(item))
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
  const getPlaceKey = ({ place }: DesiredPlace): string => toPlaceText(place).toLowerCase()
  const known = new Map(now.places.map((one) => [getPlaceKey(one), one]))
  const undeclared = former.places
    .flatMap((one) => findUndeclared(known.get(getPlaceKey(one))?.desired() ?? [], one.desired()))
    .filter((text) => !acted.has(text))
  const gone = new Set(undeclared.map((text) => text.replace(/ \(.*\)$|#.*/s, '')))
  return {
    entries,
    earlier: actions.length - entries.filter(isAction).length,
    dropped: former.entries.flatMap((one) => {
      const isStillPlanned = acted.has(getEntryAddress(one)) || gone.has(getEntryAddress(one))
      return one.of.id === undefined || isStillPlanned ? [] : [one.of.id]
    }),
    undeclared,
  }
}
