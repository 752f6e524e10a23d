/** Sends the requests of one run: opens the client of its instance, guards its writes, and has them recorded. */
import { recordSecret } from '../../base/secrets/redact.js'
import { sessionCookie } from '../../catalogue/documented-names.js'
import { type EndpointTraits, writes } from '../../catalogue/endpoint.js'
import { buildInstanceRequest, createInstance, type InstanceClient } from '../../client/instance.js'
import { type CredentialGap, MissingCredential } from '../../client/types.js'
import { Failure, recoverFrom } from '../../errors.js'
import { findSecretTexts } from '../../http/answers/secrets.js'
import type { FleetGate } from '../../http/gate.js'
import { toCurl } from '../../http/index.js'
import type { Ask, Client, Credential, WireRequest } from '../../http/types.js'
import { Audit } from '../../profile/audit.js'
import { checkReadOnly, formatTransportOptions } from '../../profile/index.js'
import type { Session } from '../../profile/types.js'
import type { ClientIdentity } from '../command/actions.js'
import { isFullySent, isPreview } from '../command/derive.js'
import type { InstanceGlobals } from '../command/globals.js'
import type { RunOptions } from '../options.js'
import { addWorkspaceHint, getSignInHint } from '../workspace/hints.js'
import type { Workspace } from '../workspace/workspace.js'
import {
  buildClientOptions,
  ConnectionWarnings,
  createRunGates,
  RouteMemory,
  type SharedClientOptions,
} from './connection.js'
import { checkProfile, createSourceDescriber } from './extension.js'
import { RequestLog } from './request-log.js'
import { limitParserOptimization } from './v8.js'

/** The parts of the workspace that decide how requests are sent. */
type ExchangePlace = Pick<
  Workspace,
  'clock' | 'env' | 'getOrigin' | 'globals' | 'profile' | 'session' | 'snapshot'
>

/** The functions that show requests and warnings. */
export type ExchangeScreen = SharedClientOptions['screen'] & {
  readonly warn: (text: string) => void
}

type Options = Pick<RunOptions, 'command' | 'env' | 'globals' | 'inner' | 'io' | 'signal'>

/** The traits of a call without a credential. */
const noCredential: EndpointTraits = { credential: 'parameter', route: 'GET /' }

/** The maximum size of a record that is kept as a previous value. */
const maxRecordBytes = 1 << 22

/** Returns the kind of credential that a request would carry; undefined if there is none. */
const findCredentialKind = async (
  instance: InstanceClient,
  endpoint: EndpointTraits | undefined,
): Promise<Credential['kind'] | undefined> => {
  try {
    return (await instance.credential(endpoint))?.kind
  } catch (error) {
    if (error instanceof Failure && error.category === 'auth') return undefined
    throw error
  }
}

const hints: Readonly<Record<CredentialGap, (session: Session) => string>> = {
  job: ({ jobTokenWithheld }) =>
    jobTokenWithheld ??
    'Run the command in a CI job, where CI_JOB_TOKEN is set, or set SVC_JOB_TOKEN.',
  user: getSignInHint,
  any: getSignInHint,
}

/** Creates a function that adds a hint to an error. For a missing credential, the hint depends on the session. */
const createHintAdder =
  (session: Session, globals: InstanceGlobals) =>
  (error: unknown): unknown =>
    error instanceof MissingCredential
      ? error.with({ hint: hints[error.lack](session) })
      : addWorkspaceHint(error, { session, globals })

/** Sends the requests of a run to their instances. Connections are opened at the first request. */
export class InstanceExchange {
  readonly #options: Options
  readonly #place: ExchangePlace
  readonly #run: SharedClientOptions
  readonly #audit: Audit
  /** Returns the gate of an address. */
  readonly getGate: (baseUrl: string) => Promise<FleetGate>
  /** Records the writes that no journal of objects contains. */
  readonly requests: RequestLog
  readonly #others: InstanceClient[] = []
  #opened: Promise<InstanceClient> | undefined
  #routes: RouteMemory | undefined

