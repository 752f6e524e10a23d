/** A plan item by item, in the order in which people read it: the page, the note and the reports are made of it. */
import { managedKinds } from '../catalogue/managed/index.js'
import type { Failure } from '../errors.js'
import {
  type Change,
  type DesiredPlan,
  type PlanFinding,
  replacedIn,
  type Verb,
} from './actions.js'
import { type Address, addressText, placeText } from './address.js'
import type { Origin } from './wishes.js'

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

/** One item of a plan. */
export interface PlanEntry {
  readonly is: EntryKind
  readonly address: Address
  /** Its place, itself there, and both, as text. */
  readonly place: string
  readonly name: string
  readonly full: string
  readonly origin?: Origin
  /** What was found, in words. */
  readonly text: string
  readonly changes: readonly Change[]
  /** The id of an action. */
  readonly id?: string
  readonly loses?: string
  /** Why it was not read. */
  readonly failure?: Failure
}

/** What an entry is made of: an action, a finding, or what was not read. */
type Source = Pick<PlanEntry, 'address'> &
  Partial<Pick<PlanEntry, 'origin' | 'changes' | 'id' | 'loses' | 'failure'>>

/** Nothing of what it is made of is kept twice: a plan may have a hundred thousand. */
class Entry implements PlanEntry {
  constructor(
    readonly is: EntryKind,
    readonly source: Source,
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
    return replaced.has(id) ? [] : [new Entry(replaced.has(replaces) ? 'replace' : verb, action)]
  })
}

const stages = managedKinds.map(({ scope, name }) => `${scope} ${name}`)
const scopes = ['site', 'group', 'project']
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What changes comes first, as in the sum. */
const rankOf = ({ is }: PlanEntry): number => (is === 'update' ? -1 : ranks.indexOf(is))
const stageOf = ({ address: { scope, kind } }: PlanEntry): number =>
  stages.indexOf(`${scope} ${kind}`)

/** The instance, groups, projects; within a place by kind, by what is said, by name. */
const inOrder = (a: PlanEntry, b: PlanEntry): number =>
  scopes.indexOf(a.address.scope) - scopes.indexOf(b.address.scope) ||
  byText(a.address.path, b.address.path) ||
  stageOf(a) - stageOf(b) ||
  rankOf(a) - rankOf(b) ||
  byText(a.address.item ?? '', b.address.item ?? '')

/** All items of a plan; a replacement is one. */
export const entriesOf = (plan: DesiredPlan): readonly PlanEntry[] =>
  [
    ...actionEntries(plan),
    ...plan.findings.map((finding) => new Entry(finding.is, finding, finding.text)),
    ...plan.unread.map(({ place, kind, failure }) => {
      const source = { address: { ...place, kind }, failure }
      return new Entry('unread', source, `could not be read: ${failure.message}`)
    }),
  ].sort(inOrder)
