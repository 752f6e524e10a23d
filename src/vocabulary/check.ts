/** Checks a vocabulary against the catalogue: no two names may become one, and no path that of another endpoint. */

import { isObject } from '../base/objects.js'
import { nearest } from '../base/suggest.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { type Endpoint, getMethod, getPath } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { areas } from '../catalogue/index.js'
import { type Params, paramsIn, valuesOf } from '../catalogue/params.js'
import { implied } from '../catalogue/undocumented.js'
import type { Words } from '../catalogue/words.js'
import type { Failure } from '../errors.js'
import { type Entries, refuseConflict, wrongAt } from './read.js'

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

/** The line that gives a name its other one: that of the name, else of one of its words. */
const findNameLine = ({ names, words }: Entries, name: string): number | undefined =>
  names.find(({ key }) => key === name)?.line ??
  words.find(({ key }) => name.split(/[_-]/).includes(key))?.line

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

/** @throws Failure `usage` where two names of an endpoint become one */
const checkNames = (entries: Entries, words: Pick<Words, 'name'>, endpoint: Endpoint): void => {
  const placeholders = new Set(Object.keys(endpoint.path))
  for (const [i, list] of getListFields(endpoint).entries()) {
    const found = findCollision(list, words, i === 0 ? placeholders : new Set())
    if (found === undefined) continue
    const [a, b, own] = found
    throw refuseConflict(
      entries.file,
      [findNameLine(entries, a), findNameLine(entries, b)],
      `${a} and ${b} of ${endpoint.route} would both be ${own}`,
    )
  }
}

const findPathLine = ({ paths, words }: Entries, path: string): number | undefined =>
  paths.find(({ key }) => `${path}/`.includes(`${key}/`))?.line ??
  words.find(({ key }) => path.split(/[/_-]/).includes(key))?.line

/** @throws Failure `usage` where a path becomes that of another endpoint, or leads below one */
const checkPath = (entries: Entries, one: MappedPath, all: readonly MappedPath[]): void => {
  const { endpoint } = one
  const other = findConflict(one, all)
  if (other === undefined) return
  throw refuseConflict(
    entries.file,
    [findPathLine(entries, getPath(endpoint)), findPathLine(entries, getPath(other))],
    `${endpoint.route} would become ${other.route}`,
  )
}

/** Whatever is asked of an instance, by the documents or beside them. */
const listAskedEndpoints = (all: readonly AreaEndpoint[]): readonly Endpoint[] => [
  ...all.map(({ endpoint }) => endpoint),
  ...implied,
]

/** Checks a vocabulary against one endpoint; other endpoints are loaded only if its path changes. */
export const checkEndpoint = async (
  entries: Entries,
  words: Pick<Words, 'name' | 'path'>,
  endpoint: Endpoint,
): Promise<void> => {
  checkNames(entries, words, endpoint)
  if (words.path(getPath(endpoint)) === getPath(endpoint)) return
  const all = mapPaths(listAskedEndpoints(await loadEndpoints()), words.path)
  for (const one of mapPaths([endpoint], words.path)) checkPath(entries, one, all)
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

/** A key that nothing of the catalogue is called by. */
const findUnknown = (entries: Entries, known: DocumentedNames): Failure | undefined => {
  const families = new Set(integrationFamilies.map(({ name }) => name))
  const runs = new Set(known.paths.flatMap((path) => path.split('/').map((one) => `/${one}`)))
  const hasPath = (key: string): boolean =>
    known.paths.some((path) => `${path}/`.includes(`${key}/`))
  const sections = [
    { of: entries.words, known: known.words, what: 'no API name contains the word' },
    { of: entries.names, known: known.names, what: 'no parameter and no field is called' },
    { of: entries.gone, known: known.routes, what: 'unknown route' },
    { of: entries.slugs, known: families, what: 'unknown integration family' },
    { of: entries.values, known: known.parameters, what: 'unknown parameter with values' },
  ] as const
  for (const { of, known: names, what } of sections)
    for (const { key, line } of of) {
      if (names.has(key)) continue
      const near = nearest(key, names)
      return wrongAt(entries.file, line, `${what} "${key}"`, near && `Did you mean ${near}?`)
    }
  for (const { key, line } of entries.paths) {
    if (hasPath(key)) continue
    const near = nearest(key, runs)
    return wrongAt(entries.file, line, `no path has ${key}`, near && `Did you mean ${near}?`)
  }
  return undefined
}

/**
 * Checks a vocabulary against the whole catalogue.
 * @throws Failure `usage` with the line of an unknown name or a conflict
 */
export const checkVocabulary = async (
  entries: Entries,
  words: Pick<Words, 'name' | 'path'>,
): Promise<void> => {
  const all = await loadEndpoints()
  const unknown = findUnknown(entries, collectDocumented(all))
  if (unknown !== undefined) throw unknown
  const routed = mapPaths(listAskedEndpoints(all), words.path)
  for (const one of routed) {
    checkNames(entries, words, one.endpoint)
    checkPath(entries, one, routed)
  }
}