  constructor(options: Options, place: ExchangePlace, screen: ExchangeScreen) {
    const { command, env, globals, inner, io, signal } = options
    const note = (text: string): void => screen.say(text, 'info')
    this.#options = options
    this.#place = place
    this.requests = new RequestLog({ command, place, note, warn: screen.warn })
    this.#audit = new Audit(io.now, this.requests.getListener)
    this.getGate =
      inner?.getGate ?? createRunGates(globals, place.clock.timers, () => place.profile(), note)
    this.#run = {
      globals,
      env,
      signal,
      screen,
      readOnly: inner?.readOnly ?? (command.readOnly === true || isPreview(options)),
      warnings: new ConnectionWarnings({ insecure: globals.insecure, env, warn: screen.warn }),
      audit: this.#audit,
      clock: place.clock.timers,
      onOpening: () => limitParserOptimization(io),
      recordWrite: this.recordWrite,
      getGate: this.getGate,
    }
  }

  /** Opens the client of the run's instance. Further calls return the same client. */
  readonly openInstance = (): Promise<InstanceClient> => {
    this.#opened ??= this.#open()
    return this.#opened
  }

  /** Returns the gate of the session's instance. */
  readonly openGate = async (): Promise<FleetGate> =>
    this.getGate((await this.#place.session()).baseUrl)

  /** Refuses a write if the profile is read-only or if the audit log could not be written. */
  readonly checkWrite = async (request: WireRequest, elsewhere = false): Promise<void> => {
    const { method, path } = request
    if (method === 'GET' || method === 'HEAD') return
    const place = this.#place
    const profile = elsewhere ? await place.profile() : (await place.session()).profile
    checkReadOnly(profile, method, path)
    this.#audit.check(request)
  }

  /** Reads data that is only helpful: the request has a short timeout and no retries. */
  readonly peek = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await this.openInstance()).peek(endpoint, values)

  /** Reads the record of an object without retries. It passes the gate with all other requests. */
  readonly readOnce = async (ask: Ask): Promise<unknown> => {
    const own = await this.openInstance()
    const wire = await own.request(ask)
    const whole = await (await own.client(ask.endpoint, 'brief')).call(wire)
    if (whole.bytes.length > maxRecordBytes) throw new Failure('failed', 'its record is too large')
    return whole.data
  }

  /**
   * True if a write would be allowed now, as far as that is known before it is sent. Its secrets are masked from then on, because a
   * reading of the object may show them.
   */
  readonly canWrite = async (ask: Ask): Promise<boolean> => {
    if (this.#run.readOnly !== false) return false
    try {
      const wire = await this.build(ask)
      await this.checkWrite(wire)
      await this.getClient(ask.endpoint)
      for (const text of findSecretTexts(wire)) recordSecret(text)
      return true
    } catch (error) {
      recoverFrom(error)
      return false
    }
  }

  /**
   * Builds the request of an ask in the vocabulary of the instance, or of another address if the vocabulary is for
   * that.
   */
  async build(ask: Ask, elsewhere?: string): Promise<WireRequest> {
    const words = await this.#options.command.loadWords?.()
    if (words === undefined) return buildInstanceRequest(ask, undefined)
    if (elsewhere === undefined) return (await this.openInstance()).build(ask)
    const { serves = elsewhere } = words
    const isOwn = new URL(serves).origin === new URL(elsewhere).origin
    return buildInstanceRequest(ask, isOwn ? words : undefined)
  }

  /** Builds the request of an ask that is sent now. A write is recorded, or refused if the profile is read-only. */
  async buildAndRecord(ask: Ask): Promise<WireRequest> {
    const wire = await this.build(ask)
    if (writes(ask.endpoint)) await this.recordWrite(wire, wire.absolute)
    return wire
  }

  /** Records the start of a write. It is refused first, as `checkWrite` does. */
  readonly recordWrite = async (request: WireRequest, elsewhere?: boolean): Promise<void> => {
    await this.checkWrite(request, elsewhere)
    await this.requests.recordStart(request, elsewhere)
  }

  async getClient(endpoint?: EndpointTraits): Promise<Client> {
    return (await this.openInstance()).client(endpoint)
  }

  /** Creates a client for any address, with this credential and no other. */
  async createClient(
    baseUrl: string,
    credential: Credential | undefined,
    party: ClientIdentity = {},
  ): Promise<Client> {
    if (this.#options.globals.from !== undefined)
      throw new Failure('internal', `a request to ${baseUrl} beside a snapshot`)
    const other = createInstance({
      ...(await buildClientOptions(this.#run, baseUrl, party)),
      words: await this.#options.command.loadWords?.(),
      credential: async () => credential,
    })
    this.#others.push(other)
    // Without a credential, the call is treated like an endpoint that needs none.
    return other.client(credential === undefined ? noCredential : undefined)
  }

  /** Formats the curl command that sends a request. */
  async formatCurl(wire: WireRequest, endpoint?: EndpointTraits): Promise<string> {
    const session = await this.#place.session()
    const instance = await this.openInstance()
    const by = endpoint?.credential === 'parameter' ? undefined : session.sudo
    const kind = await findCredentialKind(instance, endpoint)
    const cookie = instance.words.cookie(sessionCookie)
    return toCurl(session.baseUrl, wire, kind, by, cookie, this.formatTransport(session))
  }

  /** Formats the options with which curl reaches an instance. */
  readonly formatTransport = (party: Pick<ClientIdentity, 'profile'>): readonly string[] =>
    formatTransportOptions(party, this.#options.globals.insecure)

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.close()
    await this.#routes?.save()
    for (const other of this.#others) await other.close()
    await this.requests.close()
  }

  /** Opens the client of the session's instance. */
  async #open(): Promise<InstanceClient> {
    const { env, screen } = this.#run
    const session = await this.#place.session()
    const { baseUrl, profile, sudo } = session
    const { command, globals, io } = this.#options
    const snapshot = await this.#place.snapshot()
    // A snapshot has no profile, and nothing is sent to another instance.
    if (snapshot === undefined) await checkProfile(command, env, session)
    const withSource = createSourceDescriber(command, globals)
    const words = await command.loadWords?.()
    if (profile?.baseUrl === baseUrl) {
      const note = (text: string): void => screen.say(text, 'info')
      const isSaved = isFullySent(this.#options)
      this.#routes = new RouteMemory({ env, now: io.now, profile, isSaved, note })
    }
    return createInstance({
      ...(await buildClientOptions(this.#run, baseUrl, session)),
      sudo,
      words,
      snapshot,
      routes: this.#routes,
      reads: this.#options.inner?.reads,
      credential: async (need) =>
        need === 'job' ? session.getJobToken() : session.getCredential(),
      mapError: (error) => withSource(createHintAdder(session, this.#run.globals)(error)),
      onMissingCredential: () => this.#run.warnings.warnAboutJobToken(session),
    })
  }
}
