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
  if (args === given.args) return given
  const placed = args.flatMap((id, i) => {
    const place = places?.get(given.args[i] ?? '')
    return place === undefined ? [] : [[id, place] as const]
  })
  // An object that is named twice keeps its first place.
  return { ...given, args, places: new Map(placed.toReversed()) }
}

/**
 * Yields objects with IDs in place of names. Each list is read at the first name that it must have, and each name is looked up once.
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
  const lists = new Map<string, IdsByName>()
  const findId = async ({ object, parent = '', place }: GivenObject): Promise<string> => {
    const places = new Map(place === undefined ? [] : [[object, place]])
    const query = openQuery(command, [object], { ...around, places })
    if (query === undefined) return object
    const ids = lists.get(parent) ?? (await readListOfObject(query, raw, parent, column))
    lists.set(parent, ids)
    const found = findIds(query, ids)
    reportIds(query, found, parent === '' ? undefined : parent)
    return found.get(object) ?? object
  }
  const known = new Map<string, string>()
  for await (const given of objects) {
    const { object, parent = '' } = given
    if (!isName(object)) {
      yield given
      continue
    }
    const key = `${parent}\0${object}`
    const id = known.get(key) ?? (await findId(given))
    known.set(key, id)
    yield { ...given, object: id }
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
