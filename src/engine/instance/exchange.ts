/** The requests of one run: its instance as the client of the catalogue, and what stands around it. */
import { remember } from '../../base/secrets/scrub.js'
import { type EndpointTraits, writes } from '../../catalogue/endpoint.js'
import type { Words } from '../../catalogue/words.js'
import { createInstance, type InstanceClient, requestIn } from '../../client/instance.js'
import { type CredentialGap, MissingCredential } from '../../client/types.js'
import { Failure, getReason, survived } from '../../errors.js'
import { secretTexts } from '../../http/answers/secrets.js'
import type { FleetGate } from '../../http/gate.js'
import { toCurl } from '../../http/index.js'
import type { Ask, Client, Credential, WireRequest } from '../../http/types.js'
import { Audit } from '../../profile/audit.js'
import { checkReadOnly, journalFolder } from '../../profile/index.js'
import type { Session } from '../../profile/types.js'
import type { ClientIdentity } from '../command/actions.js'
import { getCommandName, isRehearsal, sendsAll } from '../command/derive.js'
import type { WorkspaceService } from '../command/services.js'
import type { Command } from '../command/types.js'
import { servesOrigin, wordsFor } from '../command/words.js'
import type { RunOptions } from '../options.js'
import { withWorkspaceHint } from '../workspace/hints.js'
import { getInstanceName } from '../workspace/sandbox.js'
import type { Workspace } from '../workspace/workspace.js'
import { gatesOf, RouteMemory, reaching, type SharedClientOptions, Warnings } from './connection.js'

// Writes that no journal keeps: noted before they are sent, so that `journal undo last` does not pass over them.

interface UnkeptParts {
  readonly command: Command
  readonly place: Pick<WorkspaceService, 'clock' | 'env' | 'globals' | 'profile' | 'session'>
  readonly warn: (text: string) => void
}

type Request = Pick<WireRequest, 'method' | 'path'>

/** Where a profile's own instance is not what is written to, it is the profile's write all the same. */
const elsewhereBy = async ({ place }: UnkeptParts) => {
  const profile = await place.profile()
  return profile && { instance: profile.baseUrl, profile: profile.name }
}

export class UnkeptWrites {
  readonly #parts: UnkeptParts
  /** A journal is in force, which notes its run by itself; undefined where the command alone says so. */
  kept: boolean | undefined
  #noted: Promise<void> | undefined
  #warned = false
  #latest: (() => Promise<void>) | undefined

  constructor(parts: UnkeptParts) {
    this.#parts = parts
  }

  /** Whether the command keeps a journal of its own. */
  get #own(): boolean {
    const { command, place } = this.#parts
    const own = command.ownJournal === true || command.area === 'journal'
    return own && place.globals.journal !== 'none'
  }

  /** Resolves when a request may be sent: the first write of a run is noted. */
  readonly note = async (request: Request, elsewhere = false): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    this.#latest = (this.kept ?? this.#own) ? undefined : () => this.#note(request, elsewhere)
    this.#noted ??= this.#latest?.()
    await this.#noted
  }

  /** Notes the writes of a run once more: others may have written since the first. */
  async close(): Promise<void> {
    await this.#latest?.()
  }

  async #note(request: Request, elsewhere: boolean): Promise<void> {
    const { command, place, warn } = this.#parts
    const { clock, env } = place
    try {
      const writer = elsewhere
        ? await elsewhereBy(this.#parts)
        : {
            instance: await getInstanceName(place),
            profile: (await place.session()).profile?.name ?? null,
          }
      const write = { command: getCommandName(command), at: clock.now().toISOString() }
      if (writer === undefined) return
      const { noteUnkept } = await import('../journal/last.js')
      await noteUnkept(journalFolder(env), { ...writer, ...write }, request)
    } catch (error) {
      if (!this.#warned)
        warn(
          `this write cannot be recorded (${getReason(error)}); pass the run ID to "svcctl journal undo" instead of "last"`,
        )
      this.#warned = true
    }
  }
}

