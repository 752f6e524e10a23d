/** What people see of records below their parents. */
import type { Emit } from '../../../commands/services.js'
import type { People } from '../../../output/types.js'

const isBelow = (value: unknown): value is { readonly record: unknown } =>
  value !== null && typeof value === 'object' && 'record' in value

/** Of records below their parents, each is seen by itself: the rows that it makes stay below its own. */
export const peopleOf = (people: People, { within, parent }: Emit): People => {
  const { page: _, rows, ...others } = people
  if (parent === undefined && within === undefined) return people
  if (rows === undefined) return others
  return {
    ...others,
    rows: (records) =>
      records.flatMap((one) =>
        isBelow(one) ? rows([one.record]).map((record) => ({ ...one, record })) : [one],
      ),
  }
}
