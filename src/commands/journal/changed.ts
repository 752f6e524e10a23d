/** What of a journal's record undo goes by: the attributes that the run changed, of the objects that it names. */
import type { Fields } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { usage } from '../../errors.js'
import type { Attributes, Header } from '../../fleet/journal/lines.js'
import type { Undoable } from '../../fleet/journal/undo.js'

/** The attributes that a run changed: those that it sent, and those that its endpoint sets or empties by itself. */
export const changedBy = ({ values }: Pick<Header, 'values'>, endpoint: Endpoint) => {
  const { empties = [], leaves = {}, path } = endpoint
  const names = [...Object.keys(values), ...empties, ...Object.keys(leaves)]
  return new Set(names.filter((name) => !(name in path)))
}

const only = (attributes: Attributes, names: ReadonlySet<string>): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([name]) => names.has(name)))

/** An object with the attributes of these names alone, and the names of the others. */
export const limited = (
  was: Undoable,
  names: ReadonlySet<string>,
): { readonly was: Undoable; readonly others: readonly string[] } => ({
  was: { ...was, before: only(was.before, names), after: only(was.after, names) },
  others: Object.keys(was.before ?? {}).filter((name) => !names.has(name)),
})

const plain = (name: unknown): string => String(name).replace(/^@/, '').toLowerCase()

/** The fields of a record that say which object it is. */
const identitiesIn = (known: Fields, kind: string | undefined): readonly unknown[] =>
  [...(kindNamed(kind)?.names ?? []), 'id']
    .map((name) => known[name])
    .filter((value) => value !== undefined && value !== null)

/**
 * What was done to an object by its name is undone to that object, whatever its record says.
 * @throws Failure `usage` where the record is another object's
 */
export const checkSameObject = (
  { object, before, after }: Undoable,
  { args: [name = ''] = [], params, path }: Endpoint,
): void => {
  const param = path[name] ?? params[name]
  if (param === undefined) return
  const identities = identitiesIn(before ?? after ?? {}, param.completes)
  if (identities.length === 0 || identities.some((one) => plain(one) === plain(object))) return
  throw usage(
    `the journal says of ${object} what ${String(identities[0])} was: it was edited`,
    'Nothing was sent. Put back by hand what is to be put back.',
  )
}
