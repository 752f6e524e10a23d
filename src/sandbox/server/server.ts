/** The HTTP server: routes, body parsers, and what happens around every handler. */
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Call, type Instance } from '../call.js'
import type { AnyHandler } from '../handlers.js'
import { invalid, Refusal } from '../reply.js'
import { sendJson, sendResult } from './answer.js'
import { authenticate } from './auth.js'
import { checkInput } from './check.js'
import { decodeForm, type Nested, nest } from './decode.js'
import type { Found } from './router.js'
import { collectRoutes, type Finder, finderOf, type Route } from './routes.js'

const bodyLimit = 256 * 1024 * 1024

const isObject = (value: unknown): value is Nested =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readMultipart = async (request: FastifyRequest): Promise<Nested> => {
  const pairs: [string, unknown][] = []
  for await (const part of request.parts({ limits: { fileSize: bodyLimit } }))
    pairs.push([
      part.fieldname,
      part.type === 'file' ? (await part.toBuffer()).toString('utf8') : part.value,
    ])
  return nest(pairs)
}

const queryOf = (request: FastifyRequest): Nested => request.query as Nested

/** Query and body together; the body wins. */
const readParams = async (request: FastifyRequest): Promise<Nested> => {
  const body = request.isMultipart() ? await readMultipart(request) : request.body
  if (body === undefined || body === null) return queryOf(request)
  if (!isObject(body)) throw invalid('message body does not match declared format')
  return { ...queryOf(request), ...body }
}

const known = new WeakMap<Route, AnyHandler>()

const handlerOf = async (route: Route): Promise<AnyHandler> => {
  const handler = known.get(route) ?? (await route.load())
  known.set(route, handler)
  return handler
}

/** Runs one request through authentication, checks and its handler. */
const serve = async (
  instance: Instance,
  { value: route, path }: Found<Route>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { method, headers } = request
  const actor = authenticate(instance, { method, headers, query: queryOf(request) }, route.gate)
  const sent = await readParams(request)
  const params = route.url instanceof RegExp ? { ...sent, ...path } : sent
  const input = route.endpoint === undefined ? path : checkInput(route.endpoint, path, params)
  const call = new Call(instance, actor, { params, headers })
  const handler = await handlerOf(route)
  const result = await handler(call, input as never)
  if (method !== 'GET' && method !== 'HEAD') instance.touch()
  const paged = route.endpoint === undefined || route.endpoint.returns.kind === 'many'
  return sendResult(result, route.status, paged, request, reply, { base: instance.base, params })
}

const addParsers = async (app: FastifyInstance): Promise<void> => {
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit, parser: (text: string) => decodeForm(text) })
  await app.register(multipart, { limits: { fileSize: bodyLimit } })
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit },
    (_request, text, done) => {
      if (text === '') return done(null, undefined)
      try {
        done(null, JSON.parse(String(text)))
      } catch {
        done(invalid('message body does not match declared format'))
      }
    },
  )
}

const onError = (error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  if (error instanceof Refusal) {
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

/** 404 for a path that no route knows, 405 for one that has other methods. */
const refuse = (methods: readonly string[], reply: FastifyReply): FastifyReply => {
  if (methods.length === 0) return sendJson(reply, 404, { error: '404 Not Found' })
  reply.header('allow', methods.join(', '))
  return sendJson(reply, 405, { error: '405 Not Allowed' })
}

const find = (finder: Finder, request: FastifyRequest) => {
  const [path = ''] = request.url.split('?')
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

/** The server with all routes, not yet listening. */
export const buildServer = async (instance: Instance): Promise<FastifyInstance> => {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    schemaController,
    exposeHeadRoutes: false,
    requestIdHeader: 'x-request-id',
    genReqId: () => crypto.randomUUID(),
    routerOptions: { querystringParser: (text) => decodeForm(text) },
  })
  await addParsers(app)
  const finder = finderOf(await collectRoutes())
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const found = find(finder, request)
    return 'value' in found ? serve(instance, found, request, reply) : refuse(found, reply)
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.setErrorHandler(onError)
  app.setNotFoundHandler(handler)
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  app.route({ method, url: '/*', handler })
  return app
}
