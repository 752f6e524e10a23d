/** Lists the areas of the catalogue with their names, aliases, summaries and loaders, and adds the areas of extensions. */
import { createLineState } from '../base/io.js'
import { type Endpoint, type Endpoints, getMethod, getPath, toPathPattern } from './endpoint.js'

export interface AreaRow {
  readonly name: string
  /** The singular or plural of the name, which is accepted, too. */
  readonly alias?: string
  readonly summary: string
  readonly load: () => Promise<Endpoints>
}

const rows = [
  {
    name: 'runners',
    alias: 'runner',
    summary: 'CI runners',
    load: async () => (await import('./areas/runners.js')).runners,
  },
  {
    name: 'jobs',
    alias: 'job',
    summary: 'CI jobs',
    load: async () => (await import('./areas/jobs.js')).jobs,
  },
  {
    name: 'artifacts',
    alias: 'artifact',
    summary: 'job artifacts',
    load: async () => (await import('./areas/artifacts.js')).artifacts,
  },
  {
    name: 'resource-groups',
    alias: 'resource-group',
    summary: 'limits on concurrent jobs',
    load: async () => (await import('./areas/resource-groups.js')).resourceGroups,
  },
  {
    name: 'ci',
    summary: 'CI configurations',
    load: async () => (await import('./areas/ci.js')).ci,
  },
  {
    name: 'commits',
    alias: 'commit',
    summary: 'commits of a project’s repository',
    load: async () => (await import('./areas/commits.js')).commits,
  },
  {
    name: 'issues',
    alias: 'issue',
    summary: 'issues, to-do items and time tracking',
    load: async () => (await import('./areas/issues.js')).issues,
  },
  {
    name: 'mr',
    alias: 'mrs',
    summary: 'merge requests',
    load: async () => (await import('./areas/mr.js')).mr,
  },
  {
    name: 'approvals',
    alias: 'approval',
    summary: 'merge request approvals and approval rules',
    load: async () => (await import('./areas/approvals.js')).approvals,
  },
  {
    name: 'members',
    alias: 'member',
    summary: 'members of groups and projects',
    load: async () => (await import('./areas/members.js')).members,
  },
  {
    name: 'events',
    alias: 'event',
    summary: 'user activity',
    load: async () => (await import('./areas/events.js')).events,
  },
  {
    name: 'projects',
    alias: 'project',
    summary: 'projects',
    load: async () => (await import('./areas/projects.js')).projects,
  },
  {
    name: 'integrations',
    alias: 'integration',
    summary: 'project integrations with other services',
    load: async () => (await import('./areas/integrations.js')).integrations,
  },
  {
    name: 'alerts',
    alias: 'alert',
    summary: 'alerts for project monitoring',
    load: async () => (await import('./areas/alerts.js')).alerts,
  },
  {
    name: 'settings',
    alias: 'setting',
    summary: 'application settings of the instance',
    load: async () => (await import('./areas/settings.js')).settings,
  },
  {
    name: 'deploy-keys',
    alias: 'deploy-key',
    summary: 'deploy keys (SSH access to projects)',
    load: async () => (await import('./areas/deploy-keys.js')).deployKeys,
  },
  {
    name: 'pages-domains',
    alias: 'pages-domain',
    summary: 'custom domains of Pages sites',
    load: async () => (await import('./areas/pages-domains.js')).pagesDomains,
  },
  {
    name: 'vulnerabilities',
    alias: 'vulnerability',
    summary: 'vulnerabilities of projects',
    load: async () => (await import('./areas/vulnerabilities.js')).vulnerabilities,
  },
  {
    name: 'dependencies',
    alias: 'dependency',
    summary: 'dependencies of projects',
    load: async () => (await import('./areas/dependencies.js')).dependencies,
  },
  {
    name: 'geo',
    summary: 'replication nodes and their status',
    load: async () => (await import('./areas/geo.js')).geo,
  },
  {
    name: 'error-tracking',
    summary: 'error tracking of projects',
    load: async () => (await import('./areas/error-tracking.js')).errorTracking,
  },
  {
    name: 'storage-move',
    alias: 'storage-moves',
    summary: 'repository storage moves',
    load: async () => (await import('./areas/storage-move.js')).storageMove,
  },
] as const satisfies readonly AreaRow[]

/** The names of the areas. The compiler checks other lists against this type. */
export type AreaName = (typeof rows)[number]['name']

/** The endpoints of an area by their keys, as a union over all areas. */
export type AreaEndpoints = Awaited<ReturnType<(typeof rows)[number]['load']>>

