/** Values that only the instance or the machine knows, for completion: from a short-lived cache or one quick request. */

import { userAgent } from '../../base/version.js'
import { namesIn, type Words } from '../../catalogue/words.js'
import { singleNamed } from '../../commands/derive/index.js'
import type { Command } from '../../commands/types.js'
import {
  environmentScope,
  openStore,
  openTokens,
  pathsOf,
  resolveSession,
  scopeAtHand,
  transportOf,
} from '../../profile/index.js'
import type { Session } from '../../profile/types.js'
import { ownOf, wordsFor } from '../own/found.js'
import { hasSource, ofProject, valuesOf, type Wanted } from '../plan/sources.js'
import { fieldsOf } from '../run/answer/fields.js'
import { credentialsOf } from '../run/instance/credential.js'
import { Suggesting } from '../run/place/suggesting.js'
import type { Candidate, Live } from './candidates.js'
import { keptValues } from './kept-values.js'

/** A TAB waits no longer than this for the instance, in seconds. */
const patience = 0.7

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
  (await new Suggesting(process.cwd(), env).scope('project'))?.value ??
  (await scopeAtHand('project', env, session, process.cwd()))?.value

const noRefresh = async (): Promise<never> => {
  throw new Error('completion refreshes no credential')
}

/** What came back of one request that may take no longer than a TAB may. */
const quick = async (
  session: Session,
  wanted: Wanted,
  env: NodeJS.ProcessEnv,
  words: Words | undefined,
) => {
  // Only where nothing is kept: what sends takes as long to load as all the rest of an answer.
  const { createInstance } = await import('../../client/index.js')
  const instance = createInstance({
    baseUrl: session.baseUrl,
    timeout: patience,
    retries: 0,
    userAgent,
    signal: AbortSignal.timeout(patience * 1000),
    credential: credentialsOf(session),
    transport: () => transportOf(session, false, env),
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
const asked = async (
  what: string,
  project: string | undefined,
  session: Session,
  line: readonly string[],
  env: NodeJS.ProcessEnv,
) => {
  const words = wordsFor(await ownOf(line, env)(), session.baseUrl)
  return valuesOf(what, project, (wanted) => quick(session, wanted, env, words), words)
}

const fromInstance = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Candidate[]> => {
  if (!hasSource(what)) return []
  const paths = pathsOf(env)
  const profile = flagOn(words, 'profile', '-p')
  const baseUrl = flagOn(words, 'base-url')
  const sudo = flagOn(words, 'sudo')
  const session = resolveSession(
    {
      profile,
      baseUrl,
      sudo,
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
  return keptValues(paths.cache, of, env.SVC_TOKEN ?? '', () =>
    asked(what, project, session, words, env),
  )
}

/** Nothing, when a TAB has waited for long enough. */
const over = (): Promise<readonly Candidate[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, patience * 1000, []).unref()
  })

/** Names of profiles, and the tags that stand for several. */
const profilesOf = (env: NodeJS.ProcessEnv, tagged: boolean): readonly string[] => {
  const store = openStore(pathsOf(env))
  if (!tagged) return store.names()
  const tags = new Set(store.list().flatMap((profile) => profile.tags ?? []))
  return [...store.names(), ...[...tags].sort().map((tag) => `@${tag}`)]
}

/** The fields that a command shows; of a list those of its single records as well. */
const shownBy = async (command: Command): Promise<readonly string[]> => {
  const single = /(^| )list$/.test(command.words) ? await singleNamed(command) : undefined
  const endpoints = [command, single].flatMap((one) => Object.values(one?.endpoints ?? {}))
  return namesIn([...new Set(fieldsOf(endpoints))], command.naming)
}

/** Live values of a completion; whatever goes wrong yields none. */
export const liveValues =
  (env: NodeJS.ProcessEnv): Live =>
  async (what, command, words) => {
    try {
      if (what === 'profile' || what === 'profiles')
        return profilesOf(env, what === 'profiles').map((value) => ({ value }))
      if (what === 'field') return (await shownBy(command)).map((value) => ({ value }))
      return await Promise.race([fromInstance(what, words, env), over()])
    } catch {
      return []
    }
  }
