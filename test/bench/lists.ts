/** Measures long lists: time, processor time, memory, and the delay of the first record. */
import type { Bench } from './bench.js'
import {
  buildScript,
  buildWatchedProgram,
  computeMedian,
  type Program,
  run,
  runInterleaved,
} from './measure.js'
import { type PairRow, reportPair } from './pairs.js'
import { formatUsage, type Row } from './table.js'

const memory = 130

const buildListProgram = (baseUrl: string, ...more: string[]): Program => ({
  ...buildWatchedProgram(
    'projects',
    'list',
    '--limit',
    'all',
    '--per-page',
    '100',
    '-o',
    'ndjson',
    ...more,
  ),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})
const parsed = ['--fields', 'id,path_with_namespace,namespace.full_path']

const measureList = async (
  bench: Bench,
  work: string,
  program: Program,
  row: Omit<Row, 'work' | 'measured' | 'unit'>,
  per = 1,
): Promise<number> => {
  const { it } = await runInterleaved({ it: program }, bench.runs || 5, bench.folder, 1)
  const took = computeMedian(it.map((r) => r.wall))
  bench.report({
    work,
    measured: took / per,
    unit: per === 1 ? 's' : '×',
    detail: formatUsage(it),
    ...row,
  })
  return Math.max(...it.map((r) => r.megabytes))
}

/** Measures in seconds how long one small request takes, which is the cost of a round trip. */
const measureRoundTrip = async (baseUrl: string): Promise<number> => {
  const took: number[] = []
  for (let i = 0; i < 30; i++) {
    const begin = performance.now()
    await (await fetch(`${baseUrl}/api/v4/runners/1`)).text()
    took.push(performance.now() - begin)
  }
  return computeMedian(took) / 1000
}

/**
 * Compares a long list with a bare loop that requests the same pages and cuts them into lines. The ratio is the cost of everything
 * else.
 */
const compareWithCutter = async (bench: Bench, baseUrl: string, row: PairRow): Promise<void> => {
  const cutter = buildScript('cut.cjs', `${baseUrl}/api/v4/projects?per_page=100`)
  await reportPair(bench, { it: buildListProgram(baseUrl), base: { ...cutter, silent: true } }, row)
}

export const measureLists = async (bench: Bench): Promise<void> => {
  const [near, far] = [bench.instance(10_000, 0), bench.instance(10_000, 20)]
  const many = bench.instance(100_000, 0)
  const peaks = [
    await measureList(bench, '10,000 projects, ndjson, unparsed', buildListProgram(near), {
      budget: 0.22,
    }),
    await measureList(bench, '10,000 projects, ndjson, parsed', buildListProgram(near, ...parsed), {
      budget: 0.4,
    }),
    await measureList(
      bench,
      '10,000 at 20 ms, following links',
      buildListProgram(far, '--concurrency', '1'),
      { budget: 1.06 },
      100 * (await measureRoundTrip(far)),
    ),
    await measureList(bench, '10,000 at 20 ms, no flags', buildListProgram(far), { budget: 0.8 }),
    await measureList(
      bench,
      '10,000 at 20 ms, --concurrency 8',
      buildListProgram(far, '--concurrency', '8'),
      {
        budget: 0.6,
      },
    ),
    await measureList(bench, '100,000 projects, ndjson, unparsed', buildListProgram(many), {
      budget: 1.3,
    }),
    await measureList(
      bench,
      '100,000 projects, ndjson, parsed',
      buildListProgram(many, ...parsed),
      {
        budget: 3,
      },
    ),
    await measureList(
      bench,
      '100,000 projects, ndjson, sorted',
      buildListProgram(many, '--sort', 'name'),
      {},
    ),
  ]
  bench.report({
    work: 'peak memory of these lists',
    measured: Math.max(...peaks),
    budget: memory,
    unit: 'MB',
  })
  const cut = 'unparsed, beside a bare loop over undici that cuts lines'
  await compareWithCutter(bench, near, { work: `10,000 ${cut}`, budget: 0.9 })
  await compareWithCutter(bench, many, { work: `100,000 ${cut}`, budget: 0.9 })
  const { silent: _, ...seen } = buildListProgram(far)
  const firsts: number[] = []
  for (let i = 0; i < (bench.runs || 9); i++) firsts.push((await run(seen, bench.folder)).first)
  bench.report({
    work: 'first record at 20 ms',
    measured: computeMedian(firsts) * 1000,
    budget: 120,
    unit: 'ms',
  })
}
