/** Checks a vocabulary against the catalogue: no two names may become the same, and no path may become that of another endpoint. */

import { Findings } from '../base/documents/findings.js'
import type { Origin } from '../base/documents/written.js'
import { isObject } from '../base/objects.js'
import { suggestSimilar } from '../base/suggest.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { areas } from '../catalogue/index.js'
import { getInnerParams, getParamValues, type Params } from '../catalogue/params.js'
import { implied } from '../catalogue/undocumented.js'
import type { Words } from '../catalogue/words.js'
import { addConflict, type Entries } from './read.js'

// Conflicts of paths: a translated path must not belong to another endpoint.

type Segments = readonly string[]

/** An endpoint with its documented path and its path on the instance. */
interface MappedPath {
  readonly endpoint: Endpoint
  readonly neutral: Segments
  readonly own: Segments
}

const splitPath = (path: string): Segments => path.split('/').slice(1)

/** Returns endpoints with both of their paths. */
const mapPaths = (
  endpoints: readonly Endpoint[],
  path: (neutral: string) => string,
): readonly MappedPath[] =>
  endpoints.map((endpoint) => ({
    endpoint,
    neutral: splitPath(getPath(endpoint)),
    own: splitPath(path(getPath(endpoint))),
  }))

const isPlaceholder = (segment = ''): boolean => segment[0] === ':' || segment[0] === '*'

/** True if the beginning of a pattern matches these segments; its placeholders match any segment. */
const matchesPattern = (pattern: Segments, segments: Segments): boolean =>
  pattern.length >= segments.length &&
  segments.every((one, i) => pattern[i] === one || isPlaceholder(pattern[i]))

/** True if a path begins with these segments; all placeholders count as equal, whatever their names are. */
const hasPathPrefix = (path: Segments, beginning: Segments): boolean =>
  path.length >= beginning.length &&
  beginning.every((one, i) => path[i] === one || (isPlaceholder(one) && isPlaceholder(path[i])))

const isSame = (a: Segments, b: Segments): boolean => a.length === b.length && hasPathPrefix(a, b)

/** Counts the segments that two paths have in common at their ends. */
const countCommonEnd = (a: Segments, b: Segments): number => {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** Returns the prefixes of a path that the words change, each after its original. */
const getChangedPrefixes = ({
  neutral,
  own,
}: MappedPath): readonly (readonly [Segments, Segments])[] => {
  const kept = countCommonEnd(neutral, own)
  if (kept === own.length && kept === neutral.length) return []
  // If one segment becomes several, only all of them together correspond to it.
  if (neutral.length !== own.length)
    return [[neutral.slice(0, neutral.length - kept), own.slice(0, own.length - kept)]]
  return own.flatMap((segment, i) =>
    segment === neutral[i] ? [] : [[neutral.slice(0, i + 1), own.slice(0, i + 1)] as const],
  )
}

/**
 * Finds the endpoint whose path another one would get, or below which it would be. Every route below a path belongs to its endpoint,
 * documented or not. An endpoint with the same method and path is preferred.
 */
const findConflict = (one: MappedPath, all: readonly MappedPath[]): Endpoint | undefined => {
  const changed = getChangedPrefixes(one)
  if (changed.length === 0) return undefined
  const conflicting = all.filter(({ neutral, own }) =>
    changed.some(([before, after]) => {
      if (matchesPattern(neutral, after)) return !matchesPattern(neutral, before)
      return hasPathPrefix(own, after) && !hasPathPrefix(neutral, before)
    }),
  )
  const samePath = conflicting.find(
    ({ endpoint, neutral, own }) =>
      getMethod(endpoint) === getMethod(one.endpoint) &&
      (isSame(neutral, one.own) || isSame(own, one.own)),
  )
  return (samePath ?? conflicting[0])?.endpoint
}

// The names of the catalogue that a vocabulary can rename.

/** Lists the names of parameters and of the keys inside them, one list for each level. */
const listParameterNames = (params: Params): readonly (readonly string[])[] => [
  Object.keys(params),
  ...Object.values(params).flatMap((param) => {
    const inner = getInnerParams(param)
    return inner === undefined ? [] : listParameterNames(inner)
  }),
]

/** Lists the fields of a shape and of the objects in it, one list for each object. */
const listFieldNames = (
  schema: unknown,
  seen: Set<unknown> = new Set(),
): readonly (readonly string[])[] => {
  if (!isObject(schema) || seen.has(schema)) return []
  seen.add(schema)
  const properties = getProperties(schema)
  const { items, anyOf } = schema
  return [
    ...(properties === undefined ? [] : [Object.keys(properties)]),
    ...Object.values(properties ?? {}).flatMap((inner) => listFieldNames(inner, seen)),
    ...listFieldNames(items, seen),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((inner: unknown) => listFieldNames(inner, seen)) : []),
  ]
}

