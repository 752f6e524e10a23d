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
 */
export const toChangeRows = (
  endpoint: Endpoint,
  old: Fields,
  now: Fields,
): { readonly records: readonly unknown[]; readonly emit: RecordView } => ({
  records: [old, now],
  emit: {
    endpoint,
    people: {
      columns: ['attribute', 'old', 'new'],
      rows: ([before, after]) =>
        Object.keys(now).map((attribute) => ({
          attribute,
          old: (isObject(before) ? before[attribute] : undefined) ?? null,
          new: isObject(after) ? after[attribute] : undefined,
        })),
    },
  },
})
