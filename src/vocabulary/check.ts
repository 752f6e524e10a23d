/** Checks a vocabulary against the catalogue: no two names may become one, and no path that of another endpoint. */

import { Findings } from '../base/documents/findings.js'
import type { Origin } from '../base/documents/origin.js'
import { isObject } from '../base/objects.js'
import { didYouMean } from '../base/suggest.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { areas } from '../catalogue/index.js'
import { type Params, paramsIn, valuesOf } from '../catalogue/params.js'
import { implied } from '../catalogue/undocumented.js'
import type { Words } from '../catalogue/words.js'
import { addConflict, type Entries } from './read.js'

// Whether a path in the words of an instance is one that means something else.

type Segments = readonly string[]

/** An endpoint with its path, as the documents have it and under words. */
interface MappedPath {
  readonly endpoint: Endpoint
  readonly neutral: Segments
  readonly own: Segments
}

const splitPath = (path: string): Segments => path.split('/').slice(1)

/** Endpoints under words: each is held against all of them. */
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

/** Whether the beginning of a pattern stands for these segments: its placeholders take anything. */
const matchesPattern = (pattern: Segments, segments: Segments): boolean =>
  pattern.length >= segments.length &&
  segments.every((one, i) => pattern[i] === one || isPlaceholder(pattern[i]))

/** Whether a path begins so; placeholders are alike, whatever they are called. */
const startsWithPath = (path: Segments, beginning: Segments): boolean =>
  path.length >= beginning.length &&
  beginning.every((one, i) => path[i] === one || (isPlaceholder(one) && isPlaceholder(path[i])))

const isSame = (a: Segments, b: Segments): boolean => a.length === b.length && startsWithPath(a, b)

/** How many segments two paths have in common at their ends. */
const countCommonEnd = (a: Segments, b: Segments): number => {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

/** The beginnings of a path that are others under words, each behind what it was. */
const getChangedPrefixes = ({
  neutral,
  own,
}: MappedPath): readonly (readonly [Segments, Segments])[] => {
  const kept = countCommonEnd(neutral, own)
  if (kept === own.length && kept === neutral.length) return []
  // Several segments for one: only as a whole are they what that was.
  if (neutral.length !== own.length)
    return [[neutral.slice(0, neutral.length - kept), own.slice(0, own.length - kept)]]
  return own.flatMap((segment, i) =>
    segment === neutral[i] ? [] : [[neutral.slice(0, i + 1), own.slice(0, i + 1)] as const],
  )
}

/**
 * The endpoint that another one becomes, or below which it comes to stand: whatever follows there is another
 * thing's, documented or not. The very route comes before others of its path.
 */
const findConflict = (one: MappedPath, all: readonly MappedPath[]): Endpoint | undefined => {
  const changed = getChangedPrefixes(one)
  if (changed.length === 0) return undefined
  const met = all.filter(({ neutral, own }) =>
    changed.some(([before, after]) => {
      if (matchesPattern(neutral, after)) return !matchesPattern(neutral, before)
      return startsWithPath(own, after) && !startsWithPath(neutral, before)
    }),
  )
  const alike = met.find(
    ({ endpoint, neutral, own }) =>
      getMethod(endpoint) === getMethod(one.endpoint) &&
      (isSame(neutral, one.own) || isSame(own, one.own)),
  )
  return (alike ?? met[0])?.endpoint
}

// What the catalogue calls things: all names that a vocabulary can speak of.

/** The names of parameters, and of the keys within them, a list a level. */
const listParameterNames = (params: Params): readonly (readonly string[])[] => [
  Object.keys(params),
  ...Object.values(params).flatMap((param) => {
    const inner = paramsIn(param)
    return inner === undefined ? [] : listParameterNames(inner)
  }),
]

/** The fields of a shape, and of the objects in it, a list an object. */
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

/** An endpoint with the area it is of. */
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

/** The position that gives a name its other one: that of the name, else of one of its words. */
const findNameOrigin = ({ names, words }: Entries, name: string): Origin | undefined =>
  names.find(({ key }) => key === name)?.origin ??
  words.find(({ key }) => name.split(/[_-]/).includes(key))?.origin

/** Two names of a list that become one; undefined where none do. */
const findCollision = (
  list: readonly string[],
  { name }: Pick<Words, 'name'>,
  placeholders: ReadonlySet<string>,
): readonly [string, string, string] | undefined => {
  const known = new Set(list)
  const taken = new Map<string, string>()
  for (const one of list) {
    const own = placeholders.has(one) ? one : name(one)
    // What is called so by itself, and what becomes that, cannot be told apart either.
    const before = taken.get(own) ?? (own !== one && known.has(own) ? own : undefined)
    if (before !== undefined && before !== one) return [before, one, own]
    taken.set(own, one)
  }
  return undefined
}

/** No two names of an endpoint become one. */
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

/** No path becomes that of another endpoint, or leads below one. */
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

/** Whatever is asked of an instance, by the documents or beside them. */
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
          valuesOf(param).length > 0 ? [`${area}.${name}`] : [],
        ),
      ),
    ),
    paths,
  }
}

/** Adds a finding for each key that nothing of the catalogue is called by. */
const checkKnown = (entries: Entries, known: DocumentedNames, findings: Findings): void => {
  const families = new Set(integrationFamilies.map(({ name }) => name))
  const runs = new Set(known.paths.flatMap((path) => path.split('/').map((one) => `/${one}`)))
  const sections = [
    { of: entries.words, known: known.words, what: 'no API name contains the word' },
    { of: entries.names, known: known.names, what: 'no parameter and no field is called' },
    { of: entries.gone, known: known.routes, what: 'unknown route' },
    { of: entries.slugs, known: families, what: 'unknown integration family' },
    { of: entries.values, known: known.parameters, what: 'unknown parameter with values' },
  ] as const
  for (const { of, known: names, what } of sections)
    for (const { key, origin } of of)
      if (!names.has(key)) findings.add(origin, `${what} "${key}"`, didYouMean(key, names))
  for (const { key, origin } of entries.paths)
    if (!known.paths.some((path) => `${path}/`.includes(`${key}/`)))
      findings.add(origin, `no path has ${key}`, didYouMean(key, runs))
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
    // One renamed thing is in conflict with many endpoints.
    findings.refuse()
  }
}
