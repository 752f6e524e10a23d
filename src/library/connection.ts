/** A client of the instance that `connect()` names, with the guard rails of its profile. */
import { userAgent } from '../base/version.js'
import { createInstance } from '../client/index.js'
import type { InstanceClient } from '../client/instance.js'
import type { InstanceOptions } from '../client/types.js'
import type { Gate } from '../http/gate.js'
import type { WireRequest } from '../http/types.js'
import { Audit } from '../profile/audit/kept.js'
import { checkReadOnly, confirmationFor } from '../profile/index.js'
import { throwing, throwingNow } from './failing.js'
import { type Destination, reachedBy } from './session.js'
import type { ConnectOptions } from './types.js'
import type { Reaching } from './verbs.js'

/** How patiently, and who hears of it: what was given, else what the profile says. */
const patienceOf = (
  options: ConnectOptions,
  { session: { profile } }: Destination,
): Partial<InstanceOptions> => {
  const { timeout = profile?.timeout, retries = profile?.retries, signal, note, trace } = options
  return {
    timeout,
    retries,
    signal,
    trace,
    ...(note === undefined
      ? {}
      : {
          note: (text, level) => {
            if (level === 'info') note(text)
          },
        }),
  }
}

const gateOf = async (options: ConnectOptions, { session }: Destination): Promise<Gate> => {
  const { gates, parseRate, stricter } = await import('../fleet/gate/index.js')
  const [asked, kept] = [options.rate, session.profile?.rate].map((rate) =>
    rate === undefined ? undefined : parseRate(rate),
  )
  const rate = stricter(asked, kept)
  const { concurrency = 'auto', note } = options
  return gates({
    concurrency,
    rate,
    note,
  })(session.baseUrl)
}

/** Notes a write for `journal undo last` of the tool, which would pass over what keeps no journal. */
const noting =
  ({ journals, session: { baseUrl, profile } }: Destination) =>
  async (request: WireRequest): Promise<void> => {
    if (journals === undefined) return
    const { noteUnkept } = await import('../fleet/journal/last.js')
    const write = { instance: baseUrl, profile: profile?.name ?? null, command: 'svcctl/client' }
    await noteUnkept(journals, { ...write, at: new Date().toISOString() }, request)
  }

/** What the rules of a profile add: what it must not send is refused, what it sends is on record. */
const railsOf = (reached: Destination): Pick<InstanceOptions, 'guard' | 'record'> => {
  const { session } = reached
  const audit = new Audit()
  const note = noting(reached)
  return {
    record: (credential) => audit.open(session.profile, credential, session.user),
    guard: async (request) => {
      checkReadOnly(session.profile, request.method, request.path)
      audit.check(request)
      // What cannot be noted is no reason to fail: nobody is there to be told.
      await note(request).catch(() => {})
    },
  }
}

const wordsOf = async (file: string | undefined): Promise<Pick<InstanceOptions, 'words'>> => {
  if (file === undefined) return {}
  const { loadWords } = await import('../vocabulary/index.js')
  return { words: await loadWords(file) }
}

const open = async (options: ConnectOptions, reached: Destination): Promise<InstanceClient> => {
  const { session, transport } = reached
  for (const warning of session.warnings ?? []) options.note?.(warning)
  return createInstance({
    baseUrl: session.baseUrl,
    userAgent,
    gate: await gateOf(options, reached),
    transport,
    credential: async (need) => (need === 'job' ? session.jobToken() : session.credential()),
    renew: () => session.renew(),
    sudo: session.sudo,
    ...patienceOf(options, reached),
    ...railsOf(reached),
    ...(await wordsOf(options.vocabulary ?? reached.vocabulary)),
  })
}

/** What the functions of `connect()` go by, and its end. */
export interface Connection extends Reaching {
  close(): Promise<void>
}

/**
 * The instance that `connect()` names, made with the first call.
 * @throws Failure `usage` and `auth` where none is named
 */
export const openConnection = (options: ConnectOptions): Connection =>
  throwingNow(() => {
    const reached = reachedBy(options)
    const confirm = 'confirm' in options ? options.confirm : undefined
    const consent = { yes: true, interactive: false, confirm }
    let made: Promise<InstanceClient> | undefined
    return {
      instance: () => {
        made ??= open(options, reached)
        return made
      },
      guard: ({ destructive }) => {
        if (destructive !== undefined)
          confirmationFor(reached.session.profile, consent, destructive)
      },
      close: () => throwing(async () => (await made?.catch(() => undefined))?.close()),
    }
  })
