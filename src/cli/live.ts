/** Values that only the instance or the machine knows, for completion: from a short-lived cache or one quick request. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import { buildRequest, createClient } from '../http/index.js'
import {
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
import { scopeOf } from './derive.js'
import { userAgent } from './version.js'

/** A TAB waits no longer than this for the instance, in seconds. */
const patience = 0.7
/** How long answers are kept, in milliseconds. */
const fresh = 60_000

interface Source {
  readonly area: string
  readonly key: string
  readonly value: string
  readonly text?: string
  readonly values?: Readonly<Record<string, unknown>>
  /** Tried when the first is refused. */
  readonly otherwise?: string
}

/** Which list has the values of what a parameter completes. */
const sources: Readonly<Record<string, Source>> = {
  runner: { area: 'runners', key: 'listAll', otherwise: 'list', value: 'id', text: 'description' },
  project: {
    area: 'projects',
    key: 'list',
    value: 'path_with_namespace',
    text: 'description',
    values: { simple: true },
  },
  job: { area: 'jobs', key: 'list', value: 'id', text: 'name' },
  'merge-request': { area: 'mr', key: 'listOfProject', value: 'iid', text: 'title' },
  'deploy-key': { area: 'deploy-keys', key: 'list', value: 'id', text: 'title' },
  integration: { area: 'integrations', key: 'list', value: 'slug', text: 'title' },
  'geo-node': { area: 'geo', key: 'list', value: 'id', text: 'name' },
  'pages-domain': { area: 'pages-domains', key: 'list', value: 'domain', text: 'url' },
  storage: { area: 'settings', key: 'get', value: 'repository_storages' },
  vulnerability: { area: 'vulnerabilities', key: 'list', value: 'id', text: 'title' },
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const candidatesIn = (data: unknown, source: Source): Candidate[] => {
  if (isRecord(data)) {
    const list = data[source.value]
    return Array.isArray(list) ? list.map((value) => ({ value: String(value) })) : []
  }
  if (!Array.isArray(data)) return []
  return data.filter(isRecord).flatMap((record) => {
    const value = record[source.value]
    const text = source.text === undefined ? undefined : record[source.text]
    if (value === undefined || value === null) return []
    return [{ value: String(value), ...(typeof text === 'string' ? { text } : {}) }]
  })
}

/** The project named on the line, else the one at hand. */
const projectOf = async (words: readonly string[], env: NodeJS.ProcessEnv, session: Session) => {
  const at = words.findLastIndex((w) => w === '-P' || w === '--project')
  const joined = words.findLast((w) => w.startsWith('--project='))
  const given = at >= 0 ? words[at + 1] : joined?.slice('--project='.length)
  return given ?? (await scopeAtHand('project', env, session, process.cwd()))?.value
}

const noRefresh = async (): Promise<never> => {
  throw new Error('completion refreshes no credential')
}

const fetchFrom = async (
  session: Session,
  endpoint: Endpoint,
  source: Source,
  project: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Candidate[]> => {
  const scope = scopeOf(endpoint)
  if (scope !== undefined && project === undefined) return []
  const credential = await credentialFor(session, endpoint)
  const transport = await transportOf(session, false, env)
  const client = await createClient({
    baseUrl: session.baseUrl,
    timeout: patience,
    retries: 0,
    userAgent,
    signal: AbortSignal.timeout(patience * 1000),
    ...(credential === undefined ? {} : { credential }),
    ...(transport === undefined ? {} : { transport }),
    ...(session.sudo === undefined ? {} : { sudo: session.sudo }),
  })
  try {
    const values = {
      ...source.values,
      ...(scope === undefined ? {} : { [scope.placeholder]: project }),
    }
    const request = buildRequest({ endpoint, values })
    const query = endpoint.returns.kind === 'many' ? 'per_page=100' : ''
    const join_ = query === '' ? '' : request.path.includes('?') ? '&' : '?'
    const whole = await client.call({ ...request, path: `${request.path}${join_}${query}` })
    return candidatesIn(whole.data, source)
  } finally {
    await client.close()
  }
}

const cached = (file: string): Candidate[] | undefined => {
  try {
    const { time, items } = JSON.parse(readFileSync(file, 'utf8')) as {
      time: number
      items: Candidate[]
    }
    return Date.now() - time < fresh ? items : undefined
  } catch {
    return undefined
  }
}

const keep = (folder: string, file: string, items: readonly Candidate[]): void => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ time: Date.now(), items }), { mode: 0o600 })
  } catch {
    // A cache that cannot be written costs a request the next time, nothing else.
  }
}

const fromInstance = async (
  what: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Candidate[]> => {
  const source = sources[what]
  const row = areas.find((a) => a.name === source?.area)
  if (source === undefined || row === undefined) return []
  const paths = pathsOf(env)
  const flag = (name: string, short?: string): string | undefined => {
    const at = words.findLastIndex((w) => w === `--${name}` || w === short)
    return at < 0 ? undefined : words[at + 1]
  }
  const profile = flag('profile', '-p')
  const baseUrl = flag('base-url')
  const session = resolveSession(
    {
      ...(profile === undefined ? {} : { profile }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    },
    env,
    { store: openStore(paths), tokens: openTokens(paths, env), post: noRefresh },
  )
  // A TAB starts no program of the profile's.
  if (session.profile?.tokenCommand !== undefined) return []
  const project = await projectOf(words, env, session)
  const identity = [
    session.baseUrl,
    session.profile?.name ?? '',
    env.SVC_TOKEN ?? '',
    session.sudo ?? '',
    what,
    project ?? '',
  ]
  const folder = join(paths.cache, 'values')
  const file = join(
    folder,
    `${createHash('sha256').update(identity.join('\n')).digest('hex').slice(0, 32)}.json`,
  )
  const known = cached(file)
  if (known !== undefined) return known
  const endpoints = await row.load()
  for (const key of [source.key, source.otherwise]) {
    const endpoint = key === undefined ? undefined : endpoints[key]
    if (endpoint === undefined) continue
    try {
      const items = await fetchFrom(session, endpoint, source, project, env)
      keep(folder, file, items)
      return items
    } catch {
      // The next source may be allowed.
    }
  }
  return []
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
      if (what === 'field') return fieldsOf(Object.values(command.endpoints))
      return await fromInstance(what, words, env)
    } catch {
      return []
    }
  }

/** Field names of what a command answers with. */
const fieldsOf = (endpoints: readonly Endpoint[]): Candidate[] => {
  const names = endpoints.flatMap((e) => {
    const shape: unknown = e.returns.shape
    return isRecord(shape) && isRecord(shape.properties) ? Object.keys(shape.properties) : []
  })
  return [...new Set(names)].map((value) => ({ value }))
}
