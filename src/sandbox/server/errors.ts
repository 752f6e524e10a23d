/** Whatever goes wrong becomes an answer with a JSON body, wherever it goes wrong. */

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../reply.js'
import { sendJson } from './answer.js'

/** The answer to what a handler, a parser or a hook threw. */
export const onError = (
  error: unknown,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
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

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** The answer to what is no HTTP: there is no request yet, only the connection. */
export const onClientError = (error: NodeJS.ErrnoException, socket: Socket): void => {
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
