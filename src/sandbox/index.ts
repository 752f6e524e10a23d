/** Starts the embedded instance: an HTTP server on the loopback that serves every endpoint of the catalogue from a state folder. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Environment, type Io, machineIo } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import { type Failure, getErrorCode, usage } from '../errors.js'
import type { Instance } from './call.js'
import { InstanceClock } from './call.js'
import type { Version } from './ci-lint/index.js'
import { Repositories } from './git/repositories.js'
import { setJobsRule } from './rules/job-runs.js'
import { getSampleToken } from './seed/rows.js'
import type { DeclaredResource } from './server/declared.js'
import { buildServer } from './server/server.js'
import { type Load, TestDouble } from './server/test-double.js'
import type { TokenRecord } from './state/people-and-projects.js'
import type { State } from './state/state.js'
import { readState, StateStore, type StateWait } from './store.js'

// The credentials of an instance, for people who want to try out what each of them permits.

interface KnownCredential {
  /** The way in which the credential is sent, such as `personal`, `oauth`, `session`, `job` or `registration`. */
  readonly kind: string
  /** The user who acts with the credential, or the project or group for which it registers runners. */
  readonly of: string
  readonly value: string
  readonly scopes: readonly string[]
  readonly state: 'active' | 'expired' | 'revoked'
  /** Null for all but OAuth tokens. */
  readonly refresh_token: string | null
}

const getTokenState = (
  { revoked, expires_at }: TokenRecord,
  now: string,
): KnownCredential['state'] => {
  if (revoked) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'active'
}

const createCredential = (kind: string, of: string, value: string): KnownCredential => ({
  kind,
  of,
  value,
  scopes: [],
  state: 'active',
  refresh_token: null,
})

/** Returns the personal access token of each user who has one, by username. */
const listPersonalTokens = ({ users, tokens }: State): Readonly<Record<string, string>> =>
  Object.fromEntries(
    users.all().flatMap(({ username }) => {
      const found = tokens.find(({ value }) => value === getSampleToken(username))
      return found === undefined ? [] : [[username, found.value]]
    }),
  )

/** Lists all credentials except the keys of alert endpoints, the tokens of users first. */
const collectCredentials = (state: State, at: Date): KnownCredential[] => {
  const now = at.toISOString()
  const getUsername = (id: number | null): string => state.users.get(id)?.username ?? ''
  return [
    ...state.tokens.all().map((token) => ({
      kind: token.kind,
      of: getUsername(token.user_id),
      value: token.value,
      scopes: token.scopes,
      state: getTokenState(token, now),
      refresh_token: token.refresh_token,
    })),
    ...state.jobs
      .filter((job) => job.status === 'running')
      .map((job) =>
        createCredential('job', `job ${job.id} of ${getUsername(job.user_id)}`, job.token),
      ),
    createCredential('registration', 'the instance', state.config.value.registration_token),
    ...state.groups
      .all()
      .map((group) => createCredential('registration', group.full_path, group.runners_token)),
    ...state.projects
      .all()
      .map((project) =>
        createCredential('registration', project.path_with_namespace, project.runners_token),
      ),
  ]
}

// The received alerts and their endpoints, for people who inspect the embedded instance.

/** Lists the endpoints that receive alerts, each with its address and key. */
export const listAlertEndpoints = (state: State, base: string) =>
  state.alertEndpoints.all().map(({ project_id, name, identifier, key, active }) => {
    const project = state.projects.get(project_id)?.path_with_namespace ?? ''
    const url = `${base}/${project}/alerts/notify/${encodeURIComponent(name)}/${identifier}.json`
    return { project, name, url, key, active }
  })

/** Lists the alerts that were received, newest first, each with its payload. */
export const listReceivedAlerts = (state: State) =>
  state.alerts
    .all()
    .reverse()
    .map(({ id: _, project_id, endpoint_id, fingerprint: _print, issue_id: _issue, ...alert }) => ({
      project: state.projects.get(project_id)?.path_with_namespace ?? '',
      endpoint: state.alertEndpoints.get(endpoint_id)?.name ?? '',
      ...alert,
    }))

export { isVersion, loadConditionCheck } from './ci-lint/index.js'
export { hasGit } from './git/repositories.js'
export type { DeclaredResource } from './server/declared.js'
export { readState, removeState } from './store.js'

export interface SandboxOptions extends StateWait, Load {
  /** The folder of the state and the repositories. It is created if it does not exist. */
  readonly stateDir: string
  /** The port to listen on. 0 (the default) is any free port. */
  readonly port?: number
  /** Returns the current time. Tests set it. */
  readonly now?: () => Date
  /** Returns the bytes of new tokens. Tests set it. */
  readonly randomBytes?: Io['randomBytes']
  /** The variables that git gets, those of the process unless given. */
  readonly env?: Environment
  /** Background seconds per real second (default 1). With Infinity, rebases and moves end at once. */
  readonly speed?: number
  /** True (the default) if impersonation tokens are valid. */
  readonly impersonation?: boolean
  /** The names that the instance uses instead of the documented ones, which it then refuses. */
  readonly words?: Words
  /** The results of jobs that runners take: `pass`, `fail=<glob of names>` or `hold`. If absent, the stored rule stays. */
  readonly jobs?: string | undefined
  /** True if tests may add records, read requests and cause faults, here and over HTTP below `/-/test/`. */
  readonly testable?: boolean
  /** Further kinds of records, for which the instance serves routes. They do not replace routes that exist. */
  readonly resources?: readonly DeclaredResource[]
  /** The version that the instance claims to be, and by whose rules it checks CI configurations. */
  readonly asOf?: Version
}

