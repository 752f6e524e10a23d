/** What a run has to do with those within it. */
import { Failure } from '../../errors.js'
import type { RunOptions, RunWithin } from './options.js'
import type { Afterwards } from './saying.js'

/** What runs others within this run, where the run was made with it. */
export const withinOf = ({ within }: RunOptions): RunWithin => {
  if (within === undefined) throw new Failure('internal', 'nothing runs within this run')
  return within
}

/** Who hears how a list ended. */
export const listsEnd = ({ inner }: RunOptions, { later }: Afterwards) => ({
  later,
  ended: inner?.ended,
})
