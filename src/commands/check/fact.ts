/** What a check is, and the levels that its numbers are held against. */
import { parseSpan } from '../../base/dates.js'
import type { Param } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { usage } from '../../errors.js'
import type { GivenBy } from '../define.js'

/** How it stands, the worst last but one: what could not be read is nothing of these. */
export const checkSeverities = ['ok', 'warning', 'critical', 'unknown'] as const
export type CheckSeverity = (typeof checkSeverities)[number]
/** What is wrong. */
export type Trouble = Exclude<CheckSeverity, 'ok'>

/** How a level is written, and so which measure it is about. */
type Unit = 'percent' | 'seconds' | 'count'

/** Something that has a number, of which too much or too little is wrong. */
export interface Measure {
  readonly unit: Unit
  /** A level as somebody would set it. */
  readonly example: string
  /** Which side of a level is the wrong one. */
  readonly bad: 'above' | 'below'
  /** In a phrase: `time left of a certificate`. */
  readonly help: string
}
type Measures = Readonly<Record<string, Measure>>

/** One number that was read; undefined where the instance does not tell it. */
export interface Sample<M extends string = string> {
  readonly measure: M
  readonly value: number | undefined
  /** Whose it is. */
  readonly of?: string
  /** What is said of it where it is wrong. */
  readonly text: string
}

export interface Concern {
  readonly level: Trouble
  readonly text: string
}

/** What a check saw. */
export interface Observed<M extends string = string> {
  readonly samples: readonly Sample<M>[]
  /** What is wrong, or could not be read, whatever the levels say. */
  readonly findings: readonly Concern[]
  /** The line where nothing is wrong. */
  readonly fine: string
}

/** The levels of a line, as they are typed. */
interface LevelTexts {
  readonly warn?: readonly string[]
  readonly crit?: readonly string[]
}

type Flags = Readonly<Record<string, Param & { readonly short?: string }>>

/** A check as a fact: everything else of its command is the same for all. */
export interface CheckFact<M extends Measures = Measures, F extends Flags = Flags> {
  readonly name: string
  readonly summary: string
  readonly description: readonly string[]
  readonly examples: readonly string[]
  readonly measures: M
  /** What a sample is of, as a label: `site`. */
  readonly label: string
  /** Thresholds where the line has none. */
  readonly levels: LevelTexts
  readonly flags?: F
  /** It asks other instances than the one in force. */
  readonly everywhere?: true
  /** @throws Failure for what could not be read at all */
  readonly read: (services: Services, given: Given) => Promise<Observed<Extract<keyof M, string>>>
}

/** A check whose flags are known where it reads. */
export const checkFact = <const M extends Measures, const F extends Flags = Record<never, never>>({
  read,
  ...fact
}: Omit<CheckFact<M, F>, 'read'> & {
  readonly read: (
    services: Services,
    given: GivenBy<F>,
  ) => Promise<Observed<Extract<keyof M, string>>>
}): CheckFact => ({
  ...fact,
  // The parser made each value by the parameter that its type comes from.
  read: (services, given) => read(services, given as GivenBy<F>),
})

// `--warn` and `--crit`: `30d`, `80%`, `5`, each about the measure that is counted so.

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
