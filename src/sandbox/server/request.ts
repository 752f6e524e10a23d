/** Parses requests for the server: their target, their query, and bodies of all media types within one size limit. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { collectParams, decodeForm, decodeJson, isNested, type NestedParams } from '../check.js'
import { invalid, Refusal } from '../reply.js'

// The target: the address in the first line of a request.

interface Target {
  /** The host in the target, as clients write it for a proxy. It counts instead of the Host header. */
  readonly host: string | undefined
  /** The path, still percent-encoded. */
  readonly path: string
  readonly query: string
}

const parseTarget = (url: string): Target => {
  const [origin = '', host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  const local = url.slice(origin.length)
  const at = local.indexOf('?')
  const path = at === -1 ? local : local.slice(0, at)
  return { host, path: path === '' ? '/' : path, query: at === -1 ? '' : local.slice(at + 1) }
}

/** Returns a path without repeated slashes, and without a slash at its end. */
export const simplifyPath = (path: string): string => path.replace(/\/+/g, '/').replace(/\/$/, '')

export const getTarget = ({ originalUrl }: FastifyRequest): Target => parseTarget(originalUrl)

// The body. Its media type is ignored if it is empty, since some clients always send one.

/** The maximum size of a body, in bytes. */
const bodyLimit = 64 * 1024 * 1024

export const createTooLargeRefusal = (): Refusal =>
  new Refusal(413, { error: `the request body is larger than ${bodyLimit / 1024 ** 2} MiB` })

const createMalformedRefusal = (): Refusal => invalid('message body does not match declared format')

/** A part of a form. A file is kept as chunks, so that parts stay in order. */
interface Part {
  readonly name: string
  readonly media: string
  readonly text: string | readonly Buffer[]
}

/** Reads the parts of a form. @throws Refusal if it is incomplete or malformed */
const readParts = async (type: string, bytes: Buffer): Promise<readonly Part[]> => {
  const { Busboy } = await import('@fastify/busboy')
  const limits = { fieldNameSize: 4096, fieldSize: bodyLimit, fileSize: bodyLimit }
  const parser = new Busboy({ headers: { 'content-type': type }, limits })
  const parts: Part[] = []
  await new Promise<void>((resolve, reject) => {
    parser.on('field', (name, text, _cutName, _cut, _encoding, media) => {
      parts.push({ name, media, text })
    })
    parser.on('file', (name, stream) => {
      const text: Buffer[] = []
      parts.push({ name, media: '', text })
      stream.on('data', (chunk: Buffer) => text.push(chunk)).on('error', reject)
    })
    parser.on('finish', resolve).on('error', reject)
    parser.end(bytes)
  })
  return parts
}

/** Decodes a part of a form. The value of a file is its text. */
const decodePart = ({ name, media, text }: Part): readonly [string, unknown] => {
  if (name in Object.prototype) throw createMalformedRefusal()
  if (typeof text !== 'string') return [name, Buffer.concat(text).toString()]
  return [name, media.startsWith('application/json') ? decodeJson(text) : text]
}

const decodeParts = async (type: string, bytes: Buffer): Promise<NestedParams> => {
  const parts = await readParts(type, bytes).catch(() => {
    throw createMalformedRefusal()
  })
  return collectParams(parts.map(decodePart))
}

/** Decodes a body by its media type; undefined for an empty one. */
const decodeBody = async (type: string, bytes: Buffer): Promise<unknown> => {
  if (bytes.length === 0) return undefined
  const media = type.split(';', 1)[0]?.trim().toLowerCase()
  if (media === 'application/json') return decodeJson(bytes.toString())
  if (media === 'application/x-www-form-urlencoded') return decodeForm(bytes.toString())
  if (media === 'multipart/form-data') return decodeParts(type, bytes)
  throw new Refusal(415, { error: `The provided content-type '${type}' is not supported.` })
}

/** The milliseconds after which the connection of a refused client is closed. Until then, the client can read the response. */
const lingering = 2000

/** True for the error that Fastify throws when a body without a length exceeds the limit. */
export const isTooLarge = (error: unknown): boolean =>
  (error as { statusCode?: number }).statusCode === 413

/** Discards the rest of a refused body, and closes the connection if the client continues to send. */
export const discard = (raw: IncomingMessage, reply: FastifyReply): void => {
  // If the connection were closed at once, the client would lose the response that it has not read yet.
  reply.removeHeader('connection')
  const timer = setTimeout(() => raw.socket.destroy(), lingering)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}

const getLength = (raw: IncomingMessage): number => Number(raw.headers['content-length'] ?? 0)

/**
 * Adds the parsers of bodies to a server. A body that declares too large a size is refused before it is read, and any other one when it
 * exceeds the limit.
 */
export const acceptBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  const contentTypes = new WeakMap<IncomingMessage, string>()
  const decode = (request: FastifyRequest, bytes: Buffer): Promise<unknown> =>
    decodeBody(contentTypes.get(request.raw) ?? '', bytes)
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, decode)
  app.addHook('onRequest', async ({ raw }) => {
    if (getLength(raw) > bodyLimit) throw createTooLargeRefusal()
    // Fastify would check the media type before it is known whether there is a body.
    contentTypes.set(raw, raw.headers['content-type'] ?? '')
    delete raw.headers['content-type']
  })
  app.server.on('checkContinue', (raw, response) => {
    if (getLength(raw) <= bodyLimit) response.writeContinue()
    app.server.emit('request', raw, response)
  })
}

/** Merges the parameters of the query and the body. Those of the body count if both have a name. */
export const getParams = (request: FastifyRequest, query: NestedParams): NestedParams => {
  const { body } = request
  if (body === undefined || body === null) return query
  if (!isNested(body)) throw createMalformedRefusal()
  return { ...query, ...body }
}
