/** Objects of a list that knows no projects, in the projects that their records name. */
import { isObject } from '../../../base/objects.js'
import { shelve } from '../../../base/shelves.js'
import type { Objects } from '../../plan/objects.js'
import { objectOf } from '../../plan/piped.js'

const reference = /^(?<project>.+)[!#](?<id>\d+)$/

/** The numbers of objects, under the path of their project in small letters, and under its number. */
export const ownedIn = async (
  records: AsyncIterable<unknown>,
  objects: Objects | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const owned = new Map<string, string[]>()
  for await (const record of records) {
    const { project = '', id = '' } = reference.exec(objectOf(record, objects))?.groups ?? {}
    const number = isObject(record) ? String(record.project_id) : project
    for (const key of new Set([project.toLowerCase(), number])) shelve(owned, key, id)
  }
  return owned
}
