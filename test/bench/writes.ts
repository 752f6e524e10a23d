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
}
