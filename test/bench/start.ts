/** Starting: what a command takes before and beside its real work, in multiples of bare Node. */
import type { Bench } from './bench.js'
import {
  bareNode,
  median,
  type Program,
  type Run,
  run,
  script,
  sideBySide,
  svcctl,
  watched,
} from './measure.js'
import { reportPair } from './pairs.js'

/** Makes the profile that trusts the bench server's certificate. */
const trust = (folder: string, baseUrl: string, certificate: string): Promise<Run> =>
  run(svcctl('profile', 'set', 'bench', '--base-url', baseUrl, '--ca-file', certificate), folder)

export const start = async (bench: Bench): Promise<void> => {
  const { folder, runs, instance, tls, report } = bench
  const env = { SVC_BASE_URL: instance(100, 0), SVC_TOKEN: 'bench' }
  const get = svcctl('runners', 'get', '1', '-o', 'json')
  const tab = svcctl('__complete', 'bash', '--', 'projects', 'get', 'group-1/')
  const works: Record<string, [Program, number]> = {
    'svcctl --version': [svcctl('--version'), 1.25],
    'svcctl runners list --help': [svcctl('runners', 'list', '--help'), 1.6],
    'svcctl runners get 1 -o json': [{ ...get, env }, 2.4],
    'completion of a project from the cache': [{ ...tab, env }, 1.6],
  }
  const programs = Object.fromEntries(Object.entries(works).map(([name, [p]]) => [name, p]))
  const wall = (done: readonly Run[] | undefined): number => median((done ?? []).map((r) => r.wall))
  const done = await sideBySide({ bare: bareNode, ...programs }, runs || 31, folder)
  const bare = wall(done.bare)
  for (const [work, [, budget]] of Object.entries(works)) {
    const took = wall(done[work as keyof typeof done])
    report({
      work,
      measured: took / bare,
      budget,
      unit: '×',
      detail: `${(took * 1000).toFixed(0)} ms, node -e 0 ${(bare * 1000).toFixed(0)} ms`,
    })
  }
  if (tls === undefined) return
  await trust(folder, tls.baseUrl, tls.certificate)
  await reportPair(
    bench,
    {
      it: {
        ...watched('runners', 'get', '1', '-o', 'json'),
        env: { SVC_TOKEN: 'bench', SVC_PROFILE: 'bench' },
      },
      base: script('copy.cjs', `${tls.baseUrl}/api/v4/runners/1`, tls.certificate),
    },
    { work: 'runners get over TLS, beside bare node:https', budget: 1.4, pairs: 21 },
  )
}
