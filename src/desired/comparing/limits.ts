/** How much a plan may do before somebody says that it may. */
import type { DesiredPlan } from '../actions.js'
import { addressText, matches, placeText } from '../address.js'
import type { ComparingOptions, Draft, PlanLimit, SetCount } from './types.js'

type Refused = DesiredPlan['refused'][number]

const few = 10
const deletesFlag = '--max-deletes'

/** Sets of which too much goes. */
const ofSets = (tallies: readonly SetCount[], percent: number): readonly Refused[] =>
  tallies
    .filter(({ before, deletes }) => before >= few && deletes * 100 > before * percent)
    .map(({ address, before, deletes }) => ({
      text: `${deletes} of ${before} would be deleted of ${addressText(address)}, more than ${percent} %`,
      flag: deletesFlag,
    }))

const inAll = (deletes: number, most: number): readonly Refused[] =>
  deletes <= most
    ? []
    : [{ text: `${deletes} would be deleted in all, more than ${most}`, flag: deletesFlag }]

const deletions = (
  tallies: readonly SetCount[],
  limit: PlanLimit | undefined,
): readonly Refused[] => {
  const deletes = tallies.reduce((sum, tally) => sum + tally.deletes, 0)
  if (limit?.count !== undefined) return inAll(deletes, limit.count)
  if (limit?.percent !== undefined) {
    const { percent } = limit
    return tallies
      .filter(({ before, deletes: gone }) => gone * 100 > before * percent)
      .map(({ address, before, deletes: gone }) => ({
        text: `${gone} of ${before} would be deleted of ${addressText(address)}, more than ${percent} %`,
        flag: deletesFlag,
      }))
  }
  return [...ofSets(tallies, 25), ...inAll(deletes, few)]
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
  ...deletions(tallies, how.limits?.deletes),
  ...emptied(tallies, how.limits?.empty ?? []),
  ...changes(drafts, how),
]
