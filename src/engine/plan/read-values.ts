/** Reads the possible values of a parameter from lists of the instance (`value-lists.ts`). */
import { isObject } from '../../base/objects.js'
import { getSecrecies, maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { getKindByName } from '../../catalogue/kinds.js'
import type { Ask } from '../../http/types.js'
import { getScope } from '../command/derive.js'
import type { Suggestion } from '../command/types.js'
import {
  getSources,
  loadSourceEndpoint,
  type NamedPlaces,
  type ValueSource,
} from './value-lists.js'

/** True if a field of the answer is masked elsewhere. Its values are then neither offered nor cached. */
export const isHidden = (field: string, endpoint: Endpoint | undefined): boolean =>
  isSecretName(field) || getSecretFields(endpoint).has(field)

const getCandidates = (
  data: unknown,
  source: ValueSource,
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

/** Returns the request for the values of a source; undefined if its project or group is not known. */
const createAsk = async (source: ValueSource, places: NamedPlaces): Promise<Ask | undefined> => {
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
