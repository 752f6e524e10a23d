/** Shows the changes of a write instead of the complete record, for people who did not select fields. */
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Context } from '../engine/command/context.js'
import type { RecordView } from '../engine/rows.js'

/** True if changes are shown instead of a record. */
export const shouldShowChanges = ({ answer, place }: Pick<Context, 'answer' | 'place'>): boolean =>
  answer.reader === 'people' && place.globals.fields === undefined

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
          old: (isObject(before) ? before[name] : undefined) ?? null,
          new: isObject(after) ? after[name] : undefined,
        })),
    },
  },
})
