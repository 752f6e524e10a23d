/** The records of a selection as objects: how each is called, and what of it the run may change. */
import { type Fields, isObject } from '../../../base/objects.js'
import { kindNamed } from '../../../catalogue/kinds.js'
import type { Command, NamedObject } from '../../../commands/types.js'
import { objectsOf } from '../../plan/objects.js'
import { objectOf } from '../../plan/piped.js'

export interface ChosenObject extends NamedObject {
  /** As people call it. */
  readonly called: string
}

const titleOf = (record: unknown, title: string | undefined): string => {
  const fields: Fields = isObject(record) ? record : {}
  const value = title === undefined ? undefined : fields[title]
  return typeof value === 'string' && value !== '' ? ` "${value}"` : ''
}

/** The attributes that a command may change. */
const changeableBy = ({ endpoints }: Command): ReadonlySet<string> =>
  new Set(
    Object.values(endpoints).flatMap((e) => [
      ...Object.keys(e.leaves ?? {}),
      ...(e.changes === true ? Object.keys(e.params) : []),
    ]),
  )

/** Under the names of the documents, whatever the instance calls them. */
const keptOf = (
  record: unknown,
  names: ReadonlySet<string>,
  naming: Command['naming'],
): Pick<NamedObject, 'before'> => {
  if (names.size === 0 || !isObject(record)) return {}
  const named = Object.entries(record).map(([name, value]) => {
    const neutral = names.has(name) ? name : (naming?.neutral(name) ?? name)
    return [neutral, value] as const
  })
  return { before: Object.fromEntries(named.filter(([name]) => names.has(name))) }
}

/**
 * Of each record nothing is kept but what its object is called, and what is changed of it.
 * @param project the project that numbers are of, where there is one
 */
export async function* objectsIn(
  command: Command,
  records: AsyncIterable<unknown>,
  project: string | undefined,
): AsyncGenerator<ChosenObject> {
  const [argument] = command.args
  const objects = await objectsOf(argument, command.naming)
  const title = kindNamed(argument?.param?.completes)?.title
  const names = changeableBy(command)
  for await (const record of records) {
    const text = objectOf(record, objects, project)
    yield {
      text,
      called: `${text}${titleOf(record, title)}`,
      ...keptOf(record, names, command.naming),
    }
  }
}
