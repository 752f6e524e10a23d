/** Values that only the instance or the machine knows, for completion: from a short-lived cache or one quick request. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../http/index.js'
import {
  environmentScope,
  makeDirectory,
  openStore,
  openTokens,
  pathsOf,
  resolveSession,
  scopeAtHand,
  transportOf,
} from '../profile/index.js'
import type { Session } from '../profile/types.js'
import type { Candidate, Live } from './complete.js'
import { credentialFor } from './credential.js'
import { fieldsOf } from './fields.js'
import { hasSource, ofProject, valuesOf, type Wanted } from './sources.js'
import { userAgent } from './version.js'

/** A TAB waits no longer than this for the instance, in seconds. */
const patience = 0.7
/** How long answers are kept, in milliseconds. */
const fresh = 60_000

/** The value that a flag has on the line. */
const flagOn = (words: readonly string[], name: string, short?: string): string | undefined => {
  const at = words.findLastIndex((w) => w === `--${name}` || w === short)
  const joined = words.findLast((w) => w.startsWith(`--${name}=`))
  return at >= 0 ? words[at + 1] : joined?.slice(name.length + 3)
}

/** The project named on the line, else the one at hand. */
const projectOf = async (words: readonly string[], env: NodeJS.ProcessEnv, session: Session) =>
  flagOn(words, 'project', '-P') ??
  environmentScope('project', env)?.value ??
  (await scopeAtHand('project', env, session, process.cwd()))?.value

const noRefresh = async (): Promise<never> => {
  throw new Error('completion refreshes no credential')
}

/** What came back of one request that may take no longer than a TAB may. */
const quick = async (
  session: Session,
  wanted: Wanted,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
) => {
  const credential = await credentialFor(session, wanted.endpoint)
  const transport = await transportOf(session, false, env)
  const client = await createClient({
    baseUrl: session.baseUrl,
    timeout: patience,
    retries: 0,
    userAgent,
    signal,
    ...(credential === undefined ? {} : { credential }),
    ...(transport === undefined ? {} : { transport }),
    ...(session.sudo === undefined ? {} : { sudo: session.sudo }),
  })
  try {
    return (await client.call(wanted.request)).data
  } finally {
    await client.close()
  }
}

interface Kept {
  readonly time: number
  /** What the values depend on, but for the token. */
  readonly of: string
  readonly items: readonly Candidate[]
}

/**
 * 32 bits of a text (FNV-1a): enough to tell tokens apart, far too little to tell one. Node's
 * hashes take as long to load as all the rest of an answer from the cache.
 */
const fingerprint = (text: string): string => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

const cached = (file: string, of: string): readonly Candidate[] | undefined => {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
    return kept.of === of && Date.now() - kept.time < fresh ? kept.items : undefined
  } catch {
    return undefined
  }
}

const keep = (folder: string, file: string, of: string, items: readonly Candidate[]): void => {
  try {
    makeDirectory(folder)
    const kept: Kept = { time: Date.now(), of, items }
    writeFileSync(file, JSON.stringify(kept), { mode: 0o600 })
  } catch {
    // A cache that cannot be written costs a request the next time, nothing else.
  }
}

const fromInstance = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly Candidate[]> => {
  if (!hasSource(what)) return []
  const paths = pathsOf(env)
  const profile = flagOn(words, 'profile', '-p')
  const baseUrl = flagOn(words, 'base-url')
  const sudo = flagOn(words, 'sudo')
  const session = resolveSession(
    {
      ...(profile === undefined ? {} : { profile }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(sudo === undefined ? {} : { sudo }),
    },
    env,
    { store: openStore(paths), tokens: openTokens(paths, env), post: noRefresh },
  )
  // A TAB starts no program of the profile's.
  if (session.profile?.tokenCommand !== undefined) return []
  // Only then: it may have to ask git.
  const project = (await ofProject(what)) ? await projectOf(words, env, session) : undefined
  const { baseUrl: instance, profile: named, sudo: as } = session
  const of = [instance, named?.name ?? '', as ?? '', what, project ?? ''].join('\n')
  const folder = join(paths.cache, 'values')
  const file = join(folder, `${fingerprint(`${env.SVC_TOKEN ?? ''}\n${of}`)}.json`)
  const known = cached(file, of)
  if (known !== undefined) return known
  const items = await valuesOf(what, project, (wanted) => quick(session, wanted, env, signal))
  if (items === undefined) return []
  keep(folder, file, of, items)
  return items
}

/** Live values of a completion; whatever goes wrong yields none. */
export const liveValues =
  (env: NodeJS.ProcessEnv): Live =>
  async (what, command, words) => {
    try {
      if (what === 'profile')
        return openStore(pathsOf(env))
          .names()
          .map((value) => ({ value }))
      if (what === 'field')
        return fieldsOf(Object.values(command.endpoints)).map((value) => ({ value }))
      const signal = AbortSignal.timeout(patience * 1000)
      const over = once(signal, 'abort').then((): readonly Candidate[] => [])
      return await Promise.race([fromInstance(what, words, env, signal), over])
    } catch {
      return []
    }
  }
