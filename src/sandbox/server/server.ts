/** Builds the HTTP server: it adds all routes, parses bodies, checks each request, runs its handler and sends the result. */

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { sessionCookie } from '../../catalogue/documented-names.js'
import { getScopeType, isScope } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { Call, type Instance } from '../call.js'
import {
  type AcceptedParams,
  checkInput,
  convert,
  decodeForm,
  dropEmpty,
  type NestedParams,
} from '../check.js'
import { invalid, Refusal } from '../reply.js'
import { getRoleIn } from '../rules/access.js'
import { Scheduler } from '../scheduler.js'
import { acceptAsOf, selectRoutes, showAsOf } from './ages.js'
import { completeAnswer, findAccessRefusal, isFromPage, sendJson, sendResult } from './answer.js'
import { identifyActor } from './auth.js'
import type { DeclaredResource } from './declared.js'
import {
  acceptBodies,
  createTooLargeRefusal,
  discard,
  getParams,
  getTarget,
  isTooLarge,
  simplifyPath,
} from './request.js'
import type { RouteMatch } from './router.js'
import { collectRoutes, createRouteFinder, type RouteFinder, type ServedRoute } from './routes.js'
import { addLoad, doubleRoot, type Load, type TestDouble } from './test-double.js'
import * as other from './words.js'

// Error responses. Each has a JSON body, wherever the error occurred.

/** Sends the response for an error that a handler, a parser or a hook threw. */
const handleError = (
  cause: unknown,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const error = isTooLarge(cause) ? createTooLargeRefusal() : cause
  if (error instanceof Refusal) {
    if (error.status === 413) discard(raw, reply)
    reply.headers(error.headers)
    return sendJson(reply, error.status, error.body)
  }
  const { statusCode = 500, message = 'unknown' } = error as {
    statusCode?: number
    message?: string
  }
  if (statusCode >= 400 && statusCode < 500) return sendJson(reply, statusCode, { error: message })
  return sendJson(reply, 500, { message: `500 Internal Server Error: ${message}` })
}

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** Sends the response for data that is not valid HTTP. There is only a connection, and no request. */
const handleClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status = statuses[error.code ?? ''] ?? 400
  const body = JSON.stringify({ error: STATUS_CODES[status] })
  if (socket.writable)
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
  socket.destroySoon()
}

// The check of roles, by the `access` of the catalogue. It comes before the check of the input.

/**
 * Checks whether the acting user may call a route with any input. If the catalogue names no role, the user has to see the project or group
 * in the path.
 * @throws Refusal 401, 403 or 404
 */
const checkCaller = (
  call: Call,
  { access = '', path }: AcceptedParams,
  given: Readonly<Record<string, unknown>>,
): void => {
  if (access.startsWith('administrators')) call.requireAdmin()
  for (const [name, param] of Object.entries(path)) {
    if (!isScope(param)) continue
    const place = convert(name, param, given[name])
    if (typeof place !== 'string' && typeof place !== 'number') continue
    const role = getRoleIn(access)
    if (getScopeType(param) === 'project') call.requireProject(place, { role })
    else call.requireGroup(place, { role })
  }
}

/**
 * True if a route reads data of a public project or group, so that the request needs no user. If the documentation requires a user
 * nevertheless, the handler checks that.
 */
const isPublicRead = (
  instance: Instance,
  { method, accepts }: ServedRoute,
  path: RouteMatch<ServedRoute>['path'],
): boolean => {
  if (method !== 'GET') return false
  const anybody = new Call(instance, {}, { params: {}, headers: {} })
  return Object.entries(accepts?.path ?? {}).some(([name, param]) => {
    if (!isScope(param)) return false
    const reference = convert(name, param, path[name]) as string | number
    const found =
      getScopeType(param) === 'project'
        ? anybody.findProject(reference)
        : anybody.findGroup(reference)
    return found?.visibility === 'public'
  })
}

/** Returns the checked input of a route. The refusal of the user takes precedence over an error in the input. */
const getInput = (
  route: ServedRoute,
  path: RouteMatch<ServedRoute>['path'],
  call: Call,
): Readonly<Record<string, unknown>> => {
  const { accepts } = route
  if (accepts === undefined) return path
  try {
    return acceptAsOf(checkInput(accepts, path, call.sent.params), route, call.instance.asOf)
  } catch (refusal) {
    checkCaller(call, accepts, path)
    throw refusal
  }
}

