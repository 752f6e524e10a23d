/** The HTTP server: routes, body parsers, and what happens around every handler. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { sessionCookie, type Words } from '../../catalogue/words.js'
import { Call, type Instance } from '../call.js'
import type { AnyHandler } from '../handlers.js'
import { invalid } from '../reply.js'
import { Scheduler } from '../scheduler.js'
import { acceptedInput } from './accepts.js'
import { refuseOutsider } from './access.js'
import { sendJson, sendResult } from './answer.js'
import { authenticate } from './auth.js'
import { addParsers, bodyLimit, paramsOf, queryOf, targetOf } from './body.js'
import { checkInput } from './check.js'
import type { Nested } from './decode.js'
import { fromPage, turnedAway } from './door.js'
import { onClientError, onError } from './errors.js'
import { addLoad, type Load } from './limits.js'
import type { Found } from './router.js'
import { collectRoutes, type Finder, finderOf, type ServedRoute } from './routes.js'
import * as other from './words.js'

const known = new WeakMap<ServedRoute, AnyHandler>()

const handlerOf = async (route: ServedRoute): Promise<AnyHandler> => {
  const handler = known.get(route) ?? (await route.load())
  known.set(route, handler)
  return handler
}

/** What was sent as the route takes it. Whoever may not call it at all hears that, and not what is wrong with it. */
const inputOf = (
  { endpoint, accepts }: ServedRoute,
  path: Found<ServedRoute>['path'],
  call: Call,
): Readonly<Record<string, unknown>> => {
  const { params } = call.sent
  if (endpoint !== undefined)
    try {
      return checkInput(endpoint, path, params)
    } catch (refusal) {
      refuseOutsider(call, endpoint, path)
      throw refusal
    }
  return accepts === undefined ? path : acceptedInput(accepts, path, params)
}

/** Runs one request through authentication, checks and its handler. */
const serve = async (
  instance: Instance,
  scheduler: Scheduler,
  { value: route, path }: Found<ServedRoute>,
  query: Nested,
  request: FastifyRequest,
  reply: FastifyReply,
  words: Words | undefined,
): Promise<FastifyReply> => {
  const { method, headers } = request
  const claims = {
    method,
    headers,
    query: fromPage(headers) ? {} : query,
    ...(words === undefined ? {} : { cookie: words.cookie(sessionCookie) }),
  }
  await scheduler.advance()
  const actor = authenticate(instance, claims, route.entrance)
  const came = await paramsOf(request, query)
  const sent = words === undefined ? came : other.paramsOf(route, came, words)
  const params = route.url instanceof RegExp ? { ...sent, ...path } : sent
  const places = words === undefined ? path : other.pathOf(path, words)
  const call = new Call(instance, actor, { params, headers })
  const input = inputOf(route, places, call)
  const handler = await handlerOf(route)
  const result = await handler(call, input as never)
  if (method !== 'GET' && method !== 'HEAD') {
    await scheduler.advance(true)
    await instance.save()
  }
  const paged = route.endpoint === undefined || route.endpoint.returns.kind === 'many'
  return sendResult(result, route.status, paged, request, reply, { base: instance.base, params })
}

/** 404 for a path that no route knows, 405 for one that has other methods. */
const refuse = (methods: readonly string[], reply: FastifyReply): FastifyReply => {
  if (methods.length === 0) return sendJson(reply, 404, { error: '404 Not Found' })
  reply.header('allow', methods.join(', '))
  return sendJson(reply, 405, { error: '405 Not Allowed' })
}

const find = (finder: Finder, request: FastifyRequest) => {
  const { path } = targetOf(request)
  try {
    return finder.find(request.method === 'HEAD' ? 'GET' : request.method, path)
  } catch {
    throw invalid('the path is not properly encoded')
  }
}

const unwanted = (): never => {
  throw new Error('routes of the sandbox have no schema of Fastify’s')
}

/** Inputs are checked by the catalogue: Fastify's compilers, half of its loading time, stay away. */
const schemaController = {
  compilersFactory: { buildValidator: unwanted, buildSerializer: unwanted },
}

/**
 * The server with all routes, not yet listening. Fastify sees one address only: its own router
 * would parse queries where nothing catches what is thrown, and answer bad paths in its own words.
 */
export const buildServer = async (
  instance: Instance,
  { words, ...load }: Load & { readonly words?: Words } = {},
): Promise<FastifyInstance> => {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    schemaController,
    exposeHeadRoutes: false,
    requestIdHeader: 'x-request-id',
    genReqId: () => crypto.randomUUID(),
    rewriteUrl: () => '/',
    clientErrorHandler: onClientError,
  })
  await addParsers(app)
  const scheduler = new Scheduler(instance)
  const routes = await collectRoutes()
  const finder = finderOf(words === undefined ? routes : other.routesIn(routes, words))
  if (words !== undefined) other.speak(app, words)
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = queryOf(request)
    const found = find(finder, request)
    return 'value' in found
      ? serve(instance, scheduler, found, query, request, reply, words)
      : refuse(found, reply)
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    const refusal = turnedAway(request.headers)
    if (refusal !== undefined) throw refusal
  })
  addLoad(app, load)
  app.setErrorHandler(onError)
  app.setNotFoundHandler(handler)
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  app.route({ method, url: '/', handler })
  return app
}
