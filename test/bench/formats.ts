/** What each format costs beside JSON, which passes the bytes of records on. */
import type { Bench } from './bench.js'
import { type Program, watched } from './measure.js'
import { reportPair } from './pairs.js'

const listing = (baseUrl: string, format: string): Program => ({
  ...watched('projects', 'list', '--limit', 'all', '--per-page', '100', '-o', format),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})

export const formats = async (bench: Bench): Promise<void> => {
  const url = bench.instance(10_000, 0)
  for (const format of ['yaml', 'csv', 'table'])
    await reportPair(
      bench,
      { it: listing(url, format), base: listing(url, 'json') },
      {
        work: `10,000 projects, ${format} beside json`,
        budget: format === 'yaml' ? 2 : undefined,
      },
    )
}
