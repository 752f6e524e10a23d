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
import { collectRoutes, type Route } from './routes.js'

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

const pathOf = (route: Route, request: FastifyRequest): Record<string, string> => {
  if (route.url instanceof RegExp) {
    const { pathname } = new URL(request.url, 'http://instance')
    return { ...route.url.exec(decodeURIComponent(pathname))?.groups }
  }
  const path = request.params as Record<string, string>
  if (route.wildcard === undefined) return path
  const { '*': rest = '', ...named } = path
  return { ...named, [route.wildcard]: rest }
}

const serve = (instance: Instance, route: Route) => {
  let handler: AnyHandler | undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { method, headers } = request
    const actor = authenticate(instance, { method, headers, query: queryOf(request) }, route.gate)
    const path = pathOf(route, request)
    const sent = await readParams(request)
    const params = route.url instanceof RegExp ? { ...sent, ...path } : sent
    const input = route.endpoint === undefined ? path : checkInput(route.endpoint, path, params)
    const call = new Call(instance, actor, { params, headers })
    handler ??= await route.load()
    const result = await handler(call, input as never)
    if (method !== 'GET' && method !== 'HEAD') instance.touch()
    const paged = route.endpoint === undefined || route.endpoint.returns.kind === 'many'
    return sendResult(result, route.status, paged, request, reply, { base: instance.base, params })
  }
}

const addParsers = async (app: FastifyInstance): Promise<void> => {
  await app.register(formbody, { bodyLimit, parser: (text: string) => decodeForm(text) })
  await app.register(multipart, { limits: { fileSize: bodyLimit } })
  app.removeContentTypeParser('application/json')
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

const segments = (url: string): string =>
  url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*$/, '.+')
    .replace(/:[^/]+/g, '[^/]+')

/** 404 for a path that no route knows, 405 for one that has other methods. */
const onUnknown = (routes: readonly Route[]) => {
  const known = routes.flatMap(({ method, url }) =>
    typeof url === 'string' ? [{ method, test: new RegExp(`^${segments(url)}$`) }] : [],
  )
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ''] = request.url.split('?')
    const methods = [...new Set(known.filter(({ test }) => test.test(path)).map((k) => k.method))]
    if (methods.length === 0) return sendJson(reply, 404, { error: '404 Not Found' })
    reply.header('allow', methods.join(', '))
    return sendJson(reply, 405, { error: '405 Not Allowed' })
  }
}

/** Routes whose address is a pattern, tried in turn below everything else. */
const addPatterns = (app: FastifyInstance, instance: Instance, routes: readonly Route[]): void => {
  const patterns = routes.flatMap((route) =>
    route.url instanceof RegExp
      ? [{ method: route.method, url: route.url, run: serve(instance, route) }]
      : [],
  )
  for (const method of new Set(patterns.map((p) => p.method)))
    app.route({
      method,
      url: '/*',
      handler: async (request, reply) => {
        const [path = ''] = request.url.split('?')
        const found = patterns.find(
          (p) => p.method === method && p.url.test(decodeURIComponent(path)),
        )
        return found === undefined ? onUnknown(routes)(request, reply) : found.run(request, reply)
      },
    })
}

/** The server with all routes, not yet listening. */
export const buildServer = async (instance: Instance): Promise<FastifyInstance> => {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestIdHeader: 'x-request-id',
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength: 4096, querystringParser: (text) => decodeForm(text) },
  })
  await addParsers(app)
  const routes = await collectRoutes()
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.setErrorHandler(onError)
  app.setNotFoundHandler(onUnknown(routes))
  for (const route of routes)
    if (typeof route.url === 'string')
      app.route({ method: route.method, url: route.url, handler: serve(instance, route) })
  addPatterns(app, instance, routes)
  return app
}