interface SandboxUser {
  readonly name: string
  readonly username: string
  readonly role: string
  readonly token: string
}

export interface Sandbox {
  /** The address of the instance, `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly users: readonly SandboxUser[]
  readonly double: TestDouble
  /** Returns each user's personal access token, by username. */
  tokens(): Readonly<Record<string, string>>
  /** Stops the server and saves the changes. */
  close(): Promise<void>
}

/** The users of the sample data, each with the role for which it exists. */
const users: readonly SandboxUser[] = [
  { username: 'root', name: 'Administrator', role: 'administrator' },
  { username: 'ana', name: 'Ana Alves', role: 'owner of platform' },
  { username: 'ben', name: 'Ben Baker', role: 'maintainer of platform, owner of web' },
  { username: 'chi', name: 'Chi Chen', role: 'developer of platform' },
  { username: 'dov', name: 'Dov Dahan', role: 'reporter of platform, owner of labs' },
  { username: 'eva', name: 'Eva Engel', role: 'guest of platform' },
  { username: 'fay', name: 'Fay Fuchs', role: 'blocked' },
  { username: 'gus', name: 'Gus Grant', role: 'external, developer of platform/app' },
].map(({ name, username, role }) => ({ name, username, role, token: getSampleToken(username) }))

const createInstance = (store: StateStore, options: SandboxOptions) => {
  const loadContent = async (id: number) => {
    const { getHistory } = await import('./seed/histories.js')
    return getHistory(id)?.content
  }
  const folder = join(options.stateDir, 'repositories')
  const git = new Repositories(folder, loadContent, options.env ?? machineIo.env)
  const clock = new InstanceClock(options.now, options.speed, options.randomBytes)
  const { asOf } = options
  return { state: store.state, clock, git, base: '', asOf, save: () => store.save() }
}

/** Counts the records in the state of a folder, by kind. It starts no server and writes nothing. */
export const countRecords = async (folder: string): Promise<Readonly<Record<string, number>>> => {
  const { users, groups, projects, runners, jobs, mergeRequests, issues, events } =
    await readState(folder)
  const tables = { users, groups, projects, runners, jobs, mergeRequests, issues, events }
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      table.size,
    ]),
  )
}

/** Lists the credentials of the instance in a folder. */
export const listCredentials = async (
  folder: string,
  now: Date,
): Promise<readonly KnownCredential[]> => collectCredentials(await readState(folder), now)

/** Lists the alerts that the instance in a folder received, newest first, and the endpoints that receive them. */
export const listAlerts = async (folder: string, base: string) => {
  const state = await readState(folder)
  return { received: listReceivedAlerts(state), endpoints: listAlertEndpoints(state, base) }
}

const host = '127.0.0.1'

/** Creates the failure for a port that is not available, with a hint; undefined for any other error. */
const createPortFailure = (error: unknown, port: number | undefined): Failure | undefined => {
  const hint = 'Choose another port, or none to get a free one.'
  switch (getErrorCode(error)) {
    case 'EADDRINUSE':
      return usage(`port ${port} is in use: another program listens on ${host}:${port}`, hint)
    case 'EACCES':
      return usage(`port ${port} is not permitted: only an administrator may listen on it`, hint)
    default:
      return undefined
  }
}

/** Starts an instance on 127.0.0.1. @throws Failure `conflict` if another process uses the state folder */
export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const store = await StateStore.open(options.stateDir, options)
  try {
    const instance: Instance & { base: string } = createInstance(store, options)
    const configure = () => {
      const { config } = store.state
      const impersonation_enabled = options.impersonation ?? true
      if (config.value.impersonation_enabled !== impersonation_enabled)
        config.change({ impersonation_enabled })
      if (options.jobs !== undefined) setJobsRule(instance, options.jobs)
    }
    configure()
    const double = new TestDouble(instance, store, configure)
    const app = await buildServer(instance, options, options.testable ? double : undefined)
    await app.listen({ host, port: options.port ?? 0 }).catch((error: unknown) => {
      throw createPortFailure(error, options.port) ?? error
    })
    const { port } = app.server.address() as AddressInfo
    instance.base = `http://${host}:${port}`
    const close = async () => {
      await app.close()
      await store.close()
    }
    return {
      url: instance.base,
      users,
      double,
      tokens: () => listPersonalTokens(store.state),
      close,
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