/** Returns the lists of names of an endpoint within which no two may become one. */
export const getListFields = ({
  path,
  params,
  returns,
}: Endpoint): readonly (readonly string[])[] => {
  const [top = [], ...inner] = listParameterNames(params)
  return [[...Object.keys(path), ...top], ...inner, ...listFieldNames(returns.shape)]
}

/** An endpoint with its area. */
interface AreaEndpoint {
  readonly area: string
  readonly endpoint: Endpoint
}

/** Loads all endpoints, with their areas. */
export const loadEndpoints = async (): Promise<readonly AreaEndpoint[]> => {
  const loaded = await Promise.all(
    areas.map(async ({ name, load }) => [name, await load()] as const),
  )
  return loaded.flatMap(([area, endpoints]) =>
    Object.values(endpoints).map((endpoint) => ({ area, endpoint })),
  )
}

/** Finds the entry that renames a name: the entry of the whole name, else of one of its words. */
const findNameOrigin = ({ names, words }: Entries, name: string): Origin | undefined =>
  names.find(({ key }) => key === name)?.origin ??
  words.find(({ key }) => name.split(/[_-]/).includes(key))?.origin

/** Finds two names of a list that become the same; undefined if there are none. */
const findCollision = (
  list: readonly string[],
  { name }: Pick<Words, 'name'>,
  placeholders: ReadonlySet<string>,
): readonly [string, string, string] | undefined => {
  const known = new Set(list)
  const taken = new Map<string, string>()
  for (const one of list) {
    const own = placeholders.has(one) ? one : name(one)
    // A name that stays the same conflicts with a name that becomes it.
    const before = taken.get(own) ?? (own !== one && known.has(own) ? own : undefined)
    if (before !== undefined && before !== one) return [before, one, own]
    taken.set(own, one)
  }
  return undefined
}

/** Adds a finding if two names of an endpoint would become the same. */
const checkNames = (
  entries: Entries,
  words: Pick<Words, 'name'>,
  endpoint: Endpoint,
  findings: Findings,
): void => {
  const placeholders = new Set(Object.keys(endpoint.path))
  for (const [i, list] of getListFields(endpoint).entries()) {
    const found = findCollision(list, words, i === 0 ? placeholders : new Set())
    if (found === undefined) continue
    const [a, b, own] = found
    const origins = [findNameOrigin(entries, a), findNameOrigin(entries, b)]
    addConflict(findings, origins, `${a} and ${b} of ${endpoint.route} would both be ${own}`)
  }
}

const findPathOrigin = ({ paths, words }: Entries, path: string): Origin | undefined =>
  paths.find(({ key }) => `${path}/`.includes(`${key}/`))?.origin ??
  words.find(({ key }) => path.split(/[/_-]/).includes(key))?.origin

/** Adds a finding if a path would become that of another endpoint, or would be below one. */
const checkPath = (
  entries: Entries,
  one: MappedPath,
  all: readonly MappedPath[],
  findings: Findings,
): void => {
  const { endpoint } = one
  const other = findConflict(one, all)
  if (other === undefined) return
  const origins = [
    findPathOrigin(entries, getPath(endpoint)),
    findPathOrigin(entries, getPath(other)),
  ]
  addConflict(findings, origins, `${endpoint.route} would become ${other.route}`)
}

