/** What stands between the records of an answer and its format: their order, and what only single records show. */

import type { Writer } from '../../output/types.js'
import { concurrencyLimit, type Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'
import type { Answering } from '../records/known-fields.js'
import { unwrapRow } from '../records/known-fields.js'
import { withSingles } from '../records/merged.js'
import type { SingleFields } from '../records/single.js'
import { createSortedWriter } from '../records/sort.js'

interface StageOptions {
  readonly command: Pick<Command, 'flags'>
  readonly answering: Answering
  readonly globals: Pick<Globals, 'concurrency' | 'limit' | 'sort'>
  readonly singles: SingleFields | undefined
  /** A line that stands below the output. */
  readonly note: (text: string) => void
}

/** @throws Failure `usage` for what cannot be sorted by */
export const staged = async (writer: Writer, options: StageOptions): Promise<Writer> => {
  const { answering, globals, singles } = options
  const width = concurrencyLimit(globals)
  const { shown: fields = [] } = singles ?? {}
  let whole = writer
  if (fields.length > 0) {
    const recordOf = (row: unknown): unknown => unwrapRow(row, answering)
    whole = withSingles(writer, { fields, words: answering.words, recordOf }, width)
  }
  if (globals.sort === undefined) return whole
  return createSortedWriter(whole, { ...options, width })
}
