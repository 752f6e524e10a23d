/** The place of a run: its process, its session, the project or group at hand. */
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { environmentScope, scopeAtHand, type Takes } from '../../profile/index.js'
import type { Profile, Session } from '../../profile/types.js'
import type { ScopeKind } from '../command/derive/index.js'
import type { MadeBy } from '../command/described.js'
import type { InnerRuns, RunClock, WorkspaceService } from '../command/services.js'
import type { OpenSessions, RunOptions, Streams } from '../options.js'
import { UnkeptWrites } from './unkept.js'

// Waiting that an interruption ends.

/** Waits so long; rejects with a Failure `interrupted` where that comes first. */
const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new Failure('interrupted', 'interrupted'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

/** The waiting of a run. */
export const createClock = (signal: AbortSignal): RunClock => ({
  now: () => new Date(),
  sleep: (milliseconds) => sleep(milliseconds, signal),
  signal,
})

const takesOf = (kinds: readonly ScopeKind[]): Takes | undefined => {
  const project = kinds.includes('project')
  const group = kinds.includes('group')
  if (project && group) return 'either'
  return project ? 'project' : group ? 'group' : undefined
}

type Options = Pick<
  RunOptions,
  'command' | 'env' | 'globals' | 'inner' | 'part' | 'signal' | 'stdin'
>

/** The place of a run. */
export class Workspace implements WorkspaceService {
  readonly cwd = process.cwd()
  readonly env: NodeJS.ProcessEnv
  readonly globals: WorkspaceService['globals']
  readonly clock: WorkspaceService['clock']
  readonly #sessions: OpenSessions
  readonly stdin: RunOptions['stdin']
  readonly #glance: (ask: Ask) => Promise<unknown>
  /** The folder whose git remotes name a project: of several instances they name that of one. */
  readonly #searched: string | undefined
  readonly runs: InnerRuns
  readonly unkept: UnkeptWrites

  readonly #options: Options

  /**
   * @param glance the data that a reading request is answered with; nothing where nothing is sent
   * @param runs runs other commands, and lines, within this one
   */
  constructor(
    options: Options,
    sessions: OpenSessions,
    screen: Pick<Streams, 'notes'>,
    glance: (ask: Ask) => Promise<unknown>,
    runs: InnerRuns,
  ) {
    this.runs = runs
    const { globals, env, part, signal, stdin } = options
    this.#options = options
    this.#glance = glance
    this.#searched = part === undefined ? this.cwd : undefined
    this.env = env
    this.globals = globals
    this.clock = createClock(signal)
    this.#sessions = sessions
    this.stdin = stdin
    const warn = (text: string): void => screen.notes.warn(text)
    this.unkept = new UnkeptWrites({ command: options.command, place: this, warn })
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

  async identity(how: 'asked' | 'known' = 'asked'): Promise<MadeBy> {
    const { readIdentity } = await import('./identity.js')
    return readIdentity({ place: this, ...(how === 'asked' ? { glance: this.#glance } : {}) })
  }

  async scope(kind: ScopeKind): Promise<string | undefined> {
    return (await this.scopeAmong([kind]))?.value
  }

  commands() {
    return this.#options.command.registry.all()
  }

  /** The project or group at hand, for a command that cannot do without. */
  async scopeAmong(
    kinds: readonly ScopeKind[],
  ): Promise<{ kind: ScopeKind; value: string } | undefined> {
    const takes = takesOf(kinds)
    // What asks by values means what it gives.
    if (takes === undefined || this.#options.inner !== undefined) return undefined
    return (
      environmentScope(takes, this.env) ??
      (await scopeAtHand(takes, this.env, await this.session(), this.#searched))
    )
  }
}
