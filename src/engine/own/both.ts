/** What is wrong where a line gives one thing by two names. */
import { type Failure, usage } from '../../errors.js'

/** Two names of one parameter. */
export const bothNames = (one: string, other: string): Failure =>
  usage(`${one} and ${other} are two names of the same parameter`, 'Pass only one of them.')

/** The flags of a line, and by which name each was given that an instance has others for. */
export interface Spelt {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlyMap<string, string>
}
