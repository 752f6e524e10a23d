/** Long lists: time, processor time, memory, and how soon the first record is there. */
import type { Bench } from './bench.js'
import { median, type Program, run, script, sideBySide, watched } from './measure.js'
import { type PairRow, reportPair } from './pairs.js'
import { type Row, used } from './table.js'

const memory = 130

const listing = (baseUrl: string, ...more: string[]): Program => ({
  ...watched('projects', 'list', '--limit', 'all', '--per-page', '100', '-o', 'ndjson', ...more),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})
const parsed = ['--fields', 'id,path_with_namespace,namespace.full_path']

const listed = async (
  bench: Bench,
  work: string,
  program: Program,
  row: Omit<Row, 'work' | 'measured' | 'unit'>,
  per = 1,
): Promise<number> => {
  const { it } = await sideBySide({ it: program }, bench.runs || 5, bench.folder, 1)
  const took = median(it.map((r) => r.wall))
  bench.report({
    work,
    measured: took / per,
    unit: per === 1 ? 's' : '×',
    detail: used(it),
    ...row,
  })
  return Math.max(...it.map((r) => r.megabytes))
}

/** Seconds that a small request takes at so many milliseconds: what round trips cost by themselves. */
const roundTrip = async (baseUrl: string): Promise<number> => {
  const took: number[] = []
  for (let i = 0; i < 30; i++) {
    const begin = performance.now()
    await (await fetch(`${baseUrl}/api/v4/runners/1`)).text()
    took.push(performance.now() - begin)
  }
  return median(took) / 1000
}

/** A long list beside a bare loop that requests the same pages and cuts them into lines: what everything that is done besides costs. */
const besideCutter = async (bench: Bench, baseUrl: string, row: PairRow): Promise<void> => {
  const cutter = script('cut.cjs', `${baseUrl}/api/v4/projects?per_page=100`)
  await reportPair(bench, { it: listing(baseUrl), base: { ...cutter, silent: true } }, row)
}

export const lists = async (bench: Bench): Promise<void> => {
  const [near, far] = [bench.instance(10_000, 0), bench.instance(10_000, 20)]
  const many = bench.instance(100_000, 0)
  const peaks = [
    await listed(bench, '10,000 projects, ndjson, unparsed', listing(near), { budget: 0.22 }),
    await listed(bench, '10,000 projects, ndjson, parsed', listing(near, ...parsed), {
      budget: 0.4,
    }),
    await listed(
      bench,
      '10,000 at 20 ms, following links',
      listing(far, '--concurrency', '1'),
      { budget: 1.06 },
      100 * (await roundTrip(far)),
    ),
    await listed(bench, '10,000 at 20 ms, no flags', listing(far), { budget: 0.8 }),
    await listed(bench, '10,000 at 20 ms, --concurrency 8', listing(far, '--concurrency', '8'), {
      budget: 0.6,
    }),
    await listed(bench, '100,000 projects, ndjson, unparsed', listing(many), { budget: 1.3 }),
    await listed(bench, '100,000 projects, ndjson, parsed', listing(many, ...parsed), {
      budget: 3,
    }),
    await listed(bench, '100,000 projects, ndjson, sorted', listing(many, '--sort', 'name'), {}),
  ]
  bench.report({
    work: 'peak memory of these lists',
    measured: Math.max(...peaks),
    budget: memory,
    unit: 'MB',
  })
  const cut = 'unparsed, beside a bare loop over undici that cuts lines'
  await besideCutter(bench, near, { work: `10,000 ${cut}`, budget: 0.9 })
  await besideCutter(bench, many, { work: `100,000 ${cut}`, budget: 0.9 })
  const { silent: _, ...seen } = listing(far)
  const firsts: number[] = []
  for (let i = 0; i < (bench.runs || 9); i++) firsts.push((await run(seen, bench.folder)).first)
  bench.report({
    work: 'first record at 20 ms',
    measured: median(firsts) * 1000,
    budget: 120,
    unit: 'ms',
  })
}
