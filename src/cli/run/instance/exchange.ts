/** The requests of one run: its instance as the client of the catalogue, and what stands around it. */

import { remember } from '../../../base/secrets/scrub.js'
import { writes } from '../../../catalogue/endpoint.js'
import type { Words } from '../../../catalogue/words.js'
import type { Called } from '../../../client/credential.js'
import type { WaitKind } from '../../../client/defaults.js'
import { createInstance } from '../../../client/index.js'
import type { InstanceClient } from '../../../client/instance.js'
import { requestIn } from '../../../client/words.js'
import type { Party } from '../../../commands/services.js'
import { Failure, survived } from '../../../errors.js'
import type { FleetGate } from '../../../fleet/gate/gate.js'
import { secretTexts } from '../../../http/answers/secrets.js'
import type { Ask, Client, Credential, WireRequest } from '../../../http/types.js'
import { Audit } from '../../../profile/audit/kept.js'
import { checkReadOnly } from '../../../profile/index.js'
import type { Profile, Session } from '../../../profile/types.js'
import { type FindOwn, servesOrigin, wordsFor } from '../../own/found.js'
import type { UnkeptWrites } from '../place/unkept.js'
import { credentialsOf, hinted } from './credential.js'
import { curlText } from './curl.js'
import { type Ceilings, gatesOf } from './gates.js'
import { type RunWays, reaching } from './reach.js'
import { Warnings } from './warnings.js'

export interface ExchangeOptions extends Pick<RunWays, 'env' | 'readOnly' | 'signal'> {
  /** The gates of another run, where it shares them. */
  readonly gateOf?: ReturnType<typeof gatesOf>
  readonly globals: RunWays['globals'] & Ceilings
  readonly session: () => Promise<Session>
  /** The profile in force, where there is one: its rules hold for what goes elsewhere, too. */
  readonly profile: () => Promise<Profile | undefined>
  readonly screen: RunWays['screen'] & { readonly warn: (text: string) => void }
  /** The instance's own words, where a vocabulary is in force. */
  readonly own?: FindOwn
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
const sessionInstance = (session: () => Promise<Session>, run: RunWays, own: Spoken) => {
  const make = async (): Promise<InstanceClient> => {
    const given = await session()
    const words = await own(given.baseUrl)
    return createInstance({
      ...(await reaching(run, given.baseUrl, given)),
      ...(given.sudo === undefined ? {} : { sudo: given.sudo }),
      ...(words === undefined ? {} : { words }),
      credential: credentialsOf(given),
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
    close: async (): Promise<void> => (await made?.catch(() => undefined))?.close(),
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
  async (baseUrl: string, credential: Credential | undefined, party: Party = {}) => {
    const words = await own(baseUrl)
    const other = createInstance({
      ...(await reaching(run, baseUrl, party)),
      ...(words === undefined ? {} : { words }),
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
const mostOfRecord = 1 << 22

/** Reads that are good to have. */
const glancing = (instance: () => Promise<InstanceClient>) => {
  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  const glance = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await instance()).glance(endpoint, values)
  /** The record of an object, asked for once; where there are too many requests, as patiently as any. */
  const once = async (ask: Ask): Promise<unknown> => {
    const own = await instance()
    const wire = await own.request(ask)
    const from = async (patience: WaitKind): Promise<unknown> => {
      const whole = await (await own.client(ask.endpoint, patience)).call(wire)
      if (whole.bytes.length > mostOfRecord) throw new Failure('failed', 'its record is too large')
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
  const { instance, close } = sessionInstance(session, run, own)
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
