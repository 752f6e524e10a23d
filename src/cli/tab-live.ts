/** Loads completion values from the instance or this machine: from a short-lived cache, or by one quick request. */

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { findDistrust } from '../base/files/trust.js'
import { getCurrentIo } from '../base/io.js'
import { isObject } from '../base/objects.js'
import { userAgent } from '../base/version.js'
import { addOwnNames, type Words } from '../catalogue/words.js'
import { findSingleCommand, getAnswerFields, getCommandName } from '../engine/command/derive.js'
import type { Command } from '../engine/command/types.js'
import {
  findOwnWords,
  getLastValue,
  getWordsFor,
  readInstanceFlags,
} from '../engine/command/words.js'
import {
  getPlaceOfValues,
  hasSource,
  type NamedPlaces,
  readSources,
  type ValueRequest,
} from '../engine/plan/value-lists.js'
import {
  createTransport,
  findScope,
  getPaths,
  isAddress,
  makeDirectory,
  openStore,
  openTokens,
  readPlace,
  resolveSession,
} from '../profile/index.js'
import type { Session } from '../profile/types.js'
import type { Candidate, LiveLoader } from './tab-candidates.js'

// What completion learnt from the instance a moment ago, kept where nobody else can have written it.

/** The time for which answers are kept, in milliseconds. */
const maxAge = 60_000

interface CachedValues {
  readonly time: number
  /** The facts that the values depend on, except the token. */
  readonly of: string
  readonly items: readonly Candidate[]
}

/**
 * Returns 32 bits of a text (FNV-1a): enough to tell tokens apart, far too little to reveal one. Node's
 * hashes take as long to load as all the rest of an answer from the cache.
 */
const computeFingerprint = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** True if a time is of the last minute. A time far in the future is of a clock that was set since. */
const isFresh = (time: number): boolean => Math.abs(getCurrentIo().now().getTime() - time) < maxAge

/** Removes what is too old to be used: nothing that an instance said lies about for ever. */
const removeStale = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!isFresh(statSync(file).mtimeMs)) rmSync(file, { force: true })
  }
}

const writeCache = async (folder: string, file: string, kept: CachedValues): Promise<void> => {
  try {
    makeDirectory(folder)
    // Another may have made it meanwhile, where all may make folders.
    if (findDistrust(folder) !== undefined) return
    removeStale(folder)
    const { writeWhole } = await import('../base/files/files.js')
    await writeWhole(file, JSON.stringify(kept), { own: true, durable: false })
  } catch {
    // A cache that cannot be written costs a request the next time, nothing else.
  }
}

const isCandidate = (value: unknown): value is Candidate =>
  isObject(value) &&
  typeof value.value === 'string' &&
  (value.text === undefined || typeof value.text === 'string')

const isCached = (value: unknown): value is CachedValues =>
  isObject(value) &&
  typeof value.time === 'number' &&
  typeof value.of === 'string' &&
  Array.isArray(value.items) &&
  value.items.every(isCandidate)