/** The parameters of an endpoint, as a union over all endpoints. */
type AreaParams<A = AreaEndpoints> = A extends unknown
  ? { [E in keyof A]: A[E] extends { readonly params: infer Ps } ? Ps : never }[keyof A]
  : never
export type KebabCase<S> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}-${KebabCase<Tail>}`
  : S

/** The names of all flags that set a parameter of an endpoint. */
export type ParameterFlag<Ps = AreaParams> = Ps extends unknown
  ? {
      [K in keyof Ps & string]: Ps[K] extends { readonly name: infer N extends string }
        ? N
        : KebabCase<K>
    }[keyof Ps & string]
  : never

export const areas: readonly (AreaRow & { readonly name: AreaName })[] = rows

// The areas of extensions, which are loaded for each command line.

/** The endpoints of extensions: those of a new area, or further ones of a documented area. */
export interface AddedArea extends AreaRow {
  /** The names of the extensions that declare the endpoints. */
  readonly from: readonly string[]
}

const createAdditions = (): { rows: readonly AreaRow[]; fault?: string } => ({ rows: areas })
const getAdditions = createLineState(createAdditions)

/** Stores that the extensions could not be loaded. @param remedy what the user can do about it */
export const setExtensionFault = (remedy: string): void => {
  getAdditions().fault = remedy
}

/** Returns what the user can do so that extensions are loaded again; undefined if they are loaded. */
export const getExtensionFault = (): string | undefined => getAdditions().fault

/** Lists the documented areas, and those of the extensions that are loaded for this command line. */
export const listAreas = (): readonly (AreaRow & Partial<AddedArea>)[] => getAdditions().rows

/** Finds an area by its name or its alias; undefined if there is none. */
export const findArea = (
  word: string | undefined,
): ReturnType<typeof listAreas>[number] | undefined =>
  listAreas().find(({ name, alias = name }) => name === word || alias === word)

/** Finds an area by its name; undefined if there is none. */
export const findAreaNamed = (area: string): ReturnType<typeof findArea> =>
  listAreas().find(({ name }) => name === area)

/** Loads the endpoints of an area; none for the name of no area. */
export const loadAreaEndpoints = async (area: string): Promise<Endpoints> =>
  (await findAreaNamed(area)?.load()) ?? {}

/** Loads the endpoints of all areas. */
export const loadAllEndpoints = async (): Promise<readonly Endpoint[]> => {
  const loaded = await Promise.all(listAreas().map((row) => row.load()))
  return loaded.flatMap((endpoints) => Object.values<Endpoint>(endpoints))
}

/** Returns a route in which all placeholders have the same name, for comparisons. */
export const getRouteForm = (endpoint: Pick<Endpoint, 'route'>): string =>
  `${getMethod(endpoint)} ${toPathPattern(getPath(endpoint))}`

/** True if an added endpoint and all documented ones with the same command are lists. Such a list is a further form of the command. */
const isFurtherForm = (added: Endpoint, documented: readonly Endpoint[]): boolean =>
  [added, ...documented].every((one) => getMethod(one) === 'GET' && one.returns.kind === 'many')

/** Joins the documented endpoints with those of extensions. An extension cannot replace a documented route or command. */
const joinEndpoints = (documented: Endpoints, added: Endpoints): Endpoints => {
  const forms = new Set(Object.values(documented).map(getRouteForm))
  const kept = Object.entries(added).filter(([key, one]) => {
    const same = Object.values(documented).filter(({ command }) => command === one.command)
    const isFree = same.length === 0 || isFurtherForm(one, same)
    return isFree && !forms.has(getRouteForm(one)) && !Object.hasOwn(documented, key)
  })
  return { ...documented, ...Object.fromEntries(kept) }
}

/** Adds areas for the rest of this command line. Documented areas come first and keep their names. */
export const addAreas = (added: readonly AddedArea[]): void => {
  const state = getAdditions()
  const joined = areas.map((row) => {
    const more = added.find(({ name }) => name === row.name)
    if (more === undefined) return row
    const load = async () => joinEndpoints(await row.load(), await more.load())
    return { ...row, load, from: more.from }
  })
  const fresh = added.filter(({ name }) => !areas.some((row) => row.name === name))
  // A name takes precedence over an alias, and the first alias over the next.
  const taken = new Set([...areas, ...fresh].map(({ name }) => name))
  for (const { alias } of areas) if (alias !== undefined) taken.add(alias)
  const named = fresh.map(({ alias, ...row }) => {
    if (alias === undefined || taken.has(alias)) return row
    taken.add(alias)
    return { ...row, alias }
  })
  state.rows = [...joined, ...named]
}
