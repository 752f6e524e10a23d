/** Defines what a check reads and measures, and compares the result with `--warn` and `--crit`. */
import { parseSpan } from '../base/dates.js'
import type { Param } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Given } from '../engine/command/types.js'
import { explainUnread, recoverFrom, usage } from '../errors.js'
import type { Arguments } from './define.js'

/** The severities of a check. `unknown` means that something could not be read. */
export const checkSeverities = ['ok', 'warning', 'critical', 'unknown'] as const
/** One of `checkSeverities`. */
export type CheckSeverity = (typeof checkSeverities)[number]
/** A severity other than OK. */
type TroubleSeverity = Exclude<CheckSeverity, 'ok'>

/** The unit of a threshold. It determines to which measure a threshold belongs. */
type Unit = 'percent' | 'seconds' | 'count'

/** A number that is a problem if it is too high or too low. */
export interface Measure {
  readonly unit: Unit
  /** An example of a threshold. */
  readonly example: string
  /** The side of a threshold on which values are wrong. */
  readonly bad: 'above' | 'below'
  /** A noun phrase for messages: `time left of a certificate`. */
  readonly help: string
}
type Measures = Readonly<Record<string, Measure>>

/** One value of a measure; undefined if the instance does not report it. */
interface Sample<M extends string = string> {
  readonly measure: M
  readonly value: number | undefined
  /** The object that has the value, if there are several. */
  readonly of?: string
  /** The text to report if the value is wrong. */
  readonly text: string
}

/** A problem and its severity. */
export interface Concern {
  readonly level: TroubleSeverity
  readonly text: string
}

/** The samples and findings that a check read. */
interface Observation<M extends string = string> {
  readonly samples: readonly Sample<M>[]
  /** The problems that do not depend on thresholds, such as data that could not be read. */
  readonly findings: readonly Concern[]
  /** The line to print if there are no problems. */
  readonly fine: string
}

/** The thresholds of a line, as texts. */
interface LevelTexts {
  readonly warn?: readonly string[]
  readonly crit?: readonly string[]
}

type Flags = Readonly<Record<string, Param & { readonly short?: string }>>

/** A check as data; the rest of its command is the same for all checks. */
export interface CheckFact<M extends Measures = Measures, F extends Flags = Flags> {
  readonly name: string
  readonly description: readonly string[]
  readonly measures: M
  /** The label for the object of a sample, such as `site`. */
  readonly label: string
  /** The default thresholds. */
  readonly levels: LevelTexts
  readonly flags?: F
  /** True if the check reads the instances of all profiles. */
  readonly everywhere?: true
  /** True if the check is about the live instance, so that a snapshot cannot be used. */
  readonly live?: true
  /** @throws Failure for data that could not be read at all */
  readonly read: (context: Context, given: Given) => Promise<Observation<Extract<keyof M, string>>>
}

/** Declares a check with the types of its flags. */
export const checkFact = <const M extends Measures, const F extends Flags = Record<never, never>>({
  read,
  ...fact
}: Omit<CheckFact<M, F>, 'read'> & {
  readonly read: (
    context: Context,
    given: Arguments<F>,
  ) => Promise<Observation<Extract<keyof M, string>>>
}): CheckFact => ({
  ...fact,
  // The parser created the values according to these flags, so the types are correct.
  read: (context, given) => read(context, given as Arguments<F>),
})

// The thresholds `--warn` and `--crit`, such as `30d`, `80%` and `5`. The unit determines the measure.

/** A threshold in the unit of its measure. */
interface Level {
  readonly value: number
  readonly text: string
}
/** The two thresholds of a measure. */
interface Bounds {
  readonly warn?: Level
  readonly crit?: Level
}
/** The thresholds by measure. */
type Thresholds = ReadonlyMap<string, Bounds>

/** Parses a threshold with its unit; undefined for an invalid one. */
const parseLevel = (text: string): { readonly unit: Unit; readonly value: number } | undefined => {
  if (/^\d+(\.\d+)?%$/.test(text)) {
    const value = Number.parseFloat(text)
    return value > 100 ? undefined : { unit: 'percent', value }
  }
  if (/^\d+$/.test(text)) return { unit: 'count', value: Number(text) }
  const milliseconds = parseSpan(text)
  return milliseconds === undefined ? undefined : { unit: 'seconds', value: milliseconds / 1000 }
}

/** Lists the thresholds that a check accepts: `30d (time left of a certificate, at least)`. */
export const describeThresholds = ({ measures }: Pick<CheckFact, 'measures'>): string =>
  Object.values(measures)
    .map(
      ({ example, bad, help }) => `${example} (${help}, at ${bad === 'below' ? 'least' : 'most'})`,
    )
    .join(', ')

