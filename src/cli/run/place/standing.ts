/** Where a run stands: its process, its session, the project or group at hand. */

import { version } from '../../../base/version.js'
import { allCommands, type ScopeKind } from '../../../commands/derive/index.js'
import type { PlaceService } from '../../../commands/services.js'
import type { Command, MadeBy } from '../../../commands/types.js'
import type { Ask } from '../../../http/types.js'
import { environmentScope, scopeAtHand, type Takes } from '../../../profile/index.js'
import type { Profile, Session } from '../../../profile/types.js'
import type { RunOptions } from '../options.js'
import { clockOf } from './clock.js'
import type { Sessions } from './sessions.js'

const takesOf = (kinds: readonly ScopeKind[]): Takes | undefined => {
  const project = kinds.includes('project')
  const group = kinds.includes('group')
  if (project && group) return 'either'
  return project ? 'project' : group ? 'group' : undefined
}

type Options = Pick<RunOptions, 'globals' | 'env' | 'part' | 'signal' | 'stdin'>

/** The place of a run. */
export class Standing implements PlaceService {
  readonly cwd = process.cwd()
  readonly env: NodeJS.ProcessEnv
  readonly globals: PlaceService['globals']
  readonly clock: PlaceService['clock']
  readonly #sessions: Sessions
  readonly stdin: RunOptions['stdin']
  readonly #glance: (ask: Ask) => Promise<unknown>
  /** The folder whose git remotes name a project: of several instances they name that of one. */
  readonly #searched: string | undefined

  /** @param glance the data that a reading request is answered with; nothing where nothing is sent */
  constructor(
    { globals, env, part, signal, stdin }: Options,
    sessions: Sessions,
    glance: (ask: Ask) => Promise<unknown>,
  ) {
    this.#glance = glance
    this.#searched = part === undefined ? this.cwd : undefined
    this.env = env
    this.globals = globals
    this.clock = clockOf(signal)
    this.#sessions = sessions
    this.stdin = stdin
  }

  session(): Promise<Session> {
    return this.#sessions.current()
  }

  sessionOf(profile: string | undefined): Promise<Session> {
    return this.#sessions.of(profile)
  }

  profile(): Promise<Profile | undefined> {
    return this.#sessions.profile()
  }

  async identity(): Promise<MadeBy> {
    const { identityOf } = await import('./identity.js')
    return identityOf({ place: this, glance: this.#glance })
  }

  async scope(kind: ScopeKind): Promise<string | undefined> {
    return (await this.scopeAmong([kind]))?.value
  }

  about(): { readonly version: string } {
    return { version }
  }

  commands(): Promise<readonly Command[]> {
    return allCommands()
  }

  /** The project or group at hand, for a command that cannot do without. */
  async scopeAmong(
    kinds: readonly ScopeKind[],
  ): Promise<{ kind: ScopeKind; value: string } | undefined> {
    const takes = takesOf(kinds)
    if (takes === undefined) return undefined
    return (
      environmentScope(takes, this.env) ??
      (await scopeAtHand(takes, this.env, await this.session(), this.#searched))
    )
  }
}
