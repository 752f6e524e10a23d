/** Reports a program in comparison with another one: by processor time, which is more reliable on a busy machine, and by wall time. */
import type { Bench } from './bench.js'
import {
  computeMedian,
  computeQuartiles,
  type Program,
  type Run,
  runInterleaved,
} from './measure.js'

/** A ratio as `×`, or the additional time of the program in per cent. */
export interface PairRow {
  readonly work: string
  readonly budget?: number
  readonly unit?: '×' | '%'
  /** Pairs of runs, unless --runs gives a number. One pair warms up if there are several. */
  readonly pairs?: number
}

type Time = 'cpu' | 'wall'

const computeRatios = (it: readonly Run[], base: readonly Run[], time: Time): readonly number[] =>
  it.map((run, i) => run[time] / (base[i]?.[time] ?? Number.NaN))

const formatMedian = (runs: readonly Run[], time: Time): string =>
  `${computeMedian(runs.map((run) => run[time])).toFixed(3)} s`

/** Reports both times of `it` as medians of interleaved pairs. Returns its runs. */
export const reportPair = async (
  { folder, runs, report }: Bench,
  programs: { readonly it: Program; readonly base: Program },
  { work, budget, unit = '×', pairs = 5 }: PairRow,
): Promise<readonly Run[]> => {
  const times = runs || pairs
  const { it, base } = await runInterleaved(programs, times, folder, times > 1 ? 1 : 0)
  for (const time of ['cpu', 'wall'] as const) {
    const shown = computeRatios(it, base, time).map((one) => (unit === '%' ? (one - 1) * 100 : one))
    report({
      work: `${work}, ${time === 'cpu' ? 'processor time' : 'wall'}`,
      measured: computeMedian(shown),
      unit,
      budget,
      spread: computeQuartiles(shown),
      detail: `${formatMedian(it, time)}, beside ${formatMedian(base, time)}; ${it.length} pairs`,
    })
  }
  return it
}
