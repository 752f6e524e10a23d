/** Completes the records of a list with the fields that only a request for each single record returns. */

import { mapConcurrent } from '../../base/async.js'
import { parseBytes } from '../../base/json/records.js'
import { isObject } from '../../base/objects.js'
import type { Command } from '../command/types.js'
import type { FullRecordReader, RecordView } from '../rows.js'
import { hasField } from '../where/shape.js'
import { unwrapRow } from './known-fields.js'
import { encodeRecord, type ListStage } from './list-stage.js'
import type { SingleFields } from './single.js'

interface MergeOptions {
  readonly fields: readonly string[]
  readonly command: Pick<Command, 'naming'>
  readonly view: RecordView
}

/**
 * Adds the fields of its single record to a row. Returns the row itself if it has all fields, or if the record cannot
 * be read.
 */
export const mergeSingle = async (
  row: unknown,
  reader: FullRecordReader | undefined,
  { fields, view, command: { naming } }: MergeOptions,
): Promise<unknown> => {
  const record = naming.makeLegible(unwrapRow(row, { emit: view }))
  if (reader === undefined || !isObject(record)) return row
  if (fields.every((field) => hasField(record, naming.neutral(field).split('.')))) return row
  const single = await reader.read(record)
  if (!isObject(single)) return row
  const merged = { ...single, ...record }
  return record === row || !isObject(row) ? merged : { ...row, record: merged }
}

/** Creates the stage that reads the single record of each row, several at once. */
export const createSingleStage = (
  view: RecordView,
  { endpoint, shown }: SingleFields,
  { width, command }: Pick<MergeOptions, 'command'> & { readonly width: number },
): ListStage => ({
  view: { ...view, single: endpoint },
  addRecords: async ({ batch, readers = [] }) => {
    if (shown.length === 0) return { kind: 'records', batch }
    const merge = async ([i, bytes]: readonly [number, Uint8Array]): Promise<Uint8Array> => {
      const reader = readers[i]
      if (reader === undefined) return bytes
      const row = parseBytes(bytes)
      const merged = await mergeSingle(row, reader, { fields: shown, view, command })
      return merged === row ? bytes : encodeRecord(merged)
    }
    const mergedBatch: Uint8Array[] = []
    for await (const bytes of mapConcurrent(batch.entries(), width, merge)) mergedBatch.push(bytes)
    return { kind: 'records', batch: mergedBatch }
  },
  finish: async function* () {},
  describe: () => [],
})
