/** Creates the record from which the HTML page of a plan is drawn: its counts, and its items by place. */

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
  readonly unchanged: number
  readonly requests: number
  readonly files: readonly string[]
  readonly refused: readonly string[]
  readonly places: readonly PagePlace[]
}

const plain: CellWriter = { code: shortenValue, prose: (text) => text }

const toItem = (
  entry: PlanEntry,
  of: ReportedPlan['of'],
  outcomeOf: ((id: string) => { readonly outcome: string }) | undefined,
): PageItem => {
  const { is, text } = entry
  const { id, loses = '', origin, address } = entry.of
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
    outcome: id === undefined ? '' : (outcomeOf?.(id).outcome ?? ''),
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
  outcomeOf?: (id: string) => { readonly outcome: string },
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

const heads = { plan: 'Plan', apply: 'Applied', drift: 'Drift' } as const

/** Creates the title of a plan's page: *Plan: 1 to create, 4 to change, 1 to delete*. */
export const createPlanTitle = ({ of, todo }: PlanPageRecord): string =>
  todo[0] === noneWords[of] && of === 'drift' ? noneWords.drift : `${heads[of]}: ${todo.join(', ')}`
