/** Many writes at once. */
import type { Bench } from './bench.js'
import { median, sideBySide, watched } from './measure.js'
import { used } from './table.js'

export const writes = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
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
}
