/** Limits how many records a run reads one by one because its lists lack fields. */

import { exitCodes, Failure, usage } from '../../errors.js'
import type { AnswerService, UiService } from '../command/context.js'
import { type Globals, type GroupFlags, isAggregate } from '../command/globals.js'
import type { Command } from '../command/types.js'

/** True if a line may need fields that only single records have. Most lines do not, and load nothing. */
export const mayAskSingles = (
  { words }: Pick<Command, 'words'>,
  asked: Pick<Globals, 'fields' | 'sort'> & GroupFlags,
): boolean => {
  const { fields, sort } = asked
  return (
    !isAggregate(asked) && (fields !== undefined || sort !== undefined) && /(^| )list$/.test(words)
  )
}

/**
 * Creates what reports the single records that cannot be read (exit 8).
 * @param from the snapshot that answers: it has none of them, which is reported once for all
 */
export const createSingleReporter = (
  ui: Pick<UiService, 'report'>,
  answer: Pick<AnswerService, 'setExitCode'>,
  from: string | undefined,
): ((text: string, failure: Failure) => void) => {
  let isReported = false
  return (text, failure) => {
    answer.setExitCode(exitCodes.partial)
    if (from === undefined) ui.report(failure, text)
    else if (!isReported) {
      const what =
        'the snapshot contains only lists: fields that only single records have are empty'
      ui.report(new Failure('not_found', what, { hint: 'Read these fields without --from.' }))
    }
    isReported = true
  }
}

/** More single records than this are mentioned in a note. */
const maxUnnoted = 100

/** More single records than this need an explicit --limit. */
const maxUnlimited = 1000

export class SingleBudget {
  readonly #limited: boolean
  #count = 0

  /** @param limited true if the line has a --limit */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /** Restarts the count, for the next round of a repeated run. */
  begin(): void {
    this.#count = 0
  }

  /**
   * Counts one record.
   * @throws Failure `usage` if there are too many without a --limit
   */
  add(): void {
    this.#count += 1
    if (this.#limited || this.#count <= maxUnlimited) return
    throw usage(
      `more than ${maxUnlimited} records would have to be read one by one, because the list lacks some fields`,
      'Set --limit <n> or --limit all, or choose fields that the list contains.',
    )
  }

  /** Returns the note for the end of the output; undefined if only a few records were read. */
  get note(): string | undefined {
    return this.#count <= maxUnnoted
      ? undefined
      : `read ${this.#count} records one by one, because the list lacks some fields`
  }
}
