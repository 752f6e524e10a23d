/** Finds what a verb takes as its objects, and by which columns of lists they are known. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { getKindByName, getKindWord } from '../../catalogue/kinds.js'
import type { Param } from '../../catalogue/params.js'
import type { Naming } from '../../catalogue/words.js'
import type { ScopeKind } from '../command/derive.js'
import { getAnswerFields } from '../command/derive.js'
import type { Argument } from '../command/types.js'

// What planning needs from where it runs: everything that is not on the line.

/** A value that a command cannot do without. */
export interface MissingValue {
  readonly name: string
  readonly param: Param
  /** Given by position, not by a flag. */
  readonly argument?: boolean
  /** The command takes several. */
  readonly several?: boolean
  /** The project that it belongs to. */
  readonly project?: string
}

/** The surroundings that planning needs. */
export interface PlanContext {
  readonly env: NodeJS.ProcessEnv
  readonly note: (text: string) => void
  /** The objects come from standard input, which may be any text: messages quote nothing of one that is refused. */
  readonly piped?: boolean
  /** Takes a name that is sent though the catalogue does not have it. */
  readonly unknown: (endpoint: Endpoint, name: string) => void
  /** Refuses an endpoint that the instance has no more. */
  readonly offered?: (endpoint: Pick<Endpoint, 'route'>) => void
  /** The instance's address, for web addresses as objects. */
  readonly baseUrl: () => Promise<string>
  /** The project or group at hand, when a command cannot do without. */
  readonly scope: (
    kinds: readonly ScopeKind[],
  ) => Promise<{ kind: ScopeKind; value: string } | undefined>
  /** The path of a project by its number; undefined where that cannot be known. */
  readonly pathOf: (id: number) => Promise<string | undefined>
  /** Asks a person for a missing value, in texts as they would have been typed; undefined if there is no terminal to ask on. */
  readonly missing: (missing: MissingValue) => Promise<readonly string[] | undefined>
  /** Asks which flags a person wants to give; undefined if there is no terminal to ask on. */
  readonly pick: (
    question: string,
    flags: readonly Pick<MissingValue, 'name' | 'param'>[],
  ) => Promise<readonly string[] | undefined>
}

/** Objects as they may stand in what another command printed. */
export interface Objects {
  /** The name of one object in messages: `runner`, `merge request`. */
  readonly word: string
  /** The fields that name one, the most certain first. */
  readonly names: readonly string[]
  /** Fields that name one only where other columns stand beside them. */
  readonly also: readonly string[]
  /** Fields of the lists of such objects. */
  readonly known: ReadonlySet<string>
  /** Fields that only lists of other things in the same areas have. */
  readonly foreign: ReadonlySet<string>
  /** Fields that only lists of other areas have; one of them may well be somebody's own word. Loads all areas. */
  readonly elsewhere: () => Promise<ReadonlySet<string>>
  readonly mark?: '!' | '#'
  /** The instance's own names of fields, if a vocabulary has any. */
  readonly naming?: Naming
  /** The columns of the lists, as they are printed unless others are asked for. */
  readonly columns: readonly (readonly string[])[]
}

/** Loads the lists of some areas. */
const listsOf = async (rows: readonly (typeof areas)[number][]): Promise<readonly Endpoint[]> => {
  const all = await Promise.all(rows.map((row) => row.load()))
  return all.flatMap((of) => Object.values<Endpoint>(of).filter((e) => e.returns.kind === 'many'))
}

/**
 * Reads what an argument takes; undefined if the catalogue does not know objects of this kind.
 * @param naming by which their fields may be called otherwise
 */
export const readObjects = async (
  argument: Argument | undefined,
  naming?: Naming,
): Promise<Objects | undefined> => {
  const name = argument?.param?.completes
  const kind = getKindByName(name)
  if (name === undefined || kind === undefined) return undefined
  const isNear = (row: (typeof areas)[number]): boolean => kind.areas.includes(row.name)
  const near = await listsOf(areas.filter(isNear))
  const own = near.filter(({ lists }) => lists === name)
  const others = near.filter(({ lists }) => lists !== name)
  const { parameter = name } = argument ?? {}
  // In a sheet the column may be called after what stands in it: user, project.
  const spelled = [argument?.name ?? name, parameter, name].map((one) => one.replaceAll('-', '_'))
  const names = [...new Set([...kind.names, ...spelled])]
  const also = kind.also ?? []
  const known = new Set([...names, ...also, ...getAnswerFields(own)])
  const unknown = (lists: readonly Endpoint[]): ReadonlySet<string> =>
    new Set(getAnswerFields(lists).filter((field) => !known.has(field)))
  let far: Promise<ReadonlySet<string>> | undefined
  return {
    word: getKindWord(name),
    names,
    also,
    known,
    foreign: unknown(others),
    elsewhere: () => (far ??= listsOf(areas.filter((row) => !isNear(row))).then(unknown)),
    columns: own.flatMap((e) => (e.columns === undefined ? [] : [e.columns])),
    mark: kind.mark,
    naming,
  }
}
