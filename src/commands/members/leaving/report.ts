/** What became of a leaver's memberships, as an answer: for a ticket, a sheet, a program. */
import { isObject } from '../../../base/objects.js'
import { members } from '../../../catalogue/areas/members.js'
import { accessLevels } from '../../../catalogue/shapes/common.js'
import type { Item, RunEnded } from '../../journal/own-run.js'
import type { Services } from '../../services.js'

/** One line of it. */
export interface LeavingRow {
  readonly of: string
  readonly access_level: unknown
  readonly expires_at: unknown
  readonly outcome: 'failed' | 'gone' | 'left' | 'not tried' | 'planned' | 'removed' | 'unknown'
  readonly reason: string | null
}

export const rowOf = (
  { parent = '', before }: Pick<Item, 'before' | 'parent'>,
  outcome: LeavingRow['outcome'],
  reason: string | null = null,
): LeavingRow => {
  const { access_level = null, expires_at = null } = isObject(before) ? before : {}
  return { of: parent, access_level, expires_at, outcome, reason }
}

/** What became of an object that a run had. */
export const rowAfter = (item: Item, { outcomes }: RunEnded): LeavingRow => {
  const outcome = outcomes.get(item.n)
  if (outcome === undefined) return rowOf(item, 'not tried')
  if ('failure' in outcome) return rowOf(item, outcome.state, outcome.failure.message)
  return rowOf(item, outcome.state === 'unchanged' ? 'gone' : 'removed')
}

const columns = ['of', 'access_level', 'expires_at', 'outcome', 'reason'] as const

export const printRows = async (
  { answer }: Services,
  rows: readonly LeavingRow[],
): Promise<void> => {
  await answer.printMany(rows, { endpoint: members.listOfGroup, columns })
  await answer.flush()
}

const levels = new Map<unknown, string>(Object.entries(accessLevels).map(([name, n]) => [n, name]))

/** A membership where somebody is asked about it. */
export const lineOf = ({ of, access_level, expires_at }: LeavingRow): string => {
  const until = typeof expires_at === 'string' ? `, until ${expires_at.slice(0, 10)}` : ''
  return `${of} (${levels.get(access_level) ?? String(access_level)}${until})`
}
