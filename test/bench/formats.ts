/** What each format costs beside JSON, which passes the bytes of records on. */
import type { Bench } from './bench.js'
import { type Program, watched } from './measure.js'
import { reportPair } from './pairs.js'

const listing = (baseUrl: string, format: string, limit = 'all'): Program => ({
  ...watched('projects', 'list', '--limit', limit, '--per-page', '100', '-o', format),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})

export const formats = async (bench: Bench): Promise<void> => {
  const url = bench.instance(10_000, 0)
  for (const [format, budget] of [
    ['yaml', 2],
    ['csv', 1.2],
  ] as const)
    await reportPair(
      bench,
      { it: listing(url, format), base: listing(url, 'json') },
      { work: `10,000 projects, ${format} beside json`, budget },
    )
  // `-o table` draws in a pipe what a terminal gets.
  await reportPair(
    bench,
    { it: listing(url, 'table', '5000'), base: listing(url, 'csv', '5000') },
    { work: '5,000 projects, an aligned table beside csv', budget: 1.5 },
  )
}
