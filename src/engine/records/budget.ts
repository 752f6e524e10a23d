/** Single records that the lists of a run read one by one: how many, and how many they may be. */

import { exitCodes, Failure, usage } from '../../errors.js'
import type { AnswerService, UiService } from '../command/context.js'
import type { Globals } from '../command/globals.js'
import { type GroupFlags, isAggregate } from '../command/globals.js'
import type { Command } from '../command/types.js'

/** True if a run may ask for such fields; most do not, and load nothing. */
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

/** More than so many are said. */
const maxUnsaid = 100

/** More than so many take a --limit. */
const maxUnasked = 1000

export class SingleBudget {
  readonly #limited: boolean
  #count = 0

  /** @param limited whether somebody said how many records are wanted */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /** Another round begins, which counts anew. */
  begin(): void {
    this.#count = 0
  }

  /** @throws Failure `usage` where one more would be too many */
  add(): void {
    this.#count += 1
    if (this.#limited || this.#count <= maxUnasked) return
    throw usage(
      `more than ${maxUnasked} records would have to be read one by one, because the list lacks some fields`,
      'Set --limit <n> or --limit all, or choose fields that the list contains.',
    )
  }

  /** Returns the note about them below the output; undefined if they are few. */
  get note(): string | undefined {
    return this.#count <= maxUnsaid
      ? undefined
      : `read ${this.#count} records one by one, because the list lacks some fields`
  }
}
