/** The record of a plan that its page is drawn from: what it comes to, and its items, place by place. */

import { placeText } from '../../desired/address.js'
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

/** An attribute as it is, and as it is wanted. */
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
  /** What is lost with it. */
  readonly loses: string
  readonly outcome: string
  readonly changes: readonly PageChange[]
}

/** The items of a place. */
export interface PagePlace {
  readonly name: string
  /** Where it is on the instance; empty for the instance itself. */
  readonly path: string
  readonly items: readonly PageItem[]
}

/** A plan, as its page shows it. */
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
      // Drift leads from what is declared to what was found.
      isDrift && now !== '' ? { attribute, now: wanted, wanted: now } : { attribute, now, wanted },
    ),
  }
}

/** Deletions are read first. */
const rankOf = ({ verb }: PageItem): number => (verb === 'delete' ? 0 : 1)

/** Returns the record of a plan's page. @param outcomeOf what became of an action, once the plan is applied */
export const toPageRecord = (
  { of, made }: ReportedPlan,
  outcomeOf?: (id: string) => { readonly outcome: string },
): PlanPageRecord => {
  const places = new Map<string, { readonly path: string; readonly items: PageItem[] }>()
  const files = new Set<string>()
  for (const entry of made.entries) {
    const { address, origin } = entry.of
    if (origin !== undefined) files.add(origin.file)
    const name = placeText(address)
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
      items: items.toSorted((a, b) => rankOf(a) - rankOf(b)),
    })),
  }
}

const toPath = (address: PlanEntry['of']['address']): string => {
  if (address.scope === 'project') return address.path
  return address.scope === 'group' ? `groups/${address.path}` : ''
}

const heads = { plan: 'Plan', apply: 'Applied', drift: 'Drift' } as const

/** The title of a plan's page: *Plan: 1 to create, 4 to change, 1 to delete*. */
export const titlePlan = ({ of, todo }: PlanPageRecord): string =>
  todo[0] === noneWords[of] && of === 'drift' ? noneWords.drift : `${heads[of]}: ${todo.join(', ')}`
