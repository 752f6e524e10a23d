/** Compares the download of a large archive to a file with curl. */
import { join } from 'node:path'
import type { Bench } from './bench.js'
import { buildWatchedProgram, computeMedian, runInterleaved } from './measure.js'
import { formatUsage } from './table.js'

export const measureDownload = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const baseUrl = instance(100, 0)
  const target = join(folder, 'archive.zip')
  const ours = buildWatchedProgram('artifacts', 'download', '8', '-P', '1', '--to', target, '--yes')
  const { svcctl, curl } = await runInterleaved(
    {
      svcctl: { ...ours, env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' }, writes: target },
      curl: {
        command: 'curl',
        args: ['-sfo', target, `${baseUrl}/api/v4/projects/1/jobs/8/artifacts`],
        writes: target,
      },
    },
    runs || 3,
    folder,
    1,
  )
  const [mine, theirs] = [svcctl, curl].map((done) => computeMedian(done.map((r) => r.wall)))
  report({
    work: '1 GiB archive to a file, by curl’s time',
    measured: (mine ?? 0) / (theirs ?? 1),
    budget: 1.35,
    unit: '×',
    detail: `${mine?.toFixed(2)} s, curl ${theirs?.toFixed(2)} s; ${formatUsage(svcctl)}`,
  })
  report({
    work: 'peak memory of the download',
    measured: Math.max(...svcctl.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
}
