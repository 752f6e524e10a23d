/** Creates the record from which the HTML page of a plan is drawn: its counts, and its items by place. */

import { isObject, toText } from '../../base/objects.js'
import { toPlaceText } from '../../desired/address.js'
import { entryKinds, getEntryName, isAction, type PlanEntry } from '../../desired/entries.js'
import {
  type CellWriter,
  createChangeRows,
  formatGiven,
  formatPlanCounts,
  formatPosition,
  noneWords,
  type ReportedPlan,
  shortenValue,
} from './rows.js'

/** An attribute with its current and its desired value. */
interface PageChange {
  readonly attribute: string
  readonly now: string
  readonly wanted: string
}

/** An item of a plan. */
export interface PageItem {
  readonly verb: string
  readonly sign: string
  readonly kind: string
  readonly name: string
  readonly text: string
  readonly origin: string
  /** The loss that the item causes; empty if there is none. */
  readonly loses: string
  readonly outcome: string
  /** The reason why the action failed; empty if it did not. */
  readonly why: string
  readonly changes: readonly PageChange[]
}

/** The items of a place. */
export interface PagePlace {
  readonly name: string
  /** The path of the place on the instance; empty for the instance itself. */
  readonly path: string
  readonly items: readonly PageItem[]
}

/** A plan with the facts that its page shows. */
export interface PlanPageRecord {
  readonly of: ReportedPlan['of']
  readonly todo: readonly string[]
  /** The number of actions by outcome, such as `done` and `failed`; empty if nothing was applied. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly unchanged: number
  readonly requests: number
  readonly files: readonly string[]
  readonly refused: readonly string[]
  readonly places: readonly PagePlace[]
}

/** The result of an action. */
export interface ActionOutcome {
  readonly outcome: string
  /** The failure as JSON. */
  readonly error?: unknown
}

/** Counts the items by outcome, the done ones first. Items without an outcome are left out. */
const countOutcomes = (items: readonly PageItem[]): PlanPageRecord['outcomes'] => {
  const counts: Record<string, number> = {}
  for (const { outcome } of items) if (outcome !== '') counts[outcome] = (counts[outcome] ?? 0) + 1
  const { done, ...others } = counts
  return done === undefined ? others : { done, ...others }
}

const plain: CellWriter = { formatCode: shortenValue, formatProse: (text) => text }

const toItem = (
  entry: PlanEntry,
  of: ReportedPlan['of'],
  outcomeOf: ((id: string) => ActionOutcome) | undefined,
): PageItem => {
  const { is, text } = entry
  const { id, loses = '', origin, address } = entry.of
  const ended = id === undefined ? undefined : outcomeOf?.(id)
  const { mark, drift, words } = entryKinds[is]
  const isDrift = of === 'drift'
  const changes = isAction(entry)
    ? createChangeRows(entry, plain).filter(([attribute]) => attribute !== '')
    : []
  return {
    verb: is,
    sign: isDrift ? (drift?.mark ?? mark) : mark,
    kind: address.kind,
    name: getEntryName(entry),
    text:
      isDrift && isAction(entry)
        ? (words?.wrong ?? '')
        : text || (is === 'enable' ? formatGiven(entry) : ''),
    origin: origin === undefined ? '' : formatPosition(origin),
    loses: isDrift ? '' : loses,
    outcome: ended?.outcome ?? '',
    why: isObject(ended?.error) ? (toText(ended.error.message) ?? '') : '',
    changes: changes.map(([attribute = '', now = '', wanted = '']) =>
      // For drift, the page shows the declared value first and the actual value second.
      isDrift && now !== '' ? { attribute, now: wanted, wanted: now } : { attribute, now, wanted },
    ),
  }
}

/** Returns the rank of an item on the page: deletions come first. */
const getRank = ({ verb }: PageItem): number => (verb === 'delete' ? 0 : 1)

/**
 * Creates the record of a plan's page.
 * @param outcomeOf returns the outcome of an action after the plan was applied
 */
export const toPageRecord = (
  { of, made }: ReportedPlan,
  outcomeOf?: (id: string) => ActionOutcome,
): PlanPageRecord => {
  const places = new Map<string, { readonly path: string; readonly items: PageItem[] }>()
  const files = new Set<string>()
  for (const entry of made.entries) {
    const { address, origin } = entry.of
    if (origin !== undefined) files.add(origin.file)
    const name = toPlaceText(address)
    const found = places.get(name) ?? { path: toPath(address), items: [] }
    places.set(name, found)
    found.items.push(toItem(entry, of, outcomeOf))
  }
  const { todo } = formatPlanCounts(made.counts, of)
  return {
    of,
    todo: todo.length === 0 ? [noneWords[of]] : todo,
    outcomes: countOutcomes([...places.values()].flatMap(({ items }) => items)),
    unchanged: made.counts.same,
    requests: made.worked.requests,
    files: [...files],
    refused: made.plan.refused.map(
      ({ text, flag }) => `exceeds a limit: ${text}; pass ${flag} to allow it`,
    ),
    places: [...places].map(([name, { path, items }]) => ({
      name,
      path,
      items: items.toSorted((a, b) => getRank(a) - getRank(b)),
    })),
  }
}

const toPath = (address: PlanEntry['of']['address']): string => {
  if (address.scope === 'project') return address.path
  return address.scope === 'group' ? `groups/${address.path}` : ''
}

/** Describes what became of the actions: `2 done, 1 failed`. */
export const describeOutcomes = (outcomes: PlanPageRecord['outcomes']): string =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`)
    .join(', ')

/**
 * Creates the title of a plan's page: *Plan: 1 to create, 4 to change, 1 to delete*. For a plan that was applied, it is
 * *Applied: 2 done, 1 failed*.
 */
export const createPlanTitle = ({ of, todo, outcomes }: PlanPageRecord): string => {
  if (Object.keys(outcomes).length > 0) return `Applied: ${describeOutcomes(outcomes)}`
  if (of === 'drift' && todo[0] === noneWords.drift) return noneWords.drift
  return `${of === 'drift' ? 'Drift' : 'Plan'}: ${todo.join(', ')}`
}
