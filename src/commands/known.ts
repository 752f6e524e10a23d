/** Finds undocumented settings, fields and values of an instance, and its missing endpoints, with at most twelve read requests. */
import { getFields, isObject, toText } from '../base/objects.js'
import { isSwitchedOn } from '../base/switches.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import { geo } from '../catalogue/areas/geo.js'
import { integrations } from '../catalogue/areas/integrations.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { pagesDomains } from '../catalogue/areas/pages-domains.js'
import { projects } from '../catalogue/areas/projects.js'
import { runners } from '../catalogue/areas/runners.js'
import { settings } from '../catalogue/areas/settings.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { account } from '../catalogue/undocumented.js'
import { documentedWords, type Words } from '../catalogue/words.js'
import type { Context, ExternalClient } from '../engine/command/context.js'
import { Failure, recoverFrom } from '../errors.js'
import type { WholeAnswer, WireRequest } from '../http/types.js'
import { getPaths } from '../profile/index.js'
import {
  addSettings,
  freshFor,
  type GoneRoute,
  type KnownInstance,
  type KnownSetting,
  readKnown,
  type SectionState,
  saveKnown,
} from '../profile/known.js'
import type { Profile } from '../profile/types.js'
import { findSessionCookie, loadActiveWords } from './vocabulary-reading.js'

/** The time limit of a request, in seconds. It is short, because the command does not depend on the result. */
const patience = 5
/** The number of records of a list that are inspected. */
const perPage = 20

const nameForm = /^[a-z][a-z0-9_]{0,63}$/
const valueForm = /^[a-z][a-z0-9_]{0,39}$/

const toSectionState = ({ status, details }: Failure): SectionState => {
  if (status === 401 || status === 403) return 'refused'
  return details.lacks === undefined ? 'failed' : 'absent'
}

const toKnownSetting = (value: unknown): KnownSetting => {
  const nullable = value === null || value === undefined
  if (typeof value === 'boolean') return { type: 'boolean', nullable }
  if (typeof value === 'string') return { type: 'text', nullable }
  if (typeof value === 'number')
    return { type: Number.isInteger(value) ? 'integer' : 'number', nullable }
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return { type: isList ? 'list' : 'unknown', nullable }
}

/** Returns the documented values of a field; undefined if there are none. */
const getDocumentedValues = (schema: unknown): readonly unknown[] | undefined => {
  if (!isObject(schema)) return undefined
  if (Array.isArray(schema.examples)) return schema.examples
  const inner = Array.isArray(schema.anyOf) ? schema.anyOf : []
  return inner.map(getDocumentedValues).find((words) => words !== undefined)
}

/** Sends the requests, and collects undocumented names and values from the answers. */
class InstanceProbe {
  readonly sections: Record<string, SectionState> = {}
  readonly gone: GoneRoute[] = []
  readonly answered: string[] = []
  readonly fields: Record<string, readonly string[]> = {}
  readonly values: Record<string, readonly string[]> = {}
  cookie: string | null = null
  readonly #client: ExternalClient
  readonly #words: Words
  readonly #at: string

  constructor(client: ExternalClient, words: Words, at: string) {
    this.#client = client
    this.#words = words
    this.#at = at
  }

  /** Returns the data of an endpoint's answer; undefined if the request failed. */
  async readData(section: string, endpoint: Endpoint, id?: unknown): Promise<unknown> {
    const values = typeof id === 'number' ? { id } : {}
    const extra = endpoint.returns.kind === 'many' ? { per_page: perPage } : {}
    const request = () => this.#client.build({ endpoint, values, extra })
    const answer = await this.#send(section, request)
    if (!(answer instanceof Failure)) {
      this.answered.push(endpoint.route)
      return answer.data
    }
    const { status = 0, details } = answer
    if (details.lacks === 'route') this.gone.push({ route: endpoint.route, status, at: this.#at })
    return undefined
  }

  /** Returns the version from a route; undefined if the request failed. */
  async readVersion(path: string): Promise<unknown> {
    const answer = await this.#send('version', async () => ({ method: 'GET', path, headers: {} }))
    return answer instanceof Failure ? undefined : answer.data
  }

  async #send(
    section: string,
    request: () => Promise<WireRequest>,
  ): Promise<WholeAnswer | Failure> {
    const how = { timeout: patience, retries: 0 }
    try {
      const whole = await this.#client.call({ ...(await request()), how })
      this.sections[section] = 'ok'
      this.cookie ??= findSessionCookie(whole) ?? null
      return whole
    } catch (error) {
      const failure = recoverFrom(error)
      this.sections[section] = toSectionState(failure)
      return failure
    }
  }

  /** Reads a list or an object, and collects the undocumented fields and values of its records. */
  async readArea(area: string, endpoint: Endpoint, id?: unknown): Promise<readonly unknown[]> {
    const data = await this.readData(area, endpoint, id)
    const records = (Array.isArray(data) ? data : [data]).filter((one) => isObject(one))
    const documented = getProperties(endpoint.returns.shape) ?? {}
    const { neutral } = this.#words
    const strange = new Set<string>()
    for (const record of records)
      for (const [name, value] of Object.entries(record)) {
        if (!Object.hasOwn(documented, neutral(name))) {
          if (nameForm.test(name)) strange.add(name)
        } else this.#noteValue(`${area}.${neutral(name)}`, documented[neutral(name)], value)
      }
    if (strange.size > 0) this.fields[area] = [...strange].sort()
    return records
  }

  #noteValue(name: string, schema: unknown, value: unknown): void {
    const words = getDocumentedValues(schema)
    if (words === undefined || typeof value !== 'string' || words.includes(value)) return
    if (valueForm.test(value))
      this.values[name] = [...new Set([...(this.values[name] ?? []), value])].sort()
  }
}