/** Handles a request: it authenticates the user, checks the input, runs the handler and sends the result. */
const serve = async (
  instance: Instance,
  scheduler: Scheduler,
  { value: route, path }: RouteMatch<ServedRoute>,
  query: NestedParams,
  request: FastifyRequest,
  reply: FastifyReply,
  words: Words | undefined,
  heard: { user?: string } | undefined,
): Promise<FastifyReply> => {
  const { method, headers } = request
  const reads = method === 'GET' || method === 'HEAD'
  const came = reads ? dropEmpty(query) : getParams(request, query)
  const claims = {
    method,
    headers,
    params: isFromPage(headers) ? {} : came,
    cookie: words?.cookie(sessionCookie) ?? sessionCookie,
  }
  await scheduler.advance()
  const places = words === undefined ? path : other.translatePath(path, words)
  const actor = identifyActor(instance, claims, {
    ...route.auth,
    open: isPublicRead(instance, route, places),
  })
  if (heard !== undefined) heard.user = actor.user?.username
  const sent = words === undefined ? came : other.translateParams(route, came, words)
  const params = route.url instanceof RegExp ? { ...sent, ...path } : sent
  const call = new Call(instance, actor, { params, headers })
  const input = getInput(route, places, call)
  const result = await route.handle(call, input as never)
  if (!reads) {
    await scheduler.advance(true)
    await instance.save()
  } else {
    // The changes of a read can be made again, so that an error of the disk is only reported for writes.
    instance.save().catch(() => {})
  }
  const paged = route.endpoint === undefined || route.endpoint.returns.kind === 'many'
  const show = (body: unknown) => showAsOf(body, route, instance.asOf)
  return sendResult(result, route.status, paged, request, reply, {
    base: instance.base,
    params,
    show,
  })
}

/** Sends a 404 for an unknown path, and a 405 for a path that has only other methods. */
const sendRefusal = (methods: readonly string[], reply: FastifyReply): FastifyReply => {
  if (methods.length === 0) return sendJson(reply, 404, { error: '404 Not Found' })
  reply.header('allow', methods.join(', '))
  return sendJson(reply, 405, { error: '405 Not Allowed' })
}

/** Finds the route of a path, or else of the path without redundant slashes. In the path of a file, such slashes count. */
const findRoute = (finder: RouteFinder, method: string, path: string) => {
  const verb = method === 'HEAD' ? 'GET' : method
  try {
    const found = finder.find(verb, path)
    return 'value' in found || found.length > 0 ? found : finder.find(verb, simplifyPath(path))
  } catch {
    throw invalid('the path is not properly encoded')
  }
}

const failOnSchema = (): never => {
  throw new Error('routes of the sandbox have no schema of Fastify’s')
}

/** Prevents Fastify from loading its schema compilers, which take half of its loading time. The catalogue checks the inputs. */
const schemaController = {
  compilersFactory: { buildValidator: failOnSchema, buildSerializer: failOnSchema },
}

/** Adds the headers of `completeAnswer` to each response. `now` returns milliseconds, from which the duration is computed. */
const completeAnswers = (app: FastifyInstance, now: () => number): void => {
  const begun = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', async (request) => {
    begun.set(request, now())
  })
  app.addHook('onSend', async (request, reply, payload) =>
    completeAnswer(request, reply, payload, now() - (begun.get(request) ?? now())),
  )
}

interface ServerOptions extends Load {
  readonly words?: Words
  readonly resources?: readonly DeclaredResource[] | undefined
}

/**
 * Builds the server with all routes. It does not listen yet. Fastify gets only one route, since its router would throw errors outside of
 * the error handler and would refuse invalid paths in its own words.
 */
export const buildServer = async (
  instance: Instance,
  { words, resources, ...load }: ServerOptions = {},
  double?: TestDouble,
): Promise<FastifyInstance> => {
  const app = fastify({
    forceCloseConnections: true,
    schemaController,
    exposeHeadRoutes: false,
    requestIdHeader: 'x-request-id',
    genReqId: () => crypto.randomUUID(),
    rewriteUrl: () => '/',
    clientErrorHandler: handleClientError,
    // `findAccessRefusal` checks the Host header, and refuses in JSON.
    http: { requireHostHeader: false },
  })
  const scheduler = new Scheduler(instance)
  const routes = selectRoutes(collectRoutes(resources), instance.asOf)
  const finder = createRouteFinder(words ? other.translateRoutes(routes, words) : routes)
  if (words !== undefined) other.renameAnswers(app, words)
  double?.attach(scheduler, (method, path) => 'value' in finder.find(method, path))
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { path, query: text } = getTarget(request)
    const query = decodeForm(text)
    if (double !== undefined && path.startsWith(doubleRoot)) {
      const asked = `${request.method} ${path.slice(doubleRoot.length)}`
      return sendJson(reply, 200, (await double.ask(asked, request.body)) ?? {})
    }
    const heard = double?.hear(request, simplifyPath(path), query)
    if (heard !== undefined) reply.raw.once('finish', () => (heard.status = reply.statusCode))
    if (heard !== undefined && (await double?.answer(heard, reply))) return reply
    const found = findRoute(finder, request.method, path)
    return 'value' in found
      ? serve(instance, scheduler, found, query, request, reply, words, heard)
      : sendRefusal(found, reply)
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, date: instance.clock.now().toUTCString() })
    const refusal = findAccessRefusal(request)
    if (refusal !== undefined) throw refusal
  })
  completeAnswers(app, () => instance.clock.now().getTime())
  acceptBodies(app)
  addLoad(app, load)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(handler)
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  app.route({ method, url: '/', handler })
  return app
}