/** Lists all endpoints that are requested, whether they are documented or implied. */
const listAskedEndpoints = (all: readonly AreaEndpoint[]): readonly Endpoint[] => [
  ...all.map(({ endpoint }) => endpoint),
  ...implied,
]

/**
 * Checks a vocabulary against one endpoint; other endpoints are loaded only if its path changes.
 * @throws Failure `usage` with the position of a conflict
 */
export const checkEndpoint = async (
  entries: Entries,
  words: Pick<Words, 'name' | 'path'>,
  endpoint: Endpoint,
): Promise<void> => {
  const findings = new Findings()
  checkNames(entries, words, endpoint, findings)
  findings.refuse()
  if (words.path(getPath(endpoint)) === getPath(endpoint)) return
  const all = mapPaths(listAskedEndpoints(await loadEndpoints()), words.path)
  for (const one of mapPaths([endpoint], words.path)) checkPath(entries, one, all, findings)
  findings.refuse()
}

interface DocumentedNames {
  readonly names: ReadonlySet<string>
  readonly words: ReadonlySet<string>
  readonly routes: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
  readonly paths: readonly string[]
}

const collectDocumented = (all: readonly AreaEndpoint[]): DocumentedNames => {
  const names = new Set(all.flatMap(({ endpoint }) => getListFields(endpoint).flat()))
  const paths = listAskedEndpoints(all).map(getPath)
  return {
    names,
    words: new Set([
      ...[...names].flatMap((name) => name.split(/[_-]/)),
      ...paths.flatMap((path) => path.split(/[/_-]/)),
    ]),
    routes: new Set(all.map(({ endpoint }) => endpoint.route)),
    parameters: new Set(
      all.flatMap(({ area, endpoint }) =>
        Object.entries(endpoint.params).flatMap(([name, param]) =>
          getParamValues(param).length > 0 ? [`${area}.${name}`] : [],
        ),
      ),
    ),
    paths,
  }
}

/** Adds a finding for each key that no name of the catalogue matches. */
const checkKnown = (entries: Entries, known: DocumentedNames, findings: Findings): void => {
  const families = new Set(integrationFamilies.map(({ name }) => name))
  const pathSegments = new Set(
    known.paths.flatMap((path) => path.split('/').map((one) => `/${one}`)),
  )
  const sections = [
    { of: entries.words, known: known.words, what: 'no API name contains the word' },
    { of: entries.names, known: known.names, what: 'no parameter and no field is called' },
    { of: entries.gone, known: known.routes, what: 'unknown route' },
    { of: entries.slugs, known: families, what: 'unknown integration family' },
    { of: entries.values, known: known.parameters, what: 'unknown parameter with values' },
  ] as const
  for (const { of, known: names, what } of sections)
    for (const { key, origin } of of)
      if (!names.has(key)) findings.add(origin, `${what} "${key}"`, suggestSimilar(key, names))
  for (const { key, origin } of entries.paths)
    if (!known.paths.some((path) => `${path}/`.includes(`${key}/`)))
      findings.add(origin, `no path has ${key}`, suggestSimilar(key, pathSegments))
}

/**
 * Checks a vocabulary against the whole catalogue.
 * @throws Failure `usage` with the positions of unknown names, or of a conflict
 */
export const checkVocabulary = async (
  entries: Entries,
  words: Pick<Words, 'name' | 'path'>,
): Promise<void> => {
  const findings = new Findings()
  const all = await loadEndpoints()
  checkKnown(entries, collectDocumented(all), findings)
  findings.refuse()
  const routed = mapPaths(listAskedEndpoints(all), words.path)
  for (const one of routed) {
    checkNames(entries, words, one.endpoint, findings)
    checkPath(entries, one, routed, findings)
    // One wrong entry conflicts with many endpoints, so the check stops at the first one.
    findings.refuse()
  }
}
