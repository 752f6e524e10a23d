/** `--warn` and `--crit`: `30d`, `80%`, `5`, each about the measure that is counted so. */
import { parseSpan } from '../../base/dates.js'
import { usage } from '../../errors.js'
import type { CheckFact, LevelTexts, Measure, Unit } from './types.js'

/** A level of a measure, in its unit. */
interface Level {
  readonly value: number
  readonly text: string
}
export interface Bounds {
  readonly warn?: Level
  readonly crit?: Level
}
/** By measure: those that have a level. */
export type Thresholds = ReadonlyMap<string, Bounds>

/** A level with its unit; undefined for what is none. */
const parsed = (text: string): { readonly unit: Unit; readonly value: number } | undefined => {
  if (/^\d+(\.\d+)?%$/.test(text)) {
    const value = Number.parseFloat(text)
    return value > 100 ? undefined : { unit: 'percent', value }
  }
  if (/^\d+$/.test(text)) return { unit: 'count', value: Number(text) }
  const milliseconds = parseSpan(text)
  return milliseconds === undefined ? undefined : { unit: 'seconds', value: milliseconds / 1000 }
}

/** What a check takes, in words: `30d (the time left of a certificate, at least)`. */
export const takenBy = ({ measures }: Pick<CheckFact, 'measures'>): string =>
  Object.values(measures)
    .map(
      ({ example, bad, help }) => `${example} (${help}, at ${bad === 'below' ? 'least' : 'most'})`,
    )
    .join(', ')

/** The measure that a level is about, by its unit. */
const measureOf = (fact: CheckFact, flag: string, text: string): [string, Measure, number] => {
  const level = parsed(text)
  const found = Object.entries(fact.measures).find(([, { unit }]) => unit === level?.unit)
  if (level !== undefined && found !== undefined) return [...found, level.value]
  throw usage(
    `invalid --${flag} for check ${fact.name}: "${text}"`,
    `Use a threshold such as ${takenBy(fact)}.`,
  )
}

const flags = ['warn', 'crit'] as const

/** @throws Failure `usage` where the worse level is the one that is reached first */
const checkOrder = (measure: Measure, { warn, crit }: Bounds): void => {
  if (warn === undefined || crit === undefined) return
  const ordered = measure.bad === 'above' ? warn.value <= crit.value : warn.value >= crit.value
  if (ordered) return
  throw usage(
    `--warn ${warn.text} and --crit ${crit.text} are in the wrong order`,
    `${takenBy({ measures: { measure } })}: --crit must be the ${measure.bad === 'below' ? 'smaller' : 'larger'} of the two.`,
  )
}

/**
 * The levels of a line; one of them alone sets that one, and those of the check count where there is none.
 * @throws Failure `usage` for a level that the check has no measure for, two of one measure, and the wrong order
 */
export const parseThresholds = (fact: CheckFact, given: LevelTexts): Thresholds => {
  const texts = given.warn === undefined && given.crit === undefined ? fact.levels : given
  const levels = new Map<string, Bounds>()
  for (const flag of flags)
    for (const text of texts[flag] ?? []) {
      const [name, measure, value] = measureOf(fact, flag, text)
      const before = levels.get(name) ?? {}
      if (before[flag] !== undefined)
        throw usage(
          `--${flag} has two thresholds for the ${measure.help}: ${before[flag].text} and ${text}`,
        )
      const bounds = { ...before, [flag]: { value, text } }
      checkOrder(measure, bounds)
      levels.set(name, bounds)
    }
  return levels
}
