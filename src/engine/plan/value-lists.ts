/** Loads the possible values of a parameter from lists of the instance, for shell completion and prompts. */
import { isObject, type JsonValues } from '../../base/objects.js'
import { getSecrecies, maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { listAreas } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import type { Ask } from '../../http/types.js'
import { getScope, type ScopeKind } from '../command/derive.js'
import type { Suggestion } from '../command/types.js'

interface ValueFields {
  /** The field with the value, and the field that describes it. By default, that is the title of its kind. */
  readonly value: string
  readonly text?: string | undefined
}
interface CatalogueList extends ValueFields {
  readonly area: string
  readonly key: string
  readonly values?: JsonValues
}
/** A list that instances have, although the catalogue does not (`catalogue/README.md`). */
interface RawList extends ValueFields {
  readonly path: string
}
type Source = CatalogueList | RawList

/** The lists of each kind of value. If the instance rejects one, the next one is tried. */
export const sources: Readonly<Record<string, readonly Source[]>> = {
  runner: [
    { area: 'runners', key: 'listAll', value: 'id' },
    { area: 'runners', key: 'list', value: 'id' },
  ],
  project: [
    {
      area: 'projects',
      key: 'list',
      value: 'path_with_namespace',
      text: 'description',
      values: { simple: true },
    },
  ],
  job: [{ area: 'jobs', key: 'list', value: 'id' }],
  'job-name': [{ area: 'jobs', key: 'list', value: 'name', text: 'stage' }],
  member: [
    { area: 'members', key: 'listOfProject', value: 'username', text: 'name' },
    { area: 'members', key: 'listOfGroup', value: 'username', text: 'name' },
  ],
  mr: [{ area: 'mr', key: 'listOfProject', value: 'iid' }],
  'deploy-key': [{ area: 'deploy-keys', key: 'list', value: 'id' }],
  integration: [{ area: 'integrations', key: 'list', value: 'slug' }],
  'geo-node': [{ area: 'geo', key: 'list', value: 'id' }],
  'pages-domain': [{ area: 'pages-domains', key: 'list', value: 'domain', text: 'url' }],
  storage: [{ area: 'settings', key: 'get', value: 'repository_storages' }],
  vulnerability: [{ area: 'vulnerabilities', key: 'list', value: 'id' }],
  commit: [{ area: 'commits', key: 'list', value: 'id' }],
  'approval-rule': [{ area: 'approvals', key: 'rulesList', value: 'id' }],
  'client-key': [{ area: 'error-tracking', key: 'keysList', value: 'id' }],
  'resource-group': [{ path: '/projects/:id/resource_groups', value: 'key', text: 'process_mode' }],
  user: [{ path: '/users', value: 'id' }],
  username: [{ path: '/users', value: 'username', text: 'name' }],
  group: [{ path: '/groups', value: 'full_path', text: 'name' }],
  issue: [{ path: '/projects/:id/issues', value: 'iid' }],
  pipeline: [{ path: '/projects/:id/pipelines', value: 'id', text: 'ref' }],
  branch: [{ path: '/projects/:id/repository/branches', value: 'name' }],
  ref: [{ path: '/projects/:id/repository/branches', value: 'name' }],
  label: [{ path: '/projects/:id/labels', value: 'name', text: 'description' }],
}

export const hasSource = (what: string): boolean =>
  Object.hasOwn(sources, what) || getKindByName(what) !== undefined

/** Returns the lists of a kind that an extension declares: those in its areas that return such objects. */
const getOwnSources = async (what: string): Promise<readonly Source[]> => {
  const { areas = [], names: [value] = [], title } = getKindByName(what) ?? {}
  if (value === undefined) return []
  const rows = listAreas().filter(({ name }) => areas.includes(name))
  const all = rows.map(async ({ name: area, load }) =>
    Object.entries(await load()).flatMap(([key, { lists }]) =>
      lists === what ? [{ area, key, value, text: title }] : [],
    ),
  )
  return (await Promise.all(all)).flat()
}

const getSources = async (what: string): Promise<readonly Source[]> =>
  sources[what] ?? (await getOwnSources(what))

/** True if a field of the answer is masked elsewhere. Its values are then neither offered nor cached. */
export const isHidden = (field: string, endpoint: Endpoint | undefined): boolean =>
  isSecretName(field) || getSecretFields(endpoint).has(field)

const getCandidates = (
  data: unknown,
  source: Source,
  endpoint: Endpoint,
  title?: string,
): Suggestion[] => {
  if (isHidden(source.value, endpoint)) return []
  if (isObject(data)) {
    const list = data[source.value]
    return Array.isArray(list) ? list.map((value) => ({ value: String(value) })) : []
  }
  if (!Array.isArray(data)) return []
  const text = source.text ?? title ?? ''
  const about = isHidden(text, endpoint) ? '' : text
  const findSecrecy = getSecrecies(getSecretFields(endpoint))
  return data.filter(isObject).flatMap((given) => {
    const record = maskFields(given, findSecrecy)
    const value = record[source.value]
    const stated = record[about]
    if (value === undefined || value === null || value !== given[source.value]) return []
    return [{ value: String(value), ...(typeof stated === 'string' ? { text: stated } : {}) }]
  })
}

/** Loads the endpoint of a source; undefined if the catalogue does not have it. */
const loadSourceEndpoint = async (source: Source): Promise<Endpoint | undefined> => {
  if ('path' in source) return (await import('../../catalogue/undocumented.js')).listAt(source.path)
  const area = listAreas().find(({ name }) => name === source.area)
  return (await area?.load())?.[source.key]
}

/** The project and group of a line, by ID or path. */
export type NamedPlaces = Readonly<Partial<Record<ScopeKind, string>>>

/** Returns the scope of a source's lists: a project, either a project or a group, or undefined for the instance. */
export const getPlaceOfValues = async (what: string): Promise<'project' | 'either' | undefined> => {
  const kinds = new Set<ScopeKind | undefined>()
  for (const source of await getSources(what)) {
    const endpoint = await loadSourceEndpoint(source)
    kinds.add(endpoint === undefined ? undefined : getScope(endpoint)?.kind)
  }
  if (kinds.has('group')) return 'either'
  return kinds.has('project') ? 'project' : undefined
}

/** Returns the request for the values of a source; undefined if its project or group is not known. */
const createAsk = async (source: Source, places: NamedPlaces): Promise<Ask | undefined> => {
  const endpoint = await loadSourceEndpoint(source)
  const scope = endpoint && getScope(endpoint)
  const place = scope && places[scope.kind]
  if (endpoint === undefined || (scope !== undefined && place === undefined)) return undefined
  const values = {
    ...('path' in source ? {} : source.values),
    ...(scope === undefined ? {} : { [scope.placeholder]: place }),
  }
  const extra = endpoint.returns.kind === 'many' ? { per_page: 100 } : {}
  return { endpoint, values, extra }
}

/** Removes duplicates: jobs of several pipelines have the same name. */
const keepFirst = (found: readonly Suggestion[]): readonly Suggestion[] => {
  const values = new Map<string, Suggestion>()
  for (const one of found) if (!values.has(one.value)) values.set(one.value, one)
  return [...values.values()]
}

/**
 * Loads the possible values of a parameter, at most a hundred.
 * @param readData sends a request and returns the data of the answer
 * @returns undefined if no list returned an answer
 */
export const readSources = async (
  what: string,
  places: NamedPlaces,
  readData: (ask: Ask) => Promise<unknown>,
): Promise<readonly Suggestion[] | undefined> => {
  for (const source of await getSources(what)) {
    const ask = await createAsk(source, places)
    if (ask === undefined) continue
    try {
      const data = await readData(ask)
      return keepFirst(getCandidates(data, source, ask.endpoint, getKindByName(what)?.title))
    } catch {
      // The instance may accept the next source.
    }
  }
  return undefined
}
