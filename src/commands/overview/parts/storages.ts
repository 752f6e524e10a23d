/** How many projects each storage holds: one that is emptied loses them as its moves end. */

import { isObject } from '../../../base/objects.js'
import { settings } from '../../../catalogue/areas/settings.js'
import { several } from '../../health/words.js'
import type { OverviewPart, OverviewSources } from '../types.js'

interface Storage {
  readonly storage: string
  readonly projects: number
  /** How many of the new ones it gets; null where the instance does not say. */
  readonly weight: number | null
}

const columns = { name: 14, bar: 12 } as const

const weightOf = (weights: unknown, name: string): number | null => {
  const weight = isObject(weights) ? weights[name] : undefined
  return typeof weight === 'number' ? weight : null
}

const storagesOf = async (
  sources: OverviewSources,
): Promise<{ readonly storages: readonly Storage[]; readonly untold: number }> => {
  const [{ data }, projects] = await Promise.all([
    sources.instance.call(settings.get, {}),
    sources.projects(),
  ])
  const { repository_storages: names } = data ?? {}
  const counts = new Map((Array.isArray(names) ? names : []).map((name) => [String(name), 0]))
  let untold = 0
  for (const { repository_storage: name } of projects)
    if (typeof name === 'string') counts.set(name, (counts.get(name) ?? 0) + 1)
    else untold += 1
  const storages = [...counts].map(([storage, count]) => ({
    storage,
    projects: count,
    weight: weightOf(data?.repository_storages_weighted, storage),
  }))
  return { storages, untold }
}

export const storagesPart: OverviewPart = {
  name: 'storages',
  title: 'Projects by storage',
  read: async (sources) => {
    const { storages, untold } = await storagesOf(sources)
    const total = storages.reduce((sum, { projects }) => sum + projects, 0)
    return {
      value: storages,
      headline: several(total, 'project'),
      ...(untold === 0
        ? {}
        : {
            missing: `${several(untold, 'project')} ${untold === 1 ? 'does' : 'do'} not report their storage`,
          }),
      lines: ({ bar, cell, after }) =>
        storages.flatMap(({ storage, projects, weight }) => {
          const drawn = bar(total === 0 ? 0 : projects / total, columns.bar)
          const said = `${projects}${weight === null ? '' : `, weight ${weight}`}`
          return after(`${cell(storage, columns.name)} ${drawn} `, said)
        }),
      rows: storages.map(({ storage, projects }) => ({ item: storage, value: projects })),
    }
  },
}
