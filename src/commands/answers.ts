/** Parts of answers that several commands share: changes instead of a complete record, columns for narrow terminals, and files that were written. */

import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import type { AnswerService, Context } from '../engine/command/context.js'
import { type RecordView, type Rows, yieldRecord, yieldRecords } from '../engine/rows.js'

/** True if changes are shown instead of a record. */
export const shouldShowChanges = ({ answer, place }: Pick<Context, 'answer' | 'place'>): boolean =>
  answer.reader === 'people' && place.globals.fields === undefined

/** Returns an attribute as a table shows it: an access level by its name. */
const getShownValue = (record: unknown, name: string): unknown => {
  const value = isObject(record) ? record[name] : undefined
  return getLevelName(name, value) ?? value
}

/**
 * Returns the differences between two records as rows `attribute, old, new`. The rows are made from the printed records, so that secrets
 * are masked.
 * @param names the attributes to show
 * @param column the heading of their names
 */
export const toChangeRows = (
  endpoint: Endpoint,
  old: Fields,
  now: Fields,
  names: readonly string[] = Object.keys(now),
  column = 'attribute',
): { readonly records: readonly unknown[]; readonly emit: RecordView } => ({
  records: [old, now],
  emit: {
    endpoint,
    among: [now],
    people: {
      columns: [column, 'old', 'new'],
      rows: ([before, after]) =>
        names.map((name) => ({
          [column]: name,
          old: getShownValue(before, name) ?? null,
          new: getShownValue(after, name),
        })),
    },
  },
})

/** The width of a terminal, in characters, that has room for the usual columns. */
const wideTerminal = 100

/** True on a terminal that is too narrow for the usual columns. Screen readers always get all columns. */
export const isNarrow = ({ terminal, width, text }: AnswerService): boolean =>
  terminal && !text.accessible && width < wideTerminal

/** A file that was written: its absolute path, and its size in bytes if it is known. */
export interface WrittenFile {
  readonly path: string
  readonly size?: number
  /** The outcome of the file, if outcomes differ: `written`, `unchanged`, `removed`. */
  readonly state?: string
}

/**
 * Yields the files that were written if the line has `--output`. Otherwise a note on standard error names them.
 * @param isList true if the command may write any number of files
 */
export async function* listWritten(
  { place }: Pick<Context, 'place'>,
  files: readonly WrittenFile[],
  isList: boolean,
): Rows {
  if (place.globals.output === undefined) return
  const [first] = files
  const columns = first?.state === undefined ? ['path', 'size'] : ['path', 'state', 'size']
  if (isList) yield* yieldRecords(files, { columns })
  else if (first !== undefined) yield* yieldRecord(first, { columns })
}