const readCache = (file: string, of: string): readonly Candidate[] | undefined => {
  try {
    const kept: unknown = JSON.parse(readRegular(file).toString())
    return isCached(kept) && kept.of === of && isFresh(kept.time) ? kept.items : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the values of the last minute, or those that `ask` gives, which are stored then.
 * @param cache the folder of caches
 * @param of the facts that the values depend on
 * @param token a further fact that they depend on, and that is not written
 */
const getCachedValues = async (
  cache: string,
  of: string,
  token: string,
  ask: () => Promise<readonly Candidate[] | undefined>,
): Promise<readonly Candidate[]> => {
  const folder = join(cache, 'values')
  const file = join(folder, `${computeFingerprint(`${token}\n${of}`)}.json`)
  const trusted = findDistrust(file) === undefined
  const known = trusted ? readCache(file, of) : undefined
  if (known !== undefined) return known
  const items = await ask()
  if (items === undefined) return []
  if (trusted) await writeCache(folder, file, { time: getCurrentIo().now().getTime(), of, items })
  return items
}

/** A TAB waits no longer than this for the instance, in seconds. */
const patience = 0.7

/** Returns the project or group named on the line, else the one at hand. */
const getPlaces = async (
  takes: 'project' | 'either',
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  session: Session,
): Promise<NamedPlaces> => {
  const project = getLastValue(words, 'project', 'P')
  const group = takes === 'either' ? getLastValue(words, 'group', 'G') : undefined
  if (project === undefined && group === undefined) {
    const found = await findScope(takes, env, session, getCurrentIo().cwd)
    return found === undefined ? {} : readNamed({ [found.kind]: found.value }, session)
  }
  return readNamed(project === undefined ? { group } : { project }, session)
}

/** A web address names a project or group, too. */
const readNamed = ({ project, group }: NamedPlaces, { baseUrl }: Session): NamedPlaces => {
  const toPath = (value: string | undefined, kind: 'project' | 'group') =>
    value === undefined || !isAddress(value) ? value : readPlace(value, baseUrl, kind).value
  return { project: toPath(project, 'project'), group: toPath(group, 'group') }
}

const refuseRefresh = async (): Promise<never> => {
  throw new Error('completion does not refresh credentials')
}

/** Sends one request that may take no longer than a TAB may, and returns the data of its answer. */
const sendQuickly = async (
  session: Session,
  wanted: ValueRequest,
  env: NodeJS.ProcessEnv,
  words: Words | undefined,
) => {
  // Only where nothing is kept: what sends takes as long to load as all the rest of an answer.
  const { createInstance } = await import('../client/instance.js')
  const instance = createInstance({
    baseUrl: session.baseUrl,
    timeout: patience,
    retries: 0,
    userAgent,
    signal: AbortSignal.timeout(patience * 1000),
    credential: async (need) => (need === 'job' ? session.jobToken() : session.credential()),
    transport: () => createTransport(session, false, env),
    sudo: session.sudo,
    words,
  })
  try {
    const client = await instance.client(wanted.endpoint)
    return (await client.call(wanted.request)).data
  } finally {
    await instance.close()
  }
}

/** Asks in the words of the instance, which are looked for only then. */
const askInstance = async (
  what: string,
  places: NamedPlaces,
  session: Session,
  line: readonly string[],
  env: NodeJS.ProcessEnv,
) => {
  const words = getWordsFor(await findOwnWords(line, env)(), session.baseUrl)
  return readSources(what, places, (wanted) => sendQuickly(session, wanted, env, words), words)
}

/** Finds the places of a source's values. Only then the project at hand is looked up, which may run git. */
const findPlaces = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  session: Session,
): Promise<NamedPlaces> => {
  const takes = await getPlaceOfValues(what)
  return takes === undefined ? {} : getPlaces(takes, words, env, session)
}

/** Asks the embedded instance, whose answers are not kept: its address is another each time. */
const loadFromSandbox = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Candidate[]> => {
  const { openSandboxSession } = await import('../engine/workspace/sandbox.js')
  const waiting = { note: () => {}, signal: AbortSignal.timeout(patience * 1000) }
  const sudo = getLastValue(words, 'sudo') ?? (env.SVC_SUDO || undefined)
  const own = await findOwnWords(words, env)()
  const { session, close } = await openSandboxSession(env, sudo, waiting, own?.words)
  try {
    const places = await findPlaces(what, words, env, session)
    return (await askInstance(what, places, session, words, env)) ?? []
  } finally {
    await close()
  }
}

const loadFromInstance = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Candidate[]> => {
  // A snapshot stands for its instance, which is not asked then.
  if (!hasSource(what) || getLastValue(words, 'from') !== undefined) return []
  const { sandbox, profile, baseUrl } = readInstanceFlags(words, env)
  if (sandbox === true) return loadFromSandbox(what, words, env)
  const paths = getPaths(env)
  const session = resolveSession({ profile, baseUrl, sudo: getLastValue(words, 'sudo') }, env, {
    store: openStore(paths),
    tokens: openTokens(paths, env),
    post: refuseRefresh,
  })
  // A TAB starts no program of the profile's.
  if (session.profile?.tokenCommand !== undefined) return []
  const places = await findPlaces(what, words, env, session)
  const at = [session.baseUrl, session.profile?.name ?? '', session.sudo ?? '']
  const of = [...at, what, places.project ?? '', places.group ?? ''].join('\n')
  return getCachedValues(paths.cache, of, env.SVC_TOKEN ?? '', () =>
    askInstance(what, places, session, words, env),
  )
}

/** Returns no candidates, once a TAB has waited for long enough. */
const waitForTimeout = (): Promise<readonly Candidate[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, patience * 1000, []).unref()
  })

/** Lists the names of profiles, and the tags that stand for several. */
const listProfiles = (env: NodeJS.ProcessEnv, tagged: boolean): readonly string[] => {
  const store = openStore(getPaths(env))
  if (!tagged) return store.names()
  const tags = new Set(store.list().flatMap((profile) => profile.tags ?? []))
  return [...store.names(), ...[...tags].sort().map((tag) => `@${tag}`)]
}

/** Lists the fields that a command shows; of a list those of its single records as well. */
const listFields = async (command: Command): Promise<readonly string[]> => {
  const single = /(^| )list$/.test(command.words) ? await findSingleCommand(command) : undefined
  const endpoints = [command, single].flatMap((one) => Object.values(one?.endpoints ?? {}))
  const fields = [...getAnswerFields(endpoints), ...(command.instanceFields ?? [])]
  return addOwnNames([...new Set(fields)], command.naming)
}

/** Loads values for a completion; any failure yields none. */
export const createLiveLoader =
  (env: NodeJS.ProcessEnv): LiveLoader =>
  async (what, command, words) => {
    try {
      if (what === 'profile' || what === 'profiles')
        return listProfiles(env, what === 'profiles').map((value) => ({ value }))
      if (what === 'field') return (await listFields(command)).map((value) => ({ value }))
      if (what === 'run') {
        const { suggestOpenRuns } = await import('../engine/journal/folder.js')
        return await suggestOpenRuns(env, getCommandName(command))
      }
      return await Promise.race([loadFromInstance(what, words, env), waitForTimeout()])
    } catch {
      return []
    }
  }
