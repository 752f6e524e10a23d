/** What planning needs from where it runs: everything that is not on the line. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Param } from '../../catalogue/params.js'
import type { ScopeKind } from '../command/derive/index.js'
import type { Unknown } from './attributes.js'

/** A value that a command cannot do without. */
export interface Missing {
  readonly name: string
  readonly param: Param
  /** Given by position, not by a flag. */
  readonly argument?: boolean
  /** The command takes several. */
  readonly several?: boolean
  /** What it belongs to. */
  readonly project?: string
}

/** Texts as they would have been typed; undefined where nobody can be asked. */
export type AskFor = (missing: Missing) => Promise<readonly string[] | undefined>

/** Flags to pick from; undefined where nobody can be asked. */
export type PickFlags = (
  question: string,
  flags: readonly Pick<Missing, 'name' | 'param'>[],
) => Promise<readonly string[] | undefined>

/** What planning needs from its surroundings. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly note: (text: string) => void
  /** The objects come from standard input, which may be any text: messages quote nothing of one that is refused. */
  readonly piped?: boolean
  readonly unknown: Unknown
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
  /** A missing value from a person, or undefined where nobody can be asked. */
  readonly missing: AskFor
  /** Which flags a person wants to give, or undefined where nobody can be asked. */
  readonly pick: PickFlags
}
