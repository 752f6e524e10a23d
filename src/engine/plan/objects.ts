/** Determines the objects that an argument accepts, and the fields and columns by which piped lists name them. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type AreaRow, listAreas } from '../../catalogue/index.js'
import { getKindByName, getKindWord, namedKinds } from '../../catalogue/kinds.js'
import type { Param } from '../../catalogue/params.js'
import { documentedWords, type Naming } from '../../catalogue/words.js'
import type { ScopeKind } from '../command/derive.js'
import { getAnswerFields } from '../command/derive.js'
import type { Argument, Plan } from '../command/types.js'

// The context that planning requires apart from the line.

/** A value that a command requires and the line does not have. */
export interface MissingValue {
  readonly name: string
  readonly param: Param
  /** True for an argument, false for a flag. */
  readonly argument?: boolean
  /** True if the command accepts several. */
  readonly several?: boolean
  /** The project that the value belongs to. */
  readonly project?: string
}

/** The functions and settings that planning uses, provided by the run. */
export interface PlanContext {
  readonly env: NodeJS.ProcessEnv
  readonly note: (text: string) => void
  /** Returns the time that texts such as `30d` count from. */
  readonly now: () => Date
  /** True if the objects come from standard input. Messages then quote no rejected text, because it may be a secret. */
  readonly piped?: boolean
  /** Reports a name that is sent although the catalogue does not have it. */
  readonly noteUnknownName: (endpoint: Endpoint, name: string) => void
  /** Rejects an endpoint that the instance no longer offers. */
  readonly checkOffered?: (endpoint: Pick<Endpoint, 'route'>) => void
  /** Returns the instance's address, to parse web addresses of objects. */
  readonly getBaseUrl: () => Promise<string>
  /** Returns the project or group from the environment, for a command that requires one. */
  readonly getScope: (
    kinds: readonly ScopeKind[],
  ) => Promise<{ kind: ScopeKind; value: string } | undefined>
  /** Returns the path of a project by its ID; undefined if it cannot be determined. */
  readonly findPath: (id: number) => Promise<string | undefined>
  /** Asks a person for a missing value and returns texts as on the command line; undefined if there is no terminal. */
  readonly askMissing: (missing: MissingValue) => Promise<readonly string[] | undefined>
  /** Asks a person which flags to set; undefined if there is no terminal. */
  readonly pick: (
    question: string,
    flags: readonly Pick<MissingValue, 'name' | 'param'>[],
  ) => Promise<readonly string[] | undefined>
}

/** Returns the values of a plan's arguments, which tell its object from others; undefined if one is missing. */
export const getPlanIdentity = ({ endpoint, values }: Plan): string | undefined => {
  const named = (endpoint.args ?? []).map((name) => values[name])
  return named.length > 0 && !named.includes(undefined) ? named.join('\n') : undefined
}

/** The kind of object that an argument accepts, and the fields by which the output of other commands names such objects. */
export interface Objects {
  /** The name of one object in messages: `runner`, `merge request`. */
  readonly word: string
  /** The fields that name an object, the most reliable first. */
  readonly names: readonly string[]
  /** The field of names that are looked up. A list with this column alone names its objects. */
  readonly title?: string | undefined
  /** Fields that name an object only if the record has other columns, too. */
  readonly also: readonly string[]
  /** Fields of the lists of such objects. */
  readonly known: ReadonlySet<string>
  /** Fields that only lists of other objects in the same areas have. */
  readonly foreign: ReadonlySet<string>
  /** Returns the fields that only lists of other areas have. A vocabulary may use the same names. Loads all areas. */
  readonly loadForeignFields: () => Promise<ReadonlySet<string>>
  readonly mark?: '!' | '#'
  /** The names that the instance has for fields. */
  readonly naming: Naming
  /** The default columns of the lists. */
  readonly columns: readonly (readonly string[])[]
}

/** Objects of no kind: their text alone names them. */
export const plainObjects: Objects = {
  word: 'object',
  names: [],
  also: [],
  known: new Set(),
  foreign: new Set(),
  loadForeignFields: async () => new Set(),
  columns: [],
  naming: documentedWords,
}

/** Loads the list endpoints of some areas. */
const loadLists = async (rows: readonly AreaRow[]): Promise<readonly Endpoint[]> => {
  const all = await Promise.all(rows.map((row) => row.load()))
  return all.flatMap((of) => Object.values<Endpoint>(of).filter((e) => e.returns.kind === 'many'))
}

/**
 * Loads the kind of object that an argument accepts; undefined if the catalogue has no lists of this kind.
 * @param naming the names that the instance has for fields
 */
export const readObjects = async (
  argument: Argument | undefined,
  naming: Naming = documentedWords,
): Promise<Objects | undefined> => {
  const name = argument?.param?.completes
  const kind = getKindByName(name)
  if (name === undefined || kind === undefined) return undefined
  const isNear = (row: AreaRow): boolean => kind.areas.includes(row.name)
  const near = await loadLists(listAreas().filter(isNear))
  const own = near.filter(({ lists }) => lists === name)
  const others = near.filter(({ lists }) => lists !== name)
  const { parameter = name } = argument ?? {}
  // The column of a spreadsheet may have the name of the argument, such as user or project.
  const spelled = [argument?.name ?? name, parameter, name].map((one) => one.replaceAll('-', '_'))
  const names = [...new Set([...kind.names, ...spelled])]
  const also = kind.also ?? []
  const known = new Set([...names, ...also, ...getAnswerFields(own)])
  const listUnknownFields = (lists: readonly Endpoint[]): ReadonlySet<string> =>
    new Set(getAnswerFields(lists).filter((field) => !known.has(field)))
  let far: Promise<ReadonlySet<string>> | undefined
  return {
    word: getKindWord(name),
    names,
    title: namedKinds.some((one) => one === name) ? kind.title : undefined,
    also,
    known,
    foreign: listUnknownFields(others),
    loadForeignFields: () =>
      (far ??= loadLists(listAreas().filter((row) => !isNear(row))).then(listUnknownFields)),
    columns: own.flatMap((e) => (e.columns === undefined ? [] : [e.columns])),
    mark: kind.mark,
    naming,
  }
}
