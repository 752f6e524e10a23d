/** What a command is: what it says of itself, and what it does. */
import type { Param } from '../catalogue/params.js'
import type { Made } from '../output/types.js'
import type { Across, Argument, Described, Given } from './described.js'
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
export interface Special {
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
  /** Takes --param and --input though it reaches no endpoint of the catalogue. */
  readonly open?: true
  /** Goes on until it is interrupted: its output is shown at once, without a pager. */
  readonly lasts?: true
  /** Goes on until something else is over, whatever its flags say. */
  readonly waits?: true
  /** Writes, though it reaches no endpoint of its own: --dry-run tries it. */
  readonly alters?: true
  /** How answers of several instances are set side by side. */
  readonly across?: Across
  /** It only looks: nothing but GET and HEAD is sent for it, and --curl has no one request to show. */
  readonly looks?: true
  /** It may be repeated (--watch) though it reaches no endpoint of its own. */
  readonly watches?: true
  /** Takes its objects as they come: it only hands on what was given. */
  readonly streams?: true
  /** Keeps a journal of its own, and goes on with its runs by itself. */
  readonly keeps?: true
  /** Fields that its tables show beside those of the API's records; every format selects them. */
  readonly made?: Made
  readonly run: (services: Services, given: Given) => Promise<void>
}
