/** Runners as they are counted: by the one state that each is in, and by type. */
import type { runners } from '../../catalogue/areas/runners.js'
import type { RecordOf } from '../../client/typed.js'

type Runner = RecordOf<(typeof runners)['listAll']>

/** The states that a runner may be in, the best first. */
export const runnerStates = ['online', 'offline', 'not_connected', 'paused', 'unknown'] as const
export type RunnerState = (typeof runnerStates)[number]

/** Paused comes first: such a runner takes no job, whether it is connected or not. */
export const runnerState = ({ active, status, online }: Partial<Runner>): RunnerState => {
  if (active === false || status === 'paused') return 'paused'
  const told = runnerStates.find((state) => state === status)
  if (told !== undefined) return told
  if (online === null) return 'not_connected'
  return online === undefined ? 'unknown' : online ? 'online' : 'offline'
}

export type RunnerCounts = Readonly<Record<RunnerState, number>>

/** How many there are in each state. */
export const countedStates = (all: readonly Runner[]): RunnerCounts => {
  const counts = { online: 0, offline: 0, not_connected: 0, paused: 0, unknown: 0 }
  for (const runner of all) counts[runnerState(runner)] += 1
  return counts
}

/** The same of each type. */
export const countedTypes = (all: readonly Runner[]): Readonly<Record<string, RunnerCounts>> => {
  const types = new Map<string, Runner[]>()
  for (const runner of all) {
    const type = runner.runner_type ?? 'unknown'
    const same = types.get(type) ?? []
    same.push(runner)
    types.set(type, same)
  }
  return Object.fromEntries([...types].map(([type, some]) => [type, countedStates(some)]))
}

/** `2 online, 1 paused`. */
export const countsText = (counts: RunnerCounts): string =>
  runnerStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state.replace('_', ' ')}`)
    .join(', ')
