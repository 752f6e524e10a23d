/** Replaces names by IDs in standard input, whose objects may come one by one, each with its own project or group. */

import { Failure } from '../../errors.js'
import type { Command, Given, Parent } from '../command/types.js'
import type { Raw } from '../plan/line.js'
import { parseParentTarget } from '../plan/parents.js'
import type { GivenObject } from '../work/report.js'
import {
  createNameTest,
  findIds,
  findList,
  type IdsByName,
  type NameQuery,
  openQuery,
  type QueryOptions,
  readListOfLine,
  readListsOfParents,
  reportIds,
  withIds,
} from './named-objects.js'

/**
 * Returns the values of a line with IDs in place of the names that standard input has.
 * @throws Failure `usage` as `withIds`
 */
export const withPipedIds = async (
  command: Command,
  raw: Raw,
  given: Given,
  around: QueryOptions,
): Promise<Given> => {
  const { places } = given
  const { args } = await withIds(command, { ...raw, args: given.args }, { ...around, places })
  const placed = args.flatMap((id, i) => {
    const place = places?.get(given.args[i] ?? '')
    return place === undefined ? [] : [[id, place] as const]
  })
  return { ...given, args, places: new Map(placed.toReversed()) }
}

/**
 * Yields objects with IDs in place of names. Each list is read once, with the first name that it must have.
 * @param column the column that names the parents of the objects, if each has its own
 * @throws Failure `usage` as `withIds`
 */
export async function* withStreamedIds(
  { command, raw, ...around }: QueryOptions & { readonly command: Command; readonly raw: Raw },
  objects: AsyncIterable<GivenObject>,
  column?: Parent['column'],
): AsyncGenerator<GivenObject> {
  const isName = createNameTest(command)
  if (isName === undefined) return yield* objects
  const open = ({ object, place }: GivenObject): NameQuery | undefined => {
    const places = new Map(place === undefined ? [] : [[object, place]])
    return openQuery(command, [object], { ...around, places })
  }
  const lists = new Map<string, IdsByName>()
  for await (const given of objects) {
    const { object, parent = '' } = given
    const query = isName(object) ? open(given) : undefined
    if (query === undefined) {
      yield given
      continue
    }
    const ids = lists.get(parent) ?? (await readListOfObject(query, raw, parent, column))
    lists.set(parent, ids)
    const found = findIds(query, ids)
    reportIds(query, found, parent === '' ? undefined : parent)
    yield { ...given, object: found.get(object) ?? object }
  }
}

/** Reads the list that an object of standard input is in. */
const readListOfObject = async (
  query: NameQuery,
  raw: Raw,
  parent: string,
  column: Parent['column'] | undefined,
): Promise<IdsByName> => {
  if (column === undefined || parent === '') return readListOfLine(query, raw)
  const target = parseParentTarget(column, parent)
  const lists = await readListsOfParents(query, await findList(query), [target])
  const list = lists.get(target.value) ?? new Map<string, readonly string[]>()
  if (list instanceof Failure) throw list
  return list
}
