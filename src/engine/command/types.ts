/** The types of a command: its description with its implementation, and the specials that change a derived command. */
import type { Param } from '../../catalogue/params.js'
import type { Rows } from '../rows.js'
import type { Context } from './context.js'
import type {
  Argument,
  CommandFacts,
  CommandTraits,
  Flag,
  Given,
  WordsLoader,
} from './description.js'

export type * from './actions.js'
export type * from './description.js'

/** Finds other commands by their words. */
export interface Registry {
  /** Returns undefined if there is no such command. */
  readonly find: (area: string, words: string) => Promise<Command | undefined>
  readonly list: () => Promise<readonly Command[]>
}

/** A command with its implementation. */
export interface Command extends CommandFacts {
  readonly registry: Registry
  /** Loads the vocabulary for its requests. Without it, they have the documented names. */
  readonly loadWords?: WordsLoader | undefined
  /** Yields the rows of the answer. Absent if the endpoints alone define the command. */
  readonly rows?: (context: Context, given: Given) => Rows
}

/** A flag that no parameter of the API makes. */
export type OwnFlag = Param &
  Pick<Flag, 'aliases' | 'optionalValue' | 'short' | 'spellings'> & {
    /** The API parameter that it replaces. The command's `rows` fills that parameter from it. */
    readonly parameter?: string
    /** True if omitting it leaves the object unchanged; its default applies to new objects only. */
    readonly stays?: true
  }

/** The handwritten parts of a command, which override the derived ones. */
export interface Special extends CommandTraits {
  readonly summary?: string
  readonly description?: readonly string[]
  /** Replaces the derived arguments. */
  readonly args?: readonly Argument[]
  /** Flags that no parameter of the API makes, by name. */
  readonly flags?: Readonly<Record<string, OwnFlag>>
  /** API parameters whose derived flags this command does not have; `attributes` removes all but the path's. */
  readonly without?: readonly string[] | 'attributes'
  /** Required API parameters that this command fills if they are not set. */
  readonly fills?: readonly string[]
  /** Keys of the area's endpoints; by default those whose `command` is this command. */
  readonly endpoints?: readonly string[]
  readonly rows?: NonNullable<Command['rows']>
}
