/**
 * Makes the instance use other names than the documented ones, in requests and responses. It serves to test clients with such a
 * vocabulary.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isObject } from '../../base/objects.js'
import { integrationFamilies } from '../../catalogue/areas/integrations.js'
import { getInnerParams, type Param, type Params, widenParams } from '../../catalogue/params.js'
import { renameFields, type Words } from '../../catalogue/words.js'
import { apiRoot } from '../call.js'
import { everywhere, type NestedParams } from '../check.js'
import type { ServedRoute } from './routes.js'

/** Returns the routes under their other names, without those that the vocabulary marks as gone. */
export const translateRoutes = (
  routes: readonly ServedRoute[],
  words: Words,
): readonly ServedRoute[] =>
  routes.flatMap((route): ServedRoute[] => {
    const { area, endpoint, url } = route
    if (endpoint !== undefined && words.gone(endpoint.route) !== undefined) return []
    const here = typeof url === 'string' && url.startsWith(`${apiRoot}/`)
    const path = here ? apiRoot + words.path(url.slice(apiRoot.length)) : url
    if (endpoint === undefined || area === undefined) return [{ ...route, url: path }]
    const params = widenParams(area, endpoint.params, words.values)
    return [{ ...route, url: path, accepts: { ...endpoint, params } }]
  })

const translateValue = (value: unknown, param: Param, words: Words): unknown => {
  const inner = getInnerParams(param)
  if (inner === undefined) return value
  if (Array.isArray(value)) return value.map((item: unknown) => translateValue(item, param, words))
  return isObject(value) ? translateSent(value, inner, words) : value
}

/** Translates the parameters of a request that have a known name, and drops all others. */
const translateSent = (
  sent: Readonly<Record<string, unknown>>,
  params: Params,
  words: Words,
): NestedParams => {
  const known = new Map(
    Object.entries(params).map(([name, param]) => [words.name(name), { name, param }]),
  )
  return Object.fromEntries(
    Object.entries(sent).flatMap(([own, value]) => {
      const found = known.get(own)
      if (found !== undefined) return [[found.name, translateValue(value, found.param, words)]]
      return everywhere.includes(own) ? [[own, value]] : []
    }),
  )
}

/** Translates parameters to their documented names. */
export const translateParams = (
  route: ServedRoute,
  sent: NestedParams,
  words: Words,
): NestedParams => {
  const params = route.accepts?.params
  if (params === undefined) return sent
  const taken = translateSent(sent, params, words)
  if (typeof route.url === 'string') return taken
  // The properties of an alert may have any name.
  const names = new Set(Object.keys(params).flatMap((name) => [name, words.name(name)]))
  const others = Object.entries(sent).filter(([name]) => !names.has(name))
  return { ...Object.fromEntries(others), ...taken }
}

const findFamily = (slug: string, words: Words): string | undefined =>
  integrationFamilies.find(({ name }) => words.slugs(name).includes(slug))?.name

/** Replaces the slug of an integration by the name of its family, under which it is stored. */
export const translatePath = (
  path: Readonly<Record<string, string>>,
  words: Words,
): Readonly<Record<string, string>> =>
  path.slug === undefined ? path : { ...path, slug: findFamily(path.slug, words) ?? path.slug }

/** Translates the names of parameters in a refusal such as `title, can_push are missing`. */
const translateRefusal = (value: unknown, words: Words): unknown => {
  if (!isObject(value) || typeof value.error !== 'string') return value
  const error = value.error.replace(/^[a-z]\w*(?:, [a-z]\w*)*(?= )/, (names) =>
    names.split(', ').map(words.name).join(', '),
  )
  return { ...value, error }
}

const renameHeaders = (reply: FastifyReply, words: Words): void => {
  for (const name of reply.raw.getHeaderNames()) {
    const own = words.header(name)
    const value = reply.raw.getHeader(name)
    if (own === name || value === undefined) continue
    reply.raw.removeHeader(name)
    reply.raw.setHeader(own, value)
  }
}

/** Translates the headers and bodies of all responses. */
export const renameAnswers = (app: FastifyInstance, words: Words): void => {
  app.addHook('onSend', async (_request, reply, payload) => {
    renameHeaders(reply, words)
    if (reply.getHeader('content-type') !== 'application/json' || !Buffer.isBuffer(payload))
      return payload
    const answer = translateRefusal(JSON.parse(payload.toString()), words)
    const renamed = renameFields(answer, words.name, (slug) => words.slugs(slug)[0])
    return Buffer.from(JSON.stringify(renamed))
  })
}
