/** The types of a command: how it describes itself, and what it does. */
import type { Param } from '../../catalogue/params.js'
import type { Rows } from '../rows.js'
import type { Context } from './context.js'
import type { Argument, CommandFacts, CommandTraits, Given } from './description.js'

export type * from './actions.js'
export type * from './description.js'

/** Every command there is, by its words: what a command knows of the others. */
export interface Registry {
  /** Undefined where there is none of that name. */
  readonly named: (area: string, words: string) => Promise<Command | undefined>
  readonly all: () => Promise<readonly Command[]>
}

/** A command of the tool. */
export interface Command extends CommandFacts {
  readonly registry: Registry
  /** Yields the rows of its answer; absent where its endpoints say what is done. */
  readonly rows?: (context: Context, given: Given) => Rows
}

/** A flag that only the tool knows. */
export type OwnFlag = Param & {
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** The API parameter that it fills in place of the derived flag, through the command's `rows`. */
  readonly parameter?: string
  readonly optionalValue?: true
  /** Other words for its values that are accepted and not shown. */
  readonly spellings?: Readonly<Record<string, string>>
  /** Left out, nothing changes: its default is what a new one gets. */
  readonly stays?: true
}

/** The parts of a command that differ from the derived one. */
export interface Special extends CommandTraits {
  readonly summary?: string
  readonly description?: readonly string[]
  readonly examples?: readonly string[]
  /** Replaces the derived arguments. */
  readonly args?: readonly Argument[]
  /** Flags that only the tool knows, by name. */
  readonly flags?: Readonly<Record<string, OwnFlag>>
  /** Derived flags that this command does not have, by API parameter; or all but the path's. */
  readonly without?: readonly string[] | 'attributes'
  /** Parameters that the API requires and this command fills where they are not given. */
  readonly fills?: readonly string[]
  /** Keys of the area's endpoints; by default those whose `command` is this one. */
  readonly endpoints?: readonly string[]
  readonly rows?: NonNullable<Command['rows']>
}