/** Where a run stands, as far as what it sends goes by that. */
type ExchangePlace = Pick<
  Workspace,
  'clock' | 'env' | 'globals' | 'profile' | 'session' | 'snapshot'
>

/** What is said of requests. */
export type ExchangeScreen = SharedClientOptions['screen'] & {
  readonly warn: (text: string) => void
}

type Options = Pick<RunOptions, 'command' | 'env' | 'globals' | 'inner' | 'own' | 'signal'>

/** A call that carries no credential. */
const bare: EndpointTraits = { credential: 'parameter', route: 'GET /' }

/** A record that is kept has no more bytes. */
const maxRecordBytes = 1 << 22

/** The kind of credential that would go along; none where there is none. */
const kindFor = async (
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
  user: ({ baseUrl }) => `Set SVC_TOKEN, or sign in with: svcctl auth login --base-url ${baseUrl}`,
  any: ({ baseUrl }) => `Sign in with: svcctl auth login --base-url ${baseUrl}`,
}

/** What is thrown with what to do about it; a missing credential by what the session says of it. */
const hinted =
  (session: Session) =>
  (error: unknown): unknown =>
    error instanceof MissingCredential
      ? new Failure(error.category, error.message, {
          ...error.details,
          hint: hints[error.lack](session),
        })
      : withWorkspaceHint(error)

/** What a run sends, and to whom; nothing is opened before it is asked for. */
export class InstanceExchange {
  readonly #options: Options
  readonly #place: ExchangePlace
  readonly #run: SharedClientOptions
  readonly #audit = new Audit()
  /** The gate of an address. */
  readonly gateOf: (baseUrl: string) => Promise<FleetGate>
  /** The writes that no journal keeps. */
  readonly unkept: UnkeptWrites
  readonly #others: InstanceClient[] = []
  #opened: Promise<InstanceClient> | undefined
  #routes: RouteMemory | undefined

