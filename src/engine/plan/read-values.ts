/** Reads the possible values of a parameter from lists of the instance (`value-lists.ts`). */
import { isObject } from '../../base/objects.js'
import { getSecrecies, maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { getKindByName } from '../../catalogue/kinds.js'
import type { Words } from '../../catalogue/words.js'
import { buildRequest } from '../../http/index.js'
import type { WireRequest } from '../../http/types.js'
import { getScope } from '../command/derive.js'
import type { Suggestion } from '../command/types.js'
import {
  getSources,
  loadSourceEndpoint,
  type NamedPlaces,
  type ValueSource,
} from './value-lists.js'

/** A request for values, and the endpoint that determines its credential. */
export interface ValueRequest {
  readonly request: WireRequest
  readonly endpoint?: Endpoint
}

/** True if a field of the answer is masked elsewhere. Its values are then neither offered nor cached. */
export const isHidden = (field: string, endpoint: Endpoint | undefined): boolean =>
  isSecretName(field) || getSecretFields(endpoint).has(field)

const getCandidates = (
  data: unknown,
  source: ValueSource,
  endpoint: Endpoint | undefined,
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

const page = 'per_page=100'
const addPageSize = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}${page}`

const buildValueRequest = async (
  source: ValueSource,
  places: NamedPlaces,
  words: Words | undefined,
): Promise<ValueRequest | undefined> => {
  if ('path' in source) {
    const { project } = places
    if (source.path.includes(':id') && project === undefined) return undefined
    if (words !== undefined) {
      const { createListEndpoint } = await import('../../catalogue/undocumented.js')
      await words.check(createListEndpoint(source.path))
    }
    const route = words?.path(source.path) ?? source.path
    const path = route.replace(':id', encodeURIComponent(project ?? ''))
    return { request: { method: 'GET', path: addPageSize(path), headers: {} } }
  }
  const endpoint = await loadSourceEndpoint(source)
  const scope = endpoint === undefined ? undefined : getScope(endpoint)
  const place = scope === undefined ? undefined : places[scope.kind]
  if (endpoint === undefined || (scope !== undefined && place === undefined)) return undefined
  await words?.check(endpoint)
  const values = {
    ...source.values,
    ...(scope === undefined ? {} : { [scope.placeholder]: place }),
  }
  const request = buildRequest({ endpoint, values }, words)
  const path = endpoint.returns.kind === 'many' ? addPageSize(request.path) : request.path
  return { request: { ...request, path }, endpoint }
}

/** Removes duplicates: jobs of several pipelines have the same name. */
const keepFirst = (found: readonly Suggestion[]): readonly Suggestion[] => {
  const values = new Map<string, Suggestion>()
  for (const one of found) if (!values.has(one.value)) values.set(one.value, one)
  return [...values.values()]
}

/**
 * Loads the possible values of a parameter, at most a hundred.
 * @param fetch sends a request and returns the data of the answer
 * @param words the instance's vocabulary, in which requests are written
 * @returns undefined if no list returned an answer
 */
export const readSources = async (
  what: string,
  places: NamedPlaces,
  fetch: (wanted: ValueRequest) => Promise<unknown>,
  words?: Words,
): Promise<readonly Suggestion[] | undefined> => {
  for (const source of await getSources(what)) {
    const wanted = await buildValueRequest(source, places, words)
    if (wanted === undefined) continue
    try {
      const data = await fetch(wanted)
      return keepFirst(getCandidates(data, source, wanted.endpoint, getKindByName(what)?.title))
    } catch {
      // The instance may accept the next source.
    }
  }
  return undefined
}
