/** Where a run stands: its instance, and the project or group at hand. */

import type { ScopeKind } from '../../../commands/derive/index.js'
import { sandboxSession } from '../../../commands/sandbox/session.js'
import { Failure } from '../../../errors.js'
import { createClient } from '../../../http/index.js'
import type { Transport } from '../../../http/types.js'
import {
  environmentScope,
  openStore,
  openTokens,
  pathsOf,
  resolveSession,
  scopeAtHand,
  type Takes,
  transportOf,
} from '../../../profile/index.js'
import type { Profile, Session } from '../../../profile/types.js'
import { userAgent } from '../../words/version.js'
import type { RunOptions } from '../context.js'
import { worded } from '../instance/advice.js'

/** Seconds for a refresh, where neither flag nor profile says. */
const refreshTimeout = 30

/** Sends the form of an OAuth refresh; whatever answer comes is given back. */
const sendForm = async (
  url: string,
  form: Readonly<Record<string, string>>,
  { transport, timeout, signal }: { transport?: Transport; timeout: number; signal: AbortSignal },
): Promise<{ status: number; body: unknown }> => {
  const client = await createClient({
    baseUrl: new URL(url).origin,
    timeout,
    retries: 0,
    userAgent,
    signal,
    ...(transport === undefined ? {} : { transport }),
  })
  try {
    const whole = await client.call({
      method: 'POST',
      path: url,
      absolute: true,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      sealed: true,
    })
    return { status: whole.status, body: whole.data }
  } catch (error) {
    if (error instanceof Failure && error.details.status !== undefined)
      return { status: error.details.status, body: { error: error.details.code } }
    throw worded(error)
  } finally {
    await client.close()
  }
}

const takesOf = (kinds: readonly ScopeKind[]): Takes | undefined => {
  const project = kinds.includes('project')
  const group = kinds.includes('group')
  if (project && group) return 'either'
  return project ? 'project' : group ? 'group' : undefined
}

export const createSurroundings = (
  { globals, env: environment, signal }: Pick<RunOptions, 'globals' | 'env' | 'signal'>,
  heard: { readonly note: (text: string) => void; readonly warn: (text: string) => void },
) => {
  let session: Promise<Session> | undefined
  let closeSandbox: (() => Promise<void>) | undefined

  /** A profile's session, by name; without one, what flags and environment make. */
  const sessionOf = async (profile: string | undefined): Promise<Session> => {
    // A profile by name is itself: not the address and the token that stand beside each other there.
    const env =
      profile === undefined || !environment.SVC_BASE_URL
        ? environment
        : { ...environment, SVC_BASE_URL: '', SVC_TOKEN: '', SVC_JOB_TOKEN: '' }
    const paths = pathsOf(env)
    const name = profile ?? globals.profile
    const resolved: Session = resolveSession(
      {
        ...(name === undefined ? {} : { profile: name }),
        ...(globals.baseUrl === undefined ? {} : { baseUrl: globals.baseUrl }),
        ...(globals.sudo === undefined ? {} : { sudo: globals.sudo }),
      },
      env,
      {
        store: openStore(paths),
        tokens: openTokens(paths, env, { note: heard.note, signal }),
        signal,
        post: async (url, form) => {
          const transport = await transportOf(resolved, globals.insecure, env)
          const timeout = globals.timeout ?? resolved.profile?.timeout ?? refreshTimeout
          return sendForm(url, form, { ...(transport && { transport }), timeout, signal })
        },
      },
    )
    return resolved
  }

  const open = async (): Promise<Session> => {
    if (!globals.sandbox) {
      const opened = await sessionOf(undefined)
      for (const text of opened.warnings ?? []) heard.warn(text)
      return opened
    }
    const sudo = globals.sudo ?? (environment.SVC_SUDO || undefined)
    const started = await sandboxSession(environment, sudo, { note: heard.note, signal })
    closeSandbox = started.close
    return started.session
  }

  const openOnce = (): Promise<Session> => {
    session ??= open()
    return session
  }

  /** The profile in force, where there is one; nothing is said of what its session would be. */
  const profile = async (): Promise<Profile | undefined> => {
    if (globals.sandbox) return undefined
    try {
      return (await sessionOf(undefined)).profile
    } catch (error) {
      // Without any instance there is no profile either.
      if (error instanceof Failure && error.category === 'auth') return undefined
      throw error
    }
  }

  /** The project or group at hand, for a command that cannot do without. */
  const scope = async (
    kinds: readonly ScopeKind[],
  ): Promise<{ kind: ScopeKind; value: string } | undefined> => {
    const takes = takesOf(kinds)
    if (takes === undefined) return undefined
    return (
      environmentScope(takes, environment) ??
      (await scopeAtHand(takes, environment, await openOnce(), process.cwd()))
    )
  }

  return {
    session: openOnce,
    sessionOf: (profile: string | undefined) => (globals.sandbox ? openOnce() : sessionOf(profile)),
    scope,
    profile,
    close: async (): Promise<void> => {
      await session?.catch(() => undefined)
      await closeSandbox?.()
    },
  }
}
