/** Whose instance a run talks to: the session of flags, environment and profile, or the embedded one. */

import { userAgent } from '../../base/version.js'
import { refreshTimeout } from '../../client/defaults.js'
import { type FormWay, postForm } from '../../client/form.js'
import type { SnapshotReader } from '../../client/snapshot/answers.js'
import { Failure } from '../../errors.js'
import {
  createTransport,
  getPaths,
  openStore,
  openTokens,
  resolveSession,
} from '../../profile/index.js'
import type { InstanceFlags, Post, Profile, Session } from '../../profile/types.js'
import type { OpenSessions, RunOptions } from '../options.js'
import { withWorkspaceHint } from './advice.js'
import { sandboxSession } from './sandbox.js'

// The refresh of an OAuth token on its way, with the words of this tool for what fails.

/**
 * Sends the form of an OAuth refresh; whatever answer comes is given back.
 * @throws Failure where none came
 */
const sendForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  way: Omit<FormWay, 'userAgent'>,
): ReturnType<typeof postForm> =>
  postForm(url, form, { ...way, userAgent }).catch((error: unknown) => {
    throw withWorkspaceHint(error)
  })

interface Heard {
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
}

type Options = Pick<RunOptions, 'globals' | 'env' | 'own' | 'signal'>

/** A profile by name is itself: not the address and the token that stand beside each other there. */
const environmentFor = (profile: string | undefined, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  profile === undefined || !env.SVC_BASE_URL
    ? env
    : { ...env, SVC_BASE_URL: '', SVC_TOKEN: '', SVC_JOB_TOKEN: '' }

const flagsFor = (name: string | undefined, { globals }: Options): InstanceFlags => ({
  profile: name,
  baseUrl: globals.baseUrl,
  sudo: globals.sudo,
})

/** The sessions of a run, the one in force opened once. */
export class Sessions implements OpenSessions {
  readonly #options: Options
  readonly #heard: Heard
  #current: Promise<Session> | undefined
  #closeSandbox: (() => Promise<void>) | undefined
  #snapshot: Promise<SnapshotReader> | undefined

  constructor(options: Options, heard: Heard) {
    this.#options = options
    this.#heard = heard
  }

  /** The one in force; nothing is read before it is asked for. */
  current(): Promise<Session> {
    this.#current ??= this.#start()
    return this.#current
  }

  #start(): Promise<Session> {
    const { from, sandbox } = this.#options.globals
    if (from !== undefined) return this.#kept()
    return sandbox ? this.#sandbox() : this.#open()
  }

  /** What answers in the place of the instance. @throws Failure `usage` where the folder holds none */
  async snapshot(): Promise<SnapshotReader | undefined> {
    const { from } = this.#options.globals
    if (from === undefined) return undefined
    this.#snapshot ??= import('../../client/snapshot/answers.js').then(
      ({ SnapshotReader }) => new SnapshotReader(from),
    )
    return this.#snapshot
  }

  /** The session of a snapshot: nobody is asked, and no credential is looked for. */
  async #kept(): Promise<Session> {
    const snapshot = await this.snapshot()
    if (snapshot === undefined) throw new Failure('internal', 'a session of no snapshot')
    this.#heard.note(snapshot.described)
    return {
      baseUrl: snapshot.manifest.instance,
      baseUrlSource: '--from',
      credential: async () => undefined,
      jobToken: () => undefined,
      renew: async () => undefined,
    }
  }

  /** Another profile's; without a name, what flags and environment alone make. */
  async of(profile: string | undefined): Promise<Session> {
    const { from, sandbox } = this.#options.globals
    return sandbox || from !== undefined ? this.current() : this.#resolve(profile)
  }

  /** The profile in force, where there is one; nothing is said of what its session would be. */
  async profile(): Promise<Profile | undefined> {
    const { from, sandbox } = this.#options.globals
    if (sandbox || from !== undefined) return undefined
    try {
      return this.#resolve(undefined).profile
    } catch (error) {
      // Without any instance there is no profile either.
      if (error instanceof Failure && error.category === 'auth') return undefined
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#current?.catch(() => undefined)
    await this.#closeSandbox?.()
  }

  async #open(): Promise<Session> {
    const opened = this.#resolve(undefined)
    for (const text of opened.warnings ?? []) this.#heard.warn(text)
    return opened
  }

  async #sandbox(): Promise<Session> {
    const { globals, env, own, signal } = this.#options
    const sudo = globals.sudo ?? (env.SVC_SUDO || undefined)
    const { words } = (await own?.()) ?? {}
    const started = await sandboxSession(env, sudo, { note: this.#heard.note, signal }, words)
    this.#closeSandbox = started.close
    return started.session
  }

  #resolve(profile: string | undefined): Session {
    const env = environmentFor(profile, this.#options.env)
    const paths = getPaths(env)
    const { signal } = this.#options
    const resolved: Session = resolveSession(
      flagsFor(profile ?? this.#options.globals.profile, this.#options),
      env,
      {
        store: openStore(paths),
        tokens: openTokens(paths, env, { note: this.#heard.note, signal }),
        signal,
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
    const { globals, signal } = this.#options
    const transport = await createTransport(session, globals.insecure, env)
    const timeout = globals.timeout ?? session.profile?.timeout ?? refreshTimeout
    return sendForm(url, form, { transport, timeout, signal })
  }
}
