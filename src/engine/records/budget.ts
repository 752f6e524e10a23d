/** Single records that the lists of a run read one by one: how many, and how many they may be. */

import { usage } from '../../errors.js'
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
