/**
 * Reads what shows the vocabulary of an instance, with at most ten read requests, for `vocabulary learn
 * check`.
 */
import { isObject } from '../base/objects.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import {
  findFamilyBySlug,
  integrationFamilies,
  integrations,
} from '../catalogue/areas/integrations.js'
import { projects } from '../catalogue/areas/projects.js'
import { settings } from '../catalogue/areas/settings.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { nullable, Obj, Str } from '../catalogue/shapes/common.js'
import { sessionCookie, type Words } from '../catalogue/words.js'
import { buildInstanceRequest } from '../client/instance.js'
import type { Context, WorkspaceService } from '../engine/command/context.js'
import { type Failure, recoverFrom } from '../errors.js'
import type { Ask, WholeAnswer } from '../http/types.js'
import { getActiveVocabulary, getPaths, openStore } from '../profile/index.js'
import { loadWords } from '../vocabulary/index.js'
import type { AnswerSample } from '../vocabulary/learn.js'

/** Returns the active vocabulary file; undefined if there is none. */
export const getVocabularyFile = ({
  env,
  globals,
}: Pick<WorkspaceService, 'env' | 'globals'>): string | undefined => {
  const { profile, baseUrl, sandbox } = globals
  const flags = {
    sandbox,
    profile,
    baseUrl,
  }
  return getActiveVocabulary(flags, env, () => openStore(getPaths(env)))?.file
}

/**
 * Loads the active vocabulary; undefined if there is none.
 * @throws Failure `usage` for an invalid file
 */
export const loadWordsInForce = async (
  place: Pick<WorkspaceService, 'env' | 'globals'>,
): Promise<Words | undefined> => {
  const file = getVocabularyFile(place)
  return file === undefined ? undefined : loadWords(file)
}

/**
 * Returns the name of the session cookie that a response sets, without looking at its value; undefined if it sets
 * none.
 */
export const findSessionCookie = ({ headers }: Pick<WholeAnswer, 'headers'>): string | undefined =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split('=', 1)[0] ?? '')
    .find((name) => /^_\w{1,60}_session$/.test(name))

/** A response, and its subject. */
export interface ReadAnswer extends AnswerSample {
  /** The subject of the response, in words. */
  readonly what: string
}
/** A response that could not be read, and why. */
export interface UnreadAnswer {
  readonly what: string
  readonly failure: Failure
}

/** All responses that show the vocabulary. */
export interface VocabularyAnswers {
  /** The version; undefined where the instance does not tell. */
  readonly version: string | undefined
  readonly read: readonly ReadAnswer[]
  readonly unread: readonly UnreadAnswer[]
}

const getVersion = (data: unknown): string | undefined =>
  isObject(data) && typeof data.version === 'string' ? data.version : undefined

const askVersion = ({ instance }: Pick<Context, 'instance'>): Promise<WholeAnswer | undefined> =>
  instance.raw({ method: 'GET', path: '/version', headers: {} })

/** Reads the version of the instance, which is not documented; undefined if it does not report one. */
export const readVersion = async (context: Pick<Context, 'instance'>) =>
  getVersion((await askVersion(context))?.data)

/** The number of integrations with undocumented slugs that are read. */
const maxIntegrations = 3

/** The properties of an integration of the family that has words of its own. */
const monitoringShape = Obj(
  Object.fromEntries(
    Object.keys(integrationFamilies.find(({ name }) => name === 'monitoring')?.params ?? {})
      .filter((name) => name.startsWith('monitor_'))
      .map((name) => [name, nullable(Str())]),
  ),
)

/** Reads in the words of a file, whichever are in force. */
class AnswerReader {
  readonly read: ReadAnswer[] = []
  readonly unread: UnreadAnswer[] = []
  readonly #context: Context
  readonly #words: Words | undefined

  constructor(context: Context, words: Words | undefined) {
    this.#context = context
    this.#words = words
  }

  /** The data of an answer; undefined where there is none. */
  async data(what: string, ask: Ask): Promise<unknown> {
    try {
      const request = await buildInstanceRequest(ask, this.#words)
      return this.#heard(await this.#context.instance.raw(request, ask.endpoint))
    } catch (error) {
      this.unread.push({ what, failure: recoverFrom(error) })
      return undefined
    }
  }

  version(whole: WholeAnswer | undefined): string | undefined {
    return getVersion(this.#heard(whole))
  }

  /** Returns the data of an answer, and notes the name of the session's cookie. */
  #heard(whole: WholeAnswer | undefined): unknown {
    const name = whole === undefined ? undefined : findSessionCookie(whole)
    if (name !== undefined && !this.read.some(({ what }) => what === 'cookies')) {
      const shape = Obj({ [sessionCookie]: Str() })
      this.read.push({ what: 'cookies', shape, record: { [name]: '' } })
    }
    return whole?.data
  }

  async one(what: string, endpoint: Endpoint, values: Ask['values']): Promise<void> {
    const { shape } = endpoint.returns
    const data = await this.data(what, { endpoint, values })
    const records = Array.isArray(data) ? data : [data]
    const schema = isObject(shape) && isObject(shape.items) ? shape.items : shape
    // All records of a list have the same names.
    const record = records.find(isObject)
    if (record !== undefined) this.read.push({ what, shape: schema, record })
  }

  /** Reads the properties of active integrations that no document names, and compares them with the family with words of its own. */
  async integrations(id: string | number): Promise<void> {
    const list = await this.data('integrations', { endpoint: integrations.list, values: { id } })
    const records = Array.isArray(list) ? list.filter(isObject) : []
    const [record] = records
    if (record !== undefined)
      this.read.push({ what: 'integrations', shape: integrations.list.returns.shape, record })
    const unknown = records.flatMap(({ slug }) =>
      typeof slug === 'string' && /^[\w-]{1,64}$/.test(slug) && findFamilyBySlug(slug) === undefined
        ? [slug]
        : [],
    )
    for (const slug of unknown.slice(0, maxIntegrations)) {
      const what = `integration ${slug}`
      const one = await this.data(what, { endpoint: integrations.get, values: { id, slug } })
      const properties = isObject(one) ? one.properties : undefined
      if (isObject(properties))
        this.read.push({ what, shape: monitoringShape, record: properties, slug })
    }
  }
}

/** Chooses the project to read: the one given, the one at hand, else the first of all. */
const chooseProject = async (
  { place }: Context,
  reader: AnswerReader,
  given: string | number | undefined,
): Promise<string | number | undefined> => {
  const known = given ?? (await place.scope('project').catch(() => undefined))
  if (known !== undefined) return known
  const list = await reader.data('projects', {
    endpoint: projects.list,
    values: {},
    extra: { per_page: 1 },
  })
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isObject(first) && typeof first.id === 'number' ? first.id : undefined
}

/**
 * Reads the responses in which the vocabulary shows.
 * @param words the vocabulary in which the requests are sent
 */
export const readAnswers = async (
  context: Context,
  project: string | number | undefined,
  words?: Words,
): Promise<VocabularyAnswers> => {
  const reader = new AnswerReader(context, words)
  let version: string | undefined
  try {
    version = reader.version(await askVersion(context))
  } catch (error) {
    const failure = recoverFrom(error)
    if (failure.details.status === undefined) throw failure
  }
  await reader.one('settings', settings.get, {})
  const id = await chooseProject(context, reader, project)
  if (id !== undefined) {
    await reader.one('error tracking', errorTracking.get, { id })
    await reader.one('client keys', errorTracking.keysList, { id })
    await reader.integrations(id)
  }
  const { read, unread } = reader
  return { version, read, unread }
}
