/** Values of records: from bytes, and back to text. */

import { Failure } from '../../errors.js'
import { ExactNumber, serializeExact } from './json.js'
import { parseBytes } from './records.js'

/** Picks the value under a dotted name of a record, or a value computed from it; undefined if there is none. */
export type Pick = (record: unknown, path: string) => unknown

const decoder = new TextDecoder()

export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

const createDeepFailure = (cause: unknown): Failure =>
  new Failure('unreachable', 'the instance sent a record that is nested too deeply', {
    hint: 'Run the command again with -o ndjson.',
    cause,
  })

/** Runs what recurses over a record; running out of stack becomes a failure that says so. */
export const guardStack = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? createDeepFailure(error) : error
  }
}

/**
 * Reads the value of a record's bytes; numbers that would print otherwise than they came are `ExactNumber`.
 * @throws Failure unreachable, when the bytes are no JSON, or more than may be built
 */
export const parseRecord = (bytes: Uint8Array): unknown => {
  try {
    return parseBytes(bytes)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('unreachable', 'the instance sent a record that is not JSON', {
      hint: 'Run the command again with -v to see the response. A proxy may have changed it.',
      cause,
    })
  }
}

/** Returns true if a value has nothing inside: everything but objects and lists. */
export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof ExactNumber

/** Writes a value as JSON; `null` if it has none. */
export const serializeJson = (value: unknown): string =>
  guardStack(() => serializeExact(value)) ?? 'null'
