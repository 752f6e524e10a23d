/** The changes of a write, in place of the whole record: for people who did not ask for certain fields. */
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Context } from '../engine/command/context.js'
import type { RecordView } from '../engine/rows.js'

/** True if changes are shown in place of a record. */
export const shouldShowChanges = ({ answer, place }: Pick<Context, 'answer' | 'place'>): boolean =>
  answer.reader === 'people' && place.globals.fields === undefined

/**
 * Presents what differs between two records as rows `attribute, old, new`. The rows are made of the records as they are shown,
 * so that their secrets are masked.
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