const getVersion = (data: unknown): string | null =>
  (isObject(data) ? toText(data.version)?.slice(0, 60) : undefined) ?? null

const getReader = (user: unknown): KnownInstance['as'] => {
  const { id, is_admin: admin } = getFields(user)
  return {
    user_id: typeof id === 'number' ? id : null,
    admin: typeof admin === 'boolean' ? admin : null,
  }
}

const getEdition = (version: unknown): string | null => {
  const enterprise = getFields(version).enterprise
  return typeof enterprise === 'boolean' ? (enterprise ? 'enterprise' : 'community') : null
}

/**
 * Returns the undocumented settings of an answer.
 * @param words the instance's vocabulary; settings that it renames are documented
 */
export const getOwnSettings = <T>(
  site: Readonly<Record<string, T>>,
  words = documentedWords,
): readonly [name: string, value: T][] => {
  const documented = getProperties(settings.get.returns.shape) ?? {}
  return Object.entries(site).filter(([name]) => !Object.hasOwn(documented, words.neutral(name)))
}

/** Returns the names and types of undocumented settings. */
const toKnownSettings = (site: unknown, words: Words): KnownInstance['settings'] => {
  const own = isObject(site) ? getOwnSettings(site, words) : []
  return Object.fromEntries(
    own.flatMap(([name, value]) => (nameForm.test(name) ? [[name, toKnownSetting(value)]] : [])),
  )
}

/** @param words the active vocabulary; fields that it renames are documented */
const probeInstance = async (
  client: ExternalClient,
  baseUrl: string,
  now: Date,
  words: Words,
): Promise<{ readonly known: KnownInstance; readonly answered: readonly string[] }> => {
  const at = now.toISOString()
  const instanceProbe = new InstanceProbe(client, words, at)
  const version =
    (await instanceProbe.readVersion('/version')) ?? (await instanceProbe.readVersion('/metadata'))
  const [user, site, [project]] = await Promise.all([
    instanceProbe.readData('user', account),
    instanceProbe.readData('settings', settings.get),
    instanceProbe.readArea('projects', projects.list),
  ])
  const id = getFields(project).id
  await Promise.all([
    // Only administrators may list the runners of the instance.
    instanceProbe.readArea('runners', site === undefined ? runners.list : runners.listAll),
    instanceProbe.readArea('geo', geo.list),
    instanceProbe.readArea('pages-domains', pagesDomains.listAll),
    instanceProbe.readArea('deploy-keys', deployKeys.listAll),
  ])
  if (id !== undefined)
    await Promise.all([
      instanceProbe.readArea('jobs', jobs.list, id),
      instanceProbe.readArea('integrations', integrations.list, id),
      instanceProbe.readArea('error-tracking', errorTracking.keysList, id),
    ])
  const { sections, gone, fields, values, cookie, answered } = instanceProbe
  const known: KnownInstance = {
    format: 1,
    base_url: baseUrl,
    read_at: at,
    as: getReader(user),
    version: getVersion(version),
    edition: getEdition(version),
    settings: toKnownSettings(site, words),
    values,
    gone,
    cookie,
    fields,
    sections,
  }
  return { known, answered }
}

/**
 * Inspects the instance of the run if a profile can store the result.
 * @param how.words the vocabulary; by default the active one
 */
export const discoverOwnInstance = async (
  context: Pick<Context, 'instance' | 'place'>,
  how: { readonly anew?: boolean; readonly words?: Words } = {},
): Promise<KnownInstance | undefined> => {
  const { instance, place } = context
  const session = await place.session()
  const { profile, baseUrl } = session
  if (profile?.baseUrl !== baseUrl || place.globals.sandbox === true) return undefined
  try {
    const credential = await session.getCredential()
    if (credential === undefined) return undefined
    const { words = await loadActiveWords(place) } = how
    const { kind, value } = credential
    const client = instance.createClientFor(baseUrl, { kind, value }, session)
    return await discoverInstance(context, profile, client, { ...how, words })
  } catch (error) {
    recoverFrom(error)
    return undefined
  }
}

/** Stores the names and types of settings from the answer of a command. */
export const keepSettingNames = async (
  { place }: Pick<Context, 'place'>,
  profile: Profile,
  data: unknown,
): Promise<void> => {
  try {
    const words = await loadActiveWords(place)
    await addSettings(getPaths(place.env), profile, toKnownSettings(data, words))
  } catch (error) {
    recoverFrom(error)
  }
}

/**
 * Inspects an instance if the stored facts are older than a day.
 * @param anew true to inspect it in any case
 * @returns undefined if the facts cannot be stored: in CI, or if the folder cannot be written
 */
export const discoverInstance = async (
  { place }: Pick<Context, 'place'>,
  profile: Profile,
  client: ExternalClient,
  {
    anew = false,
    words = documentedWords,
  }: { readonly anew?: boolean; readonly words?: Words | undefined } = {},
): Promise<KnownInstance | undefined> => {
  const { env, clock } = place
  if (isSwitchedOn(env.CI)) return undefined
  const paths = getPaths(env)
  const before = readKnown(paths, profile)
  const now = clock.now()
  const age = before === undefined ? Number.NaN : now.getTime() - Date.parse(before.read_at)
  if (!anew && before !== undefined && age >= 0 && age < freshFor)
    // The vocabulary may have changed since the inspection.
    return { ...before, settings: Object.fromEntries(getOwnSettings(before.settings, words)) }
  try {
    const { known, answered } = await probeInstance(client, profile.baseUrl, now, words)
    return await saveKnown(paths, profile, known, answered)
  } catch (error) {
    // The facts are optional, so an error is ignored.
    recoverFrom(error)
    return undefined
  }
}
