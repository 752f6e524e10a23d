/** What a request carries: its query, and a body as JSON, form or multipart. */
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '../reply.js'
import { decodeForm, decodeJson, isNested, type Nested, nest } from './decode.js'

export const bodyLimit = 256 * 1024 * 1024

/** The path as it was sent, and what follows the question mark. */
export const targetOf = ({
  originalUrl,
}: FastifyRequest): { readonly path: string; readonly query: string } => {
  const at = originalUrl.indexOf('?')
  return at === -1
    ? { path: originalUrl, query: '' }
    : { path: originalUrl.slice(0, at), query: originalUrl.slice(at + 1) }
}

/** The parameters of the query. Refuses with 400 what contradicts itself. */
export const queryOf = (request: FastifyRequest): Nested => decodeForm(targetOf(request).query)

/** Reads the parts; what the parser says of a cut or malformed body is the client's fault. */
const readMultipart = async (request: FastifyRequest): Promise<Nested> => {
  const pairs: [string, unknown][] = []
  try {
    for await (const part of request.parts({ limits: { fileSize: bodyLimit } }))
      pairs.push([
        part.fieldname,
        part.type === 'file' ? (await part.toBuffer()).toString('utf8') : part.value,
      ])
  } catch (error) {
    const { statusCode } = error as { statusCode?: number }
    if (statusCode === 413) throw error
    throw invalid('message body does not match declared format')
  }
  return nest(pairs)
}

/** Query and body together; the body wins. */
export const paramsOf = async (request: FastifyRequest, query: Nested): Promise<Nested> => {
  const body = request.isMultipart() ? await readMultipart(request) : request.body
  if (body === undefined || body === null) return query
  if (!isNested(body)) throw invalid('message body does not match declared format')
  return { ...query, ...body }
}

/** What a parser throws is handed on: outside of it nobody would catch it. */
const parsing =
  (decode: (text: string) => unknown) =>
  (
    _request: FastifyRequest,
    text: string | Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    let body: unknown
    try {
      body = decode(String(text))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    done(null, body)
  }

/** Teaches a server the three kinds of body. */
export const addParsers = async (app: FastifyInstance): Promise<void> => {
  const how = { parseAs: 'string', bodyLimit } as const
  app.removeAllContentTypeParsers()
  await app.register(multipart, {
    limits: { fileSize: bodyLimit, fieldSize: bodyLimit, fieldNameSize: 4096 },
  })
  app.addContentTypeParser('application/json', how, parsing(decodeJson))
  app.addContentTypeParser('application/x-www-form-urlencoded', how, parsing(decodeForm))
}
