/** Loads completion values that depend on the instance, from a short-lived cache or with one quick request, or on this machine. */

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readCached } from '../base/documents/stored.js'
import { findDistrust } from '../base/files/trust.js'
import type { Io } from '../base/io.js'
import { listAreas } from '../catalogue/index.js'
import {
  findGetCommand,
  getAnswerFields,
  getCommandName,
  listRowAttributes,
} from '../engine/command/derive.js'
import { createWordsLoader } from '../engine/command/load-words.js'
import { getLastValue, readInstanceFlags } from '../engine/command/tokens.js'
import type { Command } from '../engine/command/types.js'
import { getPlaceOfValues, hasSource, type NamedPlaces } from '../engine/plan/value-lists.js'
import { cleanPath, isAddress, parsePlace } from '../profile/addresses.js'
import { makeDirectory } from '../profile/files.js'
import { getPaths } from '../profile/paths.js'
import { findScope } from '../profile/project.js'
import { resolveSession } from '../profile/session.js'
import { openStore } from '../profile/store.js'
import { openTokens } from '../profile/tokens.js'
import type { Session } from '../profile/types.js'
import { type Candidate, type LiveLoader, timeLimit } from './tab-candidates.js'

// The cache of values. Files that another user could have written are not used.

/** The time for which cached values are used, in milliseconds. */
const maxAge = 60_000

interface CachedValues {
  readonly time: number
  /** The facts that the values depend on, except the token. */
  readonly of: string
  readonly items: readonly Candidate[]
}

/**
 * Computes a 32-bit hash of a text (FNV-1a): enough to distinguish tokens, and too little to reveal one. Loading Node's
 * hashes would take as long as the rest of a cached answer.
 */
const computeFingerprint = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** True if a time is in the last minute. A time far in the future was written before the clock was set back. */
const isFresh = (time: number, now: number): boolean => Math.abs(now - time) < maxAge

/** Deletes expired files, so that data of an instance does not stay in the cache for ever. */
const removeStale = (folder: string, now: number): void => {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!isFresh(statSync(file).mtimeMs, now)) rmSync(file, { force: true })
  }
}

const writeCache = async (folder: string, file: string, kept: CachedValues): Promise<void> => {
  try {
    makeDirectory(folder)
    // If everybody may write to the parent folder, another user may have created this folder first.
    if (findDistrust(folder) !== undefined) return
    removeStale(folder, kept.time)
    const { writeWhole } = await import('../base/files/files.js')
    await writeWhole(file, JSON.stringify(kept), { own: true, durable: false })
  } catch {
    // Without a cache, the next completion only sends another request.
  }
}

const cacheSchema = {
  type: 'object',
  properties: {
    time: { type: 'number' },
    of: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { value: { type: 'string' }, text: { type: 'string' } },
        required: ['value'],
      },
    },
  },
  required: ['time', 'of', 'items'],
} as const

/** The largest size of a cache, in bytes. */
const maxBytes = 16 << 20

const readCache = (file: string, of: string, now: number): readonly Candidate[] | undefined => {
  const kept = readCached(cacheSchema, file, maxBytes)
  return kept?.of === of && isFresh(kept.time, now) ? kept.items : undefined
}

/**
 * Returns the cached values of the last minute; without any, loads and caches those of `ask`.
 * @param cache the folder of caches
 * @param of the facts that the values depend on
 * @param token the token that the values depend on, too; it is not written to the cache
 */
const getCachedValues = async (
  cache: string,
  of: string,
  token: string,
  now: Io['now'],
  ask: () => Promise<readonly Candidate[] | undefined>,
): Promise<readonly Candidate[]> => {
  const folder = join(cache, 'values')
  const file = join(folder, `${computeFingerprint(`${token}\n${of}`)}.json`)
  const trusted = findDistrust(file) === undefined
  const known = trusted ? readCache(file, of, now().getTime()) : undefined
  if (known !== undefined) return known
  const items = await ask()
  if (items === undefined) return []
  if (trusted) await writeCache(folder, file, { time: now().getTime(), of, items })
  return items
}

/** Returns the project or group that the line names; without any, the one that commands would use by default. */
const getPlaces = async (
  takes: 'project' | 'either',
  words: readonly string[],
  io: Io,
  session: Session,
): Promise<NamedPlaces> => {
  const project = getLastValue(words, 'project', 'P')
  const group = takes === 'either' ? getLastValue(words, 'group', 'G') : undefined
  if (project === undefined && group === undefined) {
    const found = await findScope(takes, io.env, session, io.cwd)
    return found === undefined ? {} : resolveAddresses({ [found.kind]: found.value }, session)
  }
  return resolveAddresses(project === undefined ? { group } : { project }, session)
}

/** Replaces the web address of a project or group, or the path that a person wrote, by its path. */
const resolveAddresses = ({ project, group }: NamedPlaces, { baseUrl }: Session): NamedPlaces => {
  const toPath = (value: string | undefined, kind: 'project' | 'group') => {
    if (value === undefined) return undefined
    return isAddress(value) ? parsePlace(value, baseUrl, kind).value : cleanPath(value)
  }
  return { project: toPath(project, 'project'), group: toPath(group, 'group') }
}

