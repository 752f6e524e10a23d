/** The targets of a run over many objects: those of `writes`, and where an instance allows only so much. */
import type { Bench } from './bench.js'
import { median, type Run, run } from './measure.js'
import { used } from './table.js'
import { pausing, writes } from './writes.js'

const allowed = 100
const count = 1_500
/** As many requests as are allowed at once, and the others as the instance allows them. */
const idealFor = (requests: number): number => (requests - allowed) / allowed

/** What the server counted of an instance. */
interface Counts {
  readonly refused: number
  /** When the first write was answered, in milliseconds of the epoch. */
  readonly answered: number
}

const countsOf = async (url: string): Promise<Counts> => {
  const text = await (await fetch(`${url}/api/v4/counts`)).text()
  const [refused = Number.NaN, answered = Number.NaN] = text.split(' ').map(Number)
  return { refused, answered }
}

/** How many instances there were: each run has its own. */
let instances = 0

/** Runs a program so often, each time against another instance, which counts. */
const counted = async (
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
    done.push({ ...took, ...(await countsOf(url)) })
  }
  return done
}

/** An instance that turns away what is too much; a run that fails for one ends the group. */
const limited = async (bench: Bench): Promise<void> => {
  for (const [limit, how, most, ...flags] of [
    [`allows/${allowed}`, '', 50, '--no-undo-record'],
    [`tells/${allowed}`, ', with RateLimit headers', 0, '--no-undo-record'],
    [`tells/${allowed}`, ', with RateLimit headers and two requests each', 0],
  ] as const) {
    const ideal = idealFor(flags.length === 0 ? 2 * count : count)
    const runs = await counted(bench, bench.runs || 1, 20, limit, (url) =>
      pausing(url, count, ...flags),
    )
    bench.report({
      work: `1,500 updates at 100 a second allowed${how}`,
      measured: median(runs.map((r) => r.wall)),
      budget: ideal * 1.08,
      unit: 's',
      detail: used(runs),
    })
    bench.report({
      work: 'answers 429 to these',
      measured: Math.max(...runs.map((r) => r.refused)),
      budget: most,
      unit: 'answers',
    })
  }
}

/** From the first answer to a write until something of it is printed. */
const firstOutcome = async (bench: Bench): Promise<void> => {
  const runs = await counted(bench, bench.runs || 3, 20, 'allows/1000000', (url) => {
    const { silent: _, ...printing } = pausing(url, 2_000)
    return printing
  })
  bench.report({
    work: 'first outcome of 2,000, after the first answer',
    measured: median(runs.map((r) => r.began / 1000 + r.first - r.answered / 1000)),
    budget: 0.2,
    unit: 's',
  })
}

export const fleet = async (bench: Bench): Promise<void> => {
  await writes(bench)
  await limited(bench)
  await firstOutcome(bench)
}
