/** The requests of one run: its instance as the client of the catalogue, and what stands around it. */
import { remember } from '../../base/secrets/scrub.js'
import { userAgent } from '../../base/version.js'
import { writes } from '../../catalogue/endpoint.js'
import type { Words } from '../../catalogue/words.js'
import type { Called } from '../../client/credential.js'
import type { WaitKind } from '../../client/defaults.js'
import { createInstance } from '../../client/index.js'
import type { InstanceClient } from '../../client/instance.js'
import type { SnapshotReader } from '../../client/snapshot/answers.js'
import type { InstanceOptions } from '../../client/types.js'
import { requestIn } from '../../client/words.js'
import { Failure, survived } from '../../errors.js'
import { secretTexts } from '../../http/answers/secrets.js'
import type { FleetGate } from '../../http/gate/gate.js'
import type { Gate } from '../../http/gate.js'
import type { Ask, Client, Credential, Exchange, WireRequest } from '../../http/types.js'
import { Audit } from '../../profile/audit/kept.js'
import { checkReadOnly, createTransport } from '../../profile/index.js'
import type { Profile, Session } from '../../profile/types.js'
import type { Meter } from '../../terminal/streams/meter.js'
import type { Globals } from '../command/globals.js'
import type { ClientIdentity } from '../command/services.js'
import { type FindOwn, servesOrigin, wordsFor } from '../own/found.js'
import { tuneParser } from '../work/v8.js'
import { withWorkspaceHint } from '../workspace/advice.js'
import type { UnkeptWrites } from '../workspace/unkept.js'
import { createCredentials, createRenewal, hinted } from './credential.js'
import { curlText } from './curl-text.js'
import { RouteMemory } from './gone.js'

// What is said, once, about how an instance is reached.

