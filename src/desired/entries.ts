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

const ranks: readonly EntryKind[] = [
  'create',
  'enable',
  'update',
  'replace',
  'delete',
  'leftover',
  'secret',
  'unknown',
  'impossible',
  'unsupported',
  'warning',
  'note',
  'unread',
]

/** What an entry is made of: an action, a finding, or what was not read. */
interface EntrySource {
  readonly address: Address
  readonly origin?: Origin
  readonly changes?: readonly Change[]
  /** The id of an action. */
  readonly id?: string
  readonly loses?: string
  /** Why it was not read. */
  readonly failure?: Failure
}

/** One item of a plan. Nothing of what it is made of is kept twice: a plan may have a hundred thousand. */
export class PlanEntry {
  /** @param text what was found, in words */
  constructor(
    readonly is: EntryKind,
    readonly source: EntrySource,
    readonly text = '',
  ) {}

  get address(): Address {
    return this.source.address
  }

  get place(): string {
    return placeText(this.address)
  }

  get name(): string {
    const { kind, item, attribute } = this.address
    const inside = item === undefined ? '' : `/${item}`
    const what = attribute === undefined ? '' : `#${attribute}`
    return `${kind === '*' ? 'all of it' : kind}${inside}${what}`
  }

  get full(): string {
    return addressText(this.address)
  }

  get origin(): Origin | undefined {
    return this.source.origin
  }

  get changes(): readonly Change[] {
    return this.source.changes ?? []
  }

  get id(): string | undefined {
    return this.source.id
  }

  get loses(): string | undefined {
    return this.source.loses
  }

  get failure(): Failure | undefined {
    return this.source.failure
  }
}

const actionEntries = ({ actions }: DesiredPlan): readonly PlanEntry[] => {
  const replaced = replacedIn(actions)
  return actions.flatMap((action) => {
    const { id, verb, replaces = '' } = action
    return replaced.has(id)
      ? []
      : [new PlanEntry(replaced.has(replaces) ? 'replace' : verb, action)]
  })
}

/** What changes comes first, as in the sum. */
const rankOf = ({ is }: PlanEntry): number => (is === 'update' ? -1 : ranks.indexOf(is))

/** The instance, groups, projects; within a place by kind, by what is said, by name. */
const inOrder = (a: PlanEntry, b: PlanEntry): number =>
  byPlace(a.address, b.address) ||
  stageOf(a.address) - stageOf(b.address) ||
  rankOf(a) - rankOf(b) ||
  byText(a.address.item ?? '', b.address.item ?? '')

/** All items of a plan; a replacement is one. */
export const entriesOf = (plan: DesiredPlan): readonly PlanEntry[] =>
  [
    ...actionEntries(plan),
    ...plan.findings.map((finding) => new PlanEntry(finding.is, finding, finding.text)),
    ...plan.unread.map(({ place, kind, failure }) => {
      const source = { address: { ...place, kind }, failure }
      return new PlanEntry('unread', source, `could not be read: ${failure.message}`)
    }),
  ].sort(inOrder)

// A plan held against that of the same files at another commit: what changed, and what is no longer declared.

export interface PlanComparison {
  /** What is shown: what the files did not want alike before. */
  readonly entries: readonly PlanEntry[]
  /** How many actions they wanted before as well. */
  readonly standing: number
  /** Actions that they wanted before, and no longer. */
  readonly dropped: readonly string[]
  /** What they declared, and no longer do: it is left as it is. */
  readonly undeclared: readonly string[]
}

/** What a plan says of an item, wherever it is said. */
const textOf = ({ is, full, text, changes }: PlanEntry): string =>
  JSON.stringify([
    ...[is, full, text],
    changes.map(({ attribute, wanted, secret, within }) => [
      ...[attribute, wanted, within],
      secret !== undefined && ('literal' in secret ? 'literal' : secret),
    ]),
  ])

const nameOf = ({ identity }: DesiredItem): string => String(identity).toLowerCase()

/** What an item of before is called, and what of it is no longer declared. */
const missing = (
  desired: DesiredKind,
  item: DesiredItem,
  now: DesiredItem | undefined,
): readonly string[] => {
  const { place, kind } = desired
  const of: Address = {
    ...place,
    kind: kind.name,
    ...(item.identity === '' ? {} : { item: String(item.identity) }),
  }
  const left = item.origin.team === undefined ? '' : ` (left team ${item.origin.team.name})`
  if (now === undefined && item.identity !== '') return [`${addressText(of)}${left}`]
  if (now?.gone !== undefined) return []
  return [...item.attributes.keys()]
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

interface Planned {
  readonly entries: readonly PlanEntry[]
  readonly places: readonly DesiredPlace[]
}

const isAction = ({ id }: PlanEntry): boolean => id !== undefined

/** What became of a plan since the files were as they were. */
export const comparePlans = (now: Planned, former: Planned): PlanComparison => {
  const before = new Set(former.entries.map(textOf))
  const entries = now.entries.filter((one) => one.is === 'unread' || !before.has(textOf(one)))
  const acted = new Set(now.entries.filter(isAction).map(({ full }) => full))
  const keyOf = ({ place }: DesiredPlace): string => placeText(place).toLowerCase()
  const known = new Map(now.places.map((one) => [keyOf(one), one]))
  const undeclared = former.places
    .flatMap((one) => undeclaredAt(known.get(keyOf(one))?.desired() ?? [], one.desired()))
    .filter((text) => !acted.has(text))
  const gone = new Set(undeclared.map((text) => text.replace(/ \(.*\)$|#.*$/g, '')))
  return {
    entries,
    standing: now.entries.filter(isAction).length - entries.filter(isAction).length,
    dropped: former.entries
      .filter((one) => isAction(one) && !acted.has(one.full) && !gone.has(one.full))
      .map(({ id = '' }) => id),
    undeclared,
  }
}
