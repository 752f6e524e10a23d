/** The workspace of a run: environment, session, clock, and the project or group at hand. */

import { toClock } from '../../base/async.js'
import { getProgramFolder } from '../../base/io.js'
import { isObject, toText } from '../../base/objects.js'
import { userAgent, version } from '../../base/version.js'
import { group, project } from '../../catalogue/params.js'
import { refreshTimeout } from '../../client/defaults.js'
import type { SnapshotReader } from '../../client/snapshot-answers.js'
import { Failure } from '../../errors.js'
import { type FormOptions, postForm } from '../../http/index.js'
import type { Ask } from '../../http/types.js'
import {
  checkSudo,
  cleanPath,
  createTransport,
  findScope,
  getEnvironmentScope,
  getPaths,
  isAddress,
  openStore,
  openTokens,
  parsePlace,
  resolveSession,
  type ScopeChoice,
} from '../../profile/index.js'
import type { InstanceFlags, Post, Profile, Session } from '../../profile/types.js'
import { createClock } from '../command/clock.js'
import type { InnerRuns, WorkspaceService } from '../command/context.js'
import type { ScopeKind } from '../command/derive.js'
import { writesFiles } from '../command/flags.js'
import type { RunOrigin } from '../command/types.js'
import type { InnerPart, OpenSessions, RunOptions } from '../options.js'
import { checkSegment } from '../plan/segments.js'
import { addWorkspaceHint } from './hints.js'
import { getInstanceName, openSandboxSession } from './sandbox.js'

// Sessions: of the flags, the environment and a profile, of a snapshot, or of the embedded instance.

/**
 * Sends the form of an OAuth token refresh and returns the answer, whatever its status.
 * @throws Failure if there was no answer
 */
const sendForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  way: Omit<FormOptions, 'userAgent'>,
): ReturnType<typeof postForm> =>
  postForm(url, form, { ...way, userAgent }).catch((error: unknown) => {
    throw addWorkspaceHint(error)
  })

/** The time that an interruption leaves a token refresh for its answer, in milliseconds. Without the answer, the sign-in is lost. */
const refreshGrace = 5000

/** Runs work with a signal that is aborted some time after another one. */
const withGrace = async <T>(
  { io, signal }: Pick<RunOptions, 'io' | 'signal'>,
  work: (late: AbortSignal) => Promise<T>,
): Promise<T> => {
  if (signal.aborted) return work(signal)
  const late = new AbortController()
  let release = (): void => {}
  const wait = (): void => {
    release = io.after(refreshGrace, () => late.abort())
  }
  signal.addEventListener('abort', wait, { once: true })
  try {
    return await work(late.signal)
  } finally {
    signal.removeEventListener('abort', wait)
    release()
  }
}

interface MessageSink {
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
}

type SessionOptions = Pick<RunOptions, 'command' | 'globals' | 'io' | 'env' | 'part' | 'signal'>

const toInstanceFlags = (name: string | undefined, { globals }: SessionOptions): InstanceFlags => ({
  profile: name,
  baseUrl: globals.baseUrl,
  sudo: globals.sudo,
})

/** The sessions of a run. The active one is opened once. */
export class RunSessions implements OpenSessions {
  readonly #options: SessionOptions
  readonly #messages: MessageSink
  #current: Promise<Session> | undefined
  /** The session of flags and environment. */
  #resolved: Session | undefined
  #closeSandbox: (() => Promise<void>) | undefined
  #snapshot: Promise<SnapshotReader> | undefined

  constructor(options: SessionOptions, heard: MessageSink) {
    this.#options = options
    this.#messages = heard
  }

  /** Returns the active session; it is opened at the first call. */
  current(): Promise<Session> {
    this.#current ??= this.#start()
    return this.#current
  }

