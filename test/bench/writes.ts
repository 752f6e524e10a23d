/** Many writes at once. */
import type { Bench } from './bench.js'
import { median, sideBySide, watched } from './measure.js'
import { used } from './table.js'

const pausing = (url: string, count: number, ...more: readonly string[]) => ({
  ...watched('runners', 'pause', '-', ...more, '-o', 'ndjson'),
  env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
  stdin: Array.from({ length: count }, (_, i) => `${i + 1}\n`).join(''),
  silent: true as const,
})

/** Nobody says how many at once. */
const auto = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const { it } = await sideBySide({ it: pausing(instance(100, 20), 2_000) }, runs || 3, folder, 1)
  report({
    work: '2,000 updates at 20 ms, auto',
    measured: median(it.map((r) => r.wall)),
    budget: 1.9,
    unit: 's',
    detail: used(it),
  })
}

/** What the journal costs, and how soon a run of so many is read again. */
const journal = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const url = instance(100, 0)
  const wide = ['--concurrency', '32'] as const
  const { without, kept } = await sideBySide(
    {
      without: pausing(url, 100_000, ...wide, '--journal', 'none'),
      kept: pausing(url, 100_000, ...wide),
    },
    runs || 1,
    folder,
    0,
  )
  const [bare, whole] = [median(without.map((r) => r.wall)), median(kept.map((r) => r.wall))]
  report({
    work: '100,000 updates, what the journal adds',
    measured: (whole / bare - 1) * 100,
    budget: 10,
    unit: '%',
    detail: used(kept),
  })
  const again = {
    ...watched('runners', 'pause', '--resume', 'last'),
    env: { SVC_BASE_URL: url, SVC_TOKEN: 'bench' },
    silent: true as const,
  }
  const { it } = await sideBySide({ it: again }, runs || 3, folder, 0)
  report({
    work: 'resuming the journal of 100,000 that are done',
    measured: median(it.map((r) => r.wall)),
    budget: 0.5,
    unit: 's',
    detail: used(it),
  })
}

/** So many stay in memory no more than few do. Minutes: only where it is asked for. */
export const million = async ({ folder, instance, report }: Bench): Promise<void> => {
  const program = pausing(instance(100, 0), 1_000_000, '--concurrency', '32')
  const { it } = await sideBySide({ it: program }, 1, folder, 0)
  report({
    work: 'peak memory of 1,000,000 updates with their journal',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
    detail: used(it),
  })
}

/** As many as stay in memory only where they do not pile up. */
const memory = async ({ folder, instance, report }: Bench): Promise<void> => {
  const program = pausing(instance(100, 0), 100_000, '--concurrency', '32')
  const { it } = await sideBySide({ it: program }, 1, folder, 0)
  report({
    work: '100,000 updates, --concurrency 32',
    measured: median(it.map((r) => r.wall)),
    budget: 13,
    unit: 's',
    detail: used(it),
  })
  report({
    work: 'peak memory of these',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
}

export const writes = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, report } = bench
  const ids = Array.from({ length: 2_000 }, (_, i) => `${i + 1}\n`).join('')
  const program = {
    ...watched('runners', 'pause', '-', '--concurrency', '32', '-o', 'ndjson'),
    env: { SVC_BASE_URL: instance(100, 20), SVC_TOKEN: 'bench' },
    stdin: ids,
    silent: true as const,
  }
  const { it } = await sideBySide({ it: program }, runs || 3, folder, 1)
  report({
    work: '2,000 updates at 20 ms, --concurrency 32',
    measured: median(it.map((r) => r.wall)),
    budget: 1.7,
    unit: 's',
    detail: used(it),
  })
  report({
    work: 'peak memory of these updates',
    measured: Math.max(...it.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
  await auto(bench)
  await memory(bench)
  await journal(bench)
}
