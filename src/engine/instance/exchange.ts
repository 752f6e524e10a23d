/** The requests of one run: its instance as the client of the catalogue, and what stands around it. */
import { remember } from '../../base/secrets/scrub.js'
import { type EndpointTraits, writes } from '../../catalogue/endpoint.js'
import type { Words } from '../../catalogue/words.js'
import type { WaitKind } from '../../client/defaults.js'
import { createInstance, type InstanceClient, requestIn } from '../../client/instance.js'
import type { SnapshotReader } from '../../client/snapshot/answers.js'
import { Failure, survived } from '../../errors.js'
import { secretTexts } from '../../http/answers/secrets.js'
import type { FleetGate } from '../../http/gate/index.js'
import { toCurl } from '../../http/index.js'
import type { Ask, Client, Credential, WireRequest } from '../../http/types.js'
import { Audit } from '../../profile/audit.js'
import { checkReadOnly } from '../../profile/index.js'
import type { Profile, Session } from '../../profile/types.js'
import type { ClientIdentity } from '../command/services.js'
import { type FindOwn, servesOrigin, wordsFor } from '../command/words.js'
import type { UnkeptWrites } from '../workspace/unkept.js'
import { createCredentials, hinted } from './credential.js'
import {
  type Ceilings,
  gatesOf,
  RouteMemory,
  type RunWays,
  reaching,
  Warnings,
} from './reaching.js'

export interface ExchangeOptions extends Pick<RunWays, 'env' | 'readOnly' | 'signal'> {
  /** The gates of another run, where it shares them. */
  readonly gateOf?: ReturnType<typeof gatesOf>
  readonly globals: RunWays['globals'] & Ceilings
  readonly session: () => Promise<Session>
  /** What answers in the place of its instance. */
  readonly snapshot: () => Promise<SnapshotReader | undefined>
  /** The profile in force, where there is one: its rules hold for what goes elsewhere, too. */
  readonly profile: () => Promise<Profile | undefined>
  readonly screen: RunWays['screen'] & { readonly warn: (text: string) => void }
  /** The instance's own words, where a vocabulary is in force. */
  readonly own?: FindOwn
  /** Whether what is found out about the instance is kept with its profile. */
  readonly remembers: boolean
  /** Is told of each write just before it is sent. */
  readonly unkept: Pick<UnkeptWrites, 'close' | 'note'>
}

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

/** What a run sends, and to whom; nothing is opened before it is asked for. */
export class InstanceExchange {
  readonly #options: ExchangeOptions
  readonly #run: RunWays
  readonly #audit = new Audit()
  /** The gate of an address. */
  readonly gateOf: (baseUrl: string) => Promise<FleetGate>
  readonly #others: InstanceClient[] = []
  #opened: Promise<InstanceClient> | undefined
  #routes: RouteMemory | undefined

  constructor(options: ExchangeOptions) {
    const { globals, env, profile, screen } = options
    this.#options = options
    this.gateOf = options.gateOf ?? gatesOf(globals, profile, (text) => screen.say(text, 'info'))
    this.#run = {
      ...options,
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
  readonly gate = async (): Promise<FleetGate> =>
    this.gateOf((await this.#options.session()).baseUrl)

  /** Refuses a write where the profile only reads, and once the audit log lost a line. */
  readonly guard = async (request: WireRequest, elsewhere = false): Promise<void> => {
    const { method, path } = request
    if (method === 'GET' || method === 'HEAD') return
    const { profile, session } = this.#options
    checkReadOnly(elsewhere ? await profile() : (await session()).profile, method, path)
    this.#audit.check(request)
  }

  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  readonly glance = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await this.instance()).glance(endpoint, values)

  /** The record of an object, without retries; with those of every request where the instance limits requests. */
  readonly once = async (ask: Ask): Promise<unknown> => {
    const own = await this.instance()
    const wire = await own.request(ask)
    const from = async (patience: WaitKind): Promise<unknown> => {
      const whole = await (await own.client(ask.endpoint, patience)).call(wire)
      if (whole.bytes.length > maxRecordBytes)
        throw new Failure('failed', 'its record is too large')
      return whole.data
    }
    try {
      return await from('brief')
    } catch (error) {
      if (survived(error).category !== 'rate_limited') throw error
      return from('usual')
    }
  }

  /** Whether what an ask writes may be sent, as far as that is known before it is. */
  readonly admits = async (ask: Ask): Promise<boolean> => {
    const { own, readOnly } = this.#options
    if (readOnly !== false) return false
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
    await this.#options.unkept.note(request, elsewhere)
  }

  async client(endpoint?: EndpointTraits, long = false): Promise<Client> {
    return (await this.instance()).client(endpoint, long ? 'long' : 'usual')
  }

  /** A client of any address, with this credential and no other. */
  async anonymous(
    baseUrl: string,
    credential: Credential | undefined,
    party: ClientIdentity = {},
  ): Promise<Client> {
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
    const { baseUrl, sudo } = await this.#options.session()
    const instance = await this.instance()
    const by = endpoint?.credential === 'parameter' ? undefined : sudo
    return toCurl(baseUrl, wire, await kindFor(instance, endpoint), by, instance.words)
  }

  async close(): Promise<void> {
    await this.#options.unkept.close()
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
    const { env, remembers, screen, session, snapshot } = this.#options
    const given = await session()
    const { baseUrl, profile, sudo } = given
    const words = await this.#wordsOf(baseUrl)
    if (profile?.baseUrl === baseUrl) {
      const note = (text: string): void => screen.say(text, 'info')
      this.#routes = new RouteMemory({ env, profile, remembers, note })
    }
    return createInstance({
      ...(await reaching(this.#run, baseUrl, given)),
      sudo,
      words,
      snapshot: await snapshot(),
      routes: this.#routes,
      credential: createCredentials(given),
      worded: hinted(given),
      without: () => this.#run.warnings.withheld(given),
    })
  }
}
