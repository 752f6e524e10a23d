/** Compares a list from several instances at once with the same list from one of them. */
import type { Bench } from './bench.js'
import { buildProgram, computeMedian, type Run, run, runInterleaved } from './measure.js'

const names = Array.from({ length: 8 }, (_, i) => `site-${i + 1}`)
const milliseconds = 100

export const measureInstances = async ({
  folder,
  runs,
  instance,
  report,
}: Bench): Promise<void> => {
  const env = { SVC_CONFIG_DIR: folder }
  for (const [i, name] of names.entries()) {
    const login = buildProgram('auth', 'login', name, '--token-stdin', '--base-url')
    const args = [...login.args, instance(100 + i, milliseconds)]
    await run({ ...login, args, env, stdin: 'bench\n' }, folder)
  }
  const list = (profiles: string) => ({ ...buildProgram('runners', 'list', '-p', profiles), env })
  const [first = ''] = names
  const programs = { one: list(first), all: list(names.join(',')) }
  const done = await runInterleaved(programs, runs || 21, folder)
  const wall = (of: readonly Run[], pick: (times: number[]) => number): number =>
    pick(of.map((r) => r.wall))
  const least = (times: number[]): number => Math.min(...times)
  const [one, all] = [wall(done.one, computeMedian), wall(done.all, computeMedian)]
  const shown = (seconds: number): string => `${(seconds * 1000).toFixed(0)} ms`
  report({
    work: `runners list, ${names.length} instances at ${milliseconds} ms beside one`,
    measured: all / one,
    budget: 1.3,
    unit: '×',
    detail: `${shown(all)}, one ${shown(one)}; least ${shown(wall(done.all, least))} and ${shown(wall(done.one, least))}`,
  })
}
