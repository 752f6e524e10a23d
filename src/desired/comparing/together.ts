/** What can be done by itself, and not with all the rest of a plan. */
import type { PlanFinding, PlannedAction } from '../actions.js'
import { addressText } from '../address.js'
import { membersOnly } from './approvers.js'
import { belowFloors } from './floors.js'
import { saying } from './item.js'
import { lastProjects } from './last-projects.js'
import { ordered } from './order.js'
import type { ComparingOptions, ComparingSight, Draft, SetCount } from './types.js'

interface PossibleTogether {
  readonly drafts: readonly Draft[]
  /** The same, in the order in which they are done. */
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
  readonly dropped: ReadonlySet<Draft>
}

/** Drafts without those that the rest makes impossible, which are told of. */
export const possibleTogether = async (
  all: readonly Draft[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<PossibleTogether> => {
  const floors = await belowFloors(all, sight, how)
  const last = await lastProjects(all, sight)
  const left = all.filter((draft) => !floors.dropped.has(draft) && !last.has(draft))
  const { drafts: possible, findings } = await membersOnly(left, sight, how)
  const { actions, circular } = ordered(possible)
  const dropped = new Set([...floors.dropped, ...last, ...circular])
  const others = circular.map(({ address }) => addressText(address)).join(', ')
  const said = (text: string, drafts: Iterable<Draft>): readonly PlanFinding[] =>
    [...drafts].map(({ address, origin }) => saying('impossible', address, text, origin))
  return {
    drafts: possible.filter((draft) => !dropped.has(draft)),
    actions,
    findings: [
      ...floors.findings,
      ...findings,
      ...said('it is the only project of the runner, which cannot be taken away', last),
      ...said(`each would have to come first: ${others}; apply a value between`, circular),
    ],
    dropped,
  }
}

/** Tallies of sets without what cannot be done. */
export const lessThese = (
  tallies: readonly SetCount[],
  dropped: ReadonlySet<Draft>,
): readonly SetCount[] => {
  const sets = new Map<string, { creates: number; deletes: number }>()
  for (const { verb, address } of dropped) {
    const { scope, path, kind } = address
    const set = addressText({ scope, path, kind })
    const less = sets.get(set) ?? { creates: 0, deletes: 0 }
    less[verb === 'delete' ? 'deletes' : 'creates'] += verb === 'update' ? 0 : 1
    sets.set(set, less)
  }
  return tallies.map((tally) => {
    const { creates = 0, deletes = 0 } = sets.get(addressText(tally.address)) ?? {}
    return { ...tally, creates: tally.creates - creates, deletes: tally.deletes - deletes }
  })
}
