/** No runner loses its only project, as the plan leaves it. */
import { shelvesOf } from '../../base/shelves.js'
import { sideBySide } from '../reading/once.js'
import { projectsOfRunner } from './kinds/runners.js'
import { byPlace } from './order.js'
import type { ComparingSight, Draft } from './types.js'

/** The number of the runner that a draft is about. */
const runnerOf = ({ kind, step }: Draft): number | undefined => {
  const id = Number(step.values.runner_id)
  return kind.by === 'runner' && Number.isInteger(id) ? id : undefined
}

/** The drafts that would take the last project from a runner: of several, the one that is done last. */
export const lastProjects = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
): Promise<ReadonlySet<Draft>> => {
  const all = [...shelvesOf(drafts, runnerOf)].filter(([, ones]) =>
    ones.some(({ verb }) => verb === 'delete'),
  )
  const found = await sideBySide(all, async ([id, ones]): Promise<readonly Draft[]> => {
    const taken = ones.filter(({ verb }) => verb === 'delete')
    const [kind] = taken.map((draft) => draft.kind)
    const now = kind === undefined ? undefined : await projectsOfRunner(sight, kind, id)
    if (now === undefined || now + ones.length - 2 * taken.length > 0) return []
    // They go in reverse.
    return [...taken].sort((a, b) => byPlace(a.address, b.address)).slice(0, 1)
  })
  return new Set(found.flat())
}
