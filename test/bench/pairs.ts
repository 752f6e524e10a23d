/** Rows about a program beside another one: processor time, which says more on a busy machine, and wall. */
import type { Bench } from './bench.js'
import { median, middleHalf, type Program, type Run, sideBySide } from './measure.js'

/** A ratio as `×`, or what the program takes more than the other in per cent. */
export interface PairRow {
  readonly work: string
  readonly budget?: number
  readonly unit?: '×' | '%'
  /** Pairs of runs, where nobody asked for a number; one pair warms up where there are several. */
  readonly pairs?: number
}

type Time = 'cpu' | 'wall'

const ratios = (it: readonly Run[], base: readonly Run[], time: Time): readonly number[] =>
  it.map((run, i) => run[time] / (base[i]?.[time] ?? Number.NaN))

const seconds = (runs: readonly Run[], time: Time): string =>
  `${median(runs.map((run) => run[time])).toFixed(3)} s`

/** Reports both times of `it` as medians of interleaved pairs, and gives its runs. */
export const reportPair = async (
  { folder, runs, report }: Bench,
  programs: { readonly it: Program; readonly base: Program },
  { work, budget, unit = '×', pairs = 5 }: PairRow,
): Promise<readonly Run[]> => {
  const times = runs || pairs
  const { it, base } = await sideBySide(programs, times, folder, times > 1 ? 1 : 0)
  for (const time of ['cpu', 'wall'] as const) {
    const shown = ratios(it, base, time).map((one) => (unit === '%' ? (one - 1) * 100 : one))
    report({
      work: `${work}, ${time === 'cpu' ? 'processor time' : 'wall'}`,
      measured: median(shown),
      unit,
      budget,
      spread: middleHalf(shown),
      detail: `${seconds(it, time)}, beside ${seconds(base, time)}; ${it.length} pairs`,
    })
  }
  return it
}
