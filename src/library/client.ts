/** `svcctl/client`: the catalogue as typed functions for other programs. */

import { machineClock } from '../base/async.js'
import { createClearTextWarning, normalizeBaseUrl } from '../base/base-url.js'
import { machineIo } from '../base/io.js'
import { userAgent } from '../base/version.js'
import { approvals } from '../catalogue/areas/approvals.js'
import { artifacts } from '../catalogue/areas/artifacts.js'
import { ci } from '../catalogue/areas/ci.js'
import { commits } from '../catalogue/areas/commits.js'
import { dependencies } from '../catalogue/areas/dependencies.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import { events } from '../catalogue/areas/events.js'
import { geo } from '../catalogue/areas/geo.js'
import { integrations } from '../catalogue/areas/integrations.js'
import { issues } from '../catalogue/areas/issues.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { members } from '../catalogue/areas/members.js'
import { mr } from '../catalogue/areas/mr.js'
import { pagesDomains } from '../catalogue/areas/pages-domains.js'
import { projects } from '../catalogue/areas/projects.js'
import { resourceGroups } from '../catalogue/areas/resource-groups.js'
import { runners } from '../catalogue/areas/runners.js'
import { settings } from '../catalogue/areas/settings.js'
import { storageMove } from '../catalogue/areas/storage-move.js'
import { vulnerabilities } from '../catalogue/areas/vulnerabilities.js'
import type { Endpoints } from '../catalogue/endpoint.js'
import { defaultMaxWait, refreshTimeout } from '../client/defaults.js'
import { createInstance, type InstanceClient } from '../client/instance.js'
import type { InstanceOptions } from '../client/types.js'
import { beginRequests, RequestRun } from '../engine/journal/requests.js'
import { usage } from '../errors.js'
import { createGates, parseRate, takeLowerRate } from '../http/gate.js'
import { postForm } from '../http/index.js'
import type { Exchange, Gate, Transport } from '../http/types.js'
import { Audit } from '../profile/audit.js'
import {
  checkReadOnly,
  createTransport,
  decideConfirmation,
  getActiveVocabulary,
  getPaths,
  getRunFolder,
  openStore,
  openTokens,
  resolveSession,
} from '../profile/index.js'
import { checkSudo } from '../profile/session.js'
import { checkToken } from '../profile/tokens.js'
import type { Environment, Session, TokenKind } from '../profile/types.js'
import { checkConnectOptions, checkOptions } from './options.js'
import type { ByAddress, ByProfile, ConnectOptions, InstanceTypes } from './types.js'
import {
  createRequest,
  createVerb,
  type EndpointFunction,
  rethrowPublicErrors,
  rethrowPublicErrorsSync,
  type VerbContext,
} from './verbs.js'

// The instance and its user: from the options alone, or from a profile of the tool on this machine.

/** An instance, its user, and how it is reached. */
interface Destination {
  readonly session: Session
  readonly transport: () => Promise<Transport | undefined>
  /** The vocabulary file of the instance. */
  readonly vocabulary?: string
  /** The folder in which the tool stores runs. */
  readonly runs?: string
}

const hasProfile = (options: ConnectOptions): options is ByProfile =>
  options.profile !== undefined || options.env !== undefined
const hasBaseUrl = (options: ConnectOptions): options is ByAddress =>
  typeof options.baseUrl === 'string'

const createAddressSession = (options: ByAddress): Session => {
  const { token, tokenKind = 'personal', jobToken } = options
  const baseUrl = normalizeBaseUrl(options.baseUrl)
  const checkOptionalToken = (text: string | undefined, kind: TokenKind) =>
    text === undefined ? undefined : checkToken(text, kind, 'connect()')
  const user = checkOptionalToken(token, tokenKind)
  const job = checkOptionalToken(jobToken, 'job')
  const sudo = checkSudo(options.sudo)
  const warning = createClearTextWarning(baseUrl)
  return {
    baseUrl,
    baseUrlSource: 'connect()',
    getCredential: async () => user,
    getJobToken: () => job,
    renew: async () => undefined,
    sudo,
    warnings: warning === undefined ? [] : [warning],
  }
}

const getFlags = ({ profile, baseUrl, sudo }: ByProfile) => ({
  profile,
  baseUrl,
  sudo,
})

