/** Parses and writes the values of records, with failures for records that cannot be handled. */

import { Failure } from '../../errors.js'
import { ExactNumber, serializeExact } from './json.js'
import { PackedRecords, parseBytes, type Records } from './records.js'

/** Picks the value under a dotted name of a record, or a value computed from it; undefined if there is none. */
export type ValueReader = (record: unknown, path: string) => unknown

const decoder = new TextDecoder()

export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

const createDeepFailure = (cause: unknown): Failure =>
  new Failure('unreachable', 'the instance sent a record that is nested too deeply', {
    hint: 'Run the command again with -o ndjson.',
    cause,
  })

/** Runs recursive work on a record. If it runs out of stack, it throws a failure that explains it. */
export const guardStack = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? createDeepFailure(error) : error
  }
}

const parseAs = (bytes: Uint8Array, unusual: boolean): unknown => {
  try {
    return parseBytes(bytes, unusual)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('unreachable', 'the instance sent a record that is not JSON', {
      hint: 'Run the command again with -v to see the response. A proxy may have changed it.',
      cause,
    })
  }
}

/**
 * Parses the bytes of a record. Numbers that JavaScript would print differently become `ExactNumber`.
 * @throws Failure `unreachable` if the bytes are not JSON, or exceed the limits
 */
export const parseRecord = (bytes: Uint8Array): unknown => parseAs(bytes, true)

/** Parses the records of a batch, as `parseRecord` does. */
export const parseRecords = (batch: Records): readonly unknown[] => {
  const unusual = !(batch instanceof PackedRecords) || batch.unusual
  return batch.map((bytes) => parseAs(bytes, unusual))
}

/** True for any value but objects and lists. */
export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof ExactNumber

/** Writes a value as JSON; `null` if it has none. */
export const serializeJson = (value: unknown): string =>
  guardStack(() => serializeExact(value)) ?? 'null'
