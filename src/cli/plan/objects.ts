/** What a verb takes as its objects, and by which columns of lists they are known. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { type Kind, kindNamed, wordOfKind } from '../../catalogue/kinds.js'
import type { Argument } from '../../commands/types.js'
import { fieldsOf } from '../run/answer/fields.js'

/** Objects as they may stand in what another command printed. */
export interface Objects {
  /** How messages call one: `runner`, `merge request`. */
  readonly word: string
  /** The fields that name one, the most certain first. */
  readonly names: readonly string[]
  /** Fields that name one only where other columns stand beside them. */
  readonly also: readonly string[]
  /** Fields of the lists of such objects. */
  readonly known: ReadonlySet<string>
  /** Fields that only lists of other things in the same areas have. */
  readonly foreign: ReadonlySet<string>
  readonly mark?: '!' | '#'
  /** The columns of the lists, as they are printed unless others are asked for. */
  readonly columns: readonly (readonly string[])[]
}

/** The lists of the kind's areas: those of the kind, and those of other things. */
const listsOf = async (kind: Kind, name: string): Promise<readonly (readonly Endpoint[])[]> => {
  const rows = areas.filter((row) => kind.areas.includes(row.name))
  const endpoints = (await Promise.all(rows.map((row) => row.load()))).flatMap((all) =>
    Object.values<Endpoint>(all).filter((e) => e.returns.kind === 'many'),
  )
  return [endpoints.filter((e) => e.lists === name), endpoints.filter((e) => e.lists !== name)]
}

/** What an argument takes; undefined where the catalogue does not know objects of this kind. */
export const objectsOf = async (argument: Argument | undefined): Promise<Objects | undefined> => {
  const name = argument?.param?.completes
  const kind = kindNamed(name)
  if (name === undefined || kind === undefined) return undefined
  const [own = [], others = []] = await listsOf(kind, name)
  const { parameter = name } = argument ?? {}
  const names = [
    ...new Set([...kind.names, argument?.name.replaceAll('-', '_') ?? name, parameter]),
  ]
  const also = kind.also ?? []
  const known = new Set([...names, ...also, ...fieldsOf(own)])
  return {
    word: wordOfKind(name),
    names,
    also,
    known,
    foreign: new Set(fieldsOf(others).filter((field) => !known.has(field))),
    columns: own.flatMap((e) => (e.columns === undefined ? [] : [e.columns])),
    ...(kind.mark === undefined ? {} : { mark: kind.mark }),
  }
}