/** Finds the measure of a threshold by its unit. */
const findMeasure = (fact: CheckFact, flag: string, text: string): [string, Measure, number] => {
  const level = parseLevel(text)
  const found = Object.entries(fact.measures).find(([, { unit }]) => unit === level?.unit)
  if (level !== undefined && found !== undefined) return [...found, level.value]
  throw usage(
    `invalid --${flag} for check ${fact.name}: "${text}"`,
    `Use a threshold such as ${describeThresholds(fact)}.`,
  )
}

const thresholdFlags = ['warn', 'crit'] as const

/** @throws Failure `usage` if values reach the critical threshold before the warning one */
const checkOrder = (measure: Measure, { warn, crit }: Bounds): void => {
  if (warn === undefined || crit === undefined) return
  const ordered = measure.bad === 'above' ? warn.value <= crit.value : warn.value >= crit.value
  if (ordered) return
  throw usage(
    `--warn ${warn.text} and --crit ${crit.text} are in the wrong order`,
    `${describeThresholds({ measures: { measure } })}: --crit must be the ${measure.bad === 'below' ? 'smaller' : 'larger'} of the two.`,
  )
}

/**
 * Parses `--warn` and `--crit`. Without either, the defaults of the check apply.
 * @throws Failure `usage` for a threshold that fits no measure, a second one for the same measure, or the wrong
 *   order
 */
const parseThresholds = (fact: CheckFact, given: LevelTexts): Thresholds => {
  const texts = given.warn === undefined && given.crit === undefined ? fact.levels : given
  const levels = new Map<string, Bounds>()
  for (const flag of thresholdFlags)
    for (const text of texts[flag] ?? []) {
      const [name, measure, value] = findMeasure(fact, flag, text)
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

// The comparison of the samples with the thresholds.

const isBeyond = (value: number, { bad }: Measure, level: number): boolean =>
  bad === 'above' ? value > level : value < level

const getSeverity = (value: number, measure: Measure, { warn, crit }: Bounds): CheckSeverity => {
  if (crit !== undefined && isBeyond(value, measure, crit.value)) return 'critical'
  return warn !== undefined && isBeyond(value, measure, warn.value) ? 'warning' : 'ok'
}

const checkSample = (sample: Sample, { measures }: CheckFact, levels: Thresholds): Concern[] => {
  const [measure, bounds] = [measures[sample.measure], levels.get(sample.measure)]
  if (measure === undefined || bounds === undefined) return []
  // A measure with a threshold but without a value must not count as OK.
  if (sample.value === undefined) return [{ level: 'unknown', text: sample.text }]
  const level = getSeverity(sample.value, measure, bounds)
  return level === 'ok' ? [] : [{ level, text: sample.text }]
}

const troubleOrder: readonly TroubleSeverity[] = ['critical', 'unknown', 'warning']

/** Sorts problems by severity and removes duplicates, because a problem may also be beyond a threshold. */
const sortConcerns = (findings: readonly Concern[]): readonly Concern[] => {
  const sorted = troubleOrder.flatMap((level) => findings.filter((one) => one.level === level))
  return sorted.filter(({ text }, i) => sorted.findIndex((one) => one.text === text) === i)
}

/** Returns a problem for data that could not be read at all, and notes the hint of the failure. */
const createUnreadObservation = ({ ui }: Context, error: unknown): Observation => {
  const failure = recoverFrom(error)
  if (failure.category === 'usage') throw error
  if (failure.details.hint !== undefined) ui.note(failure.details.hint)
  return { samples: [], findings: [{ level: 'unknown', text: explainUnread(failure) }], fine: '' }
}

/** The observation of a check, with all problems. */
export interface CheckResult extends Observation {
  readonly levels: Thresholds
}

/**
 * Reads the data of a check, and compares it with the thresholds of a line.
 * @throws Failure `usage` for thresholds that the check does not have
 */
export const judge = async (
  fact: CheckFact,
  context: Context,
  given: Given,
  texts: LevelTexts,
): Promise<CheckResult> => {
  const levels = parseThresholds(fact, texts)
  const seen = await context.ui.showProgress('checking', () =>
    fact.read(context, given).catch((error: unknown) => createUnreadObservation(context, error)),
  )
  const beyond = seen.samples.flatMap((sample) => checkSample(sample, fact, levels))
  return { ...seen, levels, findings: sortConcerns([...seen.findings, ...beyond]) }
}
