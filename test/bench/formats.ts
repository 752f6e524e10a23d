/** Compares each output format with JSON, which passes the bytes of the records through. */
import type { Bench } from './bench.js'
import { buildWatchedProgram, type Program } from './measure.js'
import { reportPair } from './pairs.js'

const buildListProgram = (baseUrl: string, format: string, limit = 'all'): Program => ({
  ...buildWatchedProgram('projects', 'list', '--limit', limit, '--per-page', '100', '-o', format),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})

export const measureFormats = async (bench: Bench): Promise<void> => {
  const url = bench.instance(10_000, 0)
  for (const [format, budget] of [
    ['yaml', 2],
    ['csv', 1.2],
  ] as const)
    await reportPair(
      bench,
      { it: buildListProgram(url, format), base: buildListProgram(url, 'json') },
      { work: `10,000 projects, ${format} beside json`, budget },
    )
  // With `-o table` the program draws in a pipe what it draws on a terminal.
  await reportPair(
    bench,
    { it: buildListProgram(url, 'table', '5000'), base: buildListProgram(url, 'csv', '5000') },
    { work: '5,000 projects, an aligned table beside csv', budget: 1.5 },
  )
}
