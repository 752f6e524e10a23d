/** Measures runs over many objects: those of `writes.ts`, and runs against an instance with a rate limit. */
import type { Bench } from './bench.js'
import { computeMedian, type Run, run } from './measure.js'
import { formatUsage } from './table.js'
import { buildPauseProgram, measureWrites } from './writes.js'

const allowed = 100
const count = 1_500
/** Computes the shortest possible time in seconds: `allowed` requests pass at once, the rest at the rate limit. */
const getIdealSeconds = (requests: number): number => (requests - allowed) / allowed

/** The counts that the server keeps of an instance. */
interface Counts {
  readonly refused: number
  /** Time of the first answered write, in milliseconds of the epoch. */
  readonly answered: number
}

const readCounts = async (url: string): Promise<Counts> => {
  const text = await (await fetch(`${url}/api/v4/counts`)).text()
  const [refused = Number.NaN, answered = Number.NaN] = text.split(' ').map(Number)
  return { refused, answered }
}

/** Number of instances so far: each run has its own. */
let instances = 0

/** Runs a program `times` times, each time against a new instance that counts its answers. */
const runCounted = async (
  { folder, instance }: Bench,
  times: number,
  milliseconds: number,
  limit: string,
  program: (url: string) => Parameters<typeof run>[0],
): Promise<readonly (Run & Counts)[]> => {
  const done: (Run & Counts)[] = []
  for (let i = 1; i <= times; i++) {
    instances += 1
    const url = `${instance(100, milliseconds)}/${limit}/${instances}`
    const took = await run(program(url), folder)
    done.push({ ...took, ...(await readCounts(url)) })
  }
  return done
}

/** Measures runs against an instance with a rate limit. If an object fails because of the limit, the group fails. */
const measureLimited = async (bench: Bench): Promise<void> => {
  for (const [limit, how, most, ...flags] of [
    [`allows/${allowed}`, '', 50, '--no-undo-record'],
    [`tells/${allowed}`, ', with RateLimit headers', 0, '--no-undo-record'],
    [`tells/${allowed}`, ', with RateLimit headers and two requests each', 0],
  ] as const) {
    const ideal = getIdealSeconds(flags.length === 0 ? 2 * count : count)
    const runs = await runCounted(bench, bench.runs || 1, 20, limit, (url) =>
      buildPauseProgram(url, count, ...flags),
    )
    bench.report({
      work: `1,500 updates at 100 a second allowed${how}`,
      measured: computeMedian(runs.map((r) => r.wall)),
      budget: ideal * 1.08,
      unit: 's',
      detail: formatUsage(runs),
    })
    bench.report({
      work: 'answers 429 to these',
      measured: Math.max(...runs.map((r) => r.refused)),
      budget: most,
      unit: 'answers',
    })
  }
}

/** Measures the time from the first answer to a write until the first outcome is printed. */
const measureFirstOutcome = async (bench: Bench): Promise<void> => {
  const runs = await runCounted(bench, bench.runs || 3, 20, 'allows/1000000', (url) => {
    const { silent: _, ...printing } = buildPauseProgram(url, 2_000)
    return printing
  })
  bench.report({
    work: 'first outcome of 2,000, after the first answer',
    measured: computeMedian(runs.map((r) => r.began / 1000 + r.first - r.answered / 1000)),
    budget: 0.2,
    unit: 's',
  })
}

export const measureFleet = async (bench: Bench): Promise<void> => {
  await measureWrites(bench)
  await measureLimited(bench)
  await measureFirstOutcome(bench)
}
