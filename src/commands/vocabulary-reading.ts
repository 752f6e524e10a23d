/** Reads the answers that show the vocabulary of an instance, with at most ten requests, for `vocabulary learn` and `check`. */
import { getFields, isObject, listObjects } from '../base/objects.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import {
  findFamilyBySlug,
  integrationFamilies,
  integrations,
} from '../catalogue/areas/integrations.js'
import { projects } from '../catalogue/areas/projects.js'
import { settings } from '../catalogue/areas/settings.js'
import { sessionCookie } from '../catalogue/documented-names.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { nullable, Obj, Str } from '../catalogue/shapes/common.js'
import { documentedWords, type Words } from '../catalogue/words.js'
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
  const flags = { sandbox, profile, baseUrl }
  return getActiveVocabulary(flags, env, () => openStore(getPaths(env)))?.file
}

/**
 * Loads the active vocabulary. Without one, these are the documented names.
 * @throws Failure `usage` for an invalid file
 */
export const loadActiveWords = async (
  place: Pick<WorkspaceService, 'env' | 'globals'>,
): Promise<Words> => {
  const file = getVocabularyFile(place)
  return file === undefined ? documentedWords : loadWords(file)
}

/** Returns the name of the session cookie that an answer sets; undefined if it sets none. The value is not read. */
export const findSessionCookie = ({ headers }: Pick<WholeAnswer, 'headers'>): string | undefined =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split('=', 1)[0] ?? '')
    .find((name) => /^_\w{1,60}_session$/.test(name))

/** An answer, and a description of its subject. */
export interface ReadAnswer extends AnswerSample {
  /** The subject of the answer in words. */
  readonly what: string
}
/** An answer that could not be read, and the failure. */
export interface UnreadAnswer {
  readonly what: string
  readonly failure: Failure
}

/** All answers that show the vocabulary. */
export interface VocabularyAnswers {
  /** The version; undefined if the instance does not report it. */
  readonly version: string | undefined
  readonly read: readonly ReadAnswer[]
  readonly unread: readonly UnreadAnswer[]
}

const getVersion = (data: unknown): string | undefined =>
  isObject(data) && typeof data.version === 'string' ? data.version : undefined

const requestVersion = ({
  instance,
}: Pick<Context, 'instance'>): Promise<WholeAnswer | undefined> =>
  instance.sendUndocumented({ method: 'GET', path: '/version', headers: {} })

/** Reads the version of the instance, which is not documented; undefined if it does not report one. */
export const readVersion = async (context: Pick<Context, 'instance'>) =>
  getVersion((await requestVersion(context))?.data)

/** The maximum number of integrations with undocumented slugs that are read. */
const maxIntegrations = 3

/** The schema of the properties of the monitoring integration, whose names a vocabulary may change. */
const monitoringShape = Obj(
  Object.fromEntries(
    Object.keys(integrationFamilies.find(({ name }) => name === 'monitoring')?.params ?? {})
      .filter((name) => name.startsWith('monitor_'))
      .map((name) => [name, nullable(Str())]),
  ),
)

/** Sends requests in the given vocabulary, and collects the answers. */
class AnswerReader {
  readonly read: ReadAnswer[] = []
  readonly unread: UnreadAnswer[] = []
  readonly #context: Context
  readonly #words: Words

  constructor(context: Context, words: Words) {
    this.#context = context
    this.#words = words
  }

  /** Returns the data of an answer; undefined if it could not be read. */
  async readData(what: string, ask: Ask): Promise<unknown> {
    try {
      const request = await buildInstanceRequest(ask, this.#words)
      return this.#takeData(await this.#context.instance.sendUndocumented(request, ask.endpoint))
    } catch (error) {
      this.unread.push({ what, failure: recoverFrom(error) })
      return undefined
    }
  }

  /** Returns the version in an answer, and collects the name of its session cookie. */
  takeVersion(answer: WholeAnswer | undefined): string | undefined {
    return getVersion(this.#takeData(answer))
  }

  /** Returns the data of an answer, and collects the name of the session cookie. */
  #takeData(answer: WholeAnswer | undefined): unknown {
    const name = answer === undefined ? undefined : findSessionCookie(answer)
    if (name !== undefined && !this.read.some(({ what }) => what === 'cookies')) {
      const shape = Obj({ [sessionCookie]: Str() })
      this.read.push({ what: 'cookies', shape, record: { [name]: '' } })
    }
    return answer?.data
  }

  /** Reads a record, or the first one of a list, and collects it with its schema. */
  async readRecord(what: string, endpoint: Endpoint, values: Ask['values']): Promise<void> {
    const { shape } = endpoint.returns
    const data = await this.readData(what, { endpoint, values })
    const records = Array.isArray(data) ? data : [data]
    const schema = isObject(shape) && isObject(shape.items) ? shape.items : shape
    // All records of a list have the same names, so one is enough.
    const record = records.find(isObject)
    if (record !== undefined) this.read.push({ what, shape: schema, record })
  }

  /** Reads the properties of integrations with undocumented slugs, which may belong to the monitoring family under another name. */
  async readIntegrations(id: string | number): Promise<void> {
    const list = await this.readData('integrations', {
      endpoint: integrations.list,
      values: { id },
    })
    const records = listObjects(list)
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
      const one = await this.readData(what, { endpoint: integrations.get, values: { id, slug } })
      const properties = getFields(one).properties
      if (isObject(properties))
        this.read.push({ what, shape: monitoringShape, record: properties, slug })
    }
  }
}

/** Chooses the project to read: that of the line, that of the environment, or else the first visible one. */
const chooseProject = async (
  { place }: Context,
  reader: AnswerReader,
  given: string | number | undefined,
): Promise<string | number | undefined> => {
  const known = given ?? (await place.findScope('project').catch(() => undefined))
  if (known !== undefined) return known
  const list = await reader.readData('projects', {
    endpoint: projects.list,
    values: {},
    extra: { per_page: 1 },
  })
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isObject(first) && typeof first.id === 'number' ? first.id : undefined
}

/**
 * Reads the answers that show the vocabulary.
 * @param words the vocabulary of the requests
 */
export const readAnswers = async (
  context: Context,
  project: string | number | undefined,
  words = documentedWords,
): Promise<VocabularyAnswers> => {
  const reader = new AnswerReader(context, words)
  let version: string | undefined
  try {
    version = reader.takeVersion(await requestVersion(context))
  } catch (error) {
    const failure = recoverFrom(error)
    if (failure.details.status === undefined) throw failure
  }
  await reader.readRecord('settings', settings.get, {})
  const id = await chooseProject(context, reader, project)
  if (id !== undefined) {
    await reader.readRecord('error tracking', errorTracking.get, { id })
    await reader.readRecord('client keys', errorTracking.keysList, { id })
    await reader.readIntegrations(id)
  }
  const { read, unread } = reader
  return { version, read, unread }
}