/** Opens a profile of the tool from its store on this machine. Of the environment, only the variables that were passed in apply. */
const openProfile = (options: ByProfile): Destination => {
  const { env = {}, signal, note = () => undefined } = options
  const machine: Environment = options.env ?? machineIo.env
  const store = openStore(getPaths(machine))
  const waiting = { note, signal }
  const session: Session = resolveSession(getFlags(options), env, {
    store,
    tokens: openTokens(getPaths(machine), machine, waiting),
    signal,
    post: async (url, form) => {
      const transport = await createTransport(session, false, env)
      const timeout = options.timeout ?? session.profile?.timeout ?? refreshTimeout
      const how = { clock: machineClock, userAgent, timeout, signal }
      return postForm(url, form, transport === undefined ? how : { ...how, transport: transport })
    },
  })
  const file = getActiveVocabulary(getFlags(options), env, () => store)?.file
  return {
    session,
    transport: () => createTransport(session, false, env),
    runs: getRunFolder(machine),
    vocabulary: file,
  }
}

/**
 * Creates a session from the options of `connect()`. A profile is read only if one is named.
 * @throws Failure `usage` and `auth` as the sessions of the tool do
 */
const resolveDestination = (options: ConnectOptions): Destination => {
  if (hasProfile(options)) {
    if ('token' in options || 'jobToken' in options)
      throw usage('connect() takes either a token, or a profile or environment with a token')
    return openProfile(options)
  }
  if (!hasBaseUrl(options))
    throw usage('connect() requires a base URL, a profile or an environment')
  const { transport } = options
  return { session: createAddressSession(options), transport: async () => transport }
}

/** Copies an exchange with the texts that it makes on access, so that a program can list or store all of its fields. */
const copyExchange = (exchange: Exchange): Exchange => {
  const { url, requestHeaders, sudo, requestBody, responseHeaders, responseBody } = exchange
  const { requestId, error } = exchange
  const texts = { url, requestHeaders, sudo, requestBody, responseHeaders, responseBody }
  return { ...exchange, ...texts, requestId, error }
}

/** Returns the time-out, the retries and the callbacks: from the options, else from the profile. */
const getRequestLimits = (
  options: ConnectOptions,
  { session: { profile } }: Destination,
): Partial<InstanceOptions> => {
  const { timeout = profile?.timeout, retries = profile?.retries, signal, note, trace } = options
  return {
    timeout,
    retries,
    signal,
    trace: trace && ((exchange) => trace(copyExchange(exchange))),
    note:
      note === undefined
        ? undefined
        : (text, level) => {
            if (level === 'info') note(text)
          },
  }
}

const getGate = (options: ConnectOptions, { session }: Destination): Gate => {
  const [optionRate, profileRate] = [options.rate, session.profile?.rate].map((rate) =>
    rate === undefined ? undefined : parseRate(rate),
  )
  const rate = takeLowerRate(optionRate, profileRate)
  const { concurrency = 'auto', maxWait = session.profile?.maxWait ?? defaultMaxWait } = options
  return createGates({
    clock: machineClock,
    concurrency,
    rate,
    patience: maxWait * 1000,
    note: options.note,
  })(session.baseUrl)
}

/** Creates the record of a program's writes, so that `journal undo last` of the tool does not miss them. */
const createRequestRun = ({ runs, session }: Destination): RequestRun =>
  new RequestRun(async () => {
    if (runs === undefined) return undefined
    const { baseUrl: instance, profile, user = null, sudo = null } = session
    const by = { instance, profile: profile?.name ?? null, user, sudo }
    // The program is not interrupted if the record cannot be written, since there is no person to tell.
    return beginRequests(runs, 'svcctl/client', by, { clock: machineClock }).catch(() => undefined)
  })

/** Creates the guard rails of a profile: forbidden requests are refused, and sent ones are recorded. */
const createGuardRails = (
  destination: Destination,
  run: RequestRun,
): Pick<InstanceOptions, 'guard' | 'record'> => {
  const { session } = destination
  const audit = new Audit(machineIo.now, () => (entry) => run.recordOutcome(entry))
  return {
    record: (credential) => audit.open(session.profile, credential, session.user, session.baseUrl),
    guard: async (request) => {
      checkReadOnly(session.profile, request.method, request.path)
      audit.check(request)
      await run.recordStart(request)
    },
  }
}

const loadVocabulary = async (
  file: string | undefined,
): Promise<Pick<InstanceOptions, 'words'>> => {
  if (file === undefined) return {}
  const { loadWords } = await import('../vocabulary/index.js')
  return { words: await loadWords(file) }
}

