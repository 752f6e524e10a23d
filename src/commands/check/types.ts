/** What a check is: what it reads, which of it has levels, and what is wrong whatever they say. */
import type { Param } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import type { GivenBy } from '../define.js'

/** How it stands, the worst last but one: what could not be read is nothing of these. */
export const checkSeverities = ['ok', 'warning', 'critical', 'unknown'] as const
export type CheckSeverity = (typeof checkSeverities)[number]
/** What is wrong. */
export type Trouble = Exclude<CheckSeverity, 'ok'>

/** How a level is written, and so which measure it is about. */
export type Unit = 'percent' | 'seconds' | 'count'

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
export type Measures = Readonly<Record<string, Measure>>

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
export interface LevelTexts {
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