  #start(): Promise<Session> {
    const { from, sandbox } = this.#options.globals
    if (from !== undefined) return this.#openSnapshot()
    return sandbox ? this.#openSandbox() : this.#open()
  }

  /**
   * Returns the snapshot that answers instead of the instance; undefined if the line has none.
   * @throws Failure `usage` if the folder contains no snapshot
   */
  async snapshot(): Promise<SnapshotReader | undefined> {
    const { globals, io } = this.#options
    const { from } = globals
    if (from === undefined) return undefined
    this.#snapshot ??= import('../../client/snapshot-answers.js').then(
      ({ SnapshotReader }) => new SnapshotReader(from, io.now),
    )
    return this.#snapshot
  }

  /** Opens the session of a snapshot. It needs no person and no credential. */
  async #openSnapshot(): Promise<Session> {
    const snapshot = await this.snapshot()
    if (snapshot === undefined) throw new Failure('internal', 'a session of no snapshot')
    // For several instances, one note with their number is printed elsewhere.
    if (this.#options.part === undefined) this.#messages.note(snapshot.described)
    return {
      baseUrl: snapshot.manifest.instance,
      baseUrlSource: '--from',
      getCredential: async () => undefined,
      getJobToken: () => undefined,
      renew: async () => undefined,
    }
  }

  /** Returns the session of a profile; without a name, the session of flags and environment. */
  async open(profile: string | undefined): Promise<Session> {
    const { from, sandbox } = this.#options.globals
    const inPlace = profile === undefined && sandbox
    return inPlace || from !== undefined ? this.current() : this.#resolve(profile)
  }

  /** Returns the active profile, if there is one, without warnings about its session. */
  async profile(): Promise<Profile | undefined> {
    const { from, sandbox } = this.#options.globals
    if (sandbox || from !== undefined) return undefined
    try {
      return this.#resolveOwn().profile
    } catch (error) {
      // If no instance is set, there is no profile either.
      if (error instanceof Failure && error.category === 'auth') return undefined
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#current?.catch(() => undefined)
    await this.#closeSandbox?.()
  }

  async #open(): Promise<Session> {
    const opened = this.#resolveOwn()
    for (const text of opened.warnings ?? []) this.#messages.warn(text)
    return opened
  }

  async #openSandbox(): Promise<Session> {
    const { command, globals, io, env, signal } = this.#options
    const sudo = checkSudo(globals.sudo ?? (env.SVC_SUDO || undefined))
    const words = await command.loadWords?.()
    const started = await openSandboxSession(
      env,
      sudo,
      { note: this.#messages.note, signal, now: io.now, randomBytes: io.randomBytes },
      words,
    )
    this.#closeSandbox = started.close
    return started.session
  }

  #resolveOwn(): Session {
    this.#resolved ??= this.#resolve(undefined)
    return this.#resolved
  }

  #resolve(profile: string | undefined): Session {
    const { env, signal } = this.#options
    const paths = getPaths(env)
    const resolved: Session = resolveSession(
      toInstanceFlags(profile ?? this.#options.globals.profile, this.#options),
      env,
      {
        store: openStore(paths),
        tokens: openTokens(paths, env, { note: this.#messages.note, signal }),
        signal,
        folder: getProgramFolder(this.#options.io),
        post: (...form) => this.#post(resolved, env, form),
      },
    )
    return resolved
  }

  async #post(
    session: Session,
    env: NodeJS.ProcessEnv,
    [url, form]: Parameters<Post>,
  ): ReturnType<Post> {
    const { globals } = this.#options
    const transport = await createTransport(session, globals.insecure, env)
    const timeout = globals.timeout ?? session.profile?.timeout ?? refreshTimeout
    return withGrace(this.#options, (late) =>
      sendForm(url, form, { clock: toClock(this.#options.io), transport, timeout, signal: late }),
    )
  }
}

const toScopeChoice = (kinds: readonly ScopeKind[]): ScopeChoice | undefined => {
  const project = kinds.includes('project')
  const group = kinds.includes('group')
  if (project && group) return 'either'
  return project ? 'project' : group ? 'group' : undefined
}

type Options = Pick<
  RunOptions,
  | 'command'
  | 'env'
  | 'globals'
  | 'inner'
  | 'io'
  | 'journaling'
  | 'part'
  | 'createInnerRuns'
  | 'signal'
  | 'stdin'
>

/** The requests that the workspace may send. */
interface Requests {
  /** Returns the data of a reading request, with a short timeout. */
  readonly peek: (ask: Ask) => Promise<unknown>
  readonly getGate: InnerPart['getGate']
}

/** The workspace of a run. */
export class Workspace implements WorkspaceService {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly globals: WorkspaceService['globals']
  readonly clock: WorkspaceService['clock']
  readonly #sessions: OpenSessions
  readonly stdin: RunOptions['stdin']
  readonly #requests: () => Requests
  readonly #file: InnerPart['file']
  /**
   * The folder whose git remotes name a project. Undefined for one of several instances, because the remotes are on a
   * single one.
   */
  readonly #searched: string | undefined

  readonly #options: Options

  /** @param requests returns the requests of the run, which are created after the workspace */
  constructor(
    options: Options,
    sessions: OpenSessions,
    requests: () => Requests,
    file?: InnerPart['file'],
  ) {
    this.#file = file
    const { globals, io, env, part, signal, stdin } = options
    this.cwd = io.cwd
    this.#options = options
    this.#requests = requests
    this.#searched = part === undefined ? this.cwd : undefined
    this.env = env
    this.globals = globals
    this.clock = createClock(io, signal, () => this.snapshot())
    this.#sessions = sessions
    this.stdin = stdin
  }

  /**
   * Runs other commands within this run.
   * @throws Failure `internal` if the run was created without this
   */
  get runs(): InnerRuns {
    const { createInnerRuns } = this.#options
    if (createInnerRuns === undefined) throw new Failure('internal', 'nothing runs within this run')
    return createInnerRuns({
      sessions: this.#sessions,
      getGate: this.#requests().getGate,
      file: this.#file,
    })
  }

  session(of?: { readonly profile: string | undefined }): Promise<Session> {
    return of === undefined ? this.#sessions.current() : this.#sessions.open(of.profile)
  }

  profile(): Promise<Profile | undefined> {
    return this.#sessions.profile()
  }

  /** Returns the snapshot that answers instead of the instance; undefined if there is none. */
  snapshot(): Promise<SnapshotReader | undefined> {
    return this.#sessions.snapshot()
  }

  async getOrigin(how: 'asked' | 'known' = 'asked'): Promise<RunOrigin> {
    const { profile, sudo, user: owner } = await this.session()
    const readName = async (): Promise<string | undefined> =>
      this.globals.curl ? undefined : readUser(this.#requests().peek)
    // With --sudo, the instance reports the user of that flag, and not the owner of the token.
    const isKnown = how === 'known' || (sudo !== undefined && owner !== undefined)
    const user = isKnown ? owner : await readName()
    return {
      instance: await getInstanceName(this),
      profile: profile?.name ?? null,
      user: user ?? null,
      sudo: sudo ?? null,
      version,
    }
  }

  async findScope(kind: ScopeKind): Promise<string | undefined> {
    return (await this.findScopeAmong([kind]))?.value
  }

  listCommands() {
    return this.#options.command.registry.list()
  }

  async checkInputs(files: readonly string[]): Promise<void> {
    const { command, inner, io, journaling } = this.#options
    if (inner !== undefined || !writesFiles(command, journaling.raw)) return
    const { checkInputs } = await import('../plan/outputs.js')
    await checkInputs(command, journaling.raw, files, io)
  }

  /** Finds the project or group at hand for a command that requires one. */
  async findScopeAmong(
    kinds: readonly ScopeKind[],
  ): Promise<{ kind: ScopeKind; value: string } | undefined> {
    const takes = toScopeChoice(kinds)
    // A command that runs within another gets its scope as a value.
    if (takes === undefined || this.#options.inner !== undefined) return undefined
    const scope =
      getEnvironmentScope(takes, this.env) ??
      (await findScope(takes, this.env, await this.session(), this.#searched))
    if (scope === undefined) return undefined
    const { kind, source } = scope
    const value = isAddress(scope.value)
      ? parsePlace(scope.value, (await this.session()).baseUrl, kind).value
      : cleanPath(scope.value)
    checkSegment(source, kind === 'project' ? project() : group(), value)
    return { kind, value }
  }
}

/** Reads the username of the session's user; undefined if the instance does not say. */
const readUser = async (peek: (ask: Ask) => Promise<unknown>): Promise<string | undefined> => {
  try {
    const { account } = await import('../../catalogue/undocumented.js')
    const data = await peek({ endpoint: account, values: {} })
    return isObject(data) ? toText(data.username) : undefined
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined
    throw error
  }
}
