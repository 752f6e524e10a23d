/** What a command is: what it says of itself, and what it does. */
import type { Param } from '../catalogue/params.js'
import type { Argument, Described, Given, Particulars } from './described.js'
import type { Services } from './services.js'

export type * from './described.js'

/** A command of the tool. Derived ones have no `run`; a special adds what the catalogue cannot say. */
export interface Command extends Described {
  readonly run?: (services: Services, given: Given) => Promise<void>
}

/** A flag that only the tool knows. */
export type OwnFlag = Param & {
  readonly short?: string
  /** The API parameter that it fills in place of the derived flag, through the command's `run`. */
  readonly parameter?: string
  readonly optionalValue?: true
  /** Left out, nothing changes: its default is what a new one gets. */
  readonly stays?: true
  /** Key and value are two words (`--report junit lint.xml`). */
  readonly pair?: true
}

/** What a special says: only what differs from the derived command. */
export interface Special extends Particulars {
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
  readonly run: (services: Services, given: Given) => Promise<void>
}