const refuseRefresh = async (): Promise<never> => {
  throw new Error('completion does not refresh credentials')
}

/**
 * Finds the project or group of a list of values. The default is looked up only if needed, because that may run git.
 */
const findPlaces = async (
  what: string,
  words: readonly string[],
  io: Io,
  session: Session,
): Promise<NamedPlaces> => {
  const takes = await getPlaceOfValues(what)
  return takes === undefined ? {} : getPlaces(takes, words, io, session)
}

/** Loads values from the embedded instance. They are not cached, because its address differs each time. */
const loadFromSandbox = async (
  what: string,
  words: readonly string[],
  io: Io,
): Promise<readonly Candidate[]> => {
  const { env, now, randomBytes } = io
  const { openSandboxSession } = await import('../engine/workspace/sandbox.js')
  const signal = AbortSignal.timeout(timeLimit * 1000)
  const waiting = { note: () => {}, signal, now, randomBytes }
  const sudo = getLastValue(words, 'sudo') ?? (env.SVC_SUDO || undefined)
  const own = await createWordsLoader(words, env)()
  const { session, close } = await openSandboxSession(env, sudo, waiting, own)
  try {
    const places = await findPlaces(what, words, io, session)
    const { requestValues } = await import('./tab-request.js')
    return (await requestValues(what, places, session, words, io)) ?? []
  } finally {
    await close()
  }
}

const loadFromInstance = async (
  what: string,
  words: readonly string[],
  io: Io,
): Promise<readonly Candidate[]> => {
  const { env } = io
  // With --from, a snapshot replaces the instance, so no request may be sent.
  if (!hasSource(what) || getLastValue(words, 'from') !== undefined) return []
  const { sandbox, profile, baseUrl } = readInstanceFlags(words, env)
  if (sandbox === true) return loadFromSandbox(what, words, io)
  const paths = getPaths(env)
  const session = resolveSession({ profile, baseUrl, sudo: getLastValue(words, 'sudo') }, env, {
    store: openStore(paths),
    tokens: openTokens(paths, env),
    post: refuseRefresh,
  })
  // Completion must not run a token command, which may be slow or prompt.
  if (session.profile?.tokenCommand !== undefined) return []
  const places = await findPlaces(what, words, io, session)
  const at = [session.baseUrl, session.profile?.name ?? '', session.sudo ?? '']
  const of = [...at, what, places.project ?? '', places.group ?? ''].join('\n')
  return getCachedValues(paths.cache, of, env.SVC_TOKEN ?? '', io.now, async () => {
    const { requestValues } = await import('./tab-request.js')
    return requestValues(what, places, session, words, io)
  })
}

/** Resolves to no candidates after the time limit of completion. */
const waitForTimeout = (): Promise<readonly Candidate[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, timeLimit * 1000, []).unref()
  })

/** Lists the names of profiles and, if `tagged`, the tags that select several profiles (`@tag`). */
const listProfiles = (env: NodeJS.ProcessEnv, tagged: boolean): readonly string[] => {
  const store = openStore(getPaths(env))
  const names = store.listNames()
  if (!tagged) return names
  const getTags = (name: string): readonly string[] => {
    try {
      return store.get(name)?.tags ?? []
    } catch {
      // A profile with an invalid setting has no tags, and does not hide the others.
      return []
    }
  }
  const tags = new Set(names.flatMap(getTags))
  return [...names, ...[...tags].sort().map((tag) => `@${tag}`)]
}

/** Lists the fields that a command shows. For a list, these include the fields of single records. */
const listFields = async (command: Command): Promise<readonly string[]> => {
  const single = await findGetCommand(command)
  const endpoints = [command, single].flatMap((one) => Object.values(one?.endpoints ?? {}))
  const fields = [...getAnswerFields(endpoints), ...(command.instanceFields ?? [])]
  return command.naming.addOwnNames([...new Set(fields)])
}

/** Creates the loader of completion values. Any failure yields no values. */
export const createLiveLoader =
  (io: Io): LiveLoader =>
  async (what, command, words) => {
    try {
      if (what === 'profile' || what === 'profiles')
        return listProfiles(io.env, what === 'profiles').map((value) => ({ value }))
      if (what === 'field') return (await listFields(command)).map((value) => ({ value }))
      if (what === 'area')
        return listAreas().map(({ name, summary }) => ({ value: name, text: summary }))
      if (what === 'attribute') return listRowAttributes(command).map((value) => ({ value }))
      if (what === 'run') {
        const { suggestOpenRuns } = await import('../engine/journal/folder.js')
        return await suggestOpenRuns(io.env, getCommandName(command))
      }
      return await Promise.race([loadFromInstance(what, words, io), waitForTimeout()])
    } catch {
      return []
    }
  }
