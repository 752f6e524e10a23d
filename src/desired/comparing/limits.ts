/** How much a plan may do before somebody says that it may. */

import { shelvesOf } from '../../base/shelves.js'
import type { DesiredPlan } from '../actions.js'
import { type Address, addressText, matches, placeText } from '../address.js'
import { memberships, owner } from './memberships.js'
import type { ComparingOptions, Draft, PlanLimits, SetCount } from './types.js'

type Refused = DesiredPlan['refused'][number]

/** So many deletes in all, and so many changed projects, need nobody's word. */
const few = 10
const deletesFlag = '--max-deletes'

/** A set of which something goes, by what is said of it. */
interface Less {
  readonly address: Address
  readonly before: number
  readonly gone: number
  readonly text: string
}

/** Sets of which items are deleted, and the owners of groups, of whom some are lowered or leave. */
const lesser = (drafts: readonly Draft[], tallies: readonly SetCount[]): readonly Less[] => {
  const fallen = shelvesOf(memberships(drafts), ({ draft, before, after }) =>
    before >= owner && after < owner ? placeText(draft.address) : undefined,
  )
  return tallies.flatMap(({ address, before, deletes, owners }) => {
    const set = addressText(address)
    const gone = fallen.get(placeText(address))?.length ?? 0
    const what = `${gone} of ${owners} owners of ${placeText(address)} would be lowered or deleted`
    return [
      {
        address,
        before,
        gone: deletes,
        text: `${deletes} of ${before} would be deleted of ${set}`,
      },
      { address, before: owners, gone, text: what },
    ]
  })
}

/** Of a large set a quarter may go, of a small one half; the smallest are only kept from becoming empty. */
const tooMany = ({ before, gone }: Less): string | undefined => {
  if (before >= few) return gone * 4 > before ? 'a quarter' : undefined
  return before >= 4 && gone * 2 > before ? 'half' : undefined
}

const ofSets = (all: readonly Less[], allowed: readonly string[]): readonly Refused[] =>
  all.flatMap((one) => {
    const most = tooMany(one)
    if (most === undefined || allowed.some((glob) => matches(glob, one.address))) return []
    const flag = `--allow-removals ${addressText(one.address)}`
    return [{ text: `${one.text}, more than ${most}`, flag }]
  })

const inAll = (deletes: number, most: number): readonly Refused[] =>
  deletes <= most
    ? []
    : [{ text: `${deletes} would be deleted in all, more than ${most}`, flag: deletesFlag }]

const deletions = (
  drafts: readonly Draft[],
  tallies: readonly SetCount[],
  { deletes: limit, removals = [] }: PlanLimits,
): readonly Refused[] => {
  const deletes = tallies.reduce((sum, tally) => sum + tally.deletes, 0)
  if (limit?.count !== undefined) return inAll(deletes, limit.count)
  const all = lesser(drafts, tallies)
  if (limit?.percent === undefined) return [...ofSets(all, removals), ...inAll(deletes, few)]
  const { percent } = limit
  return all
    .filter(({ before, gone }) => gone * 100 > before * percent)
    .map(({ text }) => ({ text: `${text}, more than ${percent} %`, flag: deletesFlag }))
}

const emptied = (tallies: readonly SetCount[], empty: readonly string[]): readonly Refused[] =>
  tallies
    .filter(
      ({ address, exact, before, deletes, creates }) =>
        exact &&
        before > 0 &&
        before - deletes + creates <= 0 &&
        !empty.some((glob) => matches(glob, address)),
    )
    .map(({ address }) => ({
      text: `${addressText(address)} would become empty`,
      flag: `--allow-empty ${addressText(address)}`,
    }))

const changes = (drafts: readonly Draft[], how: ComparingOptions): readonly Refused[] => {
  const { projects = 0, limits } = how
  const changed = new Set(
    drafts.flatMap(({ address }) => (address.scope === 'project' ? [placeText(address)] : [])),
  ).size
  const { count, percent = 30 } = limits?.changes ?? {}
  const given = limits?.changes !== undefined
  const most = count ?? Math.max(given ? 0 : few, Math.floor((projects * percent) / 100))
  if (changed <= most) return []
  const of = count === undefined ? `${percent} % of ${projects}` : String(count)
  return [
    {
      text: `${changed} project${changed === 1 ? '' : 's'} would change, more than ${of}`,
      flag: '--max-changes',
    },
  ]
}

/** The limits that a plan goes beyond, each with the flag that lifts it. */
export const beyond = (
  drafts: readonly Draft[],
  tallies: readonly SetCount[],
  how: ComparingOptions,
): readonly Refused[] => [
  ...deletions(drafts, tallies, how.limits ?? {}),
  ...emptied(tallies, how.limits?.empty ?? []),
  ...changes(drafts, how),
]
