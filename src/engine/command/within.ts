/** A command that is run within another: asked by data, answered by data. */
import type { JsonValues } from '../../base/json/value.js'
import type { Failure } from '../../errors.js'
import type { Described, Given } from './described.js'

/**
 * What it may do: `reads` sends GET and HEAD, and what the catalogue marks as reading; `tries` sends GET and
 * HEAD alone, and shows what would be written; `writes` does it, as far as nobody has to be asked.
 */
export type Manner = 'reads' | 'tries' | 'writes'

export interface WithinAsk {
  readonly command: Pick<Described, 'area' | 'words'>
  /** As its endpoints alone make it, without what was written by hand. */
  readonly plain?: boolean
  readonly manner: Manner
  /** By the names of `dataOf`: each is what it is, and stands for nothing else. */
  readonly values: JsonValues
  /** The fields that are wanted, dots reach inside; all where it is absent. */
  readonly fields?: readonly string[]
  /** Of a list: this page, and no other. */
  readonly page?: number
  readonly perPage?: number
  readonly signal: AbortSignal
}

export interface WithinAnswer {
  /** What was asked, checked; undefined where it was refused before. */
  readonly given?: Given
  /** The answer's records, their secrets masked, each the bytes of a JSON value. */
  readonly records: readonly Uint8Array[]
  /** Whether the list goes on. */
  readonly more: boolean
  /** What was said beside. */
  readonly notes: readonly string[]
  readonly code: number
  readonly failure?: Failure
}

/** It never rejects: what went wrong is the answer's `failure`. */
export type Within = (ask: WithinAsk) => Promise<WithinAnswer>