const openInstance = async (
  options: ConnectOptions,
  destination: Destination,
  run: RequestRun,
): Promise<InstanceClient> => {
  checkOptions('connect()', options)
  const { session, transport } = destination
  for (const warning of session.warnings ?? []) options.note?.(warning)
  return createInstance({
    clock: machineClock,
    baseUrl: session.baseUrl,
    userAgent,
    gate: getGate(options, destination),
    loadTransport: transport,
    credential: async (need) => (need === 'job' ? session.getJobToken() : session.getCredential()),
    renew: () => session.renew(),
    sudo: session.sudo,
    ...getRequestLimits(options, destination),
    ...createGuardRails(destination, run),
    ...(await loadVocabulary(options.vocabulary ?? destination.vocabulary)),
  })
}

/** The connection that the functions of `connect()` use. */
interface Connection extends VerbContext {
  close(): Promise<void>
}

/**
 * Opens the instance that `connect()` names; it is created with the first call.
 * @throws Failure `usage` and `auth` if no instance is named
 */
const openConnection = (options: ConnectOptions): Connection =>
  rethrowPublicErrorsSync(() => {
    checkConnectOptions(options)
    const destination = resolveDestination(options)
    const confirm = 'confirm' in options ? options.confirm : undefined
    const consent = { yes: true, interactive: false, confirm }
    const run = createRequestRun(destination)
    let opened: Promise<InstanceClient> | undefined
    let closed = false
    return {
      instance: async () => {
        if (closed) throw usage('the client is closed')
        opened ??= openInstance(options, destination, run)
        return opened
      },
      guard: ({ destructive }) => {
        if (destructive !== undefined)
          decideConfirmation(destination.session.profile, consent, destructive)
      },
      close: () =>
        rethrowPublicErrors(async () => {
          closed = true
          await (await opened?.catch(() => undefined))?.close()
          await run.close()
        }),
    }
  })

// The catalogue's areas by the names that the client uses for them.

const areas = {
  approvals,
  artifacts,
  ci,
  commits,
  dependencies,
  deployKeys,
  errorTracking,
  events,
  geo,
  integrations,
  issues,
  jobs,
  members,
  mr,
  pagesDomains,
  projects,
  resourceGroups,
  runners,
  settings,
  storageMove,
  vulnerabilities,
}

export { type Category, Failure, type FailureDetails } from '../errors.js'
export type { ByAddress, ByProfile, ConnectOptions, InstanceTypes } from './types.js'
export type {
  ApiPromise,
  Download,
  How,
  ListHow,
  RecordList,
  RequestOptions,
  WithResponse,
} from './verbs.js'

/** Returns the areas as functions. Its inferred type appears in declarations, so it has no name of its own. */
const createFunctions = <T, A extends Readonly<Record<string, Endpoints>>>(
  of: A,
  make: (endpoint: Endpoints[string]) => unknown,
) =>
  Object.fromEntries(
    Object.entries(of).map(([area, endpoints]) => [
      area,
      Object.fromEntries(Object.entries(endpoints).map(([name, e]) => [name, make(e)])),
    ]),
  ) as {
    readonly [N in keyof A]: {
      readonly [K in keyof A[N]]: EndpointFunction<A[N][K], N & string, T>
    }
  }

/**
 * Connects to an instance. Each endpoint is a function `api.<area>.<verb>(input)`; inputs and answers have the
 * API's own names, and lists are async iterables. Nothing is read or sent before the first call, except for a
 * profile that is asked for.
 *
 *     const api = connect({ baseUrl: 'https://code.example', token })
 *     await api.runners.update({ id: 7, active: false })
 *     for await (const job of api.jobs.list({ id: 'platform/app' })) …
 *     await api.close()
 *
 * @typeParam T what the instance has beyond the documents, as `svcctl client types` writes it
 * @throws Failure `usage` for an invalid address, token or profile
 */
export const connect = <T = InstanceTypes>(options: ConnectOptions) => {
  const connection = openConnection(options)
  const close = (): Promise<void> => connection.close()
  return {
    ...createFunctions<T, typeof areas>(areas, (endpoint) => createVerb(endpoint, connection)),
    /**
     * A request to any path below `/api/v4`, such as `request('GET /runners/7', { query })`, with a JSON answer.
     * Credentials, limits and the rules of the profile apply.
     */
    request: createRequest(connection),
    /** Interrupts requests in progress and closes all connections. */
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The return value of `connect()`. */
export type Api = ReturnType<typeof connect>
