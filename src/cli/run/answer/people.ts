/** What people see of an answer in place of its records. */
import type { Emit } from '../../../commands/services.js'
import type { Asked, People } from '../../../output/types.js'

const isBelow = (value: unknown): value is { readonly record: unknown } =>
  value !== null && typeof value === 'object' && 'record' in value

/** Of records below their parents, each is seen by itself: the rows that it makes stay below its own. */
const below = ({ page: _, rows, ...others }: People): People => {
  if (rows === undefined) return others
  return {
    ...others,
    rows: (records) =>
      records.flatMap((one) =>
        isBelow(one) ? rows([one.record]).map((record) => ({ ...one, record })) : [one],
      ),
  }
}

/** @param sorts whether another order was asked for than that of the rows */
export const peopleOf = (
  { people, within, parent }: Emit,
  sorts: boolean,
): Pick<Asked, 'people'> => {
  if (people === undefined) return {}
  const { rows: _, ...asSorted } = people
  const seen: People = sorts && people.reorders === true ? asSorted : people
  return { people: parent === undefined && within === undefined ? seen : below(seen) }
}
