/** What is wrong where a line gives one thing by two names. */
import { type Failure, usage } from '../../errors.js'

/** Both names of one parameter. */
export const bothNames = (own: string, neutral: string): Failure =>
  usage(`${own} and ${neutral} are one: the instance’s name and that of the documents`, 'Give one.')

/** The flags of a line, and those of them that were given by the instance's name for them. */
export interface Spelt {
  readonly flags: ReadonlyMap<string, unknown>
  readonly own?: ReadonlySet<string>
}
