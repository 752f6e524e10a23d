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

type Found = Omit<PlanEntry, 'place' | 'name' | 'full'>

const actionEntries = ({ actions }: DesiredPlan): readonly Found[] => {
  const replaced = replacedIn(actions)
  return actions
    .filter(({ id }) => !replaced.has(id))
    .map(({ id, verb, address, origin, changes, loses, replaces = '' }) => ({
      is: replaced.has(replaces) ? 'replace' : verb,
      ...{ id, address, origin, changes, loses, text: '' },
    }))
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

const nameIn = ({ kind, item, attribute }: Address): string =>
  `${kind === '*' ? 'all of it' : kind}${item === undefined ? '' : `/${item}`}${attribute === undefined ? '' : `#${attribute}`}`

/** All items of a plan; a replacement is one. */
export const entriesOf = (plan: DesiredPlan): readonly PlanEntry[] =>
  [
    ...actionEntries(plan),
    ...plan.findings.map((finding): Found => ({ ...finding, changes: [] })),
    ...plan.unread.map(
      ({ place, kind, failure }): Found => ({
        is: 'unread',
        address: { ...place, kind },
        text: `could not be read: ${failure.message}`,
        changes: [],
        failure,
      }),
    ),
  ]
    .map((found) => ({
      ...found,
      place: placeText(found.address),
      name: nameIn(found.address),
      full: addressText(found.address),
    }))
    .sort(inOrder)
