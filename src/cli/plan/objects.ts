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
  /** Fields that only lists of other areas have; one of them may well be somebody's own word. */
  readonly elsewhere: ReadonlySet<string>
  readonly mark?: '!' | '#'
  /** The columns of the lists, as they are printed unless others are asked for. */
  readonly columns: readonly (readonly string[])[]
}

/** The lists of the kind's areas, those of the kind and those of other things; and those of other areas. */
const listsOf = async (kind: Kind, name: string) => {
  const rows = await Promise.all(
    areas.map(async (row) => ({ near: kind.areas.includes(row.name), all: await row.load() })),
  )
  const lists = rows.flatMap(({ near, all }) =>
    Object.values<Endpoint>(all)
      .filter((e) => e.returns.kind === 'many')
      .map((endpoint) => ({ near, endpoint })),
  )
  const those = (wanted: (list: (typeof lists)[number]) => boolean): readonly Endpoint[] =>
    lists.filter(wanted).map(({ endpoint }) => endpoint)
  return {
    own: those(({ near, endpoint }) => near && endpoint.lists === name),
    others: those(({ near, endpoint }) => near && endpoint.lists !== name),
    far: those(({ near }) => !near),
  }
}

/** What an argument takes; undefined where the catalogue does not know objects of this kind. */
export const objectsOf = async (argument: Argument | undefined): Promise<Objects | undefined> => {
  const name = argument?.param?.completes
  const kind = kindNamed(name)
  if (name === undefined || kind === undefined) return undefined
  const { own, others, far } = await listsOf(kind, name)
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
    elsewhere: new Set(fieldsOf(far).filter((field) => !known.has(field))),
    columns: own.flatMap((e) => (e.columns === undefined ? [] : [e.columns])),
    ...(kind.mark === undefined ? {} : { mark: kind.mark }),
  }
}
