/** What a check saw, held against its levels. */
import { firstOf } from '../glance/words.js'
import type { Bounds, Thresholds } from './levels.js'
import type { CheckFact, Concern, Measure, Observed, Sample, Severity, Trouble } from './types.js'

/** The outcome of a check, before anybody writes it down. */
export interface CheckOutcome extends Observed {
  readonly fact: CheckFact
  readonly levels: Thresholds
  /** The instance that was asked; undefined where none could be found. */
  readonly address?: string
}

const isBeyond = (value: number, { bad }: Measure, level: number): boolean =>
  bad === 'above' ? value > level : value < level

const levelOf = (value: number, measure: Measure, { warn, crit }: Bounds): Severity => {
  if (crit !== undefined && isBeyond(value, measure, crit.value)) return 'critical'
  return warn !== undefined && isBeyond(value, measure, warn.value) ? 'warning' : 'ok'
}

const findingOf = (sample: Sample, { measures }: CheckFact, levels: Thresholds): Concern[] => {
  const [measure, bounds] = [measures[sample.measure], levels.get(sample.measure)]
  if (measure === undefined || bounds === undefined) return []
  // What has a level and no number is not fine.
  if (sample.value === undefined) return [{ level: 'unknown', text: sample.text }]
  const level = levelOf(sample.value, measure, bounds)
  return level === 'ok' ? [] : [{ level, text: sample.text }]
}

const worst: readonly Trouble[] = ['critical', 'unknown', 'warning']

/** The worst first, and each once: what is wrong by itself may be beyond a level as well. */
const ordered = (findings: readonly Concern[]): readonly Concern[] => {
  const sorted = worst.flatMap((level) => findings.filter((one) => one.level === level))
  return sorted.filter(({ text }, i) => sorted.findIndex((one) => one.text === text) === i)
}

/** Everything that is wrong, by itself or by the levels. */
export const judged = (fact: CheckFact, levels: Thresholds, seen: Observed): Observed => ({
  ...seen,
  findings: ordered([
    ...seen.findings,
    ...seen.samples.flatMap((sample) => findingOf(sample, fact, levels)),
  ]),
})

/** How many of what is wrong stand on the line. */
const most = 5

/** What is wrong; what is fine, where nothing is. */
export const lineOf = ({ findings, fine }: Observed): string =>
  findings.length === 0
    ? fine
    : firstOf(
        findings.map(({ text }) => text),
        most,
        '; ',
      )