interface WarningsOptions {
  readonly insecure: Globals['insecure']
  readonly env: NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export class Warnings {
  readonly #insecure: boolean
  readonly #ignored: boolean
  readonly #warn: (text: string) => void
  readonly #said = new Set<string>()

  constructor({ insecure, env, warn }: WarningsOptions) {
    this.#insecure = insecure
    this.#warn = warn
    this.#ignored = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
    // Node would say of it that nothing is verified, which is not so.
    if (this.#ignored) delete env.NODE_TLS_REJECT_UNAUTHORIZED
  }

  /** Said each time, since the flag must be given each time; there is no setting for it. */
  reaching(baseUrl: string): void {
    if (!baseUrl.startsWith('https:')) return
    if (this.#insecure)
      this.#once(
        `--insecure: the certificate of ${baseUrl} is not verified, so an attacker on the network can read the token`,
      )
    else if (this.#ignored)
      this.#once(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored; use --insecure to skip certificate verification',
      )
  }

  /** It would have taken the job's token, and goes without any. */
  withheld({ jobTokenWithheld: why }: Pick<Session, 'jobTokenWithheld'>): void {
    if (why !== undefined) this.#once(why)
  }

  #once(text: string): void {
    if (this.#said.has(text)) return
    this.#said.add(text)
    this.#warn(text)
  }
}

// How a run reaches an instance: what flags, environment and profile say, as the client takes it.

/** What all clients of a run share. */
interface RunWays {
  readonly globals: Pick<Globals, 'timeout' | 'retries' | 'insecure' | 'verbose'>
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** Nothing but GET and HEAD goes out; `marked`: and what the catalogue marks as reading. */
  readonly readOnly: boolean | 'marked'
  readonly screen: {
    readonly say: (text: string, level: 'info' | 'verbose') => void
    readonly trace: (exchange: Exchange) => void
    readonly meter: Pick<Meter, 'begin'>
  }
  /** The gate of an address: the same for all of an origin. */
  readonly gateOf: (baseUrl: string) => Promise<Gate>
  readonly warnings: Warnings
  readonly audit: Audit
  readonly guard: (request: WireRequest, elsewhere?: boolean) => Promise<void>
}

/** Proxy and certificates of a profile are for its own instance. */
const serves = (profile: Profile, baseUrl: string): boolean =>
  new URL(profile.baseUrl).origin === new URL(baseUrl).origin

const patienceOf = (
  { timeout, retries }: RunWays['globals'],
  profile: Profile | undefined,
): Pick<InstanceOptions, 'timeout' | 'retries'> => ({
  timeout: timeout ?? profile?.timeout,
  retries: retries ?? profile?.retries,
})

/** What the client of an address takes from the run and from a party; its credentials come besides. */
export const reaching = async (
  run: RunWays,
  baseUrl: string,
  { profile, user, renew }: ClientIdentity,
): Promise<Omit<InstanceOptions, 'credential'>> => {
  const { globals, env, signal, readOnly, screen, warnings, audit } = run
  return {
    baseUrl,
    userAgent,
    signal,
    readOnly,
    note: screen.say,
    opening: (patience) => tuneParser(patience === 'long'),
    ...patienceOf(globals, profile),
    transport: () => {
      warnings.reaching(baseUrl)
      const own = profile !== undefined && serves(profile, baseUrl) ? { profile } : {}
      return createTransport({ baseUrl, ...own }, globals.insecure, env)
    },
    record: (credential) => audit.open(profile, credential, user),
    guard: (request) => run.guard(request, request.absolute),
    progress: screen.meter,
    worded: withWorkspaceHint,
    gate: await run.gateOf(baseUrl),
    trace: globals.verbose === 0 ? undefined : screen.trace,
    renew: renew && createRenewal(renew),
  }
}

// The gates of a run: how many requests at once, and how fast, by its flags and its profile.

/** What a person says of how much is asked at once. */
type Ceilings = Pick<Globals, 'concurrency' | 'rate'>

/** A profile that is not there yet, since it is signed in to, has no rate; for any other the session refuses. */
const none = (error: unknown): undefined => {
  survived(error)
  return undefined
}

/** Gives the gate of an address, the same one for all of an origin; loaded with the first request. */
const gatesOf = (
  { concurrency = 'auto', rate }: Ceilings,
  profile: () => Promise<Profile | undefined>,
  note: (text: string) => void,
): ((baseUrl: string) => Promise<FleetGate>) => {
  const make = async (): Promise<(baseUrl: string) => FleetGate> => {
    const { gates, parseRate, stricter } = await import('../../http/gate/index.js')
    const asked = rate === undefined ? undefined : parseRate(rate)
    const kept = (await profile().catch(none))?.rate
    const least = stricter(asked, kept === undefined ? undefined : parseRate(kept))
    return gates({ concurrency, note, rate: least })
  }
  let made: ReturnType<typeof make> | undefined
  return async (baseUrl) => {
    made ??= make()
    return (await made)(baseUrl)
  }
}

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
const bare: Called = { credential: 'parameter', route: 'GET /' }

/** Refuses a write where the profile only reads, and once the audit log lost a line. */
const guarding =
  ({ session, profile }: ExchangeOptions, audit: Audit) =>
  async (request: WireRequest, elsewhere = false): Promise<void> => {
    const { method, path } = request
    if (method === 'GET' || method === 'HEAD') return
    checkReadOnly(elsewhere ? await profile() : (await session()).profile, method, path)
    audit.check(request)
  }

/** The words for an address. */
type Spoken = (baseUrl: string) => Promise<Words | undefined>

/** The instance of a run's session, made when it is first asked for. */
const sessionInstance = (options: ExchangeOptions, run: RunWays, own: Spoken) => {
  const { session, snapshot } = options
  let routes: RouteMemory | undefined
  const make = async (): Promise<InstanceClient> => {
    const given = await session()
    const words = await own(given.baseUrl)
    const { env, remembers, screen } = options
    const { profile } = given
    if (profile?.baseUrl === given.baseUrl) {
      const note = (text: string): void => screen.say(text, 'info')
      routes = new RouteMemory({ env, profile, remembers, note })
    }
    return createInstance({
      ...(await reaching(run, given.baseUrl, given)),
      sudo: given.sudo,
      words,
      snapshot: await snapshot(),
      routes,
      credential: createCredentials(given),
      worded: hinted(given),
      without: () => run.warnings.withheld(given),
    })
  }
  let made: Promise<InstanceClient> | undefined
  return {
    instance: (): Promise<InstanceClient> => {
      made ??= make()
      return made
    },
    /** Where it was made at all. */
    close: async (): Promise<void> => {
      await (await made?.catch(() => undefined))?.close()
      await routes?.keep()
    },
  }
}

/** Builds requests, in the words of the instance, or of another address, where those are its own. */
const building =
  ({ own }: ExchangeOptions, instance: () => Promise<InstanceClient>) =>
  async (ask: Ask, elsewhere?: string): Promise<WireRequest> => {
    const found = await own?.()
    if (found === undefined) return requestIn(ask, undefined)
    if (elsewhere === undefined) return (await instance()).build(ask)
    return requestIn(ask, servesOrigin(found, elsewhere) ? found.words : undefined)
  }

/** A client of any address, with this credential and no other. */
const stranger =
  (run: RunWays, own: Spoken, opened: InstanceClient[]) =>
  async (baseUrl: string, credential: Credential | undefined, party: ClientIdentity = {}) => {
    const words = await own(baseUrl)
    const other = createInstance({
      ...(await reaching(run, baseUrl, party)),
      words,
      credential: async () => credential,
    })
    opened.push(other)
    // Without a credential as for endpoints that are one by themselves.
    return other.client(credential === undefined ? bare : undefined)
  }

type Guard = ReturnType<typeof guarding>

/** Refuses what must not be written, and notes what is. */
const admitting =
  (guard: Guard, { unkept }: ExchangeOptions): Guard =>
  async (request, elsewhere) => {
    await guard(request, elsewhere)
    await unkept.note(request, elsewhere)
  }

/** Makes the requests of asks that are sent now. */
const sendable =
  (build: ReturnType<typeof building>, admit: Guard) =>
  async (ask: Ask): Promise<WireRequest> => {
    const wire = await build(ask)
    if (writes(ask.endpoint)) await admit(wire, wire.absolute)
    return wire
  }

/** A record that is kept has no more bytes. */
const maxRecordBytes = 1 << 22

/** Reads that are good to have. */
const glancing = (instance: () => Promise<InstanceClient>) => {
  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  const glance = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await instance()).glance(endpoint, values)
  /** The record of an object, without retries; with those of every request where the instance limits requests. */
  const once = async (ask: Ask): Promise<unknown> => {
    const own = await instance()
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
  return { glance, once }
}

interface Making {
  readonly build: ReturnType<typeof building>
  readonly instance: () => Promise<InstanceClient>
}

/** Whether what an ask writes may be sent, as far as that is known before it is. */
const admitted =
  ({ own, readOnly }: ExchangeOptions, guard: Guard, { build, instance }: Making) =>
  async (ask: Ask): Promise<boolean> => {
    if (readOnly !== false) return false
    try {
      const wire = await build(ask)
      await guard(wire)
      await (await instance()).client(ask.endpoint)
      // An instance may say back in any answer what it was ever sent.
      for (const text of secretTexts(wire, (await own?.())?.words)) remember(text)
      return true
    } catch (error) {
      survived(error)
      return false
    }
  }

const ownGates = ({ globals, profile, screen }: ExchangeOptions) =>
  gatesOf(globals, profile, (text) => screen.say(text, 'info'))

export const createExchange = (options: ExchangeOptions) => {
  const { globals, env, screen, session, unkept } = options
  const warnings = new Warnings({ insecure: globals.insecure, env, warn: screen.warn })
  const audit = new Audit()
  const guard = guarding(options, audit)
  const admit = admitting(guard, options)
  const gateOf = options.gateOf ?? ownGates(options)
  const run: RunWays = { ...options, warnings, audit, guard, gateOf }
  const own: Spoken = async (baseUrl) => wordsFor(await options.own?.(), baseUrl)
  const { instance, close } = sessionInstance(options, run, own)
  const others: InstanceClient[] = []

  const curlOf = async (wire: WireRequest, endpoint?: Called): Promise<string> =>
    curlText(await session(), await instance(), wire, endpoint)

  const build = building(options, instance)
  return {
    /** The request of an ask, as it would travel. */
    build,
    /** The catalogue's endpoints, called with checked inputs, answered with typed data. */
    instance,
    client: async (endpoint?: Called, long = false): Promise<Client> =>
      (await instance()).client(endpoint, long ? 'long' : 'usual'),
    ...glancing(instance),
    anonymous: stranger(run, own, others),
    /** The request of an ask that is sent now, refused where the profile only reads. */
    request: sendable(build, admit),
    guard,
    admits: admitted(options, guard, { build, instance }),
    /** Asked just before a request is sent that no ask stands for: refuses it as `guard`, and notes it. */
    admit,
    /** The gate of an address. */
    gateOf,
    /** The gate that all requests to the session's instance pass. */
    gate: async (): Promise<FleetGate> => gateOf((await session()).baseUrl),
    curlOf,
    close: async (): Promise<void> => {
      await unkept.close()
      await close()
      for (const other of others) await other.close()
    },
  }
}

export type ExchangeServices = ReturnType<typeof createExchange>
