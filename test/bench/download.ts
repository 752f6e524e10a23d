/** A large archive to a file, beside curl. */
import { join } from 'node:path'
import type { Bench } from './bench.js'
import { median, sideBySide, watched } from './measure.js'
import { used } from './table.js'

export const download = async ({ folder, runs, instance, report }: Bench): Promise<void> => {
  const baseUrl = instance(100, 0)
  const target = (name: string): string => join(folder, `${name}.zip`)
  const ours = watched('artifacts', 'download', '8', '-P', '1', '--to', target('ours'), '--yes')
  const { svcctl, curl } = await sideBySide(
    {
      svcctl: { ...ours, env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' } },
      curl: {
        command: 'curl',
        args: ['-sfo', target('curl'), `${baseUrl}/api/v4/projects/1/jobs/8/artifacts`],
      },
    },
    runs || 3,
    folder,
    1,
  )
  const [mine, theirs] = [svcctl, curl].map((done) => median(done.map((r) => r.wall)))
  report({
    work: '1 GiB archive to a file, by curl’s time',
    measured: (mine ?? 0) / (theirs ?? 1),
    budget: 1.35,
    unit: '×',
    detail: `${mine?.toFixed(2)} s, curl ${theirs?.toFixed(2)} s; ${used(svcctl)}`,
  })
  report({
    work: 'peak memory of the download',
    measured: Math.max(...svcctl.map((r) => r.megabytes)),
    budget: 130,
    unit: 'MB',
  })
}
