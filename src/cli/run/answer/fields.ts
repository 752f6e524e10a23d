/** The fields that a command's answers have, by the catalogue: for completion, and for typing errors. */

import { nearest } from '../../../base/suggest.js'
import type { Endpoint } from '../../../catalogue/endpoint.js'
import { shownFields } from '../../../catalogue/kinds.js'
import { propertiesOf } from '../../../catalogue/shapes/properties.js'
import { called, namesIn, type Words } from '../../../catalogue/words.js'
import type { Command } from '../../../commands/types.js'

/** The column that says which object a row is about, where several were given. */
export const objectColumn = 'object'

/** The field that a dotted name begins with. */
export const firstOf = (path: string): string => path.split('.')[0] ?? path

/** Field names of the answers of these endpoints, each once. */
export const fieldsOf = (endpoints: readonly Endpoint[]): readonly string[] => {
  const own = new Set(endpoints.flatMap((e) => Object.keys(propertiesOf(e.returns.shape) ?? {})))
  const shown = Object.entries(shownFields).filter(([, path]) => own.has(firstOf(path)))
  const made = endpoints.flatMap((e) => e.made ?? [])
  return [...own, ...shown.map(([name]) => name), ...made]
}

/** A special's answer may be of another shape, unless it lists what the catalogue lists. */
const shaped = (command: Command): boolean =>
  command.run === undefined || /(^| )list$/.test(command.words)

/**
 * What to say of `--fields` names that no shape of the command knows: an instance may be newer than the
 * catalogue, so they are shown all the same.
 * @param words the instance's own, which are as good
 */
export const fieldNotes = async (
  command: Command,
  fields: readonly string[],
  words?: Words,
): Promise<readonly string[]> => {
  const known = fieldsOf(Object.values(command.endpoints))
  if (known.length === 0 || !shaped(command)) return []
  const columns = Object.values(command.endpoints).flatMap((e) => e.columns ?? [])
  const several = command.args[0]?.variadic === true ? [objectColumn] : []
  const all = new Set([...known, ...several, ...columns.map(firstOf)])
  const neutral = words?.neutral ?? ((name: string) => name)
  const strange = fields.map(firstOf).filter((name) => !all.has(name) && !all.has(neutral(name)))
  if (strange.length === 0) return []
  return strange.map((name) => {
    const near = nearest(name, namesIn([...all], words))
    const hint =
      near === undefined
        ? `svcctl explain ${command.area} shows the fields.`
        : `Did you mean ${called(near, words)}?`
    return `the documents know no field "${name}" here. ${hint}`
  })
}
