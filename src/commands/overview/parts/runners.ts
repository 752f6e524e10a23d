/** Runners, by type and state. */
import { runners } from '../../../catalogue/areas/runners.js'
import {
  countedStates,
  countedTypes,
  countsText,
  type RunnerCounts,
  runnerStates,
} from '../../health/runners.js'
import { several } from '../../health/words.js'
import type { OverviewPart } from '../types.js'

const totalOf = (counts: RunnerCounts): number =>
  runnerStates.reduce((sum, state) => sum + counts[state], 0)

/** The share that is online, of those that are not paused. */
const shareOf = (counts: RunnerCounts): number | undefined => {
  const awake = totalOf(counts) - counts.paused
  return awake === 0 ? undefined : counts.online / awake
}

const nameOf = (type: string): string => type.replace(/_type$/, '')
const columns = { name: 10, bar: 12 } as const

export const runnersPart: OverviewPart = {
  name: 'runners',
  title: 'Runners',
  read: async ({ instance }) => {
    const all = await instance.records(runners.listAll, {})
    const counts = countedStates(all)
    const types = countedTypes(all)
    return {
      value: { total: all.length, by_state: counts, by_type: types },
      headline: several(all.length, 'runner'),
      lines: ({ bar, cell, after }) =>
        [['online', counts] as const, ...Object.entries(types)].flatMap(([name, some], i) => {
          const share = shareOf(some)
          const drawn = share === undefined ? ' '.repeat(columns.bar) : bar(share, columns.bar)
          const percent = share === undefined ? '    –' : `${Math.round(100 * share)} %`.padStart(5)
          const said = i === 0 ? 'of active runners' : countsText(some)
          return after(`${cell(nameOf(name), columns.name)} ${drawn} ${percent}  `, said)
        }),
      rows: [
        { item: 'all', value: all.length },
        ...Object.entries(types).flatMap(([type, some]) =>
          runnerStates
            .filter((state) => some[state] > 0)
            .map((state) => ({ item: nameOf(type), value: some[state], state })),
        ),
      ],
    }
  },
}
