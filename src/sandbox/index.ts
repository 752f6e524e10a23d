/**
 * The embedded instance: a real HTTP server on the loopback that answers every endpoint of the
 * catalogue from a state folder. It knows nothing of the command line; any client may talk to it.
 */

import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Words } from '../catalogue/words.js'
import type { Instance } from './call.js'
import type { Version } from './ci-lint/index.js'
import { InstanceClock } from './clock.js'
import { Repositories } from './git/repositories.js'
import { alertEndpointsOf, receivedAlerts } from './rules/instance/received-alerts.js'
import { credentialsIn, type KnownCredential } from './rules/people/credentials.js'
import { setJobsRule } from './rules/repository/job-runs.js'
import { cast, tokenOf } from './seed/people/people.js'
import { historyOf } from './seed/repository/histories.js'
import type { Load } from './server/limits.js'
import { buildServer } from './server/server.js'
import { readState, StateStore, type StateWait } from './state/store.js'

export { isVersion } from './ci-lint/index.js'
export { hasGit } from './git/repositories.js'
export { readState, removeState } from './state/store.js'

export interface SandboxOptions extends StateWait, Load {
  /** The folder that holds state and repositories; made when it is not there. */
  readonly stateDir: string
  /** 0 (default) for any free port. */
  readonly port?: number
  /** The clock, for tests. */
  readonly now?: () => Date
  /** Background seconds per real second (default 1): Infinity has rebases and moves done at once. */
  readonly speed?: number
  /** Whether impersonation tokens work (default true). */
  readonly impersonation?: boolean
  /** What it calls things, where that is not as the documents do: other names it does not know. */
  readonly words?: Words
  /** How jobs end that runners take: `pass`, `fail=<glob of names>` or `hold`; as it was told before unless given. */
  readonly jobs?: string | undefined
  /** It judges CI configurations as that version does, and says that it is that one. */
  readonly asOf?: Version
}

interface SandboxUser {
  readonly name: string
  readonly username: string
  readonly role: string
  readonly token: string
}

export interface Sandbox {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly users: readonly SandboxUser[]
  /** Stops listening and saves what changed. */
  close(): Promise<void>
}

const users: readonly SandboxUser[] = cast.map(({ name, username, role }) => ({
  name,
  username,
  role,
  token: tokenOf(username),
}))

const instanceOf = (store: StateStore, options: SandboxOptions) => {
  const git = new Repositories(
    join(options.stateDir, 'repositories'),
    async (id) => historyOf(id)?.content,
  )
  const clock = new InstanceClock(options.now, options.speed)
  const touch = () => store.touch()
  const { asOf } = options
  const parts = { state: store.state, clock, git, base: '', touch, save: () => store.save() }
  return { ...parts, ...(asOf === undefined ? {} : { asOf }) }
}

/** What a folder's state holds: records by kind. Nothing is started or written. */
export const summaryOf = (folder: string): Readonly<Record<string, number>> => {
  const { users, groups, projects, runners, jobs, mergeRequests, issues, events } =
    readState(folder)
  const tables = { users, groups, projects, runners, jobs, mergeRequests, issues, events }
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      table.size,
    ]),
  )
}

/** The credentials of a folder's instance. */
export const credentialsOf = (folder: string): readonly KnownCredential[] =>
  credentialsIn(readState(folder))

/** Alerts that a folder's instance received, newest first, and where they can be sent. */
export const alertsOf = (folder: string, base: string) => {
  const state = readState(folder)
  return { received: receivedAlerts(state), endpoints: alertEndpointsOf(state, base) }
}

/** Starts an instance on 127.0.0.1. One process at a time works on a state folder. */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const store = await StateStore.open(options.stateDir, options)
  try {
    const instance: Instance & { base: string } = instanceOf(store, options)
    store.state.config.impersonation_enabled = options.impersonation ?? true
    if (options.jobs !== undefined) setJobsRule(instance, options.jobs)
    const app = await buildServer(instance, options)
    await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
    const { port } = app.server.address() as AddressInfo
    instance.base = `http://127.0.0.1:${port}`
    const close = async () => {
      await app.close()
      await store.close()
    }
    return { url: instance.base, users, close }
  } catch (error) {
    await store.close()
    throw error
  }
}
