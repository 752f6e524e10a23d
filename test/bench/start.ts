/** Measures startup: the time of a command without and with its real work, as a multiple of bare Node. */
import type { Bench } from './bench.js'
import {
  bareNode,
  buildProgram,
  buildScript,
  buildWatchedProgram,
  type Program,
  type Run,
  run,
} from './measure.js'
import { reportPair } from './pairs.js'

/** Creates a profile that trusts the certificate of the benchmark's server. */
const createTrustingProfile = (
  folder: string,
  baseUrl: string,
  certificate: string,
): Promise<Run> =>
  run(
    buildProgram('profile', 'set', 'bench', '--base-url', baseUrl, '--ca-file', certificate),
    folder,
  )

export const measureStart = async (bench: Bench): Promise<void> => {
  const { folder, instance, tls } = bench
  const env = { SVC_BASE_URL: instance(100, 0), SVC_TOKEN: 'bench' }
  const get = buildWatchedProgram('runners', 'get', '1', '-o', 'json')
  const tab = buildWatchedProgram('__complete', 'bash', '--', 'projects', 'get', 'group-1/')
  const works: Record<string, [Program, number]> = {
    'svcctl --version': [buildWatchedProgram('--version'), 1.25],
    'svcctl runners list --help': [buildWatchedProgram('runners', 'list', '--help'), 1.6],
    'svcctl runners get 1 -o json': [{ ...get, env }, 2.4],
    'completion of a project from the cache': [{ ...tab, env }, 1.6],
  }
  for (const [work, [it, budget]] of Object.entries(works))
    await reportPair(
      bench,
      { it, base: bareNode },
      { work: `${work}, beside node -e 0`, budget, pairs: 31 },
    )
  if (tls === undefined) return
  await createTrustingProfile(folder, tls.baseUrl, tls.certificate)
  const transport = { SVC_TOKEN: 'bench', SVC_PROFILE: 'bench' }
  await reportPair(
    bench,
    {
      it: { ...get, env: transport },
      base: buildScript('copy.cjs', `${tls.baseUrl}/api/v4/runners/1`, tls.certificate),
    },
    { work: 'runners get over TLS, beside bare node:https', budget: 1.4, pairs: 21 },
  )
}