  constructor(options: Options, place: ExchangePlace, screen: ExchangeScreen) {
    const { command, env, globals, inner, signal } = options
    const note = (text: string): void => screen.say(text, 'info')
    this.#options = options
    this.#place = place
    this.unkept = new UnkeptWrites({ command, place, warn: screen.warn })
    this.gateOf = inner?.gateOf ?? gatesOf(globals, () => place.profile(), note)
    this.#run = {
      globals,
      env,
      signal,
      screen,
      readOnly: inner?.readOnly ?? (command.readOnly === true || isRehearsal(options)),
      warnings: new Warnings({ insecure: globals.insecure, env, warn: screen.warn }),
      audit: this.#audit,
      guard: this.guard,
      gateOf: this.gateOf,
    }
  }

  /** The catalogue's endpoints, called with checked inputs, answered with typed data. */
  readonly instance = (): Promise<InstanceClient> => {
    this.#opened ??= this.#open()
    return this.#opened
  }

  /** The gate that all requests to the session's instance pass. */
  readonly gate = async (): Promise<FleetGate> => this.gateOf((await this.#place.session()).baseUrl)

  /** Refuses a write where the profile only reads, and once the audit log lost a line. */
  readonly guard = async (request: WireRequest, elsewhere = false): Promise<void> => {
    const { method, path } = request
    if (method === 'GET' || method === 'HEAD') return
    const place = this.#place
    const profile = elsewhere ? await place.profile() : (await place.session()).profile
    checkReadOnly(profile, method, path)
    this.#audit.check(request)
  }

  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  readonly peek = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await this.instance()).peek(endpoint, values)

  /** The record of an object, without retries; with those of every request where the instance limits requests. */
  readonly once = async (ask: Ask): Promise<unknown> => {
    const own = await this.instance()
    const wire = await own.request(ask)
    const whole = await (await own.client(ask.endpoint, 'brief')).call(wire)
    if (whole.bytes.length > maxRecordBytes) throw new Failure('failed', 'its record is too large')
    return whole.data
  }

  /** Whether what an ask writes may be sent, as far as that is known before it is. */
  readonly admits = async (ask: Ask): Promise<boolean> => {
    const { own } = this.#options
    if (this.#run.readOnly !== false) return false
    try {
      const wire = await this.build(ask)
      await this.guard(wire)
      await this.client(ask.endpoint)
      // An instance may say back in any answer what it was ever sent.
      for (const text of secretTexts(wire, (await own?.())?.words)) remember(text)
      return true
    } catch (error) {
      survived(error)
      return false
    }
  }

  /** The request of an ask, as it would travel: in the words of the instance, or of another address, where those are its own. */
  async build(ask: Ask, elsewhere?: string): Promise<WireRequest> {
    const found = await this.#options.own?.()
    if (found === undefined) return requestIn(ask, undefined)
    if (elsewhere === undefined) return (await this.instance()).build(ask)
    return requestIn(ask, servesOrigin(found, elsewhere) ? found.words : undefined)
  }

  /** The request of an ask that is sent now, refused where the profile only reads. */
  async request(ask: Ask): Promise<WireRequest> {
    const wire = await this.build(ask)
    if (writes(ask.endpoint)) await this.admit(wire, wire.absolute)
    return wire
  }

  /** Asked just before a request is sent that no ask stands for: refuses it as `guard`, and notes it. */
  async admit(request: WireRequest, elsewhere?: boolean): Promise<void> {
    await this.guard(request, elsewhere)
    await this.unkept.note(request, elsewhere)
  }

  async client(endpoint?: EndpointTraits): Promise<Client> {
    return (await this.instance()).client(endpoint)
  }

  /** A client of any address, with this credential and no other. */
  async anonymous(
    baseUrl: string,
    credential: Credential | undefined,
    party: ClientIdentity = {},
  ): Promise<Client> {
    if (this.#options.globals.from !== undefined)
      throw new Failure('internal', `a request to ${baseUrl} beside a snapshot`)
    const other = createInstance({
      ...(await reaching(this.#run, baseUrl, party)),
      words: await this.#wordsOf(baseUrl),
      credential: async () => credential,
    })
    this.#others.push(other)
    // Without a credential as for endpoints that are one by themselves.
    return other.client(credential === undefined ? bare : undefined)
  }

  /** The command that does what the request would. */
  async curlOf(wire: WireRequest, endpoint?: EndpointTraits): Promise<string> {
    const { baseUrl, sudo } = await this.#place.session()
    const instance = await this.instance()
    const by = endpoint?.credential === 'parameter' ? undefined : sudo
    return toCurl(baseUrl, wire, await kindFor(instance, endpoint), by, instance.words)
  }

  async close(): Promise<void> {
    await this.unkept.close()
    await (await this.#opened?.catch(() => undefined))?.close()
    await this.#routes?.keep()
    for (const other of this.#others) await other.close()
  }

  /** The words for an address. */
  async #wordsOf(baseUrl: string): Promise<Words | undefined> {
    return wordsFor(await this.#options.own?.(), baseUrl)
  }

  /** The instance of the run's session. */
  async #open(): Promise<InstanceClient> {
    const { env, screen } = this.#run
    const given = await this.#place.session()
    const { baseUrl, profile, sudo } = given
    const words = await this.#wordsOf(baseUrl)
    if (profile?.baseUrl === baseUrl) {
      const note = (text: string): void => screen.say(text, 'info')
      this.#routes = new RouteMemory({ env, profile, remembers: sendsAll(this.#options), note })
    }
    return createInstance({
      ...(await reaching(this.#run, baseUrl, given)),
      sudo,
      words,
      snapshot: await this.#place.snapshot(),
      routes: this.#routes,
      reads: this.#options.inner?.reads,
      credential: async (need) => (need === 'job' ? given.jobToken() : given.credential()),
      mapError: hinted(given),
      without: () => this.#run.warnings.withheld(given),
    })
  }
}
