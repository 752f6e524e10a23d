/** What can be done by itself, and not with all the rest of a plan. */
import type { PlanFinding } from '../actions.js'
import { addressText } from '../address.js'
import { belowFloors } from './floors.js'
import { saying } from './item.js'
import { lastProjects } from './last-projects.js'
import type { ComparingOptions, ComparingSight, Draft, SetCount } from './types.js'

interface PossibleTogether {
  readonly drafts: readonly Draft[]
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
  const dropped = new Set([...floors.dropped, ...last])
  const text = 'it is the only project of the runner, which cannot be taken away'
  const told = [...last].map(({ address, origin }) => saying('impossible', address, text, origin))
  return {
    drafts: dropped.size === 0 ? all : all.filter((draft) => !dropped.has(draft)),
    findings: [...floors.findings, ...told],
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
